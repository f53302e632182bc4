"""What a specification may hold, as pydantic models: for what is wrong, for editors and for the reference.

What is right is held against core_schemas.json, which is written from here (`spec/valid`).
"""
