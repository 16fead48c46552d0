"""Where a kernel, or what it reaches, names a built-in variable, and through which construct."""

from __future__ import annotations

from enum import Enum

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.source.text import Span


class Construct(Enum):
    """Through what a kernel comes to name a built-in variable."""

    BODY = "the body"
    QUALIFIED = "a qualified name"  # `::blockIdx`, which no local variable hides; also out of a macro that pastes names
    LAMBDA = "a lambda without a default capture"  # `[] { return blockIdx.x; }`, or one whose size is asked for
    DEFAULT_ARGUMENT = "a default argument"
    MEMBER_INITIALISER = "a member initialiser"
    CONSTRUCTOR = "a constructor"
    DESTRUCTOR = "a destructor"
    ASSIGNMENT = "an assignment of members"
    OPERATOR = "an operator of a template argument"
    RANGE = "a range-based for loop"
    BINDING = "a structured binding"
    INITIALISER = "the initialiser of a variable"  # of a namespace
    UNSEEN = "a call that the analysis has not come to"
    LIBRARY = "library code"  # or a function that is handed to it
    INTRINSIC = "an intrinsic function"
    GROUP = "a cooperative group"


@dataclass(frozen=True, slots=True)
class BuiltinUse:
    """One place at which threadIdx, blockIdx, blockDim or gridDim (`name`) is read when a kernel runs.

    `owner` is the function or class whose text it stands in (qualified). `shadowed`: a local variable of that name at
    the start of the owner's body is what the place means then; whether the owner can be copied is another question.
    """

    name: str
    construct: Construct
    owner: str
    span: Span
    shadowed: bool
