"""The optimizations that ship with gpuopt; each is a plugin like any other and imports `gpuopt_driver.api` only."""
