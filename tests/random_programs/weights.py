"""How often each form is written, by subject; what is not named has weight 1, 0 switches a form off."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "control": {
        "row_loop": 5,
        "counted": 2,
        "branch": 2,
        "macro_loop": 1.5,
        "pointer_walk": 1.5,
        "while_loop": 1,
        "nest": 1.5,
    },
    "simple": {"assign": 2, "declare": 2},
    "effects": {"handed_out": 2, "again": 2},
    "objects": {"lambda_value": 1.5, "lambda_reference": 1.5, "constructor": 1.5},
    "floats": {"products": 3, "sum_loop": 3, "two_rows": 2, "known": 3},
    "integer": {},
    "shared": {"stage": 4, "effect_store": 5, "tiles": 3, "reduction": 2, "two_dimensions": 2},
    # Forms with blocks or loops of their own, which short places do without.
    "large": dict.fromkeys(
        (
            "row_loop",
            "counted",
            "branch",
            "macro_loop",
            "while_loop",
            "nest",
            "do_loop",
            "switch",
            "two_rows",
            "sum_loop",
            "range_for",
            "matrix",
            "local_array",
            "goto_free_break",
        ),
        1.0,
    ),
}
