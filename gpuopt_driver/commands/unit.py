"""One source file through the pipeline, as the build would take it: same policy, same toolkit, same decisions."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

from gpuopt_driver.cache import Cache
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc.find import find_nvcc
from gpuopt_driver.nvcc.toolkit import describe_toolkit
from gpuopt_driver.phases import Examination
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy


def examine_file(arguments: argparse.Namespace) -> Examination:
    """What gpuopt-nvcc would do to the file `arguments.target`."""
    source = arguments.target
    policy = load_policy([source], explicit=arguments.policy)
    include = None
    with contextlib.suppress(ToolchainError):  # without a toolkit our own declarations serve
        nvcc = find_nvcc(os.environ, policy.driver.nvcc)
        include = describe_toolkit(nvcc, os.environ).runtime_header_dir or None if nvcc else None
    cache = Cache.find(os.environ)
    with contextlib.redirect_stdout(sys.stderr):  # what plugins print must not get into --json
        return examine(
            source,
            arguments.nvcc_args,
            policy,
            arguments.gpu,
            cuda_include=include,
            cache_dir=str(cache.root) if cache else None,
        )
