"""The Gmail and Obsidian servers (seed 004): their own code runs with only the import changed."""

from __future__ import annotations

import asyncio
import json
from typing import Any, get_args

import pytest
from redress_runtime import Attempt, Budget, FallbackChain, Traits, decide
from redress_runtime.core import FileNotFound
from redress_runtime.mailvault import (
    AuthRequiredError,
    MCPError,
    MCPErrorCode,
    MCPUnavailableError,
    ToolFailed,
    call_with_fallback,
    error_of,
    returns_errors,
)

WORDS = (
    "auth_required", "not_found", "rate_limited", "send_failed", "permission_denied", "parse_error", "mcp_unavailable", "internal_error",
)  # fmt: skip


class Resp(dict[str, str]):
    """The response of the client of Google's APIs: its headers, and the status."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(headers)
        self.status = status


class HttpError(Exception):
    """As the client of Google's APIs raises it."""

    def __init__(self, resp: Resp) -> None:
        super().__init__(f"HttpError {resp.status}")
        self.resp = resp


def test_seed_004_03_the_eight_words_are_a_type() -> None:
    assert get_args(MCPErrorCode) == WORDS
    with pytest.raises(ValueError, match="is no MCPErrorCode"):
        MCPError("AUTH_REQUIRED", "x")  # type: ignore[arg-type]


def test_seed_004_04_the_model_writes_the_envelope() -> None:
    error = json.dumps(MCPError(error="not_found", message="Note not found: a.md", details={"path": "a.md"}).model_dump())
    assert error == '{"error": "not_found", "message": "Note not found: a.md", "details": {"path": "a.md"}}'
    assert MCPError(error="internal_error", message="boom").model_dump_json() == '{"error":"internal_error","message":"boom","details":null}'
    result = {"error": "auth_required", "message": "Run 'python3 scripts/gmail_auth.py' to authenticate."}
    assert MCPError.model_validate(result).model_dump(exclude_none=True) == result
    for word in WORDS:
        fault = MCPError(word, "x").fault  # type: ignore[arg-type]
        assert (fault.registry, fault.code) == ("mailvault", word.upper())


def test_seed_004_04_a_tool_of_the_seed_returns_typed_errors() -> None:
    # The form of the seed's handlers: the whole body in try, each exception mapped to its code.
    def read_note(path: str) -> str:
        try:
            with open(path, encoding="utf-8") as file:
                return json.dumps({"content": file.read()})
        except FileNotFoundError:
            return json.dumps(MCPError(error="not_found", message=f"Note not found: {path}", details={"path": path}).model_dump())
        except Exception as e:
            return json.dumps(MCPError(error="internal_error", message=str(e)).model_dump())

    result = json.loads(read_note("/no/such/note.md"))
    if result.get("error") == "not_found":
        assert result["details"] == {"path": "/no/such/note.md"}
    else:
        raise AssertionError(result)


@pytest.mark.parametrize(
    ("raised", "word", "details"),
    [
        (FileNotFoundError(2, "No such file", "a.md"), "not_found", {"path": "a.md"}),
        (PermissionError(13, "denied", "/etc/passwd"), "permission_denied", {"path": "/etc/passwd"}),
        (HttpError(Resp(429, **{"retry-after": "30"})), "rate_limited", {"retry_after": 30}),
        (HttpError(Resp(429)), "rate_limited", {"retry_after": 60}),
        (HttpError(Resp(404)), "not_found", None),
        (HttpError(Resp(500)), "internal_error", None),
        (AuthRequiredError("Run 'python3 scripts/gmail_auth.py' to authenticate."), "auth_required", None),
        (json.JSONDecodeError("Expecting value", "", 0), "parse_error", None),
        (ConnectionRefusedError(), "mcp_unavailable", None),
        (KeyError("x"), "internal_error", None),
        (ToolFailed("send_failed", "Gmail API error: 500"), "send_failed", None),
    ],
)
def test_seed_004_09_exceptions_become_their_codes(raised: Exception, word: str, details: dict[str, Any] | None) -> None:
    error = error_of(raised)
    assert (error.error, error.details) == (word, details)
    assert error.message


def test_seed_004_13_another_status_while_sending_is_send_failed() -> None:
    assert error_of(HttpError(Resp(500)), while_sending=True).error == "send_failed"
    assert error_of(HttpError(Resp(429)), while_sending=True).error == "rate_limited"


