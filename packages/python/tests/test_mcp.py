"""Tools of the SDK that is installed: whatever they raise or return, the answer is an envelope."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
from typing import Any

import pytest
import servers
from redress_runtime import CORE, parse
from redress_runtime.mcp import wrap_handler, wrap_server


def installed() -> str:
    """The SDK of this environment."""
    try:
        importlib.metadata.version("fastmcp")
    except importlib.metadata.PackageNotFoundError:
        return "mcp1" if importlib.metadata.version("mcp").startswith("1.") else "mcp2"
    return "fastmcp"


KIND = installed()
#: `mcp` 1.x holds failures against the output schema, so that only the whole server can be wrapped.
WRAPS = ["server"] if KIND == "mcp1" else ["server", "handler"]
CODES = {
    "fault": "FILE_NOT_FOUND",
    "details": "CONFLICT",
    "members": "FILE_NOT_FOUND",
    "mute": "INTERNAL_ERROR",
    "coded": "INVALID_PATH",
    "missing": "FILE_NOT_FOUND",
    "limited": "RATE_LIMITED",
    "value": "INTERNAL_ERROR",
    "empty": "INTERNAL_ERROR",
    "timeout": "TIMEOUT",
    "half": "INTERNAL_ERROR",
    "own_validation": "INTERNAL_ERROR",
    "words": "UNKNOWN_TOOL_FAILURE",
    "card": "FILE_NOT_FOUND",
}


def envelope(answer: dict[str, Any], code: str) -> dict[str, Any]:
    """The envelope of an answer, which is whole: flagged, a card first, JSON all over, no structure against a schema."""
    assert answer["isError"] is True, answer
    assert "structuredContent" not in answer
    written: dict[str, Any] = answer["_meta"]["dev.redress/fault"]
    assert written["code"] == code, answer
    assert answer["content"][0]["text"].startswith(f"{code}: "), answer
    json.dumps(answer, ensure_ascii=False).encode()
    fault = parse(answer)
    assert fault and fault.code == code
    return written


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("tool", ["raises", "raises_later"])
@pytest.mark.parametrize("how", servers.RAISED)
def test_whatever_a_tool_raises_is_an_envelope(how: str, tool: str, wrap: str) -> None:
    written = envelope(servers.answer(KIND, tool, {"how": how}, wrap), CODES[how])
    assert how == "members" or written["context"]["tool"] == tool


@pytest.mark.parametrize("wrap", WRAPS)
def test_typed_returns_and_output_schemas_are_kept(wrap: str) -> None:
    plain, wrapped = servers.tools(KIND, "nothing"), servers.tools(KIND, wrap)
    wrapped["typed"]["description"] = wrapped["typed"]["description"].partition("\nErrors: ")[0]
    assert wrapped == plain
    assert wrapped["typed"]["outputSchema"]["properties"].keys() == {"id", "text"}
    assert servers.answer(KIND, "typed", {"id": 3}, wrap) == servers.answer(KIND, "typed", {"id": 3}, "nothing")
    envelope(servers.answer(KIND, "typed", {"id": -1}, wrap), "FILE_NOT_FOUND")


def test_seed_000_32_what_is_no_json_is_told_as_json() -> None:
    written = envelope(servers.answer(KIND, "raises", {"how": "details"}), "CONFLICT")
    assert written["details"] == {
        "cycle": {"a": 1, "self": "[circular]"},
        "bytes": "base64:/wA=",
        "nan": "nan",
        "object": "[object]",
        "set": [1],
        "5": "five",
        "half": "?",
    }


@pytest.mark.parametrize("how", servers.RETURNED)
def test_what_cannot_be_sent_is_an_envelope(how: str) -> None:
    envelope(servers.answer(KIND, "returns", {"how": how}), "OUTPUT_INVALID")


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("code", servers.PROTOCOL)
def test_an_error_of_the_protocol_stays_one_or_is_an_envelope(code: str, wrap: str) -> None:
    try:
        answer = servers.answer(KIND, "raises", {"how": code}, wrap)
    except Exception as error:
        told = innermost(error)
        assert told == int(code) and KIND != "fastmcp" and (KIND == "mcp2" or told == servers.QUESTION)
        return
    envelope(answer, "INTERNAL_ERROR")
    assert KIND == "fastmcp" or int(code) != servers.QUESTION


def innermost(error: BaseException) -> int:
    """The number of the error in the groups that a client's tasks put around it."""
    while isinstance(getattr(error, "exceptions", None), tuple):
        error = error.exceptions[0]  # type: ignore[attr-defined]
    number: int = error.error.code  # type: ignore[attr-defined]
    return number


