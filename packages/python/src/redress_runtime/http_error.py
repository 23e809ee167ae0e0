"""What an exception of an HTTP client says: the status and the time to wait. No client is imported; their forms are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from .values import attribute, is_int


def status_of(error: object) -> int | None:
    """The HTTP status of an exception: httpx, requests, aiohttp, urllib, and the client of Google's APIs."""
    answers = [attribute(error, "response"), attribute(error, "resp"), error]
    for answer in answers:
        for name in ("status_code", "status", "code"):
            status = attribute(answer, name)
            # `SystemExit` and exceptions of other protocols have a number under `code`, too.
            if isinstance(status, str) and status.isdecimal():
                status = int(status)
            if is_int(status) and 400 <= status <= 599 and (name != "code" or _has_headers(answer)):
                return int(status)
    return None


def _has_headers(answer: Any) -> bool:
    return attribute(answer, "headers") is not None


def retry_after(error: object) -> int | None:
    """How many seconds a service asks to wait, by its header `Retry-After`: a number or a date."""
    wait = attribute(error, "retry_after")
    for answer in (attribute(error, "response"), attribute(error, "resp"), error):
        headers = attribute(answer, "headers")
        get = attribute(answer if headers is None else headers, "get")
        if wait is None and callable(get):
            wait = _asked(get, "retry-after") or _asked(get, "Retry-After")
    return _seconds(wait)


def _asked(get: Callable[[str], object], name: str) -> object:
    try:
        return get(name)
    except Exception:
        return None


def _seconds(wait: object) -> int | None:
    if is_int(wait) or isinstance(wait, float):
        return math.ceil(wait) if 0 <= wait < 10**9 else None
    if not isinstance(wait, str):
        return None
    if wait.strip().isdecimal() and len(wait) < 10:
        return int(wait)
    try:
        when = parsedate_to_datetime(wait)
    except (ValueError, TypeError):
        return None
    return max(0, math.ceil((when - datetime.now(timezone.utc)).total_seconds())) if when.tzinfo else None
