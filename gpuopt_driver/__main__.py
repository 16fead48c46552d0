"""`python -m gpuopt_driver` is `gpuopt`."""

from __future__ import annotations

import sys

from gpuopt_driver.paths import leave_out_working_directory

if __name__ == "__main__":
    leave_out_working_directory()
    from gpuopt_driver.cli import main

    sys.exit(main())
