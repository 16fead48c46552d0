"""Agents: a kernel's body run by persistent blocks for one block of the grid after the other (Li et al., figure 8D)."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.frontend.handed import given, own_params, taken
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.source.edits import Edit

_LARGEST = 2147483647  # blocks that an agent can count


def agent_edits(kernel: Kernel, agent: str, author: str, *, ahead: str = "") -> tuple[Edit, ...]:
    """The body as a closure over blockIdx and gridDim; `agent` is the C++ type that hands out blocks (`blocks.h`).

    `return` in the body ends the block, not the agent; parameters that the body may change are handed over anew for
    every block. `ahead`: statements that run before it with the block that
    probably follows as `gpuopt_n`.
    """
    own = own_params(kernel)
    opening = (
        f" auto gpuopt_body = [&](const ::uint3 blockIdx, const ::dim3 gridDim{taken(own)}) -> void "
        f"{{ (void)blockIdx; (void)gridDim; {{"
    )
    fetch = f" if (gpuopt_a.follows(gpuopt_n)) {{ {ahead} }}" if ahead else ""
    closing = (
        f"}} }}; {agent} gpuopt_a(gpuopt_plan); ::uint3 gpuopt_b, gpuopt_n; (void)gpuopt_n; "
        f"while (gpuopt_a.next(gpuopt_b)) {{{fetch} gpuopt_body(gpuopt_b, gpuopt_a.grid{given(own)}); }} "
    )
    body = kernel.inner
    return (
        Edit(body.file, body.start, body.start, opening.encode(), author),
        Edit(body.file, body.end, body.end, closing.encode(), author),
    )


def agent_guard(tile: Sequence[int], active: int, gpus: Sequence[int], shape: Sequence[str] = ()) -> str:
    """The guard that replaces the grid by agents: as many per SM as fit and find work, `active` of them work (0: all).

    `gpus`: compute capabilities (times ten) of the GPUs that are to have agents; empty: all. `shape`: statements that
    put a tile of the launch's own into `gpuopt_cta_w` and `gpuopt_cta_h`, and into `gpuopt_cta_a` how many of the
    `gpuopt_fit` agents work.
    """
    others = " && ".join(f"gpuopt_l.capability != {one}" for one in gpus)
    return "\n".join(
        [
            *([f"  if ({others}) return false;"] if others else []),
            "  const ::dim3 &gpuopt_g = gpuopt_l.grid;",
            "  const unsigned long long gpuopt_all = (unsigned long long)gpuopt_g.x * gpuopt_g.y * gpuopt_g.z;",
            "  unsigned gpuopt_fit = gpuopt_rt::residency(gpuopt_l, gpuopt_l.threads, gpuopt_l.shared);",
            f"  if (!gpuopt_fit || gpuopt_all < 2 || gpuopt_all > {_LARGEST}ull || gpuopt_l.sms < 1) return false;",
            "  const unsigned gpuopt_most = (unsigned)((gpuopt_all + gpuopt_l.sms - 1) / gpuopt_l.sms);",
            "  if (gpuopt_fit > gpuopt_most) gpuopt_fit = gpuopt_most;",
            f"  unsigned gpuopt_cta_a = gpuopt_fit, gpuopt_cta_w = {tile[0]}, gpuopt_cta_h = {tile[1]};",
            *([f"  if (gpuopt_cta_a > {active}u) gpuopt_cta_a = {active}u;"] if active else []),
            *shape,
            "  gpuopt_c.n[0] = (unsigned short)(gpuopt_g.x & 65535);",
            "  gpuopt_c.n[1] = (unsigned short)(gpuopt_g.x >> 16);",
            "  gpuopt_c.n[2] = (unsigned short)gpuopt_g.y; gpuopt_c.n[3] = (unsigned short)gpuopt_g.z;",
            "  gpuopt_c.n[4] = (unsigned short)gpuopt_l.sms; gpuopt_c.n[5] = (unsigned short)gpuopt_cta_a;",
            "  gpuopt_c.n[6] = (unsigned short)gpuopt_cta_w; gpuopt_c.n[7] = (unsigned short)gpuopt_cta_h;",
            "  gpuopt_c.scratch = 2 * sizeof(unsigned) * (unsigned)gpuopt_l.sms;",
            "  gpuopt_c.grid = ::dim3((unsigned)gpuopt_l.sms * gpuopt_fit, 1, 1);",
            "  return true;",
        ]
    )
