//! One handle per row of `core`. Written by `cargo xtask codegen`; not to be edited.

use super::CoreCode;

/// Session not started: No session has been started.
pub const SESSION_NOT_INITIALIZED: CoreCode = CoreCode { name: "SESSION_NOT_INITIALIZED", row: 0 };

/// Session locked after a failure: The session is locked because an earlier call failed.
pub const SESSION_LOCKED: CoreCode = CoreCode { name: "SESSION_LOCKED", row: 1 };

/// Session could not start: The session could not be started.
pub const SESSION_INITIALIZATION_FAILED: CoreCode =
    CoreCode { name: "SESSION_INITIALIZATION_FAILED", row: 2 };

/// Value not allowed: An argument has a value that the tool does not accept.
pub const INVALID_INPUT_VALUE: CoreCode = CoreCode { name: "INVALID_INPUT_VALUE", row: 3 };

/// Wrong type: An argument has the wrong type.
pub const INVALID_INPUT_TYPE: CoreCode = CoreCode { name: "INVALID_INPUT_TYPE", row: 4 };

/// Malformed argument: An argument is malformed and cannot be read.
pub const INVALID_INPUT_FORMAT: CoreCode = CoreCode { name: "INVALID_INPUT_FORMAT", row: 5 };

/// Required argument missing: A required argument is missing.
pub const MISSING_REQUIRED_FIELD: CoreCode = CoreCode { name: "MISSING_REQUIRED_FIELD", row: 6 };

/// Action not allowed: This action is not allowed here.
pub const UNAUTHORIZED_ACTION: CoreCode = CoreCode { name: "UNAUTHORIZED_ACTION", row: 7 };

/// Permission missing: The credentials in use lack a permission that this call needs.
pub const INSUFFICIENT_PERMISSIONS: CoreCode =
    CoreCode { name: "INSUFFICIENT_PERMISSIONS", row: 8 };

/// Wrong role: The call needs the role `{required_role}`; this session has `{role}`.
pub const ROLE_MISMATCH: CoreCode = CoreCode { name: "ROLE_MISMATCH", row: 9 };

/// Sign-in required: Credentials are missing, expired or refused.
pub const AUTH_REQUIRED: CoreCode = CoreCode { name: "AUTH_REQUIRED", row: 10 };

/// Not found: What was asked for does not exist.
pub const NOT_FOUND: CoreCode = CoreCode { name: "NOT_FOUND", row: 11 };

/// Already exists: What was to be made already exists.
pub const ALREADY_EXISTS: CoreCode = CoreCode { name: "ALREADY_EXISTS", row: 12 };

/// Conflict with the present state: The call conflicts with the present state of what it would change.
pub const CONFLICT: CoreCode = CoreCode { name: "CONFLICT", row: 13 };

/// Query failed: The database or search engine refused the query.
pub const QUERY_FAILED: CoreCode = CoreCode { name: "QUERY_FAILED", row: 14 };

/// File not found: No file at `{path}`.
pub const FILE_NOT_FOUND: CoreCode = CoreCode { name: "FILE_NOT_FOUND", row: 15 };

/// File already exists: There is already something at `{path}`.
pub const FILE_ALREADY_EXISTS: CoreCode = CoreCode { name: "FILE_ALREADY_EXISTS", row: 16 };

/// File could not be read: A file exists, but reading it failed.
pub const FILE_READ_FAILED: CoreCode = CoreCode { name: "FILE_READ_FAILED", row: 17 };

/// File could not be written: Writing a file failed; it may be incomplete.
pub const FILE_WRITE_FAILED: CoreCode = CoreCode { name: "FILE_WRITE_FAILED", row: 18 };

/// Path not usable: The path `{path}` cannot be used here.
pub const INVALID_PATH: CoreCode = CoreCode { name: "INVALID_PATH", row: 19 };

/// Path not found: Nothing exists at `{path}`.
pub const PATH_NOT_FOUND: CoreCode = CoreCode { name: "PATH_NOT_FOUND", row: 20 };

/// Outside the workspace: The path `{path}` is outside the workspace.
pub const OUTSIDE_WORKSPACE: CoreCode = CoreCode { name: "OUTSIDE_WORKSPACE", row: 21 };

