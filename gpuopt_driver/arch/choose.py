"""Which GPU decisions are made for: the one that is named, else what the command line compiles for."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.arch.load import arch_for_capability, load_all, load_arch
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass

DEFAULT_GPU = "h200"
EMULATED_GPU = "titan-v"  # that the emulator plays, and is decided for, where neither policy nor architecture names one
UNKNOWN_GPU = "GPUOPT013"


@dataclass(frozen=True, slots=True)
class Choice:
    """`arch` is what to decide for; `note` is what must be said of that, "" where nothing has to.

    `unknown` names what no file stands for.
    `stands` is False where no file comes near what is compiled for: then nothing that rests on figures is decided.
    """

    arch: Arch
    note: str = ""
    unknown: str = ""
    stands: bool = True


def choose(gpu: str, capabilities: Sequence[int]) -> Choice:
    """The GPU of a policy (`gpu`: a name, a path or "auto") and a command line (its `capabilities`: 90 for sm_90).

    "auto" takes the GPU that stands for the newest capability, or the nearest of the same generation: NVIDIA runs code
    of one within the other, and limits and caches are alike. The next older capability is taken where there is none.
    """
    if gpu != "auto":
        return Choice(load_arch(gpu))
    if not capabilities:
        return Choice(load_arch(DEFAULT_GPU))
    unknown: list[int] = []
    for capability in sorted(capabilities, reverse=True):
        arch = arch_for_capability(capability)
        if arch is None:
            unknown.append(capability)
        nearest = arch or _nearest(capability)
        if nearest is not None:
            return _choice(nearest, unknown)
    names = _names(unknown)
    way = "--gpuopt-gpu=NAME decides for a GPU, `gpuopt calibrate` measures one"
    note = f"{names}: nothing that rests on a GPU's figures is decided; {way}"
    return Choice(load_arch(DEFAULT_GPU), note, names, stands=False)


def _choice(taken: Arch, unknown: Sequence[int]) -> Choice:
    """A GPU that is taken, though nothing is known of newer capabilities."""
    if not unknown:
        return Choice(taken)
    capability = "{}.{}".format(*taken.compute_capability)
    names = _names(unknown)
    return Choice(taken, f"{names}: decided for {taken.name} (compute capability {capability})", names)


def _nearest(capability: int) -> Arch | None:
    """The usual GPU of the nearest capability with the same major number, the lower one of two."""
    major, minor = divmod(capability, 10)
    usual = {arch.compute_capability[1] for arch in load_all() if arch.compute_capability[0] == major}
    if not usual:
        return None
    return arch_for_capability(10 * major + min(usual, key=lambda other: (abs(other - minor), other)))


def _names(unknown: Sequence[int]) -> str:
    return f"no GPU file stands for {', '.join(f'sm_{one}' for one in sorted(unknown))}"
