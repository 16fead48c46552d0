"""What `gpuopt-nvcc --gpuopt-help` prints: our own options; `--help` is nvcc's."""

from __future__ import annotations

TEXT = """\
gpuopt-nvcc takes nvcc's options, and these of its own (in parentheses: as a variable of the environment):

  --gpuopt-policy=FILE     (GPUOPT_POLICY)   this toolchain.toml, instead of the one in or above a source's directory
  --gpuopt-backend=NAME    (GPUOPT_BACKEND)  nvcc, emulator, or auto: nvcc where there is one
  --gpuopt-report=FILE     (GPUOPT_REPORT)   every decision with its figures, as JSON; `gpuopt report FILE` shows it
  --gpuopt-gpu=NAME        (GPUOPT_GPU)      decide for this GPU; `gpuopt gpus` lists them
  --gpuopt-off             (GPUOPT_OFF=1)    nvcc alone
  --gpuopt-help                              this text

A build says nothing of itself where all is well. `gpuopt explain FILE.cu -- ARGUMENTS` shows what is decided, and why.
"""
