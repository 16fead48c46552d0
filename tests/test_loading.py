"""What a build loads, and what it does without: digests are those of `hashlib`, which an analysis does not load."""

from __future__ import annotations

import hashlib

from gpuopt_driver.digests import blake2b, sha256
from tests.fresh import assert_runs


def test_digests_are_those_of_hashlib() -> None:
    for data in (b"", b"a", b"\0" * 1000):
        assert sha256(data) == hashlib.sha256(data).hexdigest()
        assert blake2b(data, 8) == hashlib.blake2b(data, digest_size=8).hexdigest()


def test_nothing_that_an_analysis_loads_loads_openssl() -> None:
    program = (
        "import sys\nimport gpuopt_driver.driver, gpuopt_driver.pipeline, gpuopt_driver.backends.judge\n"
        "from gpuopt_driver.plugins import load_plugins\nload_plugins()\nimport gpuopt_driver.ptx.check\n"
        "assert 'hashlib' not in sys.modules and '_hashlib' not in sys.modules\n"
    )
    assert_runs(program)


def test_a_remembered_build_loads_no_gpu_files_and_starts_no_process_by_subprocess() -> None:
    rare = ("subprocess", "difflib", "gpuopt_driver.arch.load", "gpuopt_driver.pipeline", "clang")
    program = f"import sys\nimport gpuopt_driver.driver\nassert not [name for name in {rare} if name in sys.modules]\n"
    assert_runs(program)
