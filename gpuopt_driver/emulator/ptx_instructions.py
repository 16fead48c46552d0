"""PTX instructions and the C++ that they become: calls of the functions in include/gpuopt_emu/ptx*.h."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from gpuopt_driver.dataclass import dataclass

N = "::gpuopt_emu::ptx::"
TYPES = {
    "u8": "unsigned char", "s8": "signed char", "b8": "unsigned char", "u16": "unsigned short", "s16": "short",
    "b16": "unsigned short", "u32": "unsigned", "s32": "int", "b32": "unsigned", "f32": "float",
    "u64": "unsigned long long", "s64": "long long", "b64": "unsigned long long", "f64": "double",
    "f16": N + "F16", "bf16": N + "BF16", "f16x2": N + "F16x2", "bf16x2": N + "BF16x2", "pred": "bool",
    "b128": "unsigned __int128", "tf32": N + "TF32",
}  # fmt: skip
_REAL_TYPES = frozenset({"f32", "f16", "bf16", "f16x2", "bf16x2"})
_WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
_SPECIAL = {
    f"{name}.{axis}": f"{N}{name}().{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz"
}  # fmt: skip
_SPECIAL |= {
    name: f"{N}{name}()"
    for name in ("laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "lanemask_eq", "lanemask_lt", "lanemask_le",
                 "lanemask_ge", "lanemask_gt", "dynamic_smem_size", "total_smem_size")
}  # fmt: skip
_SPECIAL |= dict.fromkeys(("clock", "clock64", "globaltimer", "globaltimer_lo"), "::gpuopt_emu::passing_time()")
_SPECIAL |= dict.fromkeys(("clock_hi", "globaltimer_hi"), "(::gpuopt_emu::passing_time()>>32)")
_SPECIAL |= {f"cluster_ctaid.{axis}": f"::gpuopt_emu::index_in_cluster().{axis}" for axis in "xyz"}
_SPECIAL |= {f"cluster_nctaid.{axis}": f"::gpuopt_emu::cluster_size().{axis}" for axis in "xyz"}
_SPECIAL |= {"cluster_ctarank": "::gpuopt_emu::current->block->cluster_rank", "WARP_SZ": "32"}
_SPECIAL |= {"cluster_nctarank": "::gpuopt_emu::cluster_blocks()"}
_SPECIAL |= {"is_explicit_cluster": "(::gpuopt_emu::current->block->cluster!=nullptr)"}
_COMPARE = {
    "eq": "{0}=={1}", "ne": "({0}<{1}||{0}>{1})", "lt": "{0}<{1}", "le": "{0}<={1}", "gt": "{0}>{1}",
    "ge": "{0}>={1}", "lo": "{0}<{1}", "ls": "{0}<={1}", "hi": "{0}>{1}", "hs": "{0}>={1}",
    "equ": "!({0}<{1}||{0}>{1})", "neu": "!({0}=={1})", "ltu": "!({0}>={1})", "leu": "!({0}>{1})",
    "gtu": "!({0}<={1})", "geu": "!({0}<{1})",
    "num": "{0}=={0}&&{1}=={1}", "nan": "!({0}=={0}&&{1}=={1})",
}  # fmt: skip
_ROUNDINGS = ("rn", "rz", "rm", "rp", "rna")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?")
_REAL = re.compile(r"-?\d+\.\d*(?:[eE][-+]?\d+)?")
_ADDRESS = re.compile(r"\[\s*(.+?)\s*(?:([+-])\s*(-?\w+))?\s*\]")


class Unknown(Exception):
    """The instruction has no counterpart."""


@lru_cache(maxsize=1)
def register_types() -> dict[str, str]:
    """C++ types of registers by what `.reg` calls them."""
    return {**TYPES, "f16x2": "unsigned", "bf16x2": "unsigned", "f16": "unsigned short", "bf16": "unsigned short"}


@dataclass(frozen=True, slots=True)
class Instruction:
    """`name.modifiers operands`; `names` gives registers and asm operands their C++ names."""

    name: str
    modifiers: tuple[str, ...]
    operands: tuple[str, ...]
    names: Callable[[str], str | None]
    site: int = 0  # a number of its own

    def has(self, *modifiers: str) -> bool:
        """Whether one of these modifiers is there."""
        return any(item in self.modifiers for item in modifiers)

    @property
    def kind(self) -> str:
        """The last modifier, which is mostly the type."""
        if not self.modifiers or self.modifiers[-1] not in TYPES:
            raise Unknown
        return self.modifiers[-1]

    def need(self, count: int) -> None:
        """Check the number of operands."""
        if len(self.operands) != count:
            raise Unknown

    def raw(self, text: str) -> str:
        """A C++ expression for a register, an immediate value or a special register."""
        if text.startswith("!"):
            return f"!{self.raw(text[1:])}"
        if name := self.names(text):
            return name
        if re.fullmatch(r"0[fF][0-9a-fA-F]{8}", text):
            return f"{N}as<float>(0x{text[2:]}u)"
        if re.fullmatch(r"0[dD][0-9a-fA-F]{16}", text):
            return f"{N}as<double>(0x{text[2:]}ull)"
        if _NUMBER.fullmatch(text):
            return text.rstrip("U") + ("u" if text.endswith("U") else "")
        if _REAL.fullmatch(text):
            return text
        if (special := _SPECIAL.get(text.lstrip("%"))) is not None:
            return special
        if text.startswith("-") and (name := self.names(text[1:])):
            return f"-{name}"
        raise Unknown

    def value(self, index: int, kind: str) -> str:
        """Operand `index` as a value of a PTX type; a pack `{a, b}` is put together."""
        if index >= len(self.operands):
            raise Unknown
        text = self.operands[index]
        if text.startswith("{"):
            parts = [self.raw(part.strip()) for part in text[1:-1].split(",")]
            return f"{N}pack<{TYPES[kind]}>({','.join(parts)})"
        value = f"{N}as<{TYPES[kind]}>({self.raw(text)})"
        return f"{N}ftz({value})" if self.has("ftz") and kind in _REAL_TYPES else value

    def address(self, index: int) -> str:
        """The memory operand `[register + offset]` as a C++ pointer."""
        match = _ADDRESS.fullmatch(self.operands[index]) if index < len(self.operands) else None
        if match is None:
            raise Unknown
        base, sign, offset = match.groups()
        shared = any(item.split("::")[0] == "shared" for item in self.modifiers)
        function = "shared_address" if shared else "address"
        return f"{N}{function}({self.raw(base)},{sign or ''}{self.raw(offset) if offset else 0})"

    def put(self, text: str, value: str) -> str:
        """The assignment to a register or, part by part, to a pack."""
        if text == "_":
            return f"(void)({value})"
        if text.startswith("{"):
            parts = [part.strip() for part in text[1:-1].split(",")]
            parts = [self.raw(part) if part != "_" else f"{N}nowhere()" for part in parts]
            return f"{N}unpack({value},{','.join(parts)})"
        return f"{N}put({self.raw(text)},{value})"

    def result(self, value: str) -> str:
        """The assignment to the first operand."""
        if not self.operands:
            raise Unknown
        return self.put(self.operands[0], f"{N}ftz({value})" if self.has("ftz") else value)

    def both(self, call: str) -> str:
        """`d|p` as the first operand: a call that returns a value and a predicate."""
        target, bar, predicate = (part.strip() for part in self.operands[0].partition("|"))
        code = f"const auto gpuopt_b={call};" + self.put(target, "gpuopt_b.value")
        return code + (";" + self.put(predicate, "gpuopt_b.predicate") if bar else "")


Rule = Callable[[Instruction], str]
ARITHMETIC: dict[str, Rule] = {}


def _rule(*names: str) -> Callable[[Rule], Rule]:
    def add(rule: Rule) -> Rule:
        ARITHMETIC.update(dict.fromkeys(names, rule))
        return rule

    return add


def _rounding(i: Instruction) -> str:
    return next((item for item in i.modifiers if item in _ROUNDINGS), "rn")


def _template(function: str, kind: str, *flags: str) -> str:
    return f"{N}{function}<{','.join([TYPES[kind], *flags])}>"


def _join(i: Instruction, function: str, count: int, kind: str | None = None) -> str:
    """`d = function<type>(a, b, ...)` with all operands of one type."""
    kind = kind or i.kind
    i.need(count + 1)
    values = ",".join(i.value(at, kind) for at in range(1, count + 1))
    return i.result(f"{_template(function, kind)}({values})")


@_rule("mov", "cvta")
def _mov(i: Instruction) -> str:
    i.need(2)
    if i.name == "cvta" and any(item.split("::")[0] == "shared" for item in i.modifiers):
        direction = "shared_offset" if i.has("to") else "shared_pointer"
        return i.result(f"{N}{direction}({i.raw(i.operands[1])})")
    return i.result(i.value(1, i.kind))


def _halves(i: Instruction) -> str:
    """add, min and max of two halves of words."""
    i.need(3)
    sign = i.modifiers[-1][0]
    best = f"__vi{i.name}_s16x2_relu" if i.has("relu") else f"__v{i.name}{sign}2"
    function = "__vadd2" if i.name == "add" else best
    return i.result(f"{function}({i.value(1, 'u32')},{i.value(2, 'u32')})")


@_rule("add", "sub", "mul")
def _arithmetic(i: Instruction) -> str:
    if i.name == "add" and i.modifiers[-1:] in (("s16x2",), ("u16x2",)):
        return _halves(i)
    kind = i.kind
    i.need(3)
    values = f"{i.value(1, kind)},{i.value(2, kind)}"
    if i.has("wide"):
        wider = _WIDER[kind]
        return i.result(f"({TYPES[wider]})({i.value(1, kind)})*({TYPES[wider]})({i.value(2, kind)})")
    if i.has("hi"):
        return i.result(f"{_template('mul_hi', kind)}({values})")
    if i.has("cc"):
        return i.result(f"{_template(i.name + '_cc', kind)}({values},0)")
    if kind.startswith(("f", "bf")):
        function = f"{N}{i.name}_{_rounding(i)}"
        if function.endswith("mul_rn") and kind == "f32" and i.has("ftz"):
            function += "_ftz"
        value = _saturated(i, f"{function}({values})")
        return i.result(f"{N}relu({value})" if i.has("relu") else value)
    if i.has("sat"):
        return i.result(f"{_template(i.name + '_sat', kind)}({values})")
    return i.result(f"{_template(i.name, kind)}({values})")


def _saturated(i: Instruction, value: str) -> str:
    return f"{N}saturate({value})" if i.has("sat") else value


@_rule("addc", "subc")
def _with_carry(i: Instruction) -> str:
    i.need(3)
    function = i.name[:3] + "_cc"
    keep = "" if i.has("cc") else f"{N}Carry gpuopt_c;"
    return keep + i.result(f"{_template(function, i.kind)}({i.value(1, i.kind)},{i.value(2, i.kind)},{N}carry)")


@_rule("mad", "fma", "madc")
def _multiply_add(i: Instruction) -> str:
    kind = i.kind
    i.need(4)
    a, b = i.value(1, kind), i.value(2, kind)
    if kind.startswith(("f", "bf")):
        function = f"{N}fma_{_rounding(i)}"
        value = _saturated(i, f"{function}({a},{b},{i.value(3, kind)})")
        return i.result(f"{N}relu({value})" if i.has("relu") else value)
    if i.has("wide"):
        wider = _WIDER[kind]
        product = f"({TYPES[wider]})({a})*({TYPES[wider]})({b})"
        return i.result(f"{_template('add', wider)}({product},{i.value(3, wider)})")
    product = f"{_template('mul_hi' if i.has('hi') else 'mul', kind)}({a},{b})"
    if i.name == "madc" or i.has("cc"):
        keep = "" if i.has("cc") else f"{N}Carry gpuopt_c;"
        carry = f"{N}carry" if i.name == "madc" else "0"
        return keep + i.result(f"{_template('add_cc', kind)}({product},{i.value(3, kind)},{carry})")
    return i.result(f"{_template('add_sat' if i.has('sat') else 'add', kind)}({product},{i.value(3, kind)})")


@_rule("mul24", "mad24")
def _twenty_four(i: Instruction) -> str:
    function = f"{i.name}_{'hi_sat' if i.has('sat') else 'hi' if i.has('hi') else 'lo'}"
    return _join(i, function, 3 if i.name == "mad24" else 2)


@_rule("div")
def _div(i: Instruction) -> str:
    if i.kind in ("f32", "f64"):
        rounding = next((item for item in i.modifiers if item in ("full", "approx")), _rounding(i))
        return i.result(f"{N}div_{rounding}({i.value(1, i.kind)},{i.value(2, i.kind)})")
    return _join(i, "div", 2)


@_rule("rem", "and", "or", "xor", "shl", "shr", "min", "max", "copysign")
def _binary(i: Instruction) -> str:
    if i.name in ("min", "max") and i.modifiers[-1:] in (("s16x2",), ("u16x2",)):
        return _halves(i)
    if i.name in ("shl", "shr"):
        i.need(3)
        return i.result(f"{_template(i.name, i.kind)}({i.value(1, i.kind)},{i.value(2, 'u32')})")
    if i.name in ("min", "max") and i.has("relu"):
        return _join(i, i.name + "_relu", 2)
    if i.name in ("min", "max") and i.has("NaN", "xorsign"):
        return _join(i, i.name + ("_nan" if i.has("NaN") else "") + ("_xorsign" if i.has("xorsign") else ""), 2)
    if i.name == "copysign":
        i.need(3)
        return i.result(f"{_template('copysign', i.kind)}({i.value(2, i.kind)},{i.value(1, i.kind)})")
    return _join(i, {"and": "and_", "or": "or_", "xor": "xor_"}.get(i.name, i.name), 2)


@_rule("neg", "abs", "not", "cnot", "popc", "clz", "brev", "sad", "tanh", "bmsk")
def _unary(i: Instruction) -> str:
    if i.name == "sad":
        return _join(i, "sad", 3)
    if i.name == "bmsk":
        i.need(3)
        wraps = "true" if i.has("wrap") else "false"
        return i.result(f"{_template('bmsk', i.kind)}({i.value(1, i.kind)},{i.value(2, i.kind)},{wraps})")
    return _join(i, {"not": "not_"}.get(i.name, i.name), 1)


@_rule("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2")
def _function(i: Instruction) -> str:
    i.need(2)
    suffix = f"_{_rounding(i)}" if i.name in ("rcp", "sqrt") else ""
    if i.name == "rcp" and i.has("approx"):
        suffix = "_approx"
    if i.name == "rsqrt" and i.kind == "f64" and i.has("ftz"):
        suffix = "_ftz"
    if i.name == "sqrt" and i.has("approx") and i.kind == "f32":
        suffix = "_approx_ftz" if i.has("ftz") else "_approx"
    return i.result(f"{N}{i.name}{suffix}({i.value(1, i.kind)})")


@_rule("bfind")
def _bfind(i: Instruction) -> str:
    i.need(2)
    shift = "true" if i.has("shiftamt") else "false"
    return i.result(f"{_template('bfind', i.kind)}({i.value(1, i.kind)},{shift})")


@_rule("fns", "dp4a", "dp2a")
def _by_name(i: Instruction) -> str:
    if i.name == "fns":
        i.need(4)
        return i.result(f"__fns({i.value(1, 'b32')},{i.value(2, 'b32')},{i.value(3, 's32')})")
    i.need(4)
    if len(i.modifiers) < 2:
        raise Unknown
    left, right = i.modifiers[-2:]
    signed = "s32" if "s32" in (left, right) else "u32"
    half = ",1" if i.has("hi") else ",0" if i.name == "dp2a" else ""
    return i.result(
        f"{N}{i.name}<{TYPES[left]},{TYPES[right]}>({i.value(1, 'u32')},{i.value(2, 'u32')},{i.value(3, signed)}{half})"
    )


@_rule("vabsdiff4")
def _video(i: Instruction) -> str:
    i.need(4)
    if i.modifiers not in (("u32", "u32", "u32", "add"), ("s32", "s32", "s32", "add")):
        raise Unknown
    values = ",".join(i.value(at, "u32") for at in range(1, 4))
    return i.result(f"{N}vabsdiff4_{i.modifiers[0]}({values})")


@_rule("bfe", "bfi", "lop3", "prmt", "shf", "szext")
def _bits(i: Instruction) -> str:
    if i.name == "bfe":
        i.need(4)
        values = f"{i.value(1, i.kind)},{i.value(2, 'u32')},{i.value(3, 'u32')}"
        return i.result(f"{_template('bfe', i.kind)}({values})")
    if i.name == "bfi":
        i.need(5)
        values = f"{i.value(1, i.kind)},{i.value(2, i.kind)},{i.value(3, 'u32')},{i.value(4, 'u32')}"
        return i.result(f"{_template('bfi', i.kind)}({values})")
    if i.name == "szext":
        i.need(3)
        wraps = "true" if i.has("wrap") else "false"
        return i.result(f"{_template('szext', i.kind)}({i.value(1, i.kind)},{i.value(2, 'u32')},{wraps})")
    if i.name == "lop3" and len(i.operands) == 5:
        return i.result(f"{N}lop3({','.join(i.value(at, 'b32') for at in range(1, 5))})")
    if i.name == "prmt" and len(i.operands) == 4:
        mode = next((item for item in i.modifiers if item in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")), "")
        function = f"{N}prmt_{mode}" if mode else f"{N}prmt"
        return i.result(f"{function}({','.join(i.value(at, 'b32') for at in range(1, 4))})")
    if i.name == "shf" and len(i.operands) == 4:
        direction = "l" if i.has("l") else "r"
        function = f"__funnelshift_{direction}{'c' if i.has('clamp') else ''}"
        return i.result(f"{function}({','.join(i.value(at, 'b32') for at in range(1, 4))})")
    raise Unknown


@_rule("setp", "set")
def _compare(i: Instruction) -> str:
    form = next((_COMPARE[item] for item in i.modifiers if item in _COMPARE), None)
    if form is None or len(i.operands) < 3:
        raise Unknown
    unsigned = i.has("lo", "ls", "hi", "hs")
    kind = i.kind.replace("s", "u") if unsigned else i.kind
    code = f"const auto gpuopt_x={i.value(1, kind)};const auto gpuopt_y={i.value(2, kind)};"
    test = f"({form.format('gpuopt_x', 'gpuopt_y')})"
    operator = next((sign for item, sign in (("and", "&&"), ("or", "||"), ("xor", "!=")) if i.has(item)), "")
    other = f"{operator}{i.value(3, 'pred')}" if operator else ""
    if i.name == "set":
        target = i.modifiers[-2] if i.modifiers[-2] in TYPES else "u32"
        yes = "1.0f" if target == "f32" else "0xffffffffu"
        return code + i.result(f"({test}{other})?{yes}:{'0.0f' if target == 'f32' else '0u'}")
    first, bar, second = (part.strip() for part in i.operands[0].partition("|"))
    code += i.put(first, f"(bool)({test}{other})")
    return code + (";" + i.put(second, f"(bool)(!{test}{other})") if bar else "")


@_rule("selp", "slct")
def _select(i: Instruction) -> str:
    i.need(4)
    kind = i.kind if i.name == "selp" else i.modifiers[-2]
    test = i.value(3, "pred") if i.name == "selp" else f"{i.value(3, i.kind)}>=0"
    return i.result(f"({test})? {i.value(1, kind)} : {i.value(2, kind)}")


@_rule("testp")
def _testp(i: Instruction) -> str:
    i.need(2)
    return i.result(f"{N}testp_{i.modifiers[0]}({i.value(1, i.kind)})")


@_rule("cvt")
def _cvt(i: Instruction) -> str:
    if i.modifiers[:2] == ("pack", "sat") and i.modifiers[3:4] == ("s32",):
        to, count = i.modifiers[2], len(i.operands)
        if (to in ("s16", "u16") and count == 3) or (to in ("s8", "u8") and count == 4):
            values = ",".join(i.value(at, "s32" if at < 3 else "u32") for at in range(1, count))
            return i.result(f"{N}cvt_pack<{TYPES[to]}>({values})")
        raise Unknown
    if len(i.modifiers) < 2 or i.modifiers[-1] not in TYPES or i.modifiers[-2] not in TYPES:
        raise Unknown
    to, source = i.modifiers[-2:]
    rounding = next((item for item in i.modifiers if item in (*_ROUNDINGS, "rni", "rzi", "rmi", "rpi")), "rn")
    if to in ("f16x2", "bf16x2"):
        i.need(3)
        pair = f"{_template('cvt_pair', to)}({i.value(1, source)},{i.value(2, source)},{N}Round::{rounding})"
        return i.result(f"{N}relu({pair})" if i.has("relu") else pair)
    i.need(2)
    flags = f"{TYPES[to]},{N}Round::{rounding},{'true' if i.has('sat') else 'false'}"
    value = f"{N}cvt<{flags}>({i.value(1, source)})"
    return i.result(f"{N}relu({value})" if i.has("relu") else value)
