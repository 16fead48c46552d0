"""Which of its products nvcc makes one operation with a sum (`fma`), by the rules of its two compilers in turn.

NVVM (as LLVM's NVPTXISelLowering, PerformFADDCombine): sums of a basic block from the last to the first, their operands
in the order of ranks; a product of the same block, all of whose uses, at most four, are sums. Differences are left.
ptxas: of what is left of a block first the products with one use; then sums and differences in order, and of two
products the one with fewer uses, or the first; one all of whose uses are sums or differences of its block. Products of
parameters and constants alone are computed where they are used, in whatever block. LLVM moves a product into the block
that has all its uses. Derived from nvcc 13.0's PTX and SASS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.contraction.signs import move_signs
from gpuopt_driver.emulator.contraction.values import CARRIED, CHOICE, DIFFERENCE, PRODUCT, SUM, UNKNOWN, Value, Values

_MOST_USES = 4
_SUMS = frozenset({SUM, DIFFERENCE})


class _Users:
    """Who uses what, while products disappear into sums."""

    def __init__(self, users: dict[Value, list[Value]], counted: Set[int], *, kernel: bool) -> None:
        self._users = users
        self._counted = counted
        self._kernel = kernel
        self.fused: dict[Value, Value] = {}

    def of(self, value: Value) -> list[Value]:
        return self._users.get(value, [])

    def fuse(self, product: Value, total: Value) -> None:
        self.fused[total] = product
        self._users[product].remove(total)

    def only_sums(self, product: Value, ops: frozenset[str]) -> bool:
        """Whether all that still uses a product are sums to which it may be added."""
        return all(user.op in ops and user not in self.fused for user in self.of(product))

    def apart(self, product: Value) -> bool:
        """Whether machine code comes to a sum of a product by a branch, or in a loop behind it."""
        return any(self.parted(product, user) for user in self.of(product))

    def parted(self, product: Value, user: Value) -> bool:
        """The same for one of its sums."""
        return _apart(product, user) or _before_the_loop(product, user, self._counted, kernel=self._kernel)

    def twice(self, product: Value) -> bool:
        """Whether a sum or a difference of the product and itself is left."""
        return any(user.args[0] is user.args[1] for user in self.of(product) if user.op in _SUMS)


def _ordered(total: Value) -> list[Value]:
    """The operands of a sum in the order in which LLVM writes them."""
    left, right = total.args
    ranked = total.op == SUM and not total.turned
    return [right, left] if ranked and right.rank < left.rank else [left, right]


def _first_compiler(sums: list[Value], users: _Users) -> None:
    for total in sorted(sums, key=lambda one: (one.block, -one.order)):
        if total.op != SUM:
            continue
        for product in _ordered(total):
            uses = users.of(product)
            if (
                product.op == PRODUCT
                and len(uses) <= _MOST_USES
                and users.only_sums(product, frozenset({SUM}))
                and all(user.block == product.block and user.piece == product.piece for user in uses)
            ):
                users.fuse(product, total)
                break


def _second_compiler(sums: list[Value], users: _Users, fits: Callable[[Value], bool] | None = None) -> None:
    count = {product: len(users.of(product)) for total in sums for product in total.args}
    for single in (True, False):
        for total in sums:
            if total in users.fused:
                continue
            operands = _ordered(total) if fits is None else total.args
            products = [one for one in operands if one.op == PRODUCT and users.only_sums(one, _SUMS)]
            products = [one for one in products if not users.twice(one) and (fits is None or fits(one))]
            products = [one for one in products if not users.apart(one)]
            product = min(products, key=lambda one: count[one], default=None)
            if product is not None and (not single or count[product] == 1):
                users.fuse(product, total)


def _free(product: Value) -> bool:
    """Whether a product is computed where it is used, in whatever block."""
    return all(factor.op in ("arg", "const") for factor in product.args)


def _apart(product: Value, user: Value) -> bool:
    """Whether a quotient's or a function's branches are between the two."""
    if _free(product) or -1 in (product.part, user.part):
        return False
    return product.part != user.part or product.piece != user.piece


def _before_the_loop(product: Value, user: Value, counted: Set[int], *, kernel: bool) -> bool:
    """Whether a product is computed once for the turns of the loop that its sum is in. What a device function's
    parameter is, a constant or not, is not known; nor what becomes of loops with a constant number of turns."""
    unknown = not kernel and any(factor.op == "arg" for factor in product.args)
    between = set(user.loop[len(product.loop) :]) - counted
    return bool(between) and not unknown and not _everywhere(product, kernel=kernel)


def _everywhere(product: Value, *, kernel: bool) -> bool:
    """Whether ptxas computes a product in each block of a sum: those with a kernel's parameter or a constant."""
    return _free(product) or (kernel and any(_fixed(factor, kernel=True) for factor in product.args))


