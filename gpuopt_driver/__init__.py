"""gpuopt: a drop-in nvcc that makes existing CUDA programs faster."""

__version__ = "0.1.0"
