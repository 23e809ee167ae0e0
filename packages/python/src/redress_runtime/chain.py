"""The fallback chain: one call, several ways to make it. A way that answers with nothing has not succeeded."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from .contract import Contract, shipped_contract
from .decide import Attempt, Budget, Decision, Policy, Traits, decide
from .model import Fault
from .values import attribute, parsed

T = TypeVar("T")


@dataclass(frozen=True)
class Try:
    """One try, as it is recorded."""

    step: str
    #: The how manieth time the step was tried.
    made: int
    #: What failed, and what was decided about it; nothing if it succeeded.
    fault: Fault | None = None
    decision: Decision | None = None


@dataclass(frozen=True)
class Ended(Generic[T]):
    """How a chain ended: with an answer, or with the last failure and what the caller is to do about it."""

    answer: T | None
    fault: Fault | None
    decision: Decision | None
    tries: list[Try]

    @property
    def succeeded(self) -> bool:
        """Whether a way answered."""
        return self.fault is None


@dataclass
class FallbackChain(Generic[T]):
    """Ways to make one call, in the order in which they are tried.

    A step is repeated, and the next one is tried, only if the decision table says so: never what may have had an effect. A step
    fails if it raises or if its answer is a failure in any dialect. Nothing at all (`None`, an empty text, `{}`) is a failure, too;
    so is a result without content, unless it is that of the first step: there the server says itself that the call succeeded.
    """

    contract: Contract = field(default_factory=lambda: shipped_contract("core"))
    policy: Policy = field(default_factory=Policy)
    budget: Budget = field(default_factory=Budget)
    #: When the caller stops waiting, in milliseconds since 1970.
    until_ms: int | None = None
    #: Is told of each try, for a log. What it raises is ignored.
    on_try: Callable[[Try], object] | None = None
    _steps: list[tuple[str, Traits, Callable[[], T | Awaitable[T]]]] = field(default_factory=list)

    def step(self, name: str, run: Callable[[], T | Awaitable[T]], traits: Traits = Traits()) -> FallbackChain[T]:
        """Adds another way, tried after those before it. `run` may be a function or a coroutine function."""
        self._steps.append((name, traits, run))
        return self

    async def run(self) -> Ended[T]:
        """Tries until a way answers, or until nothing is left that a program may do by itself."""
        tries: list[Try] = []
        fault, decision = self._no_way()
        for at in range(len(self._steps)):
            name, traits, run = self._steps[at]
            made = 0
            while True:
                made += 1
                answer, failed = await self._try(run, at == 0)
                if failed is None:
                    self.budget.succeeded()
                    self._record(tries, Try(name, made))
                    return Ended(answer, None, None, tries)
                fault = failed
                decision = decide(fault, traits, self._attempt(made, at + 1 < len(self._steps)), self.budget, self.policy)
                self._record(tries, Try(name, made, fault, decision))
                if decision.do == "retry_after":
                    await asyncio.sleep((decision.after_ms or 0) / 1000)
                elif decision.do == "fall_back":
                    break
                elif decision.do != "retry_now":
                    return Ended(None, fault, decision, tries)
        return Ended(None, fault, decision, tries)

    async def _try(self, run: Callable[[], T | Awaitable[T]], is_first: bool) -> tuple[T | None, Fault | None]:
        try:
            said: Any = run()
            answer = await said if inspect.isawaitable(said) else said
        except Exception as error:
            return None, self.contract.parse(error) or self._nothing_came(is_first)
        failed = self.contract.parse(answer)
        if failed is None and is_nothing(answer) and not (is_first and _has_content(answer)):
            failed = self._nothing_came(is_first)
        return answer, failed

    def _attempt(self, made: int, fallback: bool) -> Attempt:
        now_ms = int(time.time() * 1000)
        left = None if self.until_ms is None else max(0, self.until_ms - now_ms)
        return Attempt(made, fallback=fallback, now_ms=now_ms, time_left_ms=left)

    def _record(self, tries: list[Try], one: Try) -> None:
        tries.append(one)
        try:
            if self.on_try is not None:
                self.on_try(one)
        except Exception:
            # A log that fails must not change what the caller gets.
            return

    def _nothing_came(self, is_first: bool) -> Fault:
        fault = shipped_contract("core").make_fault("UNKNOWN_TOOL_FAILURE")
        fault.message = f"The {'call' if is_first else 'fallback'} answered with nothing, which is no success."
        return replace(fault, origin="client", ground="guessed")

    def _no_way(self) -> tuple[Fault, Decision]:
        fault = shipped_contract("core").make_fault("UNSUPPORTED")
        fault.message = "There is no way to make this call."
        fault = replace(fault, origin="client", ground="not_sent")
        return fault, decide(fault, Traits(), Attempt(1), Budget(), self.policy)


def is_nothing(answer: object) -> bool:
    """Whether an answer says nothing at all. An empty list is an answer: there are none."""
    document = _opened(answer)
    if not isinstance(document, dict) or not isinstance(document.get("content"), list):
        return _is_blank(document)
    return _is_blank(document.get("structuredContent")) and all(map(_is_empty_block, document["content"]))


def _has_content(answer: object) -> bool:
    """Whether it is the result of a call, which says by itself that it succeeded."""
    document = _opened(answer)
    return isinstance(document, dict) and isinstance(document.get("content"), list)


def _opened(answer: object) -> object:
    """An answer without what is around it: the model of an SDK, the text of a document, the response of a request."""
    dump = attribute(answer, "model_dump")
    if callable(dump):
        answer = dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(answer, (bytes, bytearray)):
        answer = answer.decode("utf-8", "replace")
    if isinstance(answer, str):
        document = parsed(answer)
        answer = answer if document is None and answer.strip() != "null" else document
    if isinstance(answer, dict) and "jsonrpc" in answer and "result" in answer:
        answer = answer["result"]
    return answer


def _is_blank(value: object) -> bool:
    return value is None or value == {} or (isinstance(value, str) and value.strip() == "")


def _is_empty_block(block: object) -> bool:
    if not isinstance(block, dict) or block.get("type") != "text":
        return False
    text = block.get("text")
    if not isinstance(text, str) or text.strip() in ("", "null"):
        return True
    document = parsed(text)
    return document is not None and _is_blank(document)
