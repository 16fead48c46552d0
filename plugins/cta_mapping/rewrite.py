"""The rewrite for agents, and the guards: for agents, and for the registers of the emulated GPU."""

from __future__ import annotations

from gpuopt_driver.api import BlockSurvey, Edit, Kernel, agent_edits, turn_touches, warp_terms

NAME = "cta_mapping"
_SCOPE = f"::gpuopt_rt::plugin_{NAME}"

# Weak: only programs built for the emulator have it. Modes: 0 round robin, 1 along x, 2 along y.
REGISTER = 'extern "C" void gpuopt_emu_cta_mapping(const void *kernel, int mode) __attribute__((weak));\n'
# Warps of a multiprocessor that the programmable scheduler lets go first; 0: as the GPU does.
PRIORITY = 'extern "C" void gpuopt_emu_priority_group(const void *kernel, int warps) __attribute__((weak));\n'


def edits(kernel: Kernel, direction: str) -> tuple[Edit, ...]:
    """The kernel's body in the hands of agents that have rows (x) or columns (y) of blocks."""
    return agent_edits(kernel, f"{_SCOPE}::agent<true, {str(direction == 'y').lower()}>", NAME)


def register_guard(direction: str, priority: str) -> str:
    """The guard that sets the register for the version, which is the kernel as it was; `priority`: as `first_warps`."""
    mode = {"x": 1, "y": 2}[direction]
    return (
        "  if (gpuopt_l.grid.x == 1 && gpuopt_l.grid.y == 1) return false;\n"
        f"  if (!{_SCOPE}::gpuopt_emu_cta_mapping) return false;\n"
        f"  {_SCOPE}::gpuopt_emu_cta_mapping(gpuopt_l.version, {mode});\n"
        f"{priority}  return true;"
    )


def first_warps(survey: BlockSurvey, direction: str, line_bytes: int) -> str:
    """The part of the guard that gives the programmable scheduler its group (algorithm 2); "" where no loop needs one.

    A group is set where fewer warps fill L1 than reuse each other's data (line 14) and are resident.
    """
    touches = turn_touches(survey.found.modelled)
    terms = None if touches is None else warp_terms(touches, "map_w")
    if terms is None:
        return ""
    adds, zero = terms
    axis = "xyz".index(direction)
    whole = survey.distances[axis] >= survey.grid.grid[axis] - 1
    reach = f"(long long)gpuopt_l.grid.{direction} - 1" if whole else str(survey.distances[axis])
    return (
        f"  if ({' && '.join([f'{_SCOPE}::gpuopt_emu_priority_group', *(f'{one} != 0' for one in zero)])}) {{\n"
        f"    {_SCOPE}::warp_forms map_w; {adds}\n"
        f"    const long long map_r = {reach}, map_all = (long long)gpuopt_l.warps * gpuopt_l.resident_blocks;\n"
        "    const long long map_m = map_r * gpuopt_l.warps < map_all ? map_r * gpuopt_l.warps : map_all;\n"
        f"    const long long map_g = map_w.fitting(gpuopt_l.block, {axis}, map_m, (long long)gpuopt_l.l1_bytes, "
        f"{line_bytes});\n"
        f"    {_SCOPE}::gpuopt_emu_priority_group(gpuopt_l.version, (int)map_g);\n"
        "  }\n"
    )
