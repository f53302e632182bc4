"""What `policy:` of fleet.yaml allows and asks for."""