def _sink(product: Value, used: list[Value]) -> None:
    """Move a product into the block of all its uses, but not into a loop."""
    blocks = {user.block for user in used}
    if product.op == PRODUCT and len(blocks) == 1 and used[0].loop == product.loop:
        product.block = blocks.pop()


def _spread(product: Value, used: list[Value], counted: Set[int], *, kernel: bool) -> bool:
    """Whether sums in several blocks use a product that is computed once for all of them: whether those are one block
    in the end depends on what the optimizer makes of branches. One with a kernel's parameter or a constant, ptxas
    computes in each of them."""
    if _everywhere(product, kernel=kernel):
        return False
    sums = [user for user in used if user.op in _SUMS and not _before_the_loop(product, user, counted, kernel=kernel)]
    return any(user.block != product.block and not _apart(product, user) for user in sums)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The product that is rounded with each sum and difference, or None; those that cannot be decided are left out.

    `rounded`: products of which a compiler for the host has to be told that they are rounded by themselves.
    """

    products: dict[Value, Value | None]
    rounded: set[Value]


def choose(values: Values, rounded: Iterable[Value] = (), *, kernel: bool = False) -> Chosen:
    """What is rounded with what; `rounded`: products that something else needs, too; `kernel`: the parameters are a
    kernel's."""
    rounded = set(rounded)
    for product in rounded:
        values.use(product)
    users = {value: list(used) for value, used in values.users().items()}
    move_signs(values, users)
    for product, used in users.items():
        _sink(product, used)
    sums = [value for value in values.all if value.op in _SUMS and value in users]
    open_ended = {
        product
        for product, used in users.items()
        if product.op == PRODUCT
        and (
            any(user.op in (CARRIED, UNKNOWN) for user in used)
            or (product not in rounded and _spread(product, used, values.counted, kernel=kernel))
        )
    }
    while True:  # what depends on an undecided sum is not decided either
        unsure = {total for total in sums if open_ended.intersection(total.args)}
        more = {product for total in unsure for product in total.args if product.op == PRODUCT}
        more |= {product for product in users if product.op == PRODUCT and unsure.intersection(users[product])}
        if more <= open_ended:
            break
        open_ended |= more
    state = _Users(users, values.counted, kernel=kernel)
    sure = [total for total in sums if total not in unsure]
    _first_compiler(sure, state)
    _second_compiler(sure, state)
    left = {
        product
        for product, used in users.items()
        if product.op == PRODUCT and product not in open_ended and _may_be_fused(product, used, state)
    }
    return Chosen({total: state.fused.get(total) for total in sure}, left)


def _may_be_fused(product: Value, used: list[Value], state: _Users) -> bool:
    """Whether a compiler for the host may fuse what is left of a product: sums behind a branch of a GPU's machine code
    alone, or those that it moves into the ways of a choice."""
    return any(
        user.op == CHOICE
        or (user.op == "other" and len(user.args) == len("?:x"))
        or (user.op in _SUMS and user not in state.fused and state.parted(product, user))
        for user in used
    )


def _fixed(value: Value, *, kernel: bool) -> bool:
    """Whether a value is a kernel's parameter or a constant."""
    if value.op == "other":
        return bool(value.args) and all(_fixed(one, kernel=False) for one in value.args)
    return value.op == "const" or (kernel and value.op == "arg")


def choose_of_sixteen(values: Values, *, kernel: bool) -> dict[Value, Value | None]:
    """The same for products of halves and bfloat16, which ptxas alone fuses: their instructions are opaque to LLVM.

    All uses of a product are sums of its block; of one with a kernel's parameter or a constant, of any block.
    """
    users = {value: list(used) for value, used in values.users().items()}
    sums = [value for value in values.all if value.op in _SUMS and value in users]

    def fits(product: Value) -> bool:
        free = any(_fixed(factor, kernel=kernel) for factor in product.args)
        return free or all(user.block == product.block for user in users[product])

    state = _Users(users, values.counted, kernel=kernel)
    _second_compiler(sums, state, fits)
    return {total: state.fused.get(total) for total in sums}
