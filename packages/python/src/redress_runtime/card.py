"""The card: what a model reads of a failure. Also how it is read back."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from .facts import (
    CARD_LINES,
    MAX_CARD_CHARS,
    MAX_HINT_CHARS,
    MAX_MESSAGE_CHARS,
    MAX_NEXT,
    MAX_QUOTING_CARD_CHARS,
    MAX_SIMILAR_SHOWN,
    MIN_HINT_CHARS,
    MIN_SERVER_TEXT_CHARS,
    SERVER_LINE_CHARS,
)
from .model import Fault, NextCall, Retry
from .text import compact, cut, gist, shown, strip

#: The code whose wrong name is no argument, and what its card says instead.
NO_TOOL: Final = "UNKNOWN_TOOL"
_OTHER_ARGUMENTS: Final = "only with other arguments."
_ANOTHER_TOOL: Final = "only with another tool."
_DELAY: Final = re.compile(r"after ([0-9]{1,15}(?:\.[0-9]{1,3})?) (ms|s)\b")
#: The longest name or value in a list of them.
_MAX_LISTED_CHARS: Final = 60


def card(fault: Fault) -> str:
    """The card of a fault. What matters least is cut first."""
    text = f"{fault.code}: {cut(strip(fault.message), MAX_MESSAGE_CHARS)}\n{_retry_line(fault)}"
    room = MAX_CARD_CHARS - len(text) - len("\nFix: ")
    hint = cut(strip(fault.hint), min(max(room, MIN_HINT_CHARS), MAX_HINT_CHARS))
    further = []
    if _repeats_retry(fault):
        expected = _expected(fault)
        further += [f"\nFix:{expected}"] if expected else []
    elif hint:
        text += f"\nFix: {hint}"
        further += [_expected(fault), _did_you_mean(fault), _attempts(fault)]
    for it in fault.next_actions[:MAX_NEXT]:
        call = strip(it) if isinstance(it, str) else it.tool if it.args is None else f"{it.tool} {compact(it.args)}"
        further.append(f"\nNext: {call}")
    for more in further:
        if len(text) + len(more) <= MAX_CARD_CHARS:
            text += more
    if fault.server_text is not None and not _names_all(fault):
        least = min(SERVER_LINE_CHARS, MAX_CARD_CHARS - len(text))
        text += _server_line(fault.server_text, max(MAX_QUOTING_CARD_CHARS - len(text), least))
    return cut(text, MAX_CARD_CHARS)


def _repeats_retry(fault: Fault) -> bool:
    """Whether the row's hint says no more than the line before it: other arguments or another tool, or to wait. The server's own
    words, which follow, say which and why."""
    kind = fault.retry.kind
    is_change = kind == "after_change" and (fault.class_ == "invalid_argument" or fault.code == NO_TOOL)
    is_delay = kind == "after_delay" and fault.class_ in {"unavailable", "resource_exhausted"}
    return (
        (is_change or is_delay)
        and fault.server_text is not None
        and not fault.similar_refs
        and fault.hint == fault.row.hint
        and not _attempts(fault)
    )


def _names_all(fault: Fault) -> bool:
    """Whether the lines of ours name each wrong argument and what is wrong with it, so that the server's words say nothing more."""
    named = [
        it.get("reason") in {"missing", "unknown"} or (it.get("reason") == "wrong_type" and isinstance(it.get("expected"), str))
        for it in fault.violations
    ]
    return bool(named) and all(named)


def _attempts(fault: Fault) -> str:
    """How often the gate made the call already, where that was more than once."""
    count = fault.details.get("attempts") if isinstance(fault.details, dict) else None
    if not isinstance(count, int) or isinstance(count, bool) or count < 2:
        return ""
    return f" The gate tried it {count} times."


def wrong_arguments(fault: Fault) -> tuple[str, ...]:
    """Where the arguments stand that are to be changed: those of the violations, else the parameter that was looked up."""
    pointers = tuple(dict.fromkeys(str(it["pointer"]) for it in fault.violations if it.get("pointer")))
    similar = fault.row.similar
    is_given = similar is not None and isinstance(fault.details, dict) and similar in fault.details
    return (f"/{similar}",) if is_given and not pointers and fault.code != NO_TOOL else pointers


