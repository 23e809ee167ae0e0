"""Takes credentials out of what an exception says, before a model reads it."""

from __future__ import annotations

import re
from typing import Any, Final

MASK: Final = "[REDACTED]"

#: Keys of providers, tokens and certificates, by how they start.
_KEYS: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\beyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]*"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[\w-]{16,}"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|pypi-|AKIA|ASIA|AIza|ya29\.|hf_)[\w.-]{12,}",
    re.DOTALL,
)
#: A password in an address.
_LOGIN: Final = re.compile(r"(\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@]*:)[^\s/]+@", re.IGNORECASE)
_BEARER: Final = re.compile(r"\b(Bearer|Basic|Token)\s+[\w.~+/=-]{8,}", re.IGNORECASE)
#: A name that says that its value is a secret, and the value.
_NAMED: Final = re.compile(
    r"((?:password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential)s?[\"']?\s*[=:]\s*)"
    r"(\"[^\"]*\"|'[^']*'|[^\s,;&\"']+)",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """The text with a mask in place of each credential that its form or its name gives away."""
    text = _KEYS.sub(MASK, text)
    text = _LOGIN.sub(rf"\1{MASK}@", text)
    text = _BEARER.sub(rf"\1 {MASK}", text)
    return _NAMED.sub(rf"\1{MASK}", text)


def redact_json(value: Any) -> Any:
    """The same for every text in a JSON value."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redact_json(it) for it in value]
    if isinstance(value, dict):
        return {key: redact_json(it) for key, it in value.items()}
    return value
