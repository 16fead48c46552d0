"""The frozen model of a translation unit: what every analysis and plugin reads.

A kernel's body is a flat, pre-ordered tuple of `Stmt`; statements, accesses and barriers refer to each other by
statement id (their position in that tuple). What could not be modelled is marked unknown, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum, IntEnum

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.declared import PLAINLY, Declared
from gpuopt_driver.frontend.expr import Expr
from gpuopt_driver.frontend.launch_sites import Launch, Query
from gpuopt_driver.frontend.uses import BuiltinUse
from gpuopt_driver.source.text import SourceFile, Span


class Space(Enum):
    """Where an access goes."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"
    TEXTURE = "texture"
    UNKNOWN = "unknown"


class StmtKind(Enum):
    """The kinds of statements that matter to control flow."""

    COMPOUND = "compound"
    IF = "if"
    FOR = "for"
    WHILE = "while"
    DO = "do"
    SWITCH = "switch"
    CASE = "case"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    GOTO = "goto"
    LABEL = "label"
    DECL = "decl"
    EXPR = "expr"
    ASM = "asm"
    TRY = "try"
    EMPTY = "empty"


LOOP_KINDS = frozenset({StmtKind.FOR, StmtKind.WHILE, StmtKind.DO})


class SyncKind(Enum):
    """Synchronising operations; the scope decides what may be moved around them."""

    BLOCK = "block"  # __syncthreads, __syncthreads_count/and/or, cg::thread_block::sync
    NAMED = "named"  # bar.sync with an id, other subsets of the block
    WARP = "warp"  # __syncwarp, shuffles, votes, match, redux, activemask, tiles of at most a warp
    GRID = "grid"  # cg::grid_group::sync
    CLUSTER = "cluster"  # cg::cluster_group::sync
    FENCE = "fence"  # __threadfence and relatives
    UNKNOWN = "unknown"  # a call or asm that may synchronise


class Convergence(IntEnum):
    """Which threads are proved to reach a place together, of those that have not exited."""

    DIVERGENT = 0  # nothing is known
    WARPS = 1  # all of a warp, where `blockDim.x` is a multiple of 32
    BLOCK = 2  # all of the block


