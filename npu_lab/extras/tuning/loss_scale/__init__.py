"""Loss scale: managers, and optimizers that skip the steps that overflow."""
