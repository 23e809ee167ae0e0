//! One handle per row of `core`. Written by `cargo xtask codegen`; not to be edited.

use super::{CoreCode, row};

/// Session not started: No session has been started.
pub const SESSION_NOT_INITIALIZED: CoreCode = row("SESSION_NOT_INITIALIZED", 0);

/// Session locked after a failure: The session is locked because an earlier call failed.
pub const SESSION_LOCKED: CoreCode = row("SESSION_LOCKED", 1);

/// Session could not start: The session could not be started.
pub const SESSION_INITIALIZATION_FAILED: CoreCode = row("SESSION_INITIALIZATION_FAILED", 2);

/// Value not allowed: An argument has a value that is not accepted.
pub const INVALID_INPUT_VALUE: CoreCode = row("INVALID_INPUT_VALUE", 3);

/// Wrong type: An argument has the wrong type.
pub const INVALID_INPUT_TYPE: CoreCode = row("INVALID_INPUT_TYPE", 4);

/// Malformed argument: An argument is malformed and cannot be read.
pub const INVALID_INPUT_FORMAT: CoreCode = row("INVALID_INPUT_FORMAT", 5);

/// Required argument missing: A required argument is missing.
pub const MISSING_REQUIRED_FIELD: CoreCode = row("MISSING_REQUIRED_FIELD", 6);

/// Action not allowed: This action is not allowed here.
pub const UNAUTHORIZED_ACTION: CoreCode = row("UNAUTHORIZED_ACTION", 7);

/// Permission missing: A permission that this call needs is missing.
pub const INSUFFICIENT_PERMISSIONS: CoreCode = row("INSUFFICIENT_PERMISSIONS", 8);

/// Wrong role: The call needs the role `{required_role}`; this session has `{role}`.
pub const ROLE_MISMATCH: CoreCode = row("ROLE_MISMATCH", 9);

/// Sign-in required: Credentials are missing, expired or refused.
pub const AUTH_REQUIRED: CoreCode = row("AUTH_REQUIRED", 10);

/// The user must act first: A person must do something before this call can work.
pub const USER_ACTION_REQUIRED: CoreCode = row("USER_ACTION_REQUIRED", 11);

/// Not found: What was asked for does not exist.
pub const NOT_FOUND: CoreCode = row("NOT_FOUND", 12);

/// Already exists: Something of that name or id already exists.
pub const ALREADY_EXISTS: CoreCode = row("ALREADY_EXISTS", 13);

/// Conflict with the present state: The present state does not allow the call.
pub const CONFLICT: CoreCode = row("CONFLICT", 14);

/// Query failed: The database or search engine refused the query.
pub const QUERY_FAILED: CoreCode = row("QUERY_FAILED", 15);

/// File not found: No file at `{path}`.
pub const FILE_NOT_FOUND: CoreCode = row("FILE_NOT_FOUND", 16);

/// File already exists: There is already something at `{path}`.
pub const FILE_ALREADY_EXISTS: CoreCode = row("FILE_ALREADY_EXISTS", 17);

/// File could not be read: A file exists, but reading it failed.
pub const FILE_READ_FAILED: CoreCode = row("FILE_READ_FAILED", 18);

/// File could not be written: Writing a file failed; it may be incomplete.
pub const FILE_WRITE_FAILED: CoreCode = row("FILE_WRITE_FAILED", 19);

/// Path not usable: The path `{path}` cannot be used here.
pub const INVALID_PATH: CoreCode = row("INVALID_PATH", 20);

/// Path not found: Nothing exists at `{path}`.
pub const PATH_NOT_FOUND: CoreCode = row("PATH_NOT_FOUND", 21);

/// Outside the workspace: The path `{path}` is outside the workspace.
pub const OUTSIDE_WORKSPACE: CoreCode = row("OUTSIDE_WORKSPACE", 22);

/// Path traversal blocked: The path `{path}` climbs out with ".." and was refused.
pub const PATH_TRAVERSAL_BLOCKED: CoreCode = row("PATH_TRAVERSAL_BLOCKED", 23);

/// Patch malformed: The patch is malformed and cannot be read.
pub const PATCH_INVALID: CoreCode = row("PATCH_INVALID", 24);

/// Patch does not apply: The patch does not fit the present text of the file.
pub const PATCH_APPLY_FAILED: CoreCode = row("PATCH_APPLY_FAILED", 25);

/// File changed in between: The file `{path}` is not the one whose hash was given.
pub const HASH_MISMATCH: CoreCode = row("HASH_MISMATCH", 26);

/// Plan not found: There is no plan `{plan_hash}`.
pub const PLAN_NOT_FOUND: CoreCode = row("PLAN_NOT_FOUND", 27);

/// Plan not approved: The plan `{plan_hash}` is not approved.
pub const PLAN_NOT_APPROVED: CoreCode = row("PLAN_NOT_APPROVED", 28);

/// Plan does not validate: The plan `{plan_hash}` does not pass validation.
pub const PLAN_ENFORCEMENT_FAILED: CoreCode = row("PLAN_ENFORCEMENT_FAILED", 29);

/// Outside the plan's scope: The call is outside the scope of the approved plan.
pub const PLAN_SCOPE_VIOLATION: CoreCode = row("PLAN_SCOPE_VIOLATION", 30);

/// Policy violated: The call breaks the policy rule `{rule}`.
pub const POLICY_VIOLATION: CoreCode = row("POLICY_VIOLATION", 31);

/// Rust policy violated: The Rust code breaks the policy rule `{rule}`.
pub const RUST_POLICY_VIOLATION: CoreCode = row("RUST_POLICY_VIOLATION", 32);