/// Path traversal blocked: The path `{path}` climbs out with ".." and was refused.
pub const PATH_TRAVERSAL_BLOCKED: CoreCode = CoreCode { name: "PATH_TRAVERSAL_BLOCKED", row: 22 };

/// Patch malformed: The patch is malformed and cannot be read.
pub const PATCH_INVALID: CoreCode = CoreCode { name: "PATCH_INVALID", row: 23 };

/// Patch does not apply: The patch does not fit the present text of the file.
pub const PATCH_APPLY_FAILED: CoreCode = CoreCode { name: "PATCH_APPLY_FAILED", row: 24 };

/// File changed in between: The file `{path}` is not the one whose hash was given.
pub const HASH_MISMATCH: CoreCode = CoreCode { name: "HASH_MISMATCH", row: 25 };

/// Plan not found: There is no plan `{plan_hash}`.
pub const PLAN_NOT_FOUND: CoreCode = CoreCode { name: "PLAN_NOT_FOUND", row: 26 };

/// Plan not approved: The plan `{plan_hash}` is not approved.
pub const PLAN_NOT_APPROVED: CoreCode = CoreCode { name: "PLAN_NOT_APPROVED", row: 27 };

/// Plan does not validate: The plan `{plan_hash}` does not pass validation.
pub const PLAN_ENFORCEMENT_FAILED: CoreCode = CoreCode { name: "PLAN_ENFORCEMENT_FAILED", row: 28 };

/// Outside the plan's scope: The call is outside the scope of the approved plan.
pub const PLAN_SCOPE_VIOLATION: CoreCode = CoreCode { name: "PLAN_SCOPE_VIOLATION", row: 29 };

/// Policy violated: The call breaks the policy rule `{rule}`.
pub const POLICY_VIOLATION: CoreCode = CoreCode { name: "POLICY_VIOLATION", row: 30 };

/// Rust policy violated: The Rust code breaks the policy rule `{rule}`.
pub const RUST_POLICY_VIOLATION: CoreCode = CoreCode { name: "RUST_POLICY_VIOLATION", row: 31 };

/// Preflight checks failed: The checks that run on every change failed, so the change was undone.
pub const PREFLIGHT_FAILED: CoreCode = CoreCode { name: "PREFLIGHT_FAILED", row: 32 };

/// Code with a blocked keyword: The code contains the blocked keyword `{keyword}`.
pub const EVAL_BLOCKED_KEYWORD: CoreCode = CoreCode { name: "EVAL_BLOCKED_KEYWORD", row: 33 };

/// Code with a blocked construct: The code contains a blocked construct: `{construct}`.
pub const EVAL_BLOCKED_CONSTRUCT: CoreCode = CoreCode { name: "EVAL_BLOCKED_CONSTRUCT", row: 34 };

/// Code does not parse: The code has a syntax mistake and was not run.
pub const EVAL_SYNTAX_ERROR: CoreCode = CoreCode { name: "EVAL_SYNTAX_ERROR", row: 35 };

/// Invariant violated: The invariant `{invariant_id}` was violated.
pub const INVARIANT_VIOLATION: CoreCode = CoreCode { name: "INVARIANT_VIOLATION", row: 36 };

/// Start-up failed: The server could not finish its start-up.
pub const BOOTSTRAP_FAILURE: CoreCode = CoreCode { name: "BOOTSTRAP_FAILURE", row: 37 };

/// Self-audit failed: The server's self-audit failed, so it refuses to serve.
pub const SELF_AUDIT_FAILURE: CoreCode = CoreCode { name: "SELF_AUDIT_FAILURE", row: 38 };

/// Audit trail not writable: The call could not be recorded in the audit trail.
pub const AUDIT_LOG_FAILED: CoreCode = CoreCode { name: "AUDIT_LOG_FAILED", row: 39 };

/// Audit trail locked: Another process holds the lock of the audit trail.
pub const AUDIT_LOCK_FAILED: CoreCode = CoreCode { name: "AUDIT_LOCK_FAILED", row: 40 };

/// Unknown tool: There is no tool `{tool}`.
pub const UNKNOWN_TOOL: CoreCode = CoreCode { name: "UNKNOWN_TOOL", row: 41 };

