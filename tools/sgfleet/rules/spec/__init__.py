"""Keys, values and files that are not what the specification has; the models and the layout report these."""
