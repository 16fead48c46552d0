"""Running a program until all its launches are settled: what each run learns is kept at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.learning.files import Place, append, records_at
from gpuopt_driver.learning.records import Record, pooled
from gpuopt_driver.learning.rule import standing
from gpuopt_driver.tuning.runs import Run, Task
from gpuopt_driver.tuning.workers import VISIBLE, Workers

_FRUITLESS = 10  # runs in a row that measure nothing: more of them bring nothing


class ProgramFailed(GpuoptError):
    """The program to run ended with an error; `output` are its last lines."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


@dataclass(slots=True)
class Session:
    """What is known of the launches that the program was seen to make. `runs` are those that are done."""

    where: Place
    env: Mapping[str, str]
    runs: int = 0
    fruitless: int = 0
    is_confirmed: bool = False  # a run that knew that all is settled has left it so
    records: dict[str, Record] = field(default_factory=dict)  # by key, pooled with what was known before
    _before: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def at(cls, where: Place, env: Mapping[str, str]) -> Session:
        """A session that goes on from what is kept at a place. GpuoptError where that cannot be used."""
        found = records_at(where, env) if where.path.exists() or where.path.is_symlink() else None
        if found is not None and found.refused:
            raise GpuoptError(found.refused[0])
        return cls(where, env, _before={record.key: record for record in pooled(found.records if found else ())})

    @property
    def unsettled(self) -> int:
        """How many of the launches seen are not settled."""
        return sum(1 for record in self.records.values() if not standing(record).is_settled)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing left to try, as far as records tell: they may not name what was never tried."""
        return bool(self.records) and not self.unsettled

    def known(self) -> tuple[Record, ...]:
        """What the next run begins with: the launches seen, and others of the same kernels.

        The first run begins with nothing, so that each of its launches is measured and thereby seen.
        """
        digests = {record.digest for record in self.records.values()}
        every = {**self._before, **self.records}
        return tuple(record for record in every.values() if record.digest in digests)

    def take(self, run: Run, *, knew_all: bool = False) -> None:
        """Keep what a run has measured; `knew_all`: it began when all seemed settled."""
        append(self.where, run.records, self.env)
        self.runs += 1
        self.fruitless = 0 if run.records else self.fruitless + 1
        for record in pooled(run.records):
            known = self.records.get(record.key) or self._before.get(record.key)
            (self.records[record.key],) = pooled([record, known] if known else [record])
        self.is_confirmed = knew_all and self.is_settled


def learn(
    session: Session, task: Task, team: Workers, most_runs: int, tell: Callable[[Session], None] = lambda _: None
) -> None:
    """Run until all is settled, or `most_runs` runs are done, or runs bring nothing any more.

    ProgramFailed where the program fails. What was learned until then is kept.
    """
    begun = 0
    free: Sequence[int] = range(team.count)
    knew_all: dict[int, bool] = {}  # by slot
    while True:
        is_over = session.is_confirmed or session.fruitless >= _FRUITLESS
        for slot in free:
            if begun < most_runs and not is_over:
                knew_all[slot] = session.is_settled
                team.submit(replace(task, known=session.known()), slot)
                begun += 1
        if session.runs == begun or is_over:
            return
        slot, run = team.next()
        if run.problem:
            raise ProgramFailed(f"{task.argv[0]}: {run.problem}{_advice(team)}", run.output)
        session.take(run, knew_all=knew_all[slot])
        tell(session)
        if not session.records and session.runs >= team.count:
            return  # a first run that has nothing to learn
        free = [slot]


def _advice(team: Workers) -> str:
    return f"; it saw one GPU alone ({VISIBLE}): --workers 1 gives it all" if "a GPU each" in team.what else ""