/// Method not found: The server has no method `{method}`.
pub const METHOD_NOT_FOUND: CoreCode = CoreCode { name: "METHOD_NOT_FOUND", row: 42 };

/// Invalid request: The message is not a valid request.
pub const INVALID_REQUEST: CoreCode = CoreCode { name: "INVALID_REQUEST", row: 43 };

/// Not valid JSON: The message could not be read as JSON.
pub const PARSE_FAILED: CoreCode = CoreCode { name: "PARSE_FAILED", row: 44 };

/// Upstream unavailable: The server, or a service behind it, cannot be reached.
pub const UPSTREAM_UNAVAILABLE: CoreCode = CoreCode { name: "UPSTREAM_UNAVAILABLE", row: 45 };

/// Server process ended: The server process ended before it answered.
pub const UPSTREAM_CRASHED: CoreCode = CoreCode { name: "UPSTREAM_CRASHED", row: 46 };

/// Answer breaks the protocol: The answer does not follow the protocol and cannot be used.
pub const UPSTREAM_PROTOCOL_ERROR: CoreCode = CoreCode { name: "UPSTREAM_PROTOCOL_ERROR", row: 47 };

/// Server parked: The server `{server}` keeps crashing and was parked.
pub const UPSTREAM_PARKED: CoreCode = CoreCode { name: "UPSTREAM_PARKED", row: 48 };

/// Circuit open: Calls to the server `{server}` are paused after repeated failures.
pub const CIRCUIT_OPEN: CoreCode = CoreCode { name: "CIRCUIT_OPEN", row: 49 };

/// Answer too large: The answer is larger than `{limit_bytes}` bytes and was dropped.
pub const OUTPUT_TOO_LARGE: CoreCode = CoreCode { name: "OUTPUT_TOO_LARGE", row: 50 };

/// Answer breaks its schema: The result does not fit the output schema that the tool declares.
pub const OUTPUT_INVALID: CoreCode = CoreCode { name: "OUTPUT_INVALID", row: 51 };

/// Internal error: Something unexpected went wrong inside the server.
pub const INTERNAL_ERROR: CoreCode = CoreCode { name: "INTERNAL_ERROR", row: 52 };

/// Unrecognised failure: The tool failed in a way that fits no known code.
pub const UNKNOWN_TOOL_FAILURE: CoreCode = CoreCode { name: "UNKNOWN_TOOL_FAILURE", row: 53 };

/// Rate limited: Too many calls were made in a short time.
pub const RATE_LIMITED: CoreCode = CoreCode { name: "RATE_LIMITED", row: 54 };

/// Too busy: Too many calls are in progress at the same time.
pub const OVERLOADED: CoreCode = CoreCode { name: "OVERLOADED", row: 55 };

/// Cancelled: The call was cancelled before it finished.
pub const CANCELLED: CoreCode = CoreCode { name: "CANCELLED", row: 56 };

/// Configuration not valid: The configuration is not valid at `{place}`: `{problem}`
pub const CONFIG_INVALID: CoreCode = CoreCode { name: "CONFIG_INVALID", row: 57 };

/// Shutting down: The server is shutting down and takes no more calls.
pub const SHUTTING_DOWN: CoreCode = CoreCode { name: "SHUTTING_DOWN", row: 58 };

/// Timed out: The call did not finish in time.
pub const TIMEOUT: CoreCode = CoreCode { name: "TIMEOUT", row: 59 };

/// Limit exceeded: A limit of the server or of the account is used up.
pub const LIMIT_EXCEEDED: CoreCode = CoreCode { name: "LIMIT_EXCEEDED", row: 60 };

/// Dependency not installed: A program or library that this tool needs is not installed.
pub const NOT_INSTALLED: CoreCode = CoreCode { name: "NOT_INSTALLED", row: 61 };

/// Session not found: The session does not exist, or it has ended.
pub const SESSION_NOT_FOUND: CoreCode = CoreCode { name: "SESSION_NOT_FOUND", row: 62 };

/// Input too large: The input is larger than the server accepts.
pub const INPUT_TOO_LARGE: CoreCode = CoreCode { name: "INPUT_TOO_LARGE", row: 63 };

/// Unsupported operation: The server does not support this operation.
pub const UNSUPPORTED: CoreCode = CoreCode { name: "UNSUPPORTED", row: 64 };
