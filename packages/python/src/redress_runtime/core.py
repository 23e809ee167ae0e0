"""The codes of the registry `core`, which every server has, as exceptions. Written by `cargo xtask codegen`; not to be edited."""

from __future__ import annotations

from typing import Any, Literal

from .contract import shipped_contract
from .errors import FaultError

_CONTRACT = shipped_contract("core")

__all__ = [
    "SessionNotInitialized",
    "SessionLocked",
    "SessionInitializationFailed",
    "InvalidInputValue",
    "InvalidInputType",
    "InvalidInputFormat",
    "MissingRequiredField",
    "UnauthorizedAction",
    "InsufficientPermissions",
    "RoleMismatch",
    "AuthRequired",
    "UserActionRequired",
    "NotFound",
    "AlreadyExists",
    "Conflict",
    "QueryFailed",
    "FileNotFound",
    "FileAlreadyExists",
    "FileReadFailed",
    "FileWriteFailed",
    "InvalidPath",
    "PathNotFound",
    "OutsideWorkspace",
    "PathTraversalBlocked",
    "PatchInvalid",
    "PatchApplyFailed",
    "HashMismatch",
    "PlanNotFound",
    "PlanNotApproved",
    "PlanEnforcementFailed",
    "PlanScopeViolation",
    "PolicyViolation",
    "RustPolicyViolation",
    "PreflightFailed",
    "EvalBlockedKeyword",
    "EvalBlockedConstruct",
    "EvalSyntaxError",
    "InvariantViolation",
    "BootstrapFailure",
    "SelfAuditFailure",
    "AuditLogFailed",
    "AuditLockFailed",
    "UnknownTool",
    "MethodNotFound",
    "InvalidRequest",
    "ParseFailed",
    "UpstreamUnavailable",
    "UpstreamCrashed",
    "UpstreamProtocolError",
    "UpstreamParked",
    "CircuitOpen",
    "RepeatedFailure",
    "OutputTooLarge",
    "OutputInvalid",
    "InternalError",
    "UnknownToolFailure",
    "RateLimited",
    "Overloaded",
    "Cancelled",
    "ConfigInvalid",
    "ShuttingDown",
    "Timeout",
    "LimitExceeded",
    "NotInstalled",
    "SessionNotFound",
    "InputTooLarge",
    "Unsupported",
]


class SessionNotInitialized(FaultError):
    "Session not started. Start a session before you call this tool."

    def __init__(self, *, tool: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("SESSION_NOT_INITIALIZED", {"tool": tool}))


class SessionLocked(FaultError):
    "Session locked after a failure. Submit a failure report that names the failed call, then make the same call again."

    def __init__(self, *, failed_code: str | None = None, ledger_seq: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("SESSION_LOCKED", {"failed_code": failed_code, "ledger_seq": ledger_seq}))


class SessionInitializationFailed(FaultError):
    "Session could not start. Give the absolute path of an existing directory as workspace root."

    def __init__(self, *, workspace_root: str | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("SESSION_INITIALIZATION_FAILED", {"workspace_root": workspace_root, "reason": reason}))


class InvalidInputValue(FaultError):
    "Value not allowed. Use a value within what the tool's description and input schema allow."

    def __init__(self, *, field: str | None = None, value: str | None = None, allowed: list[Any] | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("INVALID_INPUT_VALUE", {"field": field, "value": value, "allowed": allowed}))


class InvalidInputType(FaultError):
    "Wrong type. Send the argument with the type that the tool's input schema asks for."

    def __init__(self, *, field: str | None = None, expected: str | None = None, actual: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("INVALID_INPUT_TYPE", {"field": field, "expected": expected, "actual": actual}))


class InvalidInputFormat(FaultError):
    "Malformed argument. Write the argument in the form that the tool's description asks for."

    def __init__(self, *, field: str | None = None, expected: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("INVALID_INPUT_FORMAT", {"field": field, "expected": expected}))


class MissingRequiredField(FaultError):
    "Required argument missing. Add every argument that the tool's input schema lists as required."

    def __init__(self, *, field: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("MISSING_REQUIRED_FIELD", {"field": field}))


class UnauthorizedAction(FaultError):
    "Action not allowed. Choose an action that is allowed."

    def __init__(self, *, action: str | None = None, role: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("UNAUTHORIZED_ACTION", {"action": action, "role": role}))


class InsufficientPermissions(FaultError):
    "Permission missing. Ask the user or the operator to grant the permission."

    def __init__(self, *, permission: str | None = None, resource: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("INSUFFICIENT_PERMISSIONS", {"permission": permission, "resource": resource}))


class RoleMismatch(FaultError):
    "Wrong role. Ask the operator for a session with the role that is needed."

    def __init__(self, *, required_role: str, role: str) -> None:
        super().__init__(_CONTRACT.make_fault("ROLE_MISMATCH", {"required_role": required_role, "role": role}))