class Mute(Exception):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("raised", [Mute(), KeyError("secret=abc123def"), FileNotFound(path="a"), OSError("\ud800")])
def test_seed_004_22_every_tool_returns_a_typed_error_and_no_traceback(raised: Exception) -> None:
    @returns_errors
    def tool() -> str:
        raise raised

    @returns_errors(while_sending=True)
    async def later() -> str:
        raise raised

    for text in (tool(), asyncio.run(later())):
        answer = json.loads(text)
        assert list(answer) == ["error", "message", "details"]
        assert answer["error"] in WORDS and answer["message"]
        assert "Traceback" not in text and "abc123def" not in text


def test_seed_004_details_that_are_no_json_are_written_as_json() -> None:
    details: dict[str, Any] = {"nan": float("nan"), "bytes": b"\xff"}
    details["self"] = details
    written = json.loads(MCPError("internal_error", "x", details).model_dump_json())
    assert written["details"] == {"nan": "nan", "bytes": "base64:/w==", "self": "[circular]"}


@pytest.mark.parametrize("nothing", [{}, None, "", "null", {"content": []}, {"content": [{"type": "text", "text": "{}"}]}])
def test_seed_004_19_a_fallback_that_answers_with_nothing_is_no_success(nothing: object) -> None:
    events: list[dict[str, Any]] = []

    def attempt() -> object:
        raise ConnectionRefusedError("gmail is away")

    with pytest.raises(MCPUnavailableError):
        asyncio.run(call_with_fallback(attempt, lambda: nothing, events.append))
    assert [it["event"] for it in events] == ["mcp_fallback", "mcp_escalation"]
    assert events[0]["error"] == "gmail is away"

    if not isinstance(nothing, dict) or "content" not in nothing:
        assert not asyncio.run(FallbackChain[Any]().step("gmail", lambda: nothing).run()).succeeded
    with pytest.raises(MCPUnavailableError, match="the fallback answered with nothing"):
        asyncio.run(call_with_fallback(lambda: nothing, lambda: nothing))
    assert asyncio.run(call_with_fallback(lambda: nothing, lambda: {"kept": 1})) == {"kept": 1}

    chain: FallbackChain[Any] = FallbackChain()
    chain.step("gmail", attempt, Traits(read_only=True, trusted=True)).step("outbox", lambda: nothing)
    chain.policy = type(chain.policy)(attempts=1)
    ended = asyncio.run(chain.run())
    assert not ended.succeeded and ended.fault and ended.fault.code == "UNKNOWN_TOOL_FAILURE"
    assert [(it.step, it.fault.code if it.fault else None) for it in ended.tries] == [
        ("gmail", "UPSTREAM_UNAVAILABLE"),
        ("outbox", "UNKNOWN_TOOL_FAILURE"),
    ]


def test_seed_004_19_an_error_in_an_answer_is_a_failure_and_a_fallback_answers() -> None:
    def attempt() -> str:
        return MCPError("mcp_unavailable", "away").model_dump_json()

    async def fallback() -> str:
        return "kept"

    assert asyncio.run(call_with_fallback(attempt, fallback)) == {"result": "kept"}
    with pytest.raises(MCPUnavailableError, match="away"):
        asyncio.run(call_with_fallback(attempt))
    assert asyncio.run(call_with_fallback(lambda: {"id": 1, "error": None}, fallback)) == {"id": 1, "error": None}


def test_seed_004_19_a_call_that_may_have_had_an_effect_is_not_made_elsewhere() -> None:
    made = []
    chain: FallbackChain[str] = FallbackChain()
    chain.step("send", lambda: MCPError("send_failed", "502").model_dump_json())
    chain.step("other", lambda: made.append(1) or "sent")  # type: ignore[func-returns-value]
    ended = asyncio.run(chain.run())
    assert not made and ended.decision and ended.decision.do == "ask_human"


def test_a_client_decides_by_the_words() -> None:
    fault = MCPError("rate_limited", "slow", {"retry_after": 2}).fault
    assert fault.retry.after_ms == 2000
    decision = decide(fault, Traits(), Attempt(1, random=0), Budget())
    assert (decision.do, decision.after_ms) == ("retry_after", 2000)
