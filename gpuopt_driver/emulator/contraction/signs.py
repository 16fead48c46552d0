"""Signs of constants in products, as nvcc's optimizer moves them from products to sums and back."""

from __future__ import annotations

from collections import Counter

from gpuopt_driver.emulator.contraction.values import DIFFERENCE, NEGATION, PRODUCT, SUM, Value, Values, number_of

Users = dict[Value, list[Value]]
_DEEPEST = 6


def move_signs(values: Values, users: Users) -> None:
    """Sums and differences as LLVM's code generator has them: `x + -2 * y` is the difference `x - 2 * y` for a while,
    and `x - 2 * y` the sum `x + -2 * y` in the end, where the constant is nowhere else used in its block."""
    for product in values.all:
        if product.op == PRODUCT:
            _to_sum(product, users.get(product, []))
    uses = Counter(
        (user.block, one.kind, number)
        for user in {user for used in users.values() for user in used}
        for one in user.args
        if (number := number_of(one)) is not None
    )
    for total in values.all:
        if total.op == DIFFERENCE and total in users and _can_turn(total.args[1], users, uses, 0):
            first, second = total.args
            if _minus_a_multiple(first):  # -(2 * x) - 3 * y is -3 * y - 2 * x, and that is turned, too
                total.args = [second, first]
            if not _minus_a_multiple(first) or _can_turn(first, users, uses, 0):
                total.op, total.turned = SUM, True


def _minus_a_multiple(value: Value) -> bool:
    """Whether a value is minus a product with a constant."""
    minus = (factor for factor in value.args if factor.op == NEGATION)
    return value.op == PRODUCT and any(number_of(factor) is not None for factor in minus)


def _constant(product: Value) -> int:
    """Which factor of a product is a constant, or -1."""
    known = [number_of(factor) is not None for factor in product.args]
    return known.index(True) if sum(known) == 1 else -1


def _to_sum(product: Value, used: list[Value]) -> None:
    """The only sum that uses a product with a negative constant takes its sign (Reassociate, canonicalizeNegConstExpr);
    of a difference it is the second operand."""
    at = _constant(product)
    if at < 0 or len(used) != 1 or used[0].op not in (SUM, DIFFERENCE):
        return
    total, number = used[0], number_of(product.args[at]) or 0.0
    if number >= 0 or (total.op == DIFFERENCE and total.args[1] is not product):
        return
    other = total.args[1] if total.args[0] is product else total.args[0]
    total.op, total.args = (DIFFERENCE if total.op == SUM else SUM), [other, product]
    factor = product.args[at]
    product.args[at] = Value("const", [], factor.kind, factor.rank, number=-number)


def _can_turn(value: Value, users: Users, uses: Counter[tuple[int, str, float]], depth: int) -> bool:
    """Whether a product has the other sign for nothing (SelectionDAG, isNegatibleForFree)."""
    if value.op != PRODUCT or len(users.get(value, [])) != 1 or depth > _DEEPEST:
        return False
    for factor in value.args:
        number = number_of(factor)
        if number is not None and uses[value.block, factor.kind, number] <= 1:
            return True
        if _can_turn(factor, users, uses, depth + 1):
            return True
    return False