class AuthRequired(FaultError):
    "Sign-in required. Ask the user to sign in or to renew the credentials."

    def __init__(self, *, command: str | None = None, service: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("AUTH_REQUIRED", {"command": command, "service": service}))


class UserActionRequired(FaultError):
    "The user must act first. Tell the user what to do and where, wait for it, then repeat the call."

    def __init__(self, *, action: str | None = None, url: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("USER_ACTION_REQUIRED", {"action": action, "url": url}))


class NotFound(FaultError):
    "Not found. Search or list what exists."

    def __init__(self, *, kind: str | None = None, id: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("NOT_FOUND", {"kind": kind, "id": id}))


class AlreadyExists(FaultError):
    "Already exists. Use the existing one, or choose another name."

    def __init__(self, *, kind: str | None = None, id: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("ALREADY_EXISTS", {"kind": kind, "id": id}))


class Conflict(FaultError):
    "Conflict with the present state. Read the present state, and change it or the call."

    def __init__(self, *, kind: str | None = None, id: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("CONFLICT", {"kind": kind, "id": id}))


class QueryFailed(FaultError):
    "Query failed. Correct the query: check its syntax, and every table and column name."

    def __init__(self, *, query: str | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("QUERY_FAILED", {"query": query, "reason": reason}))


class FileNotFound(FaultError):
    "File not found. Check the path, or list the directory first."

    def __init__(self, *, path: str) -> None:
        super().__init__(_CONTRACT.make_fault("FILE_NOT_FOUND", {"path": path}))


class FileAlreadyExists(FaultError):
    "File already exists. Choose another path, or ask for overwriting if the tool offers it."

    def __init__(self, *, path: str) -> None:
        super().__init__(_CONTRACT.make_fault("FILE_ALREADY_EXISTS", {"path": path}))


class FileReadFailed(FaultError):
    "File could not be read. Tell the user that the file needs repair, or work without it."

    def __init__(self, *, path: str | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("FILE_READ_FAILED", {"path": path, "reason": reason}))


class FileWriteFailed(FaultError):
    "File could not be written. Read the file to see its state, and tell the operator to check disk space and rights."

    def __init__(self, *, path: str | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("FILE_WRITE_FAILED", {"path": path, "reason": reason}))


class InvalidPath(FaultError):
    "Path not usable. Give a path of the kind that the call needs, a file or a directory."

    def __init__(self, *, path: str, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("INVALID_PATH", {"path": path, "reason": reason}))


class PathNotFound(FaultError):
    "Path not found. Check the path from its first directory on, or list the parent directory."

    def __init__(self, *, path: str) -> None:
        super().__init__(_CONTRACT.make_fault("PATH_NOT_FOUND", {"path": path}))


class OutsideWorkspace(FaultError):
    "Outside the workspace. Give a path relative to the workspace root, and inside it."

    def __init__(self, *, path: str) -> None:
        super().__init__(_CONTRACT.make_fault("OUTSIDE_WORKSPACE", {"path": path}))


class PathTraversalBlocked(FaultError):
    "Path traversal blocked. Give a path inside the workspace, without `..` in it."

    def __init__(self, *, path: str) -> None:
        super().__init__(_CONTRACT.make_fault("PATH_TRAVERSAL_BLOCKED", {"path": path}))


class PatchInvalid(FaultError):
    "Patch malformed. Write the patch anew in the format that the tool names."

    def __init__(self, *, line: int | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("PATCH_INVALID", {"line": line, "reason": reason}))


class PatchApplyFailed(FaultError):
    "Patch does not apply. Read the file again and make the change from its exact text."

    def __init__(self, *, path: str | None = None, hunk: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("PATCH_APPLY_FAILED", {"path": path, "hunk": hunk}))


class HashMismatch(FaultError):
    "File changed in between. Read the file again, then repeat the change with the new hash."

    def __init__(self, *, path: str, expected: str | None = None, actual: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("HASH_MISMATCH", {"path": path, "expected": expected, "actual": actual}))


class PlanNotFound(FaultError):
    "Plan not found. List the approved plans, then use a hash from the list."

    def __init__(self, *, plan_hash: str) -> None:
        super().__init__(_CONTRACT.make_fault("PLAN_NOT_FOUND", {"plan_hash": plan_hash}))


class PlanNotApproved(FaultError):
    "Plan not approved. Ask the plan's owner to approve it, then make the same call again."

    def __init__(self, *, plan_hash: str) -> None:
        super().__init__(_CONTRACT.make_fault("PLAN_NOT_APPROVED", {"plan_hash": plan_hash}))


class PlanEnforcementFailed(FaultError):
    "Plan does not validate. Ask the plan's owner to correct it and to approve it again."

    def __init__(self, *, plan_hash: str, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("PLAN_ENFORCEMENT_FAILED", {"plan_hash": plan_hash, "reason": reason}))


