"""The campaign: `python -m tests.random_programs`. Figures at the end; status 1 if a version is not as its original.

    --kernels 10000 --seed 1                        build and run so many kernels, ten to a program
    --plugins vtb catt                              these alone
    --shrink SEED [--kernel k3 --run vtb]           the least program of a seed that still fails
    --gpu DIR                                       build for a GPU (no GPU needed); there: python3 DIR/run.py
    --machine-code DIR                              of what --gpu built: versions with other operations (no GPU needed)
    --show SEED                                     a seed's program and its policy

An interrupted campaign goes on when it is started again with the same --results.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from .campaign import Campaign, run
from .gpu_builds import PER_PROGRAM, Folder, build
from .machine_code import examine
from .policies import PLUGINS, forced, policy
from .program import EMULATOR, FLOATS, program
from .shrink import shrink_seed
from .verdict import summary


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--per-program", type=int, help=f"kernels in a program (10; with --gpu {PER_PROGRAM})")
    parser.add_argument("--turns", type=int, default=1, help="how many times each program is built, with other options")
    parser.add_argument("--plugins", nargs="+", choices=PLUGINS, default=list(PLUGINS))
    parser.add_argument(
        "--check-every", type=int, default=5, help="every so many programs run in check mode, too; 0: none"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no further program after so long")
    parser.add_argument("--results", type=Path, default=Path("random_programs.jsonl"))
    parser.add_argument("--avoid", nargs="*", default=[], help="leave out forms with these words: known faults")
    parser.add_argument(
        "--floats", type=float, default=FLOATS, help="how many of the kernels have floating point, 0 to 1"
    )
    parser.add_argument("--gpu", type=Path, metavar="DIR", help="build kernels with floating point by nvcc, into DIR")
    parser.add_argument("--machine-code", type=Path, metavar="DIR", help="compare what --gpu built by cuobjdump")
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--shrink", type=int, metavar="SEED")
    parser.add_argument("--turn", type=int, default=0, help="with --show and --shrink")
    parser.add_argument("--kernel", default="", help="with --shrink: the kernel that fails")
    parser.add_argument("--run", default="", help="with --shrink: the run that fails, as in the results")
    parser.add_argument("--output", type=Path, help="with --shrink: write OUTPUT.cu and OUTPUT.toml")
    options = parser.parse_args()
    options.per_program = options.per_program or (PER_PROGRAM if options.gpu else 10)
    return options


def main() -> int:
    """Run what is asked for; the exit status."""
    options = _arguments()
    avoid = (*EMULATOR, *options.avoid)
    if options.gpu:
        avoided, per_program = tuple(options.avoid), options.per_program
        return build(
            Folder(options.gpu, options.seed, options.kernels, options.turns, options.plugins, avoided, per_program)
        )
    if options.machine_code:
        return examine(sorted(path for path in options.machine_code.glob("p*-*") if not path.name.endswith("-nvcc")))
    if options.show is not None:
        made = program(options.show, options.per_program, avoid=avoid, floats=options.floats)
        print(made.text, policy(forced(made, options.turn), options.plugins), sep="\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="random-programs-") as scratch:
        if options.shrink is not None:
            made = program(options.shrink, options.per_program, avoid=avoid, floats=options.floats)
            return shrink_seed(made, options.turn, options.kernel, options.run, Path(scratch), options.output)
        campaign = Campaign(
            options.seed,
            options.kernels,
            Path(scratch),
            options.results,
            options.per_program,
            options.turns,
            tuple(options.plugins),
            options.check_every,
            options.jobs,
            options.seconds,
            avoid,
            options.floats,
        )
        for line in run(campaign):
            for failure in line["failures"]:
                print(
                    " ".join(
                        str({**line, **failure}[key])
                        for key in ("seed", "turn", "kind", "run", "kernel", "launch", "detail")
                    )[:400],
                    flush=True,
                )
        lines = list(campaign.done().values())
    print(summary(lines))
    return 1 if any(line["failures"] for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
