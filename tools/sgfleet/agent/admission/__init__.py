"""Everything that can be checked before a running service is touched: one check a file, `admit` calls them all."""
