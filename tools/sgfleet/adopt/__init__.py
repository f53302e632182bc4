"""How a server is started today (a unit, a command line, `docker run`) -> a service of a host's YAML."""
