"""What a client does about a failure: one table, budgets, and no repeat that may do harm."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from .card import wrong_arguments
from .facts import (
    ATTEMPTS,
    CAPACITY,
    DECISIONS,
    FIRST_PAUSE_MS,
    LONGEST_WAIT_MS,
    PER_SECOND,
    PER_SUCCESS,
    StopReason,
)
from .make import next_calls, values_of
from .model import Fault, Ground, NextAction

#: What can be done about a failure.
Step = Literal["retry_now", "retry_after", "change_arguments", "call_first", "ask_human", "fall_back", "stop"]


@dataclass(frozen=True)
class Rule:
    """A row of the decision table: a column that is not there fits always."""

    id: str
    when: Mapping[str, Sequence[str] | bool]
    do: Step
    because: str
    why: StopReason | None = None
    what: str | None = None

    def fits(self, facts: Mapping[str, str | bool]) -> bool:
        """Whether every column fits."""
        for column, fit in self.when.items():
            if facts[column] != fit if isinstance(fit, bool) else facts[column] not in fit:
                return False
        return True


#: The decision table. The first row that fits decides; the last one fits always.
RULES: Final[Sequence[Rule]] = tuple(Rule(**it) for it in DECISIONS)


@dataclass(frozen=True)
class Traits:
    """What a tool is known to be."""

    #: It changes nothing.
    read_only: bool = False
    #: Calling it twice is calling it once.
    idempotent: bool = False
    #: Whether the source of these facts is trusted.
    trusted: bool = False


@dataclass(frozen=True)
class Attempt:
    """What is known about a call that failed."""

    #: How often the call was made so far.
    made: int
    #: How it is known what failed. As the fault says, if absent.
    ground: Ground | None = None
    #: Whether there is another way that was not tried yet.
    fallback: bool = False
    #: Now, in milliseconds since 1970.
    now_ms: int | None = None
    #: How long the caller still waits, if that has an end.
    time_left_ms: int | None = None
    #: Chance: from 0 up to, not including, 2^32.
    random: int | None = None


@dataclass(frozen=True)
class Policy:
    """How a client repeats calls."""

    #: How often a call is made at most.
    attempts: int = ATTEMPTS
    #: The longest first pause; it doubles with each further one.
    first_pause_ms: int = FIRST_PAUSE_MS
    #: The longest pause of our own, and the longest that a server may ask for.
    longest_wait_ms: int = LONGEST_WAIT_MS


@dataclass(frozen=True)
class Decision:
    """What to do about a fault, and the row of the table that says so. Only what belongs to `do` is there."""

    do: Step
    row: str
    #: How long to wait.
    after_ms: int | None = None
    #: Where the wrong arguments stand. Empty: the hint says it in words.
    pointers: tuple[str, ...] | None = None
    #: What to do first.
    next: tuple[NextAction, ...] | None = None
    #: What to ask a person for.
    what: str | None = None
    why: StopReason | None = None


class Budget:
    """The repeats that are left, in thousandths. Share one among all calls to a server."""

    def __init__(
        self,
        capacity: int = CAPACITY,
        per_success: int = PER_SUCCESS,
        per_second: int = PER_SECOND,
        saved: int | None = None,
    ) -> None:
        self._capacity, self._per_success, self._per_second = capacity, per_success, per_second
        self._saved = capacity if saved is None else min(saved, capacity)
        self._counted_ms: int | None = None
        self._parts = 0

    @property
    def saved(self) -> int:
        """What it holds, in thousandths of a repeat."""
        return self._saved

    def succeeded(self) -> None:
        """A call succeeded."""
        self._put(self._per_success)

    def pass_(self, now_ms: int) -> None:
        """It is so late now. A clock that goes back puts nothing in."""
        since = 0 if self._counted_ms is None else max(0, now_ms - self._counted_ms)
        more, self._parts = divmod(self._parts + since * self._per_second, 1000)
        self._put(more)
        self._counted_ms = now_ms if self._counted_ms is None else max(self._counted_ms, now_ms)

    def has_one(self) -> bool:
        """Whether there is one repeat left."""
        return self._saved >= 1000

    def spend(self) -> None:
        """Takes one repeat, if there is one."""
        self._saved = max(0, self._saved - 1000)

    def _put(self, more: int) -> None:
        self._saved = min(self._saved + more, self._capacity)


def decide(
    fault: Fault, traits: Traits, attempt: Attempt, budget: Budget, policy: Policy = Policy()
) -> Decision:
    """What to do about a fault: the first row of the table that fits. A repeat is taken from the budget."""
    now_ms = int(time.time() * 1000) if attempt.now_ms is None else attempt.now_ms
    budget.pass_(now_ms)
    asked = max(fault.retry.after_ms or 0, (fault.retry.not_before or 0) - now_ms, 0)
    retry = fault.retry.kind
    if retry == "now" and (asked > 0 or attempt.made > 1):
        retry = "after_delay"
    wait = _wait_ms(attempt, asked, policy) if retry == "after_delay" else 0
    facts: dict[str, str | bool] = {
        "retry": retry,
        "code": fault.code,
        "class": fault.class_,
        "repeat": _repeat(fault, traits, attempt.ground or fault.ground),
        "room": _room(fault, attempt, policy, asked, wait, budget),
        "next": bool(fault.next_actions),
        "fallback": attempt.fallback,
    }
    rule = next(it for it in RULES if it.fits(facts))
    advice = fault.hint or fault.message
    decision = Decision(rule.do, rule.id, why=rule.why)
    if rule.do in ("retry_now", "retry_after"):
        budget.spend()
    if rule.do == "retry_after":
        return replace(decision, after_ms=wait)
    if rule.do == "change_arguments":
        return replace(decision, pointers=wrong_arguments(fault))
    if rule.do == "call_first":
        return replace(decision, next=_first(fault) or (advice,))
    if rule.do == "ask_human":
        return replace(decision, what=rule.what or advice)
    return decision


def _first(fault: Fault) -> tuple[NextAction, ...]:
    """What to do first. Most dialects have no place for next calls; then the row knows them."""
    return tuple(fault.next_actions or next_calls(fault.row, values_of(fault.row, fault.details)))


def _room(fault: Fault, attempt: Attempt, policy: Policy, asked: int, wait: int, budget: Budget) -> str:
    most = policy.attempts if fault.retry.max is None else min(policy.attempts, fault.retry.max + 1)
    if attempt.made >= most:
        return "attempts_used"
    if asked > policy.longest_wait_ms or (attempt.time_left_ms is not None and attempt.time_left_ms <= wait):
        return "wait_too_long"
    return "left" if budget.has_one() else "budget_spent"


def _repeat(fault: Fault, traits: Traits, ground: Ground) -> str:
    """What making the call again would do, whether or not it helps."""
    if ground == "not_sent":
        return "safe"
    if fault.effect == "done":
        return "double"
    if fault.effect == "partial":
        return "doubtful"
    if traits.trusted and (traits.read_only or traits.idempotent):
        return "safe"
    return "safe" if ground == "stated" and fault.effect == "none" else "doubtful"


def _wait_ms(attempt: Attempt, asked: int, policy: Policy) -> int:
    """At least as long as is asked for, and a part of a pause that grows, so that clients do not all come back at once."""
    chance = random.getrandbits(32) if attempt.random is None else attempt.random
    pause = min(policy.first_pause_ms << min(max(attempt.made - 1, 0), 32), policy.longest_wait_ms)
    return asked + ((pause + 1) * chance >> 32)
