"""Code that counts on the lanes of a warp going in step, without barriers: where it is, and marks for its lanes."""
