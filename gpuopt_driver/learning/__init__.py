"""What built programs measured of their kernels' versions: records in files of choices, and what the figures say."""
