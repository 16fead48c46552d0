"""Plugins that do what no plugin should, each installed as a distribution of its own."""

from __future__ import annotations

from pathlib import Path

# What every one of them begins with; `gpuopt_propose` and others are replaced by what stands in HOSTILE.
HEAD = """
import os, signal, sys, threading, time
from gpuopt_driver.api import Decision, Edit, Finding, PluginInfo, Proposal, Variant, hookimpl

def said(kernel, decision=Decision.APPLIED, **more):
    return Finding("evil", kernel.qualified, decision, "EVIL001", "said", kernel.span.file, kernel.span.line, **more)

def swap(kernel, context, old, new):
    at = context.unit.files[kernel.span.file].data.index(old, kernel.span.start)
    return Proposal((said(kernel),), (Edit(kernel.span.file, at, at + len(old), new),))

@hookimpl
def gpuopt_describe():
    return PluginInfo("evil", "evil", {"EVIL001": "said"})
"""
PROPOSE = """
@hookimpl
def gpuopt_propose(kernel, context, facts):
    {}
"""

AT_IMPORT = {
    "raises": "raise ValueError('no\\x1b[31m\\nway')",
    "system exit": "raise SystemExit(0)",
    "sys.exit": "sys.exit()",
    "keyboard interrupt": "raise KeyboardInterrupt",
    "base exception": "class Odd(BaseException): pass\nraise Odd",
    "exits": "os._exit(0)",
    "aborts": "os.abort()",
    "kills itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "kills its group": "os.killpg(0, signal.SIGKILL)",
    "recursion": "def f(): f()\nf()",
    "syntax": "def (",
    "prints": "print('hello')",
    "writes to descriptor 2": "os.write(2, b'hello\\n')",
    "closes descriptors": "os.closerange(0, 256)",
    "changes directory": "os.chdir('/')",
    "changes signals": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "leaves a process": "if os.fork() == 0: time.sleep(1000)",
    "comes back twice": "os.fork()",
    "changes the mask": "os.umask(0o777)",
    "changes what Python finds": "sys.path[:] = []\nos.environ.clear()\nraise ImportError('so')",
    "no hooks": "del gpuopt_describe",
    "another name": "gpuopt_describe = hookimpl(lambda: PluginInfo('catt', '', {}))",
    "describes nothing": "gpuopt_describe = hookimpl(lambda: 3)",
    "describes badly": "gpuopt_describe = hookimpl(lambda: PluginInfo('evil', 3, {3: 4}))",
    "exits when described": "gpuopt_describe = hookimpl(lambda: os._exit(3))",
    "attributes that raise": "def __getattr__(name): raise SystemExit\ndef __dir__(): raise SystemExit\n",
    "options that raise": "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass O:\n  x: int = 1\n"
    "  def __post_init__(self): raise SystemExit\n"
    "gpuopt_describe = hookimpl(lambda: PluginInfo('evil', '', {}, O))",
    "a hook of another form": "@hookimpl\ndef gpuopt_propose(kernels): pass",
}
IN_A_HOOK = {
    "raises": "raise ValueError('no way')",
    "catches all": "\n    while True:\n        try: time.sleep(0.01)\n        except BaseException: pass",
    "spins": "\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    "sleeps": "time.sleep(1000)",
    "ignores signals": "[signal.signal(n, signal.SIG_IGN) for n in (2, 15, 14)]; time.sleep(1000)",
    "system exit": "raise SystemExit(0)",
    "keyboard interrupt": "raise KeyboardInterrupt",
    "memory error": "raise MemoryError",
    "recursion": "f = lambda: f()\n    f()",
    "exits": "os._exit(0)",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "kills its group": "os.killpg(0, signal.SIGKILL)",
    "forks and sleeps": "os.fork() or time.sleep(1000)",
    "prints": "print('hello')",
    "writes to descriptor 1": "os.write(1, b'hello\\n')",
    "closes descriptors": "os.closerange(0, 256)",
    "changes directory": "os.chdir('/')",
    "changes signals": "signal.signal(15, signal.SIG_IGN)",
    "changes the locale": "import locale; locale.setlocale(locale.LC_ALL, 'C')",
    "breaks Python": "import builtins; builtins.len = builtins.open = None; sys.stdout = sys.stderr = None",
    "breaks gpuopt": "import gpuopt_driver.rules as r, gpuopt_driver.plan as p; r.broken = p.settle = None",
    "threads that never end": "threading.Thread(target=time.sleep, args=(1000,)).start(); return 3",
    "wrong type": "return 3",
    "wrong parts": "return Proposal(3, 4, 5)",
    "wrong findings": "return Proposal((3,))",
    "a message that is none": "return Proposal((Finding('evil', 'k', Decision.APPLIED, 'EVIL001', 3, 'f', 1),))",
    "another's finding": "return Proposal((Finding('catt', 'k', Decision.APPLIED, 'CATT001', '', 'f', 1),))",
    "an object that exits": "class O:\n        def __reduce__(self): return os._exit, (7,)\n"
    "    return Proposal(edits=(O(),))",
    "out of range": "return Proposal((said(kernel),), (Edit(kernel.span.file, 10**9, 10**9 + 1, b''),))",
    "no numbers": "return Proposal((said(kernel),), (Edit(kernel.span.file, 'a', 'b', b''),))",
    "a system header": "return Proposal((said(kernel),), (Edit('/usr/include/stdio.h', 0, 1, b''),))",
    "another's kernel": "other = next(k for k in context.unit.kernels if k.usr != kernel.usr)\n"
    "    return Proposal((said(kernel),), (Edit(other.body.file, other.body.start + 1, other.body.start + 1, b';'),))",
    "does not parse": "return swap(kernel, context, b'{', b'{ not_there();')",
    # Where catt changes the kernel too.
    "overlaps another's": "if kernel.name != 'gesummv': return None\n"
    "    return Proposal((said(kernel),), (Edit(kernel.span.file, kernel.body.start, kernel.span.end,"
    " context.unit.files[kernel.span.file].data[kernel.body.start:kernel.span.end]),))",
    "a check that exits": "return swap(kernel, context, b'{', b'{ ;')\n"
    "@hookimpl\ndef gpuopt_check(kernel, context, proposal): os._exit(0)",
    "a check that raises": "return swap(kernel, context, b'{', b'{ ;')\n"
    "@hookimpl\ndef gpuopt_check(kernel, context, proposal): raise SystemExit",
    "overlaps itself": "p = swap(kernel, context, b'{', b'{ ;'); one = p.edits[0]\n"
    "    return Proposal(p.findings, (one, Edit(one.file, one.start, one.end, b'{')))",
}  # fmt: skip
# These leave no trace and cost no warning: what is changed is a copy.
HARMLESS = {
    "changes frozen values": "object.__setattr__(kernel, 'name', 'x'); object.__setattr__(context.unit, 'kernels', ())",
    "changes the environment": "os.environ.clear(); sys.path.clear()",
    "starts threads": "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
}
# One of each way to fail: by exception, exit, signal, silence, output, state, value, edit; and of each place.
SAMPLE = {
    "import: exits",
    "import: syntax",
    "import: comes back twice",
    "hook: catches all",
    "hook: kills its group",
    "hook: breaks gpuopt",
    "hook: wrong type",
    "hook: does not parse",
    "harmless: changes frozen values",
    "does not compile",
}


def install(site: Path, body: str) -> None:
    """A distribution with a plugin named evil in a directory for modules."""
    metadata = site / "evil_plugin-1.0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: evil-plugin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[gpuopt.plugins]\nevil = evil_plugin\n")
    (site / "evil_plugin.py").write_text(HEAD + body + "\n")