@dataclass(frozen=True, slots=True)
class Stmt:
    """One statement.

    `condition` is the value that steers an IF/loop/SWITCH (None: absent or not modelled); `uniform` says that it
    is proved equal for all threads of the block that evaluate it together. `reached_uniformly` says that all threads of
    the block that have not exited reach this statement together, the same number of times (every enclosing condition
    is uniform, and nothing before it lets some threads break out of an enclosing loop).
    """

    id: int
    kind: StmtKind
    span: Span  # includes the terminating ';' of simple statements
    parent: int | None
    children: tuple[int, ...] = ()
    condition: Expr | None = None
    uniform: bool = False
    convergence: Convergence = Convergence.DIVERGENT
    lead: int | None = None  # byte offset right after the token before this statement (in front of its pragmas)
    role: str = ""  # of an IF's children: "then" or "else"; of a loop's: "init", "body"

    @property
    def reached_uniformly(self) -> bool:
        """Whether all threads of the block that have not exited reach this statement together, equally often."""
        return self.convergence is Convergence.BLOCK


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: its statement, and, where it counts, symbol, start, step and trip count.

    `symbol` is the name that index expressions use ("loop<stmt>"); start and step may be unknown (None).
    `trips` is the number of iterations as an expression, None if not known; `uniform` as of the statement.
    A loop whose variable steps otherwise (`s *= 4`) has that variable's symbol in index expressions as `changing`, and
    as `following` the value that the next iteration has for it, over that symbol.
    """

    stmt: int
    symbol: str
    variable: str = ""
    start: Expr | None = None
    step: Expr | None = None
    bound: Expr | None = None
    trips: Expr | None = None
    depth: int = 0  # 0 for an outermost loop
    parent: int | None = None  # statement id of the enclosing loop
    changing: str = ""
    following: Expr | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """A base object that is accessed through an index: a pointer parameter, a shared or local array, a global."""

    name: str
    space: Space
    element: str  # canonical C++ spelling of the element type
    element_bytes: int
    extents: tuple[Expr, ...] = ()  # declared dimensions, outermost first; empty for pointers
    restrict: bool = False
    const: bool = False
    volatile: bool = False
    is_param: bool = False
    dynamic: bool = False  # extern __shared__


@dataclass(frozen=True, slots=True)
class Access:
    """One memory access site of a kernel, also those inside `__device__` functions that it calls (`via`).

    `offset` is the byte offset from the array's base, with `None` for what is not modelled at all; data-dependent
    parts are UNKNOWN symbols in it. `span` is the expression as written, in the function that holds it.
    """

    stmt: int  # the kernel's statement that makes the access (the call statement for `via` accesses)
    loops: tuple[int, ...]  # statement ids of the enclosing kernel loops, outermost first (callee loops excluded)
    array: Array
    offset: Expr | None
    bytes: int  # size of the access
    is_read: bool
    is_write: bool
    is_atomic: bool
    is_volatile: bool
    span: Span
    text: str
    via: tuple[str, ...] = ()
    guarded: bool = False  # under a condition inside its innermost loop (not executed on every iteration)
    in_callee_loop: bool = False
    predicate: tuple[Expr, ...] = ()  # modelled conditions between innermost loop and access
    # By `memcpy`, `frexp` and the like: `span` is the pointer, `bytes` an element of what it points to.
    is_copied: bool = False


@dataclass(frozen=True, slots=True)
class Sync:
    """A synchronising operation. `convergence`: who is proved to come to it, of the threads that have not exited.

    An operation of a warp that names the threads that are there (`__activemask()`, a coalesced group) waits for nobody:
    it counts as reached by all of the block.
    """

    stmt: int
    kind: SyncKind
    span: Span
    text: str
    via: tuple[str, ...] = ()
    convergence: Convergence = Convergence.DIVERGENT


@dataclass(frozen=True, slots=True)
class Call:
    """A call made in a kernel (or in a device function that it calls)."""

    stmt: int
    name: str  # qualified where known
    span: Span
    known: bool  # body or documented semantics known: no hidden access or synchronisation
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Something that evaluating an expression reads or writes: a local variable (or parameter), or memory of a space.

    `declared` is the byte offset of the variable's declaration; `exposed` says that somebody may know its address, so
    that accesses through pointers may mean it. Places in memory have no name; UNKNOWN is any memory and any exposed
    variable, a LOCAL one without a name is any exposed variable.
    """

    space: Space
    name: str = ""
    declared: int = -1
    exposed: bool = False

    @property
    def text(self) -> str:
        """The place for people to read."""
        if self.name:
            return self.name
        return (
            "what a pointer points to" if self.space in (Space.UNKNOWN, Space.LOCAL) else f"{self.space.value} memory"
        )


