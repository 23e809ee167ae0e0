"""Texts: cut, stripped of what is not seen, quoted, shortened to what tells."""

from __future__ import annotations

import json
import re
from typing import Final

from .facts import LAST_TELLS, LONGEST_WORD, MARKS, MIN_GIST_CHARS

_ESCAPES: Final = re.compile("\x1b(?:\\[[^@-~]*[@-~]?|\\][^\x07\x1b]*\x07?|.)?", re.DOTALL)
_SPACES: Final = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
#: Characters that change how a text reads without being seen, and halves of characters, which are no text at all.
_INVISIBLE: Final = re.compile(
    "[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
_ASCII_LOWER: Final = {it: it + 32 for it in range(ord("A"), ord("Z") + 1)}


def strip(text: str) -> str:
    """Foreign text made harmless: no control, bidi, invisible or escape-sequence characters, white space folded."""
    return _SPACES.sub(" ", _INVISIBLE.sub("", _ESCAPES.sub("", text))).strip(" ")


def cut(text: str, most: int) -> str:
    """At most so many characters; a cut text ends in `…`."""
    return text if len(text) <= most else text[: max(0, most - 1)] + "…"


def cut_bytes(text: str, most: int) -> str:
    """At most so many bytes of UTF-8, cut between two characters; a cut text ends in three dots."""
    if size(text) <= most:
        return text
    return text.encode(errors="surrogatepass")[: most - 3].decode(errors="ignore") + "..."


def quote(text: str, most: int) -> str:
    """Foreign text for a sentence of ours: stripped, cut and put in quotes."""
    return compact(cut(strip(text), most))


def shown(value: object) -> str:
    """A JSON value in a sentence."""
    return value if isinstance(value, str) else compact(value)


def compact(value: object) -> str:
    """JSON without spaces; empty for what is no JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""


def size(text: str) -> int:
    """How many bytes a text has in UTF-8."""
    return len(text.encode(errors="surrogatepass"))


def gist(text: str, most: int) -> str:
    """At most so many characters, chosen for what they tell: the start and, after `…`, the place further on that tells of a
    failure, else the end."""
    count = len(text)
    if count <= most or most < MIN_GIST_CHARS:
        return cut(text, most)

    def whole_words(start: int, end: int) -> int:
        space = text.rfind(" ", max(start, end - LONGEST_WORD), end)
        return end if end >= count or text[end] == " " or space < 0 else space

    room = most - 3
    told = _telling(text, most // 3)
    tail = room * 2 // 5 if told is None else min(count - told, room * 3 // 5)
    head = room - tail
    start = count - tail if told is None else told
    if start <= head:
        return text[: whole_words(0, most - 1)].strip(" ") + "…"
    end = whole_words(start, start + tail - 1) if start + tail < count else count
    space = text.find(" ", start, min(end, start + LONGEST_WORD))
    if told is None and text[start - 1] != " " and space >= 0:
        start = space
    first, last = text[: whole_words(0, head)].strip(" "), text[start:end].strip(" ")
    return f"{first} … {last}" + ("…" if end < count else "")


def _telling(text: str, begin: int) -> int | None:
    """Where the words start that tell most, from a character on."""
    lower = text.translate(_ASCII_LOWER)
    is_last = LAST_TELLS in lower
    for marks in MARKS:
        places = [lower.rfind(it, begin) if is_last else lower.find(it, begin) for it in marks]
        places = [it for it in places if it >= 0]
        if places:
            at = max(places) if is_last else min(places)
            word = text.rfind(" ", 0, at) + 1
            return word if at - word <= LONGEST_WORD else at
    return None
