"""One program: built, run in every way, and what is wrong with it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .on_gpu import parsed
from .policies import PLUGINS, Forced, Run, policy, runs
from .program import Program
from .workshop import Built, Ran, Workshop

ORIGINAL = {"GPUOPT_DISPATCH": "original"}
# Faults of the generator or the emulator, not of a version.
OURS = ("original does not build", "original fails", "original races")


@dataclass(frozen=True)
class Failure:
    """Something that must not be: of which run, kernel and launch, with a word about it."""

    kind: str
    run: str
    kernel: str = ""
    launch: int = -1
    detail: str = ""

    @property
    def plugin(self) -> str:
        """The plugin whose version it is, "" for all together."""
        return self.run.split()[0] if self.run.split()[0] in PLUGINS else ""


@dataclass
class Verdict:
    """What a program showed. `taken`: for each run, the kernels that got a version."""

    seed: int
    kernels: int
    launches: int
    failures: list[Failure] = field(default_factory=list)
    taken: dict[str, list[str]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def json(self) -> dict[str, Any]:
        """As one line of results."""
        return asdict(self)


def examine(
    shop: Workshop, program: Program, chosen: Forced, plugins: Sequence[str] = PLUGINS, *, check: bool = False
) -> Verdict:
    """Build once, run the original and every version, compare."""
    verdict = Verdict(program.seed, len(program.kernels), len(program.launches))
    built = shop.build(program.text, policy(chosen, plugins), check=check)
    verdict.codes, verdict.seconds = dict(built.codes), built.seconds
    verdict.failures += _of_build(built)
    if not built.program:
        return verdict
    original = shop.run(built.program, ORIGINAL)
    wrong = _of_original(original, len(program.launches))
    if not wrong and check:
        wrong = _races(shop.run(built.program, ORIGINAL, check=True), "original races", "original")
    if wrong or built.dropped:
        verdict.failures += wrong
        return verdict
    versions: dict[str, set[str]] = defaultdict(set)
    for run in runs(program.seed, plugins):
        ran = shop.run(built.program, run.environment)
        verdict.taken[run.name] = sorted({kernel for kernel, _ in ran.picks})
        for kernel, version in ran.picks:
            versions[version].add(kernel)
        found = compare(original, ran, run)
        if found:
            shown = shop.first_differences(built.program, run.environment)
            found = [_shown(one, shown.get((one.kernel, one.launch), "the same in another run")) for one in found]
        elif check and ran.picks:
            found = _races(shop.run(built.program, run.environment, check=True), "races", run.name)
        verdict.failures += found
    verdict.versions = {version: len(kernels) for version, kernels in sorted(versions.items())}
    return verdict


def _shown(failure: Failure, first: str) -> Failure:
    return Failure(failure.kind, failure.run, failure.kernel, failure.launch, f"{failure.detail}; {first}")


def _of_build(built: Built) -> list[Failure]:
    wrong = [Failure("problem", "build", detail=problem) for problem in built.problems]
    if not built.program:
        return [*wrong, Failure("original does not build", "build", detail=_errors(built.said))]
    if built.dropped:
        return [*wrong, Failure("patched source does not compile", "build", detail=_errors(built.said))]
    said = [line for line in built.said.splitlines() if line.startswith("gpuopt:")]
    return wrong + [Failure("warning", "build", detail=line[:500]) for line in said]


def _errors(said: str) -> str:
    lines = said.splitlines()
    return "\n".join([line for line in lines if "error" in line or line.startswith("gpuopt")][:4])[:1500]


def _of_original(ran: Ran, launches: int) -> list[Failure]:
    lines = [line for line in ran.lines if parsed(line)]
    failing = [line for line in lines if " error 0 0 " not in line]
    if ran.status or len(lines) != launches or failing:
        return [
            Failure(
                "original fails", "original", detail=f"status {ran.status}; {(failing or [''])[0]} {ran.said[-300:]}"
            )
        ]
    return []


def compare(original: Ran, ran: Ran, run: Run) -> list[Failure]:
    """The first launch of each kernel that differs, and how the run ended; the host's lines are the next launch's."""
    wrong: dict[str, Failure] = {}
    launches = [parsed(line) for line in original.lines]
    for number, (before, after) in enumerate(zip(original.lines, ran.lines, strict=False)):
        place = next(filter(None, launches[number:]), ("", -1, ""))
        if before != after and place[0] not in wrong:
            kind = (
                "host's output"
                if not launches[number]
                else "launch error"
                if " error 0 0 " not in after
                else "other rounding"
                if _only_floats(before, after)
                else "other bits"
            )
            wrong[place[0]] = Failure(kind, run.name, place[0], place[1], f"{before!r} became {after!r}")
    found = list(wrong.values())
    if ran.status or len(original.lines) != len(ran.lines):
        kind = "hang" if ran.status == 124 else "crash"
        after = parsed(original.lines[len(ran.lines)]) if len(ran.lines) < len(original.lines) else None
        found.append(
            Failure(
                kind,
                run.name,
                after[0] if after else "",
                after[1] if after else -1,
                f"status {ran.status}: {ran.said[-300:]}",
            )
        )
    return found


def _only_floats(before: str, after: str) -> bool:
    """Whether whole numbers are the same: what the emulator fuses is its own choice, nvcc's is seen on a GPU."""
    return [word for at, word in enumerate(before.split()) if at != 8] == [
        word for at, word in enumerate(after.split()) if at != 8
    ]


def _races(ran: Ran, kind: str, name: str) -> list[Failure]:
    if ran.findings:
        kernel = ran.findings[0].split(":")[0].split("(")[0].split()[-1]
        return [Failure(kind, name, kernel, detail="\n".join(ran.findings[:3]))]
    if ran.status:
        return [
            Failure(
                "crash in check mode" if kind == "races" else kind,
                name,
                detail=f"status {ran.status}: {ran.said[-300:]}",
            )
        ]
    return []


def summary(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """The figures of a campaign."""
    kernels = sum(one["kernels"] for one in verdicts)
    taken: Counter[str] = Counter()
    versions: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    any_version = 0
    for one in verdicts:
        for run, names in one["taken"].items():
            taken["vtb, another form" if run.startswith("vtb ") else run] += len(names)
        any_version += len({name for names in one["taken"].values() for name in names})
        versions.update(one["versions"])
        codes.update(one["codes"])
        wrong.update(f"{failure['kind']} ({failure['run'].split()[0]})" for failure in one["failures"])
    launches, seconds = (sum(one[key] for one in verdicts) for key in ("launches", "seconds"))
    lines = [
        f"programs {len(verdicts)}, kernels {kernels}, launches {launches}, building {seconds:.0f} s, "
        f"kernels with a version {any_version} ({100 * any_version / max(kernels, 1):.0f} %)"
    ]
    lines += [
        f"  taken  {run:<16} {count:>6} kernels ({100 * count / max(kernels, 1):.0f} %)"
        for run, count in sorted(taken.items())
    ]
    lines += [f"  version {version:<40} {count:>6}" for version, count in sorted(versions.items())]
    lines += [f"  {code:<50} {count:>6}" for code, count in sorted(codes.items()) if " applied " not in code]
    lines += [f"  FAILED {kind:<50} {count:>6}" for kind, count in sorted(wrong.items())] or ["  no failure"]
    return "\n".join(lines)
