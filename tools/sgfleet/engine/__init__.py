"""SGLang: flag schemas by release, and what a command line means to them."""