/// Preflight checks failed: The checks that run on every change failed, so the change was undone.
pub const PREFLIGHT_FAILED: CoreCode = row("PREFLIGHT_FAILED", 33);

/// Code with a blocked keyword: The code contains the blocked keyword `{keyword}`.
pub const EVAL_BLOCKED_KEYWORD: CoreCode = row("EVAL_BLOCKED_KEYWORD", 34);

/// Code with a blocked construct: The code contains a blocked construct: `{construct}`.
pub const EVAL_BLOCKED_CONSTRUCT: CoreCode = row("EVAL_BLOCKED_CONSTRUCT", 35);

/// Code does not parse: The code has a syntax mistake and was not run.
pub const EVAL_SYNTAX_ERROR: CoreCode = row("EVAL_SYNTAX_ERROR", 36);

/// Invariant violated: The invariant `{invariant_id}` was violated.
pub const INVARIANT_VIOLATION: CoreCode = row("INVARIANT_VIOLATION", 37);

/// Start-up failed: The server could not finish its start-up.
pub const BOOTSTRAP_FAILURE: CoreCode = row("BOOTSTRAP_FAILURE", 38);

/// Self-audit failed: The server's self-audit failed, so it refuses to serve.
pub const SELF_AUDIT_FAILURE: CoreCode = row("SELF_AUDIT_FAILURE", 39);

/// Audit trail not writable: The call could not be recorded in the audit trail.
pub const AUDIT_LOG_FAILED: CoreCode = row("AUDIT_LOG_FAILED", 40);

/// Audit trail locked: Another process holds the lock of the audit trail.
pub const AUDIT_LOCK_FAILED: CoreCode = row("AUDIT_LOCK_FAILED", 41);

/// Unknown tool: There is no tool `{tool}`.
pub const UNKNOWN_TOOL: CoreCode = row("UNKNOWN_TOOL", 42);

/// Method not found: The server has no method `{method}`.
pub const METHOD_NOT_FOUND: CoreCode = row("METHOD_NOT_FOUND", 43);

/// Invalid request: The message is not a valid request.
pub const INVALID_REQUEST: CoreCode = row("INVALID_REQUEST", 44);

/// Not valid JSON: The message could not be read as JSON.
pub const PARSE_FAILED: CoreCode = row("PARSE_FAILED", 45);

/// Upstream unavailable: The server, or a service behind it, cannot be reached.
pub const UPSTREAM_UNAVAILABLE: CoreCode = row("UPSTREAM_UNAVAILABLE", 46);

/// Server process ended: The server process ended before it answered.
pub const UPSTREAM_CRASHED: CoreCode = row("UPSTREAM_CRASHED", 47);

/// Answer breaks the protocol: The answer does not follow the protocol and cannot be used.
pub const UPSTREAM_PROTOCOL_ERROR: CoreCode = row("UPSTREAM_PROTOCOL_ERROR", 48);

/// Server parked: The server `{server}` keeps crashing and was parked.
pub const UPSTREAM_PARKED: CoreCode = row("UPSTREAM_PARKED", 49);

/// Circuit open: Calls to the server `{server}` are paused after repeated failures.
pub const CIRCUIT_OPEN: CoreCode = row("CIRCUIT_OPEN", 50);

/// Repeated failure: The same call failed `{times}` times with `{code}`, so the server was not asked again.
pub const REPEATED_FAILURE: CoreCode = row("REPEATED_FAILURE", 51);

/// Answer too large: The answer is larger than `{limit_bytes}` bytes and was dropped.
pub const OUTPUT_TOO_LARGE: CoreCode = row("OUTPUT_TOO_LARGE", 52);

/// Answer breaks its schema: The result does not fit the output schema that the tool declares.
pub const OUTPUT_INVALID: CoreCode = row("OUTPUT_INVALID", 53);

/// Internal error: Something unexpected went wrong inside the server.
pub const INTERNAL_ERROR: CoreCode = row("INTERNAL_ERROR", 54);

/// Unrecognised failure: The tool failed in a way that fits no known code.
pub const UNKNOWN_TOOL_FAILURE: CoreCode = row("UNKNOWN_TOOL_FAILURE", 55);

/// Rate limited: Too many calls were made in a short time.
pub const RATE_LIMITED: CoreCode = row("RATE_LIMITED", 56);

/// Too busy: Too many calls are in progress at the same time.
pub const OVERLOADED: CoreCode = row("OVERLOADED", 57);

/// Cancelled: The call was cancelled before it finished.
pub const CANCELLED: CoreCode = row("CANCELLED", 58);

/// Configuration not valid: The configuration is not valid at `{place}`: `{problem}`
pub const CONFIG_INVALID: CoreCode = row("CONFIG_INVALID", 59);

/// Shutting down: The server is shutting down and takes no more calls.
pub const SHUTTING_DOWN: CoreCode = row("SHUTTING_DOWN", 60);

/// Timed out: The call did not finish in time.
pub const TIMEOUT: CoreCode = row("TIMEOUT", 61);

/// Limit exceeded: A limit of the server or of the account is used up.
pub const LIMIT_EXCEEDED: CoreCode = row("LIMIT_EXCEEDED", 62);

/// Dependency not installed: A program or library that this tool needs is not installed.
pub const NOT_INSTALLED: CoreCode = row("NOT_INSTALLED", 63);

/// Session not found: The session does not exist, or it has ended.
pub const SESSION_NOT_FOUND: CoreCode = row("SESSION_NOT_FOUND", 64);

/// Input too large: The input is larger than the server accepts.
pub const INPUT_TOO_LARGE: CoreCode = row("INPUT_TOO_LARGE", 65);

/// Unsupported operation: The server does not support this operation.
pub const UNSUPPORTED: CoreCode = row("UNSUPPORTED", 66);