class PlanScopeViolation(FaultError):
    "Outside the plan's scope. Keep to the paths and tools that the plan allows, or use a plan that covers this."

    def __init__(self, *, path: str | None = None, plan_hash: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("PLAN_SCOPE_VIOLATION", {"path": path, "plan_hash": plan_hash}))


class PolicyViolation(FaultError):
    "Policy violated. Change the content so that it follows the rule."

    def __init__(self, *, rule: str, path: str | None = None, line: int | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("POLICY_VIOLATION", {"rule": rule, "path": path, "line": line, "reason": reason}))


class RustPolicyViolation(FaultError):
    "Rust policy violated. Handle the error or drop the construct that the rule names."

    def __init__(self, *, rule: str, path: str | None = None, line: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("RUST_POLICY_VIOLATION", {"rule": rule, "path": path, "line": line}))


class PreflightFailed(FaultError):
    "Preflight checks failed. Correct the change until tests and lints pass with it."

    def __init__(self, *, check: str | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("PREFLIGHT_FAILED", {"check": check, "reason": reason}))


class EvalBlockedKeyword(FaultError):
    "Code with a blocked keyword. Remove the keyword from the code, or do the step with a dedicated tool."

    def __init__(self, *, keyword: str, code_hash: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("EVAL_BLOCKED_KEYWORD", {"keyword": keyword, "code_hash": code_hash}))


class EvalBlockedConstruct(FaultError):
    "Code with a blocked construct. Rewrite the code without the construct, or do the step with a dedicated tool."

    def __init__(self, *, construct: str, code_hash: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("EVAL_BLOCKED_CONSTRUCT", {"construct": construct, "code_hash": code_hash}))


class EvalSyntaxError(FaultError):
    "Code does not parse. Correct the syntax of the code, then send it again."

    def __init__(self, *, line: int | None = None, column: int | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("EVAL_SYNTAX_ERROR", {"line": line, "column": column, "reason": reason}))


class InvariantViolation(FaultError):
    "Invariant violated. Stop this line of work and report the invariant to the operator."

    def __init__(self, *, invariant_id: str) -> None:
        super().__init__(_CONTRACT.make_fault("INVARIANT_VIOLATION", {"invariant_id": invariant_id}))


class BootstrapFailure(FaultError):
    "Start-up failed. Ask the operator to correct the server's set-up and to start it again."

    def __init__(self, *, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("BOOTSTRAP_FAILURE", {"reason": reason}))


class SelfAuditFailure(FaultError):
    "Self-audit failed. Ask the operator to repair what the audit found and to restart."

    def __init__(self, *, failed_checks: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("SELF_AUDIT_FAILURE", {"failed_checks": failed_checks}))


class AuditLogFailed(FaultError):
    "Audit trail not writable. Stop, and tell the operator that the ledger cannot be written."

    def __init__(self) -> None:
        super().__init__(_CONTRACT.make_fault("AUDIT_LOG_FAILED", {}))


class AuditLockFailed(FaultError):
    "Audit trail locked. Wait a moment, check whether the call took effect, then repeat it."

    def __init__(self, *, waited_ms: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("AUDIT_LOCK_FAILED", {"waited_ms": waited_ms}))


class UnknownTool(FaultError):
    "Unknown tool. Use a tool name exactly as the server's list of tools gives it."

    def __init__(self, *, tool: str) -> None:
        super().__init__(_CONTRACT.make_fault("UNKNOWN_TOOL", {"tool": tool}))


class MethodNotFound(FaultError):
    "Method not found. Do without it; the server's capabilities say what it offers."

    def __init__(self, *, method: str) -> None:
        super().__init__(_CONTRACT.make_fault("METHOD_NOT_FOUND", {"method": method}))


class InvalidRequest(FaultError):
    "Invalid request. Send a message that follows JSON-RPC 2.0 and the MCP schema."

    def __init__(self, *, pointer: str | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("INVALID_REQUEST", {"pointer": pointer, "reason": reason}))


class ParseFailed(FaultError):
    "Not valid JSON. Send one complete JSON value in valid UTF-8 for each message."

    def __init__(self, *, offset: int | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("PARSE_FAILED", {"offset": offset, "reason": reason}))


class UpstreamUnavailable(FaultError):
    "Upstream unavailable. Wait a moment and try again; tell the user if it stays away."

    def __init__(self, *, server: str | None = None, service: str | None = None, status: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("UPSTREAM_UNAVAILABLE", {"server": server, "service": service, "status": status}))


class UpstreamCrashed(FaultError):
    "Server process ended. Check whether the call took effect, then try once more; tell the operator if it ends again."

    def __init__(self, *, server: str | None = None, exit_code: int | None = None, signal: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("UPSTREAM_CRASHED", {"server": server, "exit_code": exit_code, "signal": signal}))