@dataclass(frozen=True, slots=True)
class Effect:
    """What one piece of a kernel's text (bytes `start` to `end` of its file) does when it is evaluated.

    It reads `place`, or writes it; `place` None: something that is not seen through, for the reason `unknown`.
    """

    start: int
    end: int
    place: Place | None
    is_write: bool = False
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """An expression statement that is one built-in `target = value;` of the language, or a plain copy of a class."""

    stmt: int
    target: Span
    value: Span


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call by name of one of the unit's functions: whom (USR; the template's), and the words that versions change.

    `name` is the function's name as written (not editable where a macro writes it), `opening` the '(' of its arguments.
    """

    usr: str
    name: Span
    opening: Span
    has_arguments: bool


class FunctionProblem(Enum):
    """Why a function cannot be copied, as a sentence says it."""

    IN_MACRO = "it comes out of a macro"
    MEMBER = "it is a member of a class"
    OPERATOR = "it is an operator"
    SYSTEM = "it stands in a system header"
    SPECIALISED = "it is an explicit specialisation of a template"
    STATIC_VARIABLES = "it has static local variables"
    OWN_NAME = "it uses its own name (__func__)"
    COUNTER = "it uses __COUNTER__"
    KNOWN = "it depends on what the compiler knows (__builtin_constant_p)"
    CHANGED = "a name in it means something else at the end of its file"
    UNUSUAL_NAME = "its name is written in an unusual way"
    WEAK = "it is weak, and another file's definition may take its place"


@dataclass(frozen=True, slots=True)
class Function:
    """A `__device__` function that a kernel calls, directly or not; of a template, one instantiation's facts.

    `builtins` are CUDA's built-in variables that its body names (macros included). `problems` says why it cannot be
    copied: out of a macro, a member, an operator, recursive, its address is taken.
    """

    usr: str
    name: str
    qualified: str
    span: Span  # from the first token of the declaration (template head, attributes) to the closing brace
    body: Span
    name_span: Span
    params_span: Span
    namespace: tuple[str, ...] = ()
    is_template: bool = False
    builtins: frozenset[str] = frozenset()
    call_sites: tuple[CallSite, ...] = ()
    problems: tuple[FunctionProblem, ...] = ()
    declared: Declared = PLAINLY

    @property
    def inner(self) -> Span:
        """The body without its braces."""
        return self.declared.within(self.body)


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable: where it is declared, and the statements that define and use it."""

    name: str
    type: str
    span: Span
    stmt: int
    space: Space
    is_static: bool
    definitions: tuple[int, ...]
    uses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Param:
    """A kernel parameter: `text` is its declaration as written, without a default argument.

    `repeated` is for other functions: without `__grid_constant__`, named `called`, one of ours where it has no name.
    """

    name: str
    type: str
    text: str
    span: Span
    is_pointer: bool
    size_bytes: int
    default: str | None = None  # may be an earlier declaration's
    is_pack: bool = False
    is_float: bool = False  # a built-in floating-point number
    is_integer: bool = False  # an integer, character, truth value or enumeration
    is_unsigned: bool = False  # an integer of these that has no negative values
    repeated: str = ""
    called: str = ""
    has_mutable: bool = False  # members that the body may change although the parameter is const


@dataclass(frozen=True, slots=True)
class Instantiation:
    """One instantiation of a kernel template: how its arguments are spelled, and their values where integral."""

    arguments: tuple[str, ...]
    values: Mapping[str, int] = field(default_factory=dict)
    spellable: bool = True  # False for local types, lambdas, what is declared behind the template's file and the like


@dataclass(frozen=True, slots=True)
class Kernel:
    """One `__global__` function definition; a template appears once per instantiation that this unit makes.

    The kernels of one template share `usr` and all spans; `facts_of` says which instantiation the facts (types, sizes,
    constants) are of. A template without instantiation appears once, with facts of the dependent pattern, in which
    dependent facts are unknown. `problems` says why it must not be transformed at all (errors in its body or in what it
    uses, defined by a macro, seen twice in the unit); analyses may still read what is there.
    """

    name: str  # unqualified
    qualified: str  # with namespaces and classes
    usr: str
    span: Span  # from the first token of the declaration (template head, attributes) to the closing brace
    body: Span  # the braces included
    name_span: Span
    params_span: Span  # from '(' to ')' inclusive
    top_start: int  # offset in the same file where the outermost declaration (namespace, extern "C") around it begins
    params: tuple[Param, ...]
    template_head: str = ""  # "template <class T, int N> requires ..." as written, empty for plain kernels
    template_params: tuple[str, ...] = ()  # their names; "gpuopt_t1" stands for one without
    facts_of: Instantiation | None = None
    namespace: tuple[str, ...] = ()  # "" stands for an anonymous namespace
    overloaded: bool = False  # the unit declares another function of this name
    is_member: bool = False
    declared: Declared = PLAINLY
    extern_c: bool = False
    links_c_alone: bool = False  # by an `extern "C"` that is its own
    launch_bounds: tuple[str, ...] = ()  # the texts between the parentheses
    stmts: tuple[Stmt, ...] = ()
    loops: tuple[Loop, ...] = ()
    arrays: tuple[Array, ...] = ()
    accesses: tuple[Access, ...] = ()
    syncs: tuple[Sync, ...] = ()
    calls: tuple[Call, ...] = ()
    builtins: frozenset[str] = frozenset()  # of threadIdx, blockIdx, blockDim, gridDim: those that the body names
    call_sites: tuple[CallSite, ...] = ()  # in the body itself, of `functions`
    functions: tuple[Function, ...] = ()  # what the kernel calls, directly or not, callees first
    builtin_uses: tuple[BuiltinUse, ...] = ()  # in all that runs with the kernel, called by name or not
    closed: tuple[Span, ...] = ()  # bodies of lambdas that can capture nothing more, in the kernel and what it calls
    variables: tuple[Variable, ...] = ()
    effects: tuple[Effect, ...] = ()  # of the body's own text; see evaluation.py, which answers questions about them
    assignments: tuple[Assignment, ...] = ()
    # Of asm exit sreg smid clock gridDim printf malloc assert func counter known friend hides copies cdp recursion and
    # goto.
    special: frozenset[str] = frozenset()
    changed_behind: str = ""  # what its text names and means another thing at the end of its file, in words
    conditional: bool = False  # has preprocessor conditionals that depend on __CUDA_ARCH__ inside
    static_shared_bytes: int | None = 0  # None: not known
    uses_dynamic_shared: bool = False
    markers: tuple[str, ...] = ()  # source-level opt-ins and opt-outs, as written
    problems: tuple[str, ...] = ()
    has_errors: bool = False  # whether some of the problems are errors of the parser
    idle: str = ""  # why nothing that is launched can be a version of it: nobody asked for its code, which is not known

    @property
    def inner(self) -> Span:
        """The body without its braces."""
        return self.declared.within(self.body)

    @property
    def is_static(self) -> bool:
        """Whether it has internal linkage by a word of its own."""
        return self.declared.is_static

    def line_of(self, span: Span) -> str:
        """A place in words: `line 12`; with the file's name where that is not the kernel's own."""
        return span.line_in(self.span.file)

    def stmt(self, id: int) -> Stmt:
        """The statement with this id."""
        return self.stmts[id]

    def ancestors(self, id: int) -> Iterator[Stmt]:
        """The statements around a statement, innermost first."""
        parent = self.stmts[id].parent
        while parent is not None:
            yield self.stmts[parent]
            parent = self.stmts[parent].parent

    def descendants(self, id: int) -> Iterator[Stmt]:
        """The statement itself and all statements in it, in source order."""
        yield self.stmts[id]
        for child in self.stmts[id].children:
            yield from self.descendants(child)

    def loop_of(self, id: int) -> Loop | None:
        """The loop whose statement has this id."""
        return next((loop for loop in self.loops if loop.stmt == id), None)


DECLARED_BEFORE = "its template is declared before it is defined"
SPECIALISED = "it is an explicit specialisation of a template"
UNSPELLABLE = (
    "its template arguments cannot be written behind it: local or later types, lambdas, templates, functions or packs"
)


class ParseLevel(Enum):
    """How much of the environment the parser saw."""

    BUNDLED = "bundled"  # our declarations only
    HOST = "host"  # our CUDA declarations with the host's headers
    TOOLKIT = "toolkit"  # and the toolkit's libraries behind ours


@dataclass(frozen=True, slots=True)
class Unit:
    """A parsed translation unit. `files` are the project's files that it is made of, by absolute path.

    `macros` are the names that the command line defines.
    """

    main: str
    files: Mapping[str, SourceFile]
    kernels: tuple[Kernel, ...]
    launches: tuple[Launch, ...]
    level: ParseLevel
    diagnostics: tuple[str, ...] = ()  # errors outside kernels too, for people
    queries: tuple[Query, ...] = ()
    outermost: tuple[tuple[int, int], ...] = ()  # byte ranges of the main file's outermost declarations, ascending
    macros: frozenset[str] = frozenset()

    def launches_of(self, kernel: Kernel) -> tuple[Launch, ...]:
        """The launch sites of a kernel in this unit (those of the same instantiation, where that is known)."""
        mine = kernel.facts_of.arguments if kernel.facts_of else None
        return tuple(
            launch
            for launch in self.launches
            if launch.kernel == kernel.usr and (mine is None or launch.instantiation in (None, mine))
        )

    def occupancy_queries(self, kernel: Kernel) -> tuple[Query, ...]:
        """The calls in this unit that ask how many blocks of a kernel an SM holds, or which block size to use."""
        return tuple(one for one in self.queries if one.kernel == kernel.usr and one.api.startswith("cudaOccupancy"))
