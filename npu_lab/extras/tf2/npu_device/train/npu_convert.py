"""What converted scripts import for its effects: of these the lab has none."""
