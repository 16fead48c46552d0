"""The paper's figures 1 and 11 on emulated GPUs, beside what its text says.

    python benchmarks/vtb/emulated.py DIR [--jobs N] [KERNEL|GPU|figure-1...]

Builds the ten kernels for the emulator (`-DPAPER`: they load what the paper's do; every candidate in one program,
divided for the GPU in question) and runs their first launch in model mode on a GTX 285 and on a GTX 480 with 16 and
with 48 KB of shared memory: cycles of the original (with its loads in front of its stores to shared memory, as device
compilers move them, where that is faster) over those of every form. MM, TP and RD run with the default policy, which is
to leave them alone. DIR keeps programs and reports; what is there is not made again. Figure 1, the part of blocks' time
that is spent in regions, is played on the GTX 285 with the barriers that shared_management.py puts around them: as the
paper's text says, around the statements that define and use shared memory, and once more with their loads before; and
it is estimated by the analysis. The paper's text says means (figure 11 itself is a picture): the orders of its means
and ours are compared by rank correlation, and what it says of single kernels is listed beside what came out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared_management import AROUND, GIVE, PROGRAMS, TAKE, UNROLLED, held

from gpuopt_driver.arch.load import find_arch, load_arch
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.report.columns import table

HERE = Path(__file__).parent
LIMITED = ("mv", "fft", "mc", "sto", "sp", "hg", "cv")
ALONE = ("mm", "tp", "rd")
FORMS = {"VTB(2)": ("2 0",), "VTB(4)": ("4 0",), "VTB_pipe(2)": ("2 1",), "CO-VTB(2)": ("2 2", "2 3")}
BLOCKS = 64  # per multiprocessor at least: a launch takes 5000 cycles beyond them
OTHERS = (
    *("catt", "cta_clustering", "cta_mapping", "cache_bypass", "unified_memory"),
    *("accumulators", "read_only", "constants", "launch_shape", "coarsening"),
)
GPUS = ("gtx480-16k", "gtx285", "gtx480-48k")
# Section 7.1: means of VTB, VTB_pipe, CO-VTB, of the best one per kernel (GTX 285: on average and at most, best one).
PAPER = {"gtx480-16k": "1.42 - 1.60 1.61 1.70", "gtx480-48k": "1.09 - 1.22 1.14 1.26", "gtx285": "- - - - 1.44"}
MEANS = ("VTB", "VTB_pipe", "CO-VTB", "best")
FIGURE_1 = "paper: 25.6 % (geometric mean); MM, TP and HG high, RD and the others low"


def gpus(directory: Path) -> Path:
    """Where the GPUs are that programs are built for and played on."""
    return directory.resolve() / "gpus"


def gpu_file(directory: Path, gpu: str) -> str:
    """The GPU as bundled, or with one configuration of shared memory alone: versions cannot ask for another one."""
    name, _, kilobytes = gpu.partition("-")
    if not kilobytes:
        return name
    text = find_arch(name).read_text("utf-8")
    size = f"{int(kilobytes[:-1]) * 1024:_}"
    text = text.replace("[16_384, 49_152]", f"[{size}]").replace("value = 49_152, origin", f"value = {size}, origin")
    cache = f"{65536 - int(kilobytes[:-1]) * 1024:_}"  # a cache of its own, so that no version asks for another one
    text = text.replace("unified_bytes = 65_536\ncapacity = 49_152", f"unified_bytes = {cache}\ncapacity = {cache}")
    text = text.replace("\nunified = true", "\nunified = false")
    for key in ("per_sm", "per_block", "per_block_optin"):
        text = text.replace(f"\n{key} = 49_152", f"\n{key} = {size}")
    made = gpus(directory) / f"{gpu}.toml"
    if not made.exists():  # other processes may read it
        made.write_text(text, "utf-8")
    return str(made.resolve())


def policy(directory: Path, name: str, *, divided: bool = False) -> Path:
    """The default one with this plugin alone; of kernels that the paper changes every candidate, or CO-VTB by two."""
    return directory / f"{'default' if name in ALONE else 'own' if divided else 'every'}.toml"


def build(directory: Path, name: str, gpu: str, *, divided: bool = False) -> Path:
    """One kernel's program, with versions for this GPU; `divided`: for two blocks in one that divide shared memory."""
    program = directory / f"{name}.{gpu}{'.own' if divided else ''}"
    chosen = str(policy(directory, name, divided=divided))
    env = {**os.environ, "GPUOPT_POLICY": chosen, "GPUOPT_GPU": gpu_file(directory, gpu)}
    env["GPUOPT_GPU_PATH"] = str(gpus(directory))  # so that the program can be played on it, too
    command = [*os.environ.get("GPUOPT_NVCC_COMMAND", "gpuopt-nvcc").split(), "--gpuopt-backend=emulator"]
    command += ["-DPAPER", *(f"-Xcompiler={word}" for word in UNROLLED)]
    source = str(HERE / f"{name}.cu")
    if not program.exists():
        subprocess.run([*command, "-std=c++17", source, "-o", str(program)], check=True, env=env)
    return program


