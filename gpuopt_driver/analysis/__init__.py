"""Pure analyses on the frozen model that all plugins share."""
