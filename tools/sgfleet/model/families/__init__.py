"""How each family of models writes its layers down: one file a family, each with `layers(text, model_type)`."""