def ahead(directory: Path, name: str, gpu: str) -> Path | None:
    """The original with its loads in front of its stores to shared memory, as a device compiler moves them; or None."""
    edits = [(before, after) for before, after in PROGRAMS[name].edits if "part[" in after]
    program = directory / f"{name}.{gpu}.ahead"
    if edits and not program.exists():
        text = (HERE / f"{name}.cu").read_text("utf-8")
        for before, after in PROGRAMS[name].edits:
            text = text.replace(before, after.replace(TAKE, "").replace(GIVE, "__syncthreads();"))
        source, env = program.with_name(f"{program.name}.cu"), {**os.environ, "GPUOPT_GPU_PATH": str(gpus(directory))}
        source.write_text(text, "utf-8")
        command = [*os.environ.get("GPUOPT_NVCC_COMMAND", "gpuopt-nvcc").split(), "--gpuopt-off"]
        command += ["--gpuopt-backend=emulator", "-DPAPER", *(f"-Xcompiler={word}" for word in UNROLLED)]
        command += ["-std=c++17", f"-I{HERE}", str(source)]
        subprocess.run([*command, "-o", str(program)], check=True, env=env)
    return program if edits else None


def report_of(program: Path, asked: str) -> Path:
    """Where the emulator says what it saw of one form."""
    return program.with_name(f"{program.name}.{asked.replace(' ', '-') or 'default'}.json")


def cycles(program: Path, gpu: str, asked: str, blocks: int, name: str = "") -> tuple[str, float, bool]:
    """Checksum and modelled cycles of one form ("1": the original), whether a version ran. `name`: of the report."""
    report = report_of(program, name or asked)
    env = {**os.environ, "GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_REPORT": str(report)}
    env |= {"GPUOPT_EMU_L2": "cold", **({"GPUOPT_VTB": asked} if asked else {})}
    command = [str(program), "--blocks", str(blocks)]
    words = subprocess.run(command, check=True, env=env, capture_output=True, text=True).stdout.split()
    launch = json.loads(report.read_text())["launches"][0]
    if gpu in ("gtx480-16k", "gtx480-48k") and launch["shared_config_bytes"] != 1024 * int(gpu[7:9]):
        raise SystemExit(f"{program.name} has {launch['shared_config_bytes']} B of shared memory")
    return words[1], float(launch["cycles"]), "vtb" in str(launch["kernel"])


