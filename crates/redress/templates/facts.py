"""What holds for every registry: closed sets, bounds, the decision table, the lines of a card, where each dialect keeps what.

Written by `cargo xtask codegen`; not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

#: What a client does with a code that it does not know.
Class = Literal[@@classes@@]
#: When the same call may be made again.
RetryKind = Literal[@@retry_kinds@@]
#: Whether the failed call may have changed something.
Effect = Literal[@@effects@@]
#: How bad it is for the operator.
Severity = Literal[@@severities@@]
#: Who failed.
Origin = Literal[@@origins@@]
#: By what evidence it is known.
Basis = Literal[@@bases@@]
#: A shape of envelope.
Dialect = Literal[@@dialects@@]
#: Why a call is given up.
StopReason = Literal[@@stop_reasons@@]

#: Where the native envelope stands, in `_meta` of a result and in `data` of an error.
FAULT_KEY: Final = @@fault_key@@
#: Where the open proposal puts its envelope.
TOOL_FAILURE_KEY: Final = @@tool_failure_key@@
#: What can be a code, as a pattern.
FULL_CODE: Final = @@full_code@@

MAX_CARD_CHARS: Final = @@max_card_chars@@
MAX_MESSAGE_CHARS: Final = @@max_message_chars@@
MAX_HINT_CHARS: Final = @@max_hint_chars@@
MIN_HINT_CHARS: Final = @@min_hint_chars@@
MAX_DETAILS_BYTES: Final = @@max_details_bytes@@
MAX_SUGGESTION_BYTES: Final = @@max_suggestion_bytes@@
MAX_SIMILAR: Final = @@max_similar@@
MAX_SIMILAR_SHOWN: Final = @@max_similar_shown@@
MAX_NEXT: Final = @@max_next@@
MAX_VIOLATIONS: Final = @@max_violations@@
MAX_PART_BYTES: Final = @@max_part_bytes@@
MAX_CONTEXT_CHARS: Final = @@max_context_chars@@
MAX_STACK_CHARS: Final = @@max_stack_chars@@
MAX_SERVER_TEXT_CHARS: Final = @@max_server_text_chars@@
MIN_SERVER_TEXT_CHARS: Final = @@min_server_text_chars@@
MAX_QUOTING_CARD_CHARS: Final = @@max_quoting_card_chars@@
SERVER_LINE_CHARS: Final = @@server_line_chars@@
MIN_GIST_CHARS: Final = @@min_gist_chars@@
LONGEST_WORD: Final = @@longest_word@@
MAX_SHOWN_CHARS: Final = @@max_shown_chars@@
ATTEMPTS: Final = @@attempts@@
FIRST_PAUSE_MS: Final = @@first_pause_ms@@
LONGEST_WAIT_MS: Final = @@longest_wait_ms@@
CAPACITY: Final = @@capacity@@
PER_SUCCESS: Final = @@per_success@@
PER_SECOND: Final = @@per_second@@
#: What tells of a failure in a long text, most of all first.
MARKS: Final[Sequence[Sequence[str]]] = @@marks@@
#: Of whose marks the last one tells.
LAST_TELLS: Final = @@last_tells@@

#: The dialects in the order in which an unknown document is tried.
DETECTED: Final[Sequence[Dialect]] = (@@detected@@,)
#: The members of the native envelope, in order.
ENVELOPE: Final = (@@envelope@@,)
#: The members of a context.
CONTEXT: Final = (@@context@@,)

#: The decision table. The first row that fits decides.
DECISIONS: Final[Sequence[Mapping[str, Any]]] = (
    # @@decisions@@
)

#: The HTTP status and the retry kind of a code of which only the class is known.
CLASSES: Final[Mapping[Class, tuple[int, RetryKind]]] = {
    # @@by_class@@
}

#: The second line of a card, for each rule and effect.
CARD_LINES: Final[Sequence[tuple[str, RetryKind, Effect, Class | None]]] = (
    # @@card_lines@@
)

#: Where each dialect keeps what, as keys from the document down.
PLACES: Final[Mapping[Dialect, Mapping[str, Sequence[str]]]] = {
    # @@places@@
}

#: The classes of the open proposal: which of ours stands for it, and which of ours it is.
GROUPS: Final[Mapping[str, tuple[Class, Sequence[Class]]]] = {
    # @@groups@@
}
