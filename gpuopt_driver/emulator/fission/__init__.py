"""Kernels with barriers as loops over a block's threads, one per part between two barriers, where that is proved."""
