"""Makes a fault of a row: parameters fill its message, its next calls and `details`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from .facts import MAX_SHOWN_CHARS
from .jsonsafe import json_safe
from .model import Fault, NextAction, NextCall, Param, Row
from .text import cut, quote, shown
from .values import is_count

#: The parameters that were given, by name.
Values = Mapping[str, tuple[Param, Any]]

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}
#: `{name}` is a parameter, and a brace twice is a brace.
_GAPS: Final = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}")


def fault_of(row: Row, params: Mapping[str, Any] | None = None) -> Fault:
    """A fault of a row. A parameter that the row does not declare, or that has another type, is left out."""
    values = values_of(row, {name: _given(it) for name, it in (params or {}).items()})
    fault = Fault.of(row)
    fault.message = message_of(row, values)
    fault.next_actions = next_calls(row, values)
    details = {name: value for name, (_, value) in values.items()}
    fault.details = details or None
    wait = details.get("retry_after_ms")
    if wait is None and is_count(details.get("retry_after")):
        wait = details["retry_after"] * 1000
    if is_count(wait) and fault.retry.kind == "after_delay":
        fault.retry = replace(fault.retry, after_ms=wait)
    return fault


def values_of(row: Row, given: object) -> Values:
    """The members of an object that the row declares, where they have its types."""
    if not isinstance(given, dict):
        return {}
    fits = [it for it in row.params if it.name in given and _fits(it, given[it.name])]
    return {it.name: (it, _shortened(it, given[it.name])) for it in fits}


def _given(value: Any) -> Any:
    """A parameter as JSON; what is no finite number stays as it is, so that it is left out."""
    if isinstance(value, (str, bool)) or value is None or isinstance(value, (int, float)):
        return value
    return json_safe(value)


def _fits(param: Param, value: object) -> bool:
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return param.type == "boolean" and isinstance(value, bool)
    return isinstance(value, _TYPES[param.type])


def _shortened(param: Param, value: Any) -> Any:
    return cut(value, param.max_chars) if isinstance(value, str) and param.max_chars is not None else value


def message_of(row: Row, values: Values) -> str:
    """The row's message with its parameters; the title where one is absent that it needs, as half a sentence does not help."""
    text = ""
    end = 0
    for gap in _GAPS.finditer(row.message):
        text += row.message[end : gap.start()]
        end = gap.end()
        only = next((it.values for it in row.params if it.name == gap[1]), ())
        if gap[1] is None:
            text += gap[0][0]
        elif gap[1] in values:
            text += _shown(*values[gap[1]])
        elif len(only) == 1:
            text += only[0]
        else:
            return f"{row.title}."
    return text + row.message[end:]


def _shown(param: Param, value: object) -> str:
    """A value inside a sentence: what is not to be trusted stands in quotes and is cut."""
    most = MAX_SHOWN_CHARS if param.max_chars is None else param.max_chars
    return quote(shown(value), most) if param.untrusted else cut(shown(value), most)


def next_calls(row: Row, values: Values) -> list[NextAction]:
    """The calls of a row that help."""
    return [it for it in (_helping(step, values) for step in row.next) if it]


def _helping(step: NextCall, values: Values) -> NextCall | None:
    """A call that helps, unless it names a parameter that is absent or not to be trusted."""
    if step.args is None:
        return step
    trusted = {name: value for name, (param, value) in values.items() if not param.untrusted}
    args: dict[str, Any] = {}
    for name, template in step.args.items():
        if not isinstance(template, str):
            args[name] = template
            continue
        gaps = list(_GAPS.finditer(template))
        if any(it[1] is not None and it[1] not in trusted for it in gaps):
            return None
        if len(gaps) == 1 and gaps[0][1] is not None and gaps[0][0] == template:
            # A lone parameter keeps its type.
            args[name] = trusted[gaps[0][1]]
        else:
            args[name] = _GAPS.sub(lambda it: it[0][0] if it[1] is None else shown(trusted[it[1]]), template)
    return NextCall(step.tool, args)