def test_what_the_sdk_refuses_is_an_envelope() -> None:
    written = envelope(servers.answer(KIND, "typed", {"id": "x"}), "INVALID_INPUT_TYPE")
    assert written["violations"] == [{"pointer": "/id", "reason": "wrong_type", "expected": "integer"}]
    assert (written["message"], written["details"], written["effect"]) == ("id must be an integer.", {"field": "/id"}, "none")
    written = envelope(servers.answer(KIND, "typed", {}), "MISSING_REQUIRED_FIELD")
    assert written["message"] == "id is required."
    written = envelope(servers.answer(KIND, "typed", {"id": 100}), "INVALID_INPUT_VALUE")
    assert written["message"] == "id must be less than 99."
    envelope(servers.answer(KIND, "nope", {}), "UNKNOWN_TOOL")


def test_a_credential_in_an_exception_is_masked_and_its_other_words_are_told() -> None:
    written = envelope(servers.answer(KIND, "raises", {"how": "value"}), "INTERNAL_ERROR")
    assert written["server_text"] == "ValueError: password=[REDACTED] is wrong"
    assert written["effect"] == "unknown"


def test_what_a_tool_says_on_purpose_is_told() -> None:
    written = envelope(servers.answer(KIND, "raises", {"how": "words"}), "UNKNOWN_TOOL_FAILURE")
    assert written["message"] == "The moon is full."
    written = envelope(servers.answer(KIND, "raises", {"how": "card"}), "FILE_NOT_FOUND")
    assert written["message"] == 'No file at "c.txt".'


def test_a_wait_that_a_service_asks_for_is_kept() -> None:
    written = envelope(servers.answer(KIND, "raises", {"how": "limited"}), "RATE_LIMITED")
    assert written["retry"]["after_ms"] == 7000


def test_seed_003_01_a_description_in_the_list_embeds_the_codes() -> None:
    described = {name: it["description"] for name, it in servers.tools(KIND, "server").items()}
    assert described["typed"] == "Answers as its type says.\nErrors: FILE_NOT_FOUND (change path), TIMEOUT (retry later)."
    assert described["raises"] == "Raises."


def test_what_a_client_did_wrong_is_no_error_of_the_operator(caplog: pytest.LogCaptureFixture) -> None:
    servers.answer(KIND, "typed", {"id": "x"})
    assert not [it for it in caplog.records if it.name == "redress" and it.exc_info]


def test_the_operator_reads_the_exception(caplog: pytest.LogCaptureFixture) -> None:
    servers.answer(KIND, "raises", {"how": "missing"})
    record = next(it for it in caplog.records if it.name == "redress")
    assert record.exc_info and isinstance(record.exc_info[1], FileNotFoundError)


@pytest.mark.parametrize("ending", [asyncio.CancelledError, KeyboardInterrupt, SystemExit])
def test_what_ends_a_task_or_the_program_is_passed_on(ending: type[BaseException]) -> None:
    @wrap_handler
    def plain() -> None:
        raise ending

    @wrap_handler(contract=CORE)
    async def later() -> None:
        raise ending

    with pytest.raises(ending):
        plain()
    with pytest.raises(ending):
        later().send(None)


def test_what_is_no_server_is_refused() -> None:
    with pytest.raises(TypeError, match="is no server whose tools can be wrapped"):
        wrap_server(object())
