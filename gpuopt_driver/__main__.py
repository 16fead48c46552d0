"""`python -m gpuopt_driver` is `gpuopt`."""

from __future__ import annotations

import sys

from gpuopt_driver.cli import main

if __name__ == "__main__":
    sys.exit(main())
