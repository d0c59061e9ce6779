"""What the core does not need: each folder brings its own dependency."""
