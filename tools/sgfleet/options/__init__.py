"""The ways to more KV capacity from where a service stands. Pure: what is read and written comes in as functions."""
