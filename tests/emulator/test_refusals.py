"""What CUDA's runtime refuses, and with which error: the emulator answers what a GPU does (CUDA 13.0, driver 580).

`refusals.gpu.txt` is what benchmarks/refusals/refusals.cu printed there. Where the program ended (a handle of what was
destroyed is followed by the driver), the emulator must answer with an error and go on.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.refusals import FLAGS, SOURCE, answers
from tests.emulator.support import compile_with, run

GPU = answers((Path(__file__).parent / "refusals.gpu.txt").read_text())
ENDED = ("signal", "time")
AT_ONCE = "what streams do has been done when a call returns"
BEYOND = "the GPU takes it and fails, or never ends; refused here"
NO_TRAP = "alignment is not looked at"
DIFFERENT = {
    "launch_shared_4g": "the GPU takes the lower 32 bits",
    "launch_shared_4g_and_64": "the GPU takes the lower 32 bits",
    "launch_event_as_stream": "no stream; the GPU says that its context is destroyed",
    "capture_set_null": "a node that could not run",
    "set_minus_1": BEYOND,
    "set_2d_minus_1": BEYOND,
    "copy_2d_pitch_minus_1": BEYOND,
    "pointer_of_end": "there, another allocation begins",
    "elapsed_unfinished": AT_ONCE,
    "event_query_unfinished": AT_ONCE,
    "stream_query_busy": AT_ONCE,
    "stream_query_legacy_busy": AT_ONCE,
    "sticky_misaligned": NO_TRAP,
    "sticky_shared_misaligned": NO_TRAP,
    "sticky_reset": "a reset repairs the emulator; the GPU was unavailable until the process ended",
    "reset_then_free": "a reset keeps memory",
}


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> dict[str, str]:
    """What the program prints here."""
    place = tmp_path_factory.mktemp("refusals")
    assert compile_with(*FLAGS, SOURCE, "-o", place / "program", cwd=place, gpu="h200", plain=True) == 0
    return answers(run(place / "program").stdout)


def test_the_cases_are_those_of_the_gpu(emulated: dict[str, str]) -> None:
    assert list(emulated) == list(GPU)
    assert len(GPU) > 500
    assert DIFFERENT.keys() <= GPU.keys()


def test_the_answers_are_the_gpus(emulated: dict[str, str]) -> None:
    compared = [name for name, text in GPU.items() if name not in DIFFERENT and not text.startswith(ENDED)]
    assert {name: emulated[name] for name in compared} == {name: GPU[name] for name in compared}


def test_what_ends_a_program_there_is_an_error_here(emulated: dict[str, str]) -> None:
    ended = [name for name, text in GPU.items() if text.startswith(ENDED)]
    assert len(ended) > 20
    here = {name: emulated[name] for name in ended if not emulated[name].startswith("cudaErrorInvalid")}
    assert set(here) == {
        "copy_to_device_from_address_1",
        "copy_freed_default",
    }  # the program's own memory, which is none
    assert set(here.values()) == {"signal 11"}


def test_what_is_said_to_differ_differs(emulated: dict[str, str]) -> None:
    assert [name for name in DIFFERENT if emulated[name] == GPU[name]] == []
    assert [name for name, text in emulated.items() if text.startswith(ENDED) and not GPU[name].startswith(ENDED)] == []
