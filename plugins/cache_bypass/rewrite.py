"""The rewrite: a load expression becomes a call that loads the same object with another cache operator.

`p[i]` becomes `...::cs(&(p[i]))`. The address is taken at the place of the load, so what has none (bit-fields, values)
does not compile and is taken back. The function copies the object's bytes with loads of its alignment, which is what
the compiler makes of the plain load; an object that cannot be copied so is loaded plainly.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.api import Access, Edit, Kernel, Space, marks

NAME = "cache_bypass"
L2_FIRST = "no_allocate_l2_first"  # and the first to go from L2: with a policy, which is in a register
OPERATORS = {  # PTX's spelling, and the first architecture that has it
    "cg": ("ld.global.cg", 300),
    "cs": ("ld.global.cs", 300),
    "lu": ("ld.global.lu", 300),
    "no_allocate": ("ld.global.L1::no_allocate", 700),
    "evict_first": ("ld.global.L1::evict_first", 700),
    L2_FIRST: ("ld.global.L1::no_allocate.L2::cache_hint", 800),
}
_WORDS = (  # bytes, type, PTX suffix, constraint
    (1, "unsigned char", "u8", "h"),
    (2, "unsigned short", "u16", "h"),
    (4, "unsigned", "u32", "r"),
    (8, "unsigned long long", "u64", "l"),
)


def _call(operator: str, *, ordered: bool) -> str:
    return f"::gpuopt_rt::plugin_{NAME}::{operator}{'_ordered' if ordered else ''}(&("


def edits(loads: Iterable[tuple[Access, str, bool]]) -> tuple[Edit, ...]:
    """Wrap each load: access, operator, whether it must keep its place among stores (`ordered`)."""
    made: list[Edit] = []
    for access, operator, ordered in loads:
        made.append(Edit.insert_before(access.span, _call(operator, ordered=ordered), NAME))
        made.append(Edit.insert_after(access.span, "))", NAME))
    return tuple(made)


def marked(kernel: Kernel, loads: Iterable[tuple[Access, str, bool]]) -> tuple[Edit, ...]:
    """The same for operators that are put on the PTX: comments around the loads, and around those inside them."""
    chosen = {(access.span.start, access.span.end): (access, operator, ordered) for access, operator, ordered in loads}
    made: list[Edit] = []
    for access, operator, ordered in chosen.values():
        if _is_mixed(kernel, access):
            continue
        suffix = OPERATORS[operator][0].removeprefix("ld.global.")
        before = marks.opening(kernel.qualified, suffix, _param(kernel, access), _call(operator, ordered=ordered))
        made.append(Edit.insert_before(access.span, before, NAME))
        made.append(Edit.insert_after(access.span, marks.closing("))"), NAME))
        for inner in (one for one in kernel.accesses if _is_inside(one, access)):
            if (inner.span.start, inner.span.end) not in chosen:
                made.append(
                    Edit.insert_before(inner.span, marks.opening("-", marks.STAYS, _param(kernel, inner)), NAME)
                )
                made.append(Edit.insert_after(inner.span, marks.closing(), NAME))
    return tuple(dict.fromkeys(made))


def _param(kernel: Kernel, access: Access) -> int:
    """The number of the parameter that an access goes through, -1 for none."""
    names = [param.name for param in kernel.params]
    return names.index(access.array.name) if access.array.is_param and access.array.name in names else -1


def _is_inside(one: Access, outer: Access) -> bool:
    """Whether a load from global memory is made within another one's address, at a place of its own."""
    inside = one.span.file == outer.span.file and outer.span.start < one.span.start and one.span.end < outer.span.end
    return inside and one.span.editable and one.array.space is not Space.SHARED


def _is_mixed(kernel: Kernel, access: Access) -> bool:
    """Whether a macro on the same line loads from the same array, or another load begins at the same character."""
    return any(
        other.array.name == access.array.name and not other.span.editable and other.span.line == access.span.line
        for other in kernel.accesses
    ) or any(
        other.span.file == access.span.file
        and (other.span.start == access.span.start) != (other.span.end == access.span.end)
        for other in kernel.accesses
    )