def _retry_line(fault: Fault) -> str:
    """The line on what a repeat is good for, and what the call has done."""
    kind, after_ms = fault.retry.kind, fault.retry.after_ms
    has_delay = kind == "after_delay" and after_ms is not None
    fits = [it for it in CARD_LINES if it[1:3] == (kind, fault.effect) and ("{delay}" in it[0]) == has_delay]
    line = next((it[0] for wanted in (fault.class_, None) for it in fits if it[3] == wanted), "")
    names = [it for it in (strip(it.lstrip("/")) for it in wrong_arguments(fault)) if it]
    listed = cut(", ".join(names[:MAX_SIMILAR_SHOWN]), _MAX_LISTED_CHARS)
    if fault.code == NO_TOOL:
        line = line.replace(_OTHER_ARGUMENTS, _ANOTHER_TOOL)
    if kind == "after_change" and listed:
        line = line.replace("arguments.", f"arguments ({listed}).")
    return line.replace("{delay}", _duration(after_ms or 0))


def _duration(ms: int) -> str:
    if ms < 1000:
        return f"{ms} ms"
    return f"{ms // 1000} s" if ms % 1000 == 0 else f"{ms // 1000}.{ms % 1000 // 100} s"


def _expected(fault: Fault) -> str:
    """What the wrong arguments should have been, where that is known and the message does not say it."""
    known = [it for it in fault.violations if isinstance(it.get("expected"), str)]
    named = [(strip(str(it.get("pointer", "")).lstrip("/")), cut(strip(it["expected"]), _MAX_LISTED_CHARS)) for it in known]
    named = [it for it in named if it[1] not in fault.message][:MAX_SIMILAR_SHOWN]
    listed = "; ".join(f"{name}: {what}" if name else what for name, what in named)
    return f" Expected {listed}." if named else ""


def _did_you_mean(fault: Fault) -> str:
    """What may have been meant, as a sentence after another one."""
    names = [cut(strip(shown(it.get("ref", ""))), _MAX_LISTED_CHARS) for it in fault.similar_refs[:MAX_SIMILAR_SHOWN]]
    if len(names) < 2:
        return "".join(f" Did you mean {it}?" for it in names)
    return f" Did you mean {', '.join(names[:-1])} or {names[-1]}?"


def _server_line(text: str, left: int) -> str:
    """What a foreign server wrote, in quotes, as far as there is room."""
    label = "\nServer said: "
    room = most = left - len(label) - 2
    if room < MIN_SERVER_TEXT_CHARS:
        return ""
    while True:
        quoted = compact(gist(strip(text), most))
        over = len(quoted) - (room + 2)
        if over <= 0:
            return label + quoted
        most = max(0, most - over)


def read_line(fault: Fault, line: str) -> bool:
    """Takes what one line of a card says. Whether it was the line that only cards have."""
    label, _, rest = line.partition(": ")
    if label == "Retry":
        return _read_retry_line(fault, line)
    if label == "Fix":
        hint = re.sub(r"^(.*) Expected .*$", r"\1", re.sub(r"^(.*) Did you mean .*$", r"\1", f" {rest}")).lstrip()
        fault.hint = hint or fault.hint
    elif label == "Server said":
        fault.server_text = rest.strip('"')
    elif label == "Next":
        tool, space, args = rest.partition(" ")
        parsed = _object(args)
        fault.next_actions.append(NextCall(tool) if not space else NextCall(tool, parsed) if parsed is not None else rest)
    return False


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _read_retry_line(fault: Fault, line: str) -> bool:
    names = re.search(r" \((.*?)\)", line)
    plain = line.replace(_ANOTHER_TOOL, _OTHER_ARGUMENTS)
    plain = _DELAY.sub("after {delay}", re.sub(r" \(.*?\)", "", plain, count=1), count=1)
    known = next((it for it in CARD_LINES if it[0] == plain), None)
    if not known:
        return False
    after_ms: int | None = None
    delay = _DELAY.search(line)
    if delay and delay[2] == "ms":
        after_ms = int(float(delay[1]))
    elif delay:
        # What was cut to tenths of a second is taken for the longest that it can mean.
        after_ms = round(float(delay[1]) * 1000) + (99 if "." in delay[1] else 0)
    fault.retry, fault.effect = Retry(known[1], after_ms, max=fault.retry.max), known[2]
    fault.violations = [{"pointer": f"/{it}", "reason": "wrong"} for it in names[1].split(", ")] if names else []
    return True
