"""The rewrite for agents, and the guards: for agents, and for the register of the emulated GPU."""

from __future__ import annotations

from gpuopt_driver.api import Edit, Kernel, agent_edits

NAME = "cta_mapping"
_SCOPE = f"::gpuopt_rt::plugin_{NAME}"

# Weak: only programs built for the emulator have it. Modes: 0 round robin, 1 along x, 2 along y.
REGISTER = 'extern "C" void gpuopt_emu_cta_mapping(const void *kernel, int mode) __attribute__((weak));\n'


def edits(kernel: Kernel, direction: str) -> tuple[Edit, ...]:
    """The kernel's body in the hands of agents that have rows (x) or columns (y) of blocks."""
    return agent_edits(kernel, f"{_SCOPE}::agent<true, {str(direction == 'y').lower()}>", NAME)


def register_guard(direction: str) -> str:
    """The guard that sets the register for the version, which is the kernel as it was."""
    mode = {"x": 1, "y": 2}[direction]
    return (
        "  if (gpuopt_l.grid.x == 1 && gpuopt_l.grid.y == 1) return false;\n"
        f"  if (!{_SCOPE}::gpuopt_emu_cta_mapping) return false;\n"
        f"  {_SCOPE}::gpuopt_emu_cta_mapping(gpuopt_l.version, {mode});\n"
        "  return true;"
    )