def _instruction(operator: str, kind: str, constraint: str, *, clobber: str) -> str:
    spelled, first = OPERATORS[operator]
    if kind == "v4":
        outputs, target, suffix = '"=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d)', "{%0, %1, %2, %3}, [%4]", "v4.u32"
    else:
        outputs, target, suffix = f'"={constraint}"(w)', "%0, [%1]", kind
    after = f' : {outputs} : "l"(p){clobber});'
    plain = f'asm("ld.global.{suffix} {target};"{after}'
    asm = plain.replace("ld.global", spelled, 1)
    if operator == L2_FIRST:
        policy = "createpolicy.fractional.L2::evict_first.b64 q, 1.0;"
        asm = f'asm("{{ .reg .b64 q; {policy} {spelled}.{suffix} {target}, q; }}"{after}'
    return asm if first <= 300 else f"\n#if __CUDA_ARCH__ >= {first}\n    {asm}\n#else\n    {plain}\n#endif\n   "


def _loader(operator: str, *, ordered: bool) -> str:
    """The loads of all widths with one operator, and the function that copies an object with them."""
    name = f"{operator}_ordered" if ordered else operator
    clobber = ' : "memory"' if ordered else ""
    parts = [f"struct by_{name} {{"]
    for _, type_, kind, constraint in _WORDS:
        held = "unsigned short" if kind == "u8" else type_
        code = _instruction(operator, kind, constraint, clobber=clobber)
        parts.append(
            f"  static __device__ void get({type_} &v, const {type_} *p) {{ {held} w; {code} v = ({type_})w; }}"
        )
    code = _instruction(operator, "v4", "r", clobber=clobber)
    parts.append(f"  static __device__ void get(four &v, const four *p) {{ four w; {code} v = w; }}")
    parts.append("};")
    parts.append(f"template <class T> inline __device__ typename plain<T>::type {name}(T *p) {{")
    parts.append(f"  return copy<by_{name}, typename plain<T>::type>::from(p);")
    parts.append("}")
    return "\n".join(parts)


_COPY = """\
// Loads with a cache operator, for objects of any type that may be copied byte by byte.
struct __align__(16) four { unsigned a, b, c, d; };
template <class T> struct plain { typedef T type; };
template <class T> struct plain<const T> { typedef T type; };
template <size_t N> struct word { typedef unsigned char type; };
template <> struct word<2> { typedef unsigned short type; };
template <> struct word<4> { typedef unsigned type; };
template <> struct word<8> { typedef unsigned long long type; };
template <> struct word<16> { typedef four type; };
template <class By, class T, bool bytes = __is_trivially_copyable(T)> struct copy {
  enum { align = alignof(T) > 16 ? 16 : alignof(T), size = sizeof(T) % align ? 1 : align };
  typedef typename word<size>::type part;
  union slot {
    T value;
    part parts[sizeof(T) / size];
    __device__ slot() {}
  };
  static __device__ T from(const T *p) {
    slot s;
#pragma unroll
    for (unsigned k = 0; k < sizeof(T) / size; ++k) By::get(s.parts[k], reinterpret_cast<const part *>(p) + k);
    return s.value;
  }
};
template <class By, class T> struct copy<By, T, false> {
  static __device__ T from(const T *p) { return *p; }
};"""


def support(operator: str, *, ordered: bool) -> str:
    """The device functions for one operator; texts of several versions may stand in one unit."""
    name = f"GPUOPT_CACHE_BYPASS_{operator}_{'ordered' if ordered else 'free'}".upper()
    copy = f"#ifndef GPUOPT_CACHE_BYPASS_COPY\n#define GPUOPT_CACHE_BYPASS_COPY\n{_COPY}\n#endif"
    return f"{copy}\n#ifndef {name}\n#define {name}\n{_loader(operator, ordered=ordered)}\n#endif\n"
