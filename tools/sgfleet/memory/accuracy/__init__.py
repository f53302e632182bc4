"""How near the arithmetic comes to what start-up logs say."""
