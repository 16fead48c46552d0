"""Digests as `hashlib` has them, without loading OpenSSL, which takes longer than all that analyses have digested."""

from __future__ import annotations

import importlib
from typing import Any

_PLACES = ("_sha2", "_sha256", "_blake2", "hashlib")  # the first for Python from 3.12 on, the last for any


def _found(name: str) -> Any:
    for place in _PLACES:
        try:
            return getattr(importlib.import_module(place), name)
        except (ImportError, AttributeError):
            continue
    raise ImportError(f"this Python has no {name}")


def sha256(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return str(_sha256(data).hexdigest())


def blake2b(data: bytes, size: int) -> str:
    """BLAKE2b of so many bytes, in hexadecimal."""
    return str(_blake2b(data, digest_size=size).hexdigest())


_sha256, _blake2b = _found("sha256"), _found("blake2b")
