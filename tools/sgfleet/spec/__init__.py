"""What a repository declares: hosts, services, facts and fleet."""
