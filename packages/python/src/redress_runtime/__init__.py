"""Errors of MCP servers and clients by a contract: failures to raise, a card for the model, an envelope for the program, readers and
writers of seven dialects, and the decision after a failure."""

from __future__ import annotations

from .card import card, wrong_arguments
from .chain import Ended, FallbackChain, Try, is_nothing
from .contract import Contract, shipped_contract
from .decide import RULES, Attempt, Budget, Decision, Policy, Rule, Traits, decide
from .errors import FaultError, UnknownCodeError
from .facts import CLASSES, Basis, Class, Dialect, Effect, Origin, RetryKind, Severity, StopReason
from .jsonsafe import json_problems, json_safe
from .model import Context, Deprecated, Fault, Ground, NextAction, NextCall, Param, Retry, Row, Tool
from .write import response, rpc_error, tool_result, write

#: The contract that every server has: the codes of the registry `core`.
CORE = shipped_contract("core")
#: The decision table. The first row that fits decides.
DECISIONS = RULES
parse, read, read_as, make_fault, from_unknown = CORE.parse, CORE.read, CORE.read_as, CORE.make_fault, CORE.from_unknown

#: What an export hands on. It has `parse`, `read`, `read_as`, `make_fault` and `from_unknown` of its own.
__all__ = [
    "CLASSES", "CORE", "DECISIONS", "Attempt", "Basis", "Budget", "Class", "Context", "Contract", "Decision", "Deprecated", "Dialect", "Effect",
    "Ended", "FallbackChain", "Fault", "FaultError", "Ground", "NextAction", "NextCall", "Origin", "Param", "Policy", "Retry", "RetryKind",
    "Row", "Rule", "Severity", "StopReason", "Tool", "Traits", "Try", "UnknownCodeError", "card", "decide", "is_nothing",
    "json_problems", "json_safe", "response", "rpc_error", "shipped_contract", "tool_result",
    "wrong_arguments", "write",
]  # fmt: skip
