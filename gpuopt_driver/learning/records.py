"""Records of choices: what one process measured of one launch, as a line of text, and several of them pooled.

A line is `gpuopt-choices-1`, a CRC-32 of what follows it, and fields between tabs (docs/choices.md has the table). It
is written by one write(2) of at most `LONGEST` bytes. What is known of a launch is the sum of all records of its key.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import field, replace

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.learning.samples import MOST, NONE, Sample

MAGIC = b"gpuopt-choices-1\t"
ORIGINAL = "original"
LONGEST = 4000  # bytes of a line with its end

_CRC = 8  # hexadecimal digits
_FIELDS = 10  # behind the CRC and in front of the arms
_PARTS = 9  # of an arm
_MOST_ID = (1 << 32) - 1
# What figures are below: nothing takes exp(100) ns, or gains that much.
_MEAN, _M2 = 100.0, 1e12
_MOST_64 = (1 << 64) - 1
_DIGITS = re.compile(r"[0-9a-f]{16}")
_COUNT = re.compile(r"[0-9]{1,20}")
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,3})?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
# Bytes that a name may take in a line, so that a line holds all names and two arms: templates have names of any length.
_ROOM_KERNEL, _ROOM_DEVICE, _ROOM_LAUNCH, _ROOM_VERSION, _ROOM_NUMBERS = 1200, 200, 400, 200, 200


@dataclass(frozen=True, slots=True)
class Arm:
    """A version of a kernel with its numbers, and what was measured of it.

    `version`: "original", or the names of versions joined by "+". `numbers`: readable ("n=4,1,1,1 shared=0"). `pairs`:
    for the original, ln(nanoseconds) of its launches; for others, ln(time of the original / time of the arm) in pairs
    measured one beside the other. `firsts`: ln(nanoseconds) of the first measured launch of each process.
    """

    version: str
    id: int
    numbers: str = ""
    pairs: Sample = NONE
    firsts: Sample = NONE

    def pooled(self, other: Arm) -> Arm:
        """The same arm, measured by both."""
        numbers = max(self.numbers, other.numbers)
        return replace(
            self, numbers=numbers, pairs=self.pairs.pooled(other.pairs), firsts=self.firsts.pooled(other.firsts)
        )


@dataclass(frozen=True, slots=True)
class Record:
    """What was measured of one launch; `arms` begins with the original.

    `digest`: of the kernel, its versions and the compiler; `key`: of that, device and launch. `time`: Unix seconds.
    `launches` went through learning; `lost_ns` by trying, `saved_ns` by better versions.
    """

    digest: str
    kernel: str
    device: str
    launch: str
    key: str
    time: int = 0
    launches: int = 0
    lost_ns: int = 0
    saved_ns: int = 0
    arms: tuple[Arm, ...] = (Arm(ORIGINAL, 0),)


@dataclass(slots=True)
class Reading:
    """The records of some bytes, and how many lines were damaged."""

    records: list[Record] = field(default_factory=list)
    damaged: int = 0


def read(data: bytes) -> Reading:
    """All records that are whole; what is damaged is left out and counted.

    Behind a line that was cut (its writer was killed) the next one begins within that line.
    """
    reading = Reading()
    for line in data.split(b"\n"):
        if not line:
            continue
        record = parse(line)
        if record is None:
            reading.damaged += 1
            at = line.find(MAGIC, 1)
            while record is None and at > 0:
                record = parse(line[at:])
                at = line.find(MAGIC, at + 1)
        if record is not None:
            reading.records.append(record)
    return reading


def parse(line: bytes) -> Record | None:
    """The record of a line without its end; None where it is damaged."""
    start = len(MAGIC) + _CRC
    body = line[start + 1 :]
    if len(line) >= LONGEST or not line.startswith(MAGIC) or line[start : start + 1] != b"\t":
        return None
    if line[len(MAGIC) : start] != b"%08x" % zlib.crc32(body):
        return None
    try:
        fields = body.decode("utf-8").split("\t")
        return _record(fields)
    except ValueError:  # also UnicodeDecodeError
        return None


def _record(fields: list[str]) -> Record:
    """ValueError where a field has not its form."""
    if len(fields) <= _FIELDS - 1:
        raise ValueError("fields are missing")
    digest, kernel, device, launch, key, time, launches, lost, saved = fields[: _FIELDS - 1]
    if not (_DIGITS.fullmatch(digest) and _DIGITS.fullmatch(key)):
        raise ValueError("not 16 hexadecimal digits")
    arms = tuple(_arm(text) for text in fields[_FIELDS - 1 :])
    if arms[0].version != ORIGINAL or len({_identity(arm) for arm in arms}) != len(arms):
        raise ValueError("the original is not the first arm, or an arm stands twice")
    numbers = (_count(time, _MOST_64), _count(launches, _MOST_64), _integer(lost), _integer(saved))
    return Record(digest, kernel, device, launch, key, *numbers, arms)


def _identity(arm: Arm) -> tuple[str, int]:
    """What makes two arms of one launch the same; there is one original."""
    return arm.version, 0 if arm.version == ORIGINAL else arm.id


def _arm(text: str) -> Arm:
    parts = text.split(":")
    if len(parts) != _PARTS or not parts[0]:
        raise ValueError("not an arm")
    version, number, numbers, *figures = parts
    return Arm(version, _count(number, _MOST_ID), numbers, _sample(*figures[:3]), _sample(*figures[3:]))


def _sample(count: str, mean: str, m2: str) -> Sample:
    values = _number(mean, _MEAN), _number(m2, _M2)
    if values[1] < 0:
        raise ValueError("a sum of squares is negative")
    number = _count(count, MOST)
    return Sample(number, *values) if number else NONE


def _count(text: str, most: int) -> int:
    if not _COUNT.fullmatch(text) or int(text) > most:
        raise ValueError("not a count")
    return int(text)


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text) or abs(int(text)) > _MOST_64 >> 1:
        raise ValueError("not an integer")
    return int(text)


def _number(text: str, limit: float) -> float:
    if not _NUMBER.fullmatch(text) or not abs(value := float(text)) < limit:
        raise ValueError("not a number that was measured")
    return value


def lines_of(record: Record) -> Iterator[bytes]:
    """The record as lines with their ends: one, or several where the arms do not fit into `LONGEST` bytes.

    The first of several has what the process says of itself; together they say what the record says.
    """
    first, *others = [_arm_text(arm) for arm in record.arms]
    pending = [first, *others]
    while pending:
        taken, size = 1, len(_line(record, pending[:1]))
        while taken < len(pending) and size + 1 + len(pending[taken]) <= LONGEST:
            size += 1 + len(pending[taken])
            taken += 1
        yield _line(record, pending[:taken])
        pending = pending[taken:]
        if pending:
            pending.insert(0, _arm_text(replace(record.arms[0], pairs=NONE, firsts=NONE)))
        record = replace(record, launches=0, lost_ns=0, saved_ns=0)


def _line(record: Record, arms: Iterable[bytes]) -> bytes:
    fields = (
        record.digest.encode("ascii"),
        _named(record.kernel, _ROOM_KERNEL),
        _named(record.device, _ROOM_DEVICE),
        _named(record.launch, _ROOM_LAUNCH),
        record.key.encode("ascii"),
        *(b"%d" % number for number in (record.time, record.launches, record.lost_ns, record.saved_ns)),
        *arms,
    )
    body = b"\t".join(fields)
    return MAGIC + b"%08x\t" % zlib.crc32(body) + body + b"\n"


def _arm_text(arm: Arm) -> bytes:
    names = (_named(arm.version.replace(":", " "), _ROOM_VERSION), b"%d" % arm.id)
    numbers = _named(arm.numbers.replace(":", " "), _ROOM_NUMBERS)
    return b":".join((*names, numbers, _sample_text(arm.pairs), _sample_text(arm.firsts)))


def _sample_text(sample: Sample) -> bytes:
    if not (abs(sample.mean) < _MEAN and sample.m2 < _M2):  # nor NaN
        return b"0:0:0"  # nobody measured that
    return b"%d:%.6g:%.6g" % (sample.count, sample.mean, sample.m2)


def _named(text: str, room: int) -> bytes:
    """A name without what ends fields and lines, its middle left out where it is long."""
    data = _CONTROL.sub(" ", text).encode("utf-8", "replace")
    if len(data) <= room:
        return data
    half = (room - 3) // 2
    head, tail = (part.decode("utf-8", "ignore").encode() for part in (data[:half], data[-half:]))
    return head + b"..." + tail


def pooled(records: Iterable[Record]) -> list[Record]:
    """One record per key, the sum of all records of that key, by kernel, device and launch.

    Neither the order of the records counts nor whether some were pooled before, but for rounding.
    """
    by_key: dict[str, Record] = {}
    for record in records:
        known = by_key.get(record.key)
        by_key[record.key] = _sorted(record) if known is None else _sum(known, record)
    return sorted(by_key.values(), key=lambda one: (one.kernel, one.device, one.launch, one.key))


def _sum(one: Record, other: Record) -> Record:
    newest = max(
        one, other, key=lambda record: (record.time, record.digest, record.kernel, record.device, record.launch)
    )
    arms = {_identity(arm): arm for arm in one.arms}
    for arm in other.arms:
        known = arms.get(_identity(arm))
        arms[_identity(arm)] = arm if known is None else known.pooled(arm)
    return _sorted(
        replace(
            newest,
            launches=min(one.launches + other.launches, _MOST_64),
            lost_ns=_bounded(one.lost_ns + other.lost_ns),
            saved_ns=_bounded(one.saved_ns + other.saved_ns),
            arms=tuple(arms.values()),
        )
    )


def _sorted(record: Record) -> Record:
    arms = sorted(record.arms, key=lambda arm: (arm.version != ORIGINAL, *_identity(arm)))
    return replace(record, arms=tuple(arms))


def _bounded(nanoseconds: int) -> int:
    return max(-(_MOST_64 >> 1), min(nanoseconds, _MOST_64 >> 1))