def launched(candidates: Sequence[tuple[Path, str]], gpu: str) -> int:
    """Blocks of a launch that fills multiprocessors whole times in every form, as good as the paper's large grids."""
    arch = load_arch(gpu.partition("-")[0])
    wave = 1
    for program, asked in candidates:
        *_, ran = cycles(program, gpu, asked, arch.sms * arch.limits.blocks_per_sm, f"held-{asked}")
        launch = json.loads(report_of(program, f"held-{asked}").read_text("utf-8"))["launches"][0]
        wave = math.lcm(wave, (int(asked.split()[0]) if ran else 1) * int(launch["resident_blocks"]))
    return -(-BLOCKS // wave) * wave * arch.sms


def speedups(directory: Path, name: str, gpu: str) -> dict[str, float]:
    """Of every form, and "best"; of a kernel that is left alone, 1.00 where nothing else ran."""
    program = build(directory, name, gpu)
    if name in ALONE:
        ran = cycles(program, gpu, "", launched([(program, "1")], gpu))[2]
        return {"best": 0.0 if ran else 1.0}
    made = {form: build(directory, name, gpu, divided=True) if form.startswith("CO") else program for form in FORMS}
    blocks = launched([(program, "1"), *((made[form], asked) for form, some in FORMS.items() for asked in some)], gpu)
    plain = cycles(program, gpu, "1", blocks)
    moved = ahead(directory, name, gpu)
    base = plain[1] if moved is None else min(plain[1], cycles(moved, gpu, "1", blocks)[1])
    found: dict[str, float] = {}
    for form, candidates in FORMS.items():
        for asked in candidates:
            words, took, ran = cycles(made[form], gpu, asked, blocks)
            if words != plain[0]:
                raise SystemExit(f"{name} on {gpu}: other results with {form}")
            if ran:
                found[form] = max(found.get(form, 0.0), base / took)
    return {**found, "best": max([1.0, *found.values()])}


def fraction(directory: Path, name: str) -> float:
    """The part of a kernel's time in its regions, by the analysis."""
    chosen = load_policy([], explicit=str(policy(directory, name)))
    result = examine(str(HERE / f"{name}.cu"), ["-DPAPER", "-std=c++17"], chosen, "gtx285")
    told = [facts["vtb"] for facts in result.report.facts if isinstance(facts.get("vtb"), dict)]
    return sum(float(region["fraction"]) for one in told for region in one["regions"])


def mean(values: list[float]) -> str:
    """The geometric one."""
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else ""


def show(found: Mapping[str, Mapping[str, float]], gpu: str) -> None:
    """One GPU's table."""
    forms = (*FORMS, "best")
    rows = [[name, *(f"{one[form]:.2f}" if form in one else "" for form in forms)] for name, one in found.items()]
    limited = [one for name, one in found.items() if name in LIMITED]
    rows.append(["geometric mean", *(mean([one[form] for one in limited if form in one]) for form in forms)])
    rows.append(["paper (MC by 4)", *PAPER[gpu].split()])
    print(f"{gpu}: times as fast as the original")
    print(*table(("kernel", *forms), rows), sep="\n", flush=True)


def means(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Of the forms as the paper counts them: VTB of MC is that of four, CO-VTB is of the kernels that are divided."""
    limited = {name: one for name, one in found.items() if name in LIMITED}
    kinds = {
        "VTB": [one["VTB(4)" if name == "mc" else "VTB(2)"] for name, one in limited.items()],
        "VTB_pipe": [one["VTB_pipe(2)"] for one in limited.values() if "VTB_pipe(2)" in one],
        "CO-VTB": [one["CO-VTB(2)"] for one in limited.values() if "CO-VTB(2)" in one],
        "best": [one["best"] for one in limited.values()],
    }
    return {name: math.exp(sum(map(math.log, values)) / len(values)) for name, values in kinds.items() if values}


def ranks(values: Sequence[float]) -> list[float]:
    """From 1 for the smallest; equal ones share the mean of their ranks."""
    return [sum(other < one for other in values) + (values.count(one) + 1) / 2 for one in values]


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's: Pearson's of the ranks."""
    x, y = ranks(one), ranks(other)
    middle = (len(x) + 1) / 2
    both = sum((a - middle) * (b - middle) for a, b in zip(x, y, strict=True))
    return both / math.sqrt(sum((a - middle) ** 2 for a in x) * sum((b - middle) ** 2 for b in y) or 1.0)


def compare(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    """Our order beside the one of the paper's text: means by rank correlation, and what it says of kernels."""
    ours = {(gpu, form): value for gpu, one in found.items() for form, value in means(one).items()}
    paper = {
        (gpu, form): float(said)
        for gpu, text in PAPER.items()
        for form, said in zip(MEANS, [word for i, word in enumerate(text.split()) if i != 1], strict=True)
        if said != "-"
    }

    def told(what: str, keys: Sequence[tuple[str, str]]) -> None:
        keys = [key for key in keys if key in ours]
        value = correlation([paper[key] for key in keys], [ours[key] for key in keys])
        pairs = ", ".join(f"{gpu} {form} {paper[gpu, form]:.2f} {ours[gpu, form]:.2f}" for gpu, form in keys)
        print(f"rank correlation, {what}: {value:.2f} (paper's and ours: {pairs})")

    for gpu in ("gtx480-16k", "gtx480-48k"):
        told(f"forms on {gpu}", [key for key in paper if key[0] == gpu and key[1] != "best"])
        told(f"forms and the best on {gpu}", [key for key in paper if key[0] == gpu])
    told("GPUs, best form", [key for key in paper if key[1] == "best"])
    told("all means", list(paper))
    for gpu, one in found.items():
        mc, mine = one["mc"], {form: ours.get((gpu, form), 0.0) for form in MEANS}
        own = [name for name in LIMITED if "CO-VTB(2)" in one[name]]
        on_own = {
            form: mean([one[name][form] for name in own]) for form in ("VTB(2)", "VTB_pipe(2)", "CO-VTB(2)", "best")
        }
        said = {
            "VTB_pipe before VTB on average": mine["VTB_pipe"] > mine["VTB"],
            "of MC VTB(4) before VTB_pipe": mc["VTB(4)"] > mc["VTB_pipe(2)"],
            f"CO-VTB before both on the kernels that have it ({', '.join(own)}: {', '.join(on_own.values())})": bool(
                own
            )
            and float(on_own["CO-VTB(2)"]) > max(float(on_own["VTB(2)"]), float(on_own["VTB_pipe(2)"])),
            "the best of all before CO-VTB, though that is of few": mine["best"] > mine["CO-VTB"],
            "MM, TP and RD left alone": all(one[name]["best"] == 1.0 for name in ALONE),
        }
        print(f"{gpu}:", *(f"{what}: {'yes' if true else 'NO'};" for what, true in said.items()))


def prepare(directory: Path) -> None:
    """The policies' files and the GPUs'."""
    gpus(directory).mkdir(parents=True, exist_ok=True)
    (directory / "held").mkdir(exist_ok=True)
    off = "".join(f"[plugins.{other}]\nenabled = false\n" for other in OTHERS)
    asked = {policy(directory, ALONE[0]): "", policy(directory, LIMITED[0]): "margin = 0\n"}
    asked[policy(directory, LIMITED[0], divided=True)] = 'margin = 0\nform = "co"\nfactor = 2\n'
    for file, options in asked.items():
        if not file.exists():
            file.write_text(f"{off}[plugins.vtb]\nenabled = true\n{options}")
    for gpu in GPUS:
        gpu_file(directory, gpu)


def main() -> None:
    """A table per GPU."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("names", nargs="*", help="kernels, GPUs, figure-1; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="programs at a time")
    options = parser.parse_intermixed_args()
    directory, names = options.directory, options.names
    prepare(directory)
    kernels = [name for name in names if name not in (*GPUS, "figure-1")] or [*LIMITED, *ALONE]
    played = [name for name in names if name in GPUS] or ([] if "figure-1" in names else list(GPUS))
    with ThreadPoolExecutor(options.jobs) as pool:
        asked = {(gpu, name): pool.submit(speedups, directory, name, gpu) for gpu in played for name in kernels}
        found = {gpu: {name: asked[gpu, name].result() for name in kernels} for gpu in played}
        for gpu in played:
            show(found[gpu], gpu)
        if set(kernels) == {*LIMITED, *ALONE} and set(played) == set(GPUS):
            compare(found)
        if played != list(GPUS) and "figure-1" not in names:
            return
        work = directory.resolve() / "held"
        asked_parts = [(around, name) for around in (True, False) for name in kernels if name in AROUND or not around]
        found_parts = pool.map(lambda one: held(one[1], work, "gtx285", around=one[0]), asked_parts)
        parts = dict(zip(asked_parts, found_parts, strict=True))
    for how, used in (
        ("played on a GTX 285, barriers alone", {name: parts[name in AROUND, name] for name in kernels}),
        ("played on a GTX 285, loads before", {name: parts[False, name] for name in kernels}),
        ("estimated", {name: fraction(directory, name) for name in kernels}),
    ):
        print(f"part of blocks' time in regions, {how}:", *(f"{name} {100 * one:.0f} %" for name, one in used.items()))
        print(f"geometric mean {mean(list(used.values()))}; {FIGURE_1}")


if __name__ == "__main__":
    main()