class UpstreamProtocolError(FaultError):
    "Answer breaks the protocol. Check whether the call took effect, and tell the operator about this server."

    def __init__(self, *, server: str | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("UPSTREAM_PROTOCOL_ERROR", {"server": server, "reason": reason}))


class UpstreamParked(FaultError):
    "Server parked. Ask the operator to repair and restart the server; use other tools until then."

    def __init__(self, *, server: str, crashes: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("UPSTREAM_PARKED", {"server": server, "crashes": crashes}))


class CircuitOpen(FaultError):
    "Circuit open. Wait until the pause is over, or use another tool meanwhile."

    def __init__(self, *, server: str) -> None:
        super().__init__(_CONTRACT.make_fault("CIRCUIT_OPEN", {"server": server}))


class RepeatedFailure(FaultError):
    "Repeated failure. Change the arguments or take another way: the same call fails again."

    def __init__(self, *, times: int, code: str) -> None:
        super().__init__(_CONTRACT.make_fault("REPEATED_FAILURE", {"times": times, "code": code}))


class OutputTooLarge(FaultError):
    "Answer too large. Ask for less: a smaller range, fewer items, or one page at a time."

    def __init__(self, *, limit_bytes: int, size_bytes: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("OUTPUT_TOO_LARGE", {"limit_bytes": limit_bytes, "size_bytes": size_bytes}))


class OutputInvalid(FaultError):
    "Answer breaks its schema. Treat the call as done, and tell the operator about this tool."

    def __init__(self, *, pointer: str | None = None, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("OUTPUT_INVALID", {"pointer": pointer, "reason": reason}))


class InternalError(FaultError):
    "Internal error. Check whether the call took effect, and tell the operator what you called."

    def __init__(self) -> None:
        super().__init__(_CONTRACT.make_fault("INTERNAL_ERROR", {}))


class UnknownToolFailure(FaultError):
    "Unrecognised failure. Try another way, or tell the user."

    def __init__(self, *, tool: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("UNKNOWN_TOOL_FAILURE", {"tool": tool}))


class RateLimited(FaultError):
    "Rate limited. Wait as long as the retry rule says, then go on more slowly."

    def __init__(self, *, retry_after_ms: int | None = None, service: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("RATE_LIMITED", {"retry_after_ms": retry_after_ms, "service": service}))


class Overloaded(FaultError):
    "Too busy. Wait for some of your calls to finish, then repeat this one."

    def __init__(self, *, limit: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("OVERLOADED", {"limit": limit}))


class Cancelled(FaultError):
    "Cancelled. Ask the user before you start this call again."

    def __init__(self, *, reason: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("CANCELLED", {"reason": reason}))


class ConfigInvalid(FaultError):
    "Configuration not valid. Correct the configuration, or ask the operator to do it."

    def __init__(self, *, place: str, problem: str) -> None:
        super().__init__(_CONTRACT.make_fault("CONFIG_INVALID", {"place": place, "problem": problem}))


class ShuttingDown(FaultError):
    "Shutting down. Wait until it runs again, check whether the call took effect, then repeat it."

    def __init__(self) -> None:
        super().__init__(_CONTRACT.make_fault("SHUTTING_DOWN", {}))


class Timeout(FaultError):
    "Timed out. Check whether the call took effect, or ask for less at once."

    def __init__(self, *, tool: str | None = None, timeout_ms: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("TIMEOUT", {"tool": tool, "timeout_ms": timeout_ms}))


class LimitExceeded(FaultError):
    "Limit exceeded. Release what you no longer need, or ask the operator to raise the limit."

    def __init__(self, *, limit_name: str | None = None, limit: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("LIMIT_EXCEEDED", {"limit_name": limit_name, "limit": limit}))


class NotInstalled(FaultError):
    "Dependency not installed. Ask the operator to install it, or use another tool."

    def __init__(self, *, dependency: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("NOT_INSTALLED", {"dependency": dependency}))


class SessionNotFound(FaultError):
    "Session not found. Open a new session, or use the id of one that is still open."

    def __init__(self, *, session_id: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("SESSION_NOT_FOUND", {"session_id": session_id}))


class InputTooLarge(FaultError):
    "Input too large. Send less: shorten the input, or split it over several calls."

    def __init__(self, *, field: str | None = None, size_bytes: int | None = None, limit_bytes: int | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("INPUT_TOO_LARGE", {"field": field, "size_bytes": size_bytes, "limit_bytes": limit_bytes}))


class Unsupported(FaultError):
    "Unsupported operation. Use another tool or another way."

    def __init__(self, *, operation: str | None = None) -> None:
        super().__init__(_CONTRACT.make_fault("UNSUPPORTED", {"operation": operation}))
