"""Reads the failure out of whatever a call was answered with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from .card import read_line
from .facts import CLASSES, FAULT_KEY, FULL_CODE, TOOL_FAILURE_KEY, Class
from .jsonsafe import json_safe, said
from .lookup import Lookup
from .make import next_calls
from .mend import mended
from .model import Fault, Retry, Row
from .read import fill_native, finished, read, read_as
from .taught import matching
from .text import compact
from .values import at, attribute, is_count, is_int, is_v1, parsed

#: An answer inside another one is read up to this depth.
_MAX_WRAPPINGS: Final = 3
#: A larger text without a flag is content, whatever it looks like.
_MAX_UNFLAGGED: Final = 16384
#: How much of a foreign text is kept.
_MAX_SAID: Final = 500
_UNKNOWN: Final = "UNKNOWN_TOOL_FAILURE"
_FULL_CODE: Final = re.compile(FULL_CODE)

#: What the official SDKs and the runtime raise when a server does not answer: the names of classes, and the words of messages.
_RAISED: Final[Sequence[tuple[str, tuple[str, ...], re.Pattern[str]]]] = (
    ("CANCELLED", ("CancelledError",), re.compile("request was cancelled", re.IGNORECASE)),
    (
        "TIMEOUT",
        ("TimeoutError", "TimeoutException", "Timeout"),
        re.compile("request(?: '[^']*')? timed out|maximum total timeout exceeded|timed out while waiting for response", re.IGNORECASE),
    ),
    (
        "UPSTREAM_UNAVAILABLE",
        ("ConnectionError", "gaierror", "TransportError", "ClosedResourceError", "BrokenResourceError", "EndOfStream"),
        re.compile("connection closed|not connected", re.IGNORECASE),
    ),
)


def parse(answer: object, lookup: Lookup, tool: str = "") -> Fault | None:
    """The failure in an answer, in any dialect; `None` if nothing failed. It never raises."""
    reader = _Reader(lookup, tool)
    try:
        return reader.parse(answer, 0)
    except Exception:
        # What cannot even be looked at must not pass for a success.
        return reader.guessed(None)


class _Reader:
    """Reads answers with the rows of one lookup."""

    def __init__(self, lookup: Lookup, tool: str) -> None:
        self._lookup, self._tool = lookup, tool

    def parse(self, answer: object, depth: int) -> Fault | None:
        if isinstance(answer, BaseException):
            own = attribute(answer, "fault")
            if isinstance(own, Fault):
                return own
            told = attribute(answer, "error") if depth < _MAX_WRAPPINGS else None
            stated = self.parse(told, depth + 1) if told is not None else None
            return stated or self._raised(answer, 0) or self.guessed(said(answer))
        answer = _plain(answer)
        if isinstance(answer, dict):
            return self._object(answer)
        if not isinstance(answer, str):
            return None
        document = parsed(answer)
        if isinstance(document, dict):
            return self._object(document)
        broken = self._broken(answer) if document is None else None
        return broken or _unsure(self._text(document if isinstance(document, str) else answer, False, 0))

    def _broken(self, text: str) -> Fault | None:
        """An answer that is no JSON. What failed must not pass for a success, because a part of it cannot be read."""
        document, is_cut = mended(text, _MAX_WRAPPINGS + 1)
        is_response = "jsonrpc" in document and "method" not in document
        is_flagged = (
            document.get("isError") is True
            or at(document, ("result", "isError")) is True
            or is_int(document.get("code"))
            or is_count(document.get("v"))
            or (is_response and document.get("error") is not None)
        )
        fault = _unsure(self._object(document)) if is_flagged or len(text) <= _MAX_UNFLAGGED else None
        has_content = isinstance(document.get("content"), list)
        is_answer = is_response or has_content or not {"structuredContent", "isError"}.isdisjoint(document)
        return fault or (self.guessed(text) if is_cut and is_answer else None)

    def _object(self, answer: dict[str, Any]) -> Fault | None:
        content = answer.get("content")
        is_blocks = isinstance(content, list) and all(isinstance(at(it, ("type",)), str) for it in content)
        # Our own envelope has its version first, so that it is found without a look at what else it could be.
        own = self._envelope(answer, False) if is_count(answer.get("v")) else None
        if own:
            return own
        if "jsonrpc" in answer:
            return self._response(answer)
        if "isError" in answer or "structuredContent" in answer or is_blocks:
            return self._result(answer, 0)
        if is_int(answer.get("code")) and isinstance(answer.get("message"), str):
            return self._error(answer)
        text = answer.get("text")
        if answer.get("type") == "text" and isinstance(text, str):
            return _unsure(self._text(text, False, 0))
        return self._payload(answer, False, 0)

    def _response(self, response: dict[str, Any]) -> Fault | None:
        error, result = response.get("error"), response.get("result")
        if error is not None:
            return self._error(error) if isinstance(error, dict) else self.guessed(error)
        if isinstance(result, dict):
            return self._result(result, 0)
        return None if "method" in response or "result" in response else self.guessed(None)

    def _error(self, error: dict[str, Any]) -> Fault | None:
        code, message, data = error.get("code"), error.get("message"), error.get("data")
        fault = self._ours(at(data, (FAULT_KEY,))) or self._envelope(data, True)
        # JSON-RPC's own numbers say too little.
        if not fault and is_int(code) and (code > 0 or at(data, ("symbol",)) is not None):
            fault = read_as("rpc", {"jsonrpc": "2.0", "id": None, "error": error}, self._lookup)
        fault = fault or self._taught(message if isinstance(message, str) else "", True, (data,), code)
        return fault or self._said_by_sdk(message) or self.guessed(message, self._lookup.spelled("rpc", str(code)))

    def _said_by_sdk(self, message: object) -> Fault | None:
        """A failure of the way to the server, by its message. What became of the call is not known."""
        words = re.sub("^MCP error -?[0-9]+: ", "", message) if isinstance(message, str) else ""
        row = next((self._lookup.spelled("native", code) for code, _, known in _RAISED if known.match(words)), None)
        return self.guessed(words, row) if row else None

    def _raised(self, error: BaseException, depth: int) -> Fault | None:
        """A failure of the way to the server, by what was raised, or by what stands in it or below it."""
        names = [it.__name__ for it in type(error).__mro__]
        found = next((code for code, known, _ in _RAISED if not set(known).isdisjoint(names)), None)
        row = self._lookup.spelled("native", found) if found else None
        if row:
            return self.guessed(said(error), row)
        group = getattr(error, "exceptions", ())
        inner = [*(group if isinstance(group, (list, tuple)) else ()), error.__cause__]
        below = (it for it in inner if isinstance(it, BaseException) and depth < _MAX_WRAPPINGS)
        faults = (self._said_by_sdk(said(error)), *(self._raised(it, depth + 1) for it in below))
        return next((it for it in faults if it), None)

    def _result(self, result: dict[str, Any], depth: int) -> Fault | None:
        is_flagged = result.get("isError") is True
        meta, content = result.get("_meta"), result.get("content")
        fault = self._ours(at(meta, (FAULT_KEY,))) or read_as("tool-failure", at(meta, (TOOL_FAILURE_KEY,)), self._lookup)
        if is_flagged and fault:
            return fault
        blocks = [at(it, ("text",)) for it in content] if isinstance(content, list) else [content]
        texts = [it for it in blocks if isinstance(it, str)]
        fault = self._payload(result.get("structuredContent"), is_flagged, depth)
        fault = fault or next((it for it in (self._text(text, is_flagged, depth) for text in texts) if it), None)
        if fault and fault.ground != "guessed":
            return fault if is_flagged else _unsure(fault)
        taught = self._taught("\n".join(texts), is_flagged, (result.get("structuredContent"),)) if depth == 0 else None
        if taught:
            return taught
        return fault or self.guessed(texts[0] if texts else None) if is_flagged else _unsure(fault)

    def _taught(self, text: str, is_flagged: bool, documents: Sequence[object], rpc_code: object = None) -> Fault | None:
        """The failure that a taught row of the contract sees in an answer."""
        match = matching(self._lookup.matches, text, is_flagged, self._tool, rpc_code, documents)
        row = self._lookup.spelled("native", match["code"]) if match else None
        fault = self.guessed(text, row) if row else None
        if fault and row and match:
            fault.effect = match.get("effect", row.effect)
        return fault

    def _text(self, text: str, is_flagged: bool, depth: int) -> Fault | None:
        """The text of a block. Without a flag it must be a failure as a whole."""
        trimmed = text.strip()
        if not is_flagged and len(trimmed) > _MAX_UNFLAGGED:
            return None
        document = parsed(trimmed) if trimmed.startswith(("{", '"')) else None
        return self._card(trimmed, is_flagged) if document is None else self._payload(document, is_flagged, depth)

    def _payload(self, payload: object, is_flagged: bool, depth: int) -> Fault | None:
        """JSON that a tool answered with, as structure or as text."""
        if isinstance(payload, str) and depth < _MAX_WRAPPINGS:
            return self._text(payload, is_flagged, depth + 1)
        if not isinstance(payload, dict):
            return None
        fault = self._envelope(payload, is_flagged)
        if fault:
            return fault
        if list(payload) == ["result"] and depth < _MAX_WRAPPINGS:
            return self._payload(payload["result"], is_flagged, depth + 1)
        if "isError" in payload and depth < _MAX_WRAPPINGS:
            return self._result(payload, depth + 1)
        return None if is_flagged or not _has_error(payload) else self.guessed(compact(payload["error"]))

    def _envelope(self, document: object, is_flagged: bool) -> Fault | None:
        """An envelope. Without a flag, its dialect must leave no doubt: any answer can have a member `code`."""
        if not isinstance(document, dict):
            return None
        if is_v1(document):
            return self._ours(document)
        fault = read(document, self._lookup)
        return fault if fault and (is_flagged or fault.dialect not in ("native", "rpc")) else None

    def _ours(self, document: object) -> Fault | None:
        """Our own envelope, also with a code that no registry here has: then its class is all that is known."""
        known = read_as("native", document, self._lookup)
        if known or not isinstance(document, dict):
            return known
        code, unknown, name = document.get("code"), self._lookup.spelled("native", _UNKNOWN), document.get("class")
        if not unknown or not isinstance(code, str) or not _FULL_CODE.fullmatch(code):
            return None
        class_: Class = name if isinstance(name, str) and name in CLASSES else "unknown"  # type: ignore[assignment]
        http, retry = CLASSES[class_]
        row = replace(unknown, registry="", code=code, number=None, class_=class_, http=http, retry=Retry(retry), effect="unknown")
        fault = Fault.of(row)
        return finished(fault) if fill_native(fault, document) else None

    def guessed(self, text: object, row: Row | None = None) -> Fault | None:
        """A failure that does not say what it is."""
        row = row or self._lookup.spelled("native", _UNKNOWN)
        if not row:
            return None
        fault = replace(Fault.of(row), ground="guessed")
        if row.effect == "none":
            fault.effect = "unknown"
        if isinstance(text, str) and text:
            fault.server_text = text[:_MAX_SAID]
        return fault

    def _card(self, text: str, is_flagged: bool) -> Fault | None:
        """Reads a card: `CODE: message`, or `[CODE] message`. Without a flag, it must have a card's second line, too."""
        first, *lines = re.split(r"\r?\n", text)
        head = re.match(r"\[(.*?)\] (.*)$", first) or re.match(r"([^\[].*?): (.*)$", first)
        row = self._lookup.spelled("native", head[1]) if head else None
        if not head or not row or row.code != head[1]:
            return None
        fault = Fault.of(row)
        fault.message = head[2].strip()
        is_card = False
        for line in lines:
            is_card = read_line(fault, line) or is_card
        if not fault.next_actions:
            # A first line alone has no room for them.
            fault.next_actions = next_calls(row, {})
        return fault if is_card or is_flagged else None


def _unsure(fault: Fault | None) -> Fault | None:
    """What is read of an answer without a flag: the call may have succeeded, and this may be what it was asked for."""
    return replace(fault, ground="guessed") if fault else None


def _has_error(payload: dict[str, Any]) -> bool:
    """An `error` is a failure, unless it says nothing."""
    error = payload.get("error")
    if isinstance(error, str):
        return error.strip() != ""
    return isinstance(error, dict) and ("message" in error or "code" in error)


def _plain(answer: object) -> object:
    """What the official SDK hands out as the JSON that it was."""
    if isinstance(answer, (bytes, bytearray)):
        return answer.decode("utf-8", "replace")
    dump = attribute(answer, "model_dump")
    if not callable(dump):
        return answer
    try:
        return dump(mode="json", by_alias=True, exclude_none=True)
    except Exception:
        return json_safe(answer)
