"""The factors of the confidence intervals, for the rule at run time (`learner.h`) and in Python (`rule.py`)."""

from __future__ import annotations

LOOKS = (3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128)  # numbers of samples at which an arm is judged
ERROR = 0.005  # that a bound of one arm is wrong at any of the looks (Bonferroni)
# Student's t with n - 1 degrees of freedom at 1 - ERROR / 14.
STUDENT = (
    *(37.3965, 14.4787, 9.3983, 7.3884, 5.7282, 5.0249, 4.642),
    *(4.2391, 3.9037, 3.757, 3.6222, 3.559, 3.4983, 3.4689),
)
