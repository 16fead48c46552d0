"""Learning dispatch: what launches take is measured in the user's own run, remembered, and shown."""
