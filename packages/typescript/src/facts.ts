// What the Rust library says and no registry: the closed sets, the bounds, the decision table, where each dialect keeps what.
// Written by `cargo xtask codegen`; not to be edited.
import type { Context, Rule } from './types.ts';

/** What a client does with a code that it does not know. */
export type Class = "cancelled" | "unknown" | "invalid_argument" | "deadline_exceeded" | "not_found" | "already_exists" | "permission_denied" | "resource_exhausted" | "failed_precondition" | "aborted" | "out_of_range" | "unimplemented" | "internal" | "unavailable" | "data_loss" | "unauthenticated";

/** When the same call may be made again. */
export type RetryKind = "now" | "after_delay" | "after_change" | "after_state" | "after_human" | "never";

/** Whether the failed call may have changed something. */
export type Effect = "none" | "unknown" | "partial" | "done";

/** How bad it is for the operator. */
export type Severity = "info" | "warning" | "error" | "critical";

/** Who failed. */
export type Origin = "tool" | "server" | "gate" | "client";

/** By what evidence it is known. */
export type Basis = "stated" | "taught" | "protocol" | "inferred";

/** A shape of envelope. */
export type Dialect = "native" | "atlas-gate" | "workrail" | "rpc" | "stagewright" | "mailvault" | "tool-failure";

/** Why a call is given up. */
export type StopReason = "cancelled" | "already_done" | "refused" | "attempts_used" | "wait_too_long" | "budget_spent" | "cannot_succeed";

/** Where a failure happened. */
export interface ContextMembers {
  server?: string;
  tool?: string;
  request_id?: string;
  session_id?: string;
  role?: string;
  workspace_root?: string;
  phase_id?: string;
  plan_hash?: string;
  invariant_id?: string;
  trace_id?: string;
}

/** Where the native envelope stands, in `_meta` of a result and in `data` of an error. */
export const FAULT_KEY = "dev.redress/fault";
/** Where the open proposal puts its envelope. */
export const TOOL_FAILURE_KEY = "io.modelcontextprotocol/toolFailure";
/** What can be a code, or a code in a plugin's namespace. */
export const FULL_CODE = new RegExp("^((?!(core|electron|mcp|rpc|test|x)\\.)[a-z][a-z0-9-]{0,31}\\.)?(?=.{3,63}$)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$");

/** How long every part of an answer may be. */
export const LIMITS = {
  cardChars: 384,
  messageChars: 200,
  hintChars: 240,
  leastHintChars: 80,
  suggestionBytes: 512,
  detailsBytes: 2048,
  similar: 5,
  similarShown: 3,
  next: 3,
  violations: 20,
  partBytes: 1024,
  contextChars: 256,
  serverTextChars: 500,
  leastServerTextChars: 24,
  quotingCardChars: 320,
  serverLineChars: 84,
  leastGistChars: 64,
  wordChars: 24,
  shownChars: 120,
} as const;

/** What tells of a failure in a long text, most of all first. */
export const MARKS: readonly (readonly string[])[] = [["error:", "error[", "error ts", "exception:", "panicked at", "fatal:", "npm err"], ["failed", "expected", "assert", "cannot", "not found", "denied", "must be"]];
/** Of whose marks the last one tells. */
export const LAST_TELLS = "traceback (most recent call last)";

/** How a client repeats calls by default. */
export const DEFAULT_POLICY = { attempts: 3, firstPauseMs: 200, longestWaitMs: 30000 } as const;
/** How many repeats a client saves by default, in thousandths. */
export const DEFAULT_BUDGET = { capacity: 10000, perSuccess: 100, perSecond: 0 } as const;

/** The decision table. The first row that fits decides. */
export const DECISIONS: readonly Rule[] = [
  {"id": "cancelled", "when": {"class": ["cancelled"]}, "do": "stop", "why": "cancelled", "because": "The caller gave the call up."},
  {"id": "not_here", "when": {"class": ["unimplemented"], "repeat": ["safe"], "fallback": true}, "do": "fall_back", "because": "This server does not do it; another one may."},
  {"id": "no_such_tool", "when": {"code": ["UNKNOWN_TOOL"], "class": ["not_found"], "repeat": ["safe"], "fallback": true}, "do": "fall_back", "because": "This server has no such tool; another one may."},
  {"id": "forbidden", "when": {"retry": ["after_human"], "class": ["permission_denied"]}, "do": "ask_human", "because": "What is forbidden here is not tried elsewhere."},
  {"id": "without_a_person", "when": {"retry": ["after_human"], "repeat": ["safe"], "fallback": true}, "do": "fall_back", "because": "Another way needs nobody to act."},
  {"id": "a_person", "when": {"retry": ["after_human"]}, "do": "ask_human", "because": "Only a person can change this."},
  {"id": "other_arguments", "when": {"retry": ["after_change"]}, "do": "change_arguments", "because": "The same arguments fail anywhere."},
  {"id": "other_state", "when": {"retry": ["after_state"]}, "do": "call_first", "because": "The call fits once the state has changed."},
  {"id": "already_done", "when": {"repeat": ["double"]}, "do": "stop", "why": "already_done", "because": "It was carried out; what failed came after."},
  {"id": "look_first", "when": {"retry": ["now", "after_delay"], "repeat": ["doubtful"], "next": true}, "do": "call_first", "because": "It may have taken effect: look first."},
  {"id": "in_doubt", "when": {"retry": ["now", "after_delay"], "repeat": ["doubtful"]}, "do": "ask_human", "what": "Find out whether the call took effect, before anybody makes it again.", "because": "It may have taken effect, and no call tells."},
  {"id": "again_now", "when": {"retry": ["now"], "room": ["left"]}, "do": "retry_now", "because": "The same call works now."},
  {"id": "again_later", "when": {"retry": ["after_delay"], "room": ["left"]}, "do": "retry_after", "because": "The same call works later."},
  {"id": "refused", "when": {"class": ["permission_denied"]}, "do": "stop", "why": "refused", "because": "It is forbidden, and nobody can allow it."},
  {"id": "elsewhere", "when": {"retry": ["now", "after_delay"], "fallback": true}, "do": "fall_back", "because": "Here, no repeat is left."},
  {"id": "attempts_used", "when": {"retry": ["now", "after_delay"], "room": ["attempts_used"]}, "do": "stop", "why": "attempts_used", "because": "It was made as often as it may be."},
  {"id": "wait_too_long", "when": {"retry": ["now", "after_delay"], "room": ["wait_too_long"]}, "do": "stop", "why": "wait_too_long", "because": "The wait is longer than allowed."},
  {"id": "budget_spent", "when": {"retry": ["now", "after_delay"]}, "do": "stop", "why": "budget_spent", "because": "The budget for repeats is used up."},
  {"id": "another_way", "when": {"repeat": ["safe"], "fallback": true}, "do": "fall_back", "because": "Here it can never work; another way may."},
  {"id": "cannot_succeed", "when": {}, "do": "stop", "why": "cannot_succeed", "because": "Nothing that is known helps."},
];

/** What is known about a code of which only the class is known. */
export const CLASSES: { readonly [name in Class]: { readonly http: number; readonly retry: RetryKind } } = {
  "cancelled": {"http": 499, "retry": "never"},
  "unknown": {"http": 500, "retry": "never"},
  "invalid_argument": {"http": 400, "retry": "after_change"},
  "deadline_exceeded": {"http": 504, "retry": "after_delay"},
  "not_found": {"http": 404, "retry": "after_change"},
  "already_exists": {"http": 409, "retry": "after_change"},
  "permission_denied": {"http": 403, "retry": "after_human"},
  "resource_exhausted": {"http": 429, "retry": "after_delay"},
  "failed_precondition": {"http": 409, "retry": "after_state"},
  "aborted": {"http": 409, "retry": "after_state"},
  "out_of_range": {"http": 400, "retry": "after_change"},
  "unimplemented": {"http": 501, "retry": "never"},
  "internal": {"http": 500, "retry": "never"},
  "unavailable": {"http": 503, "retry": "after_delay"},
  "data_loss": {"http": 500, "retry": "never"},
  "unauthenticated": {"http": 401, "retry": "after_human"},
};

/** The second line of a card, for each rule and effect. */
export const CARD_LINES: readonly { readonly line: string; readonly retry: RetryKind; readonly effect: Effect; readonly class: Class | null }[] = [
  {"line": "Retry: now, with the same call. Nothing was changed.", "retry": "now", "effect": "none", "class": null},
  {"line": "Retry: now, with the same call. It may have taken effect: check first.", "retry": "now", "effect": "unknown", "class": null},
  {"line": "Retry: now, with the same call. A part of it may have been done.", "retry": "now", "effect": "partial", "class": null},
  {"line": "Retry: now, with the same call. It was done; do not repeat it.", "retry": "now", "effect": "done", "class": null},
  {"line": "Retry: the same call after a while. Nothing was changed.", "retry": "after_delay", "effect": "none", "class": null},
  {"line": "Retry: the same call after {delay}. Nothing was changed.", "retry": "after_delay", "effect": "none", "class": null},
  {"line": "Retry: the same call after a while. It may have taken effect: check first.", "retry": "after_delay", "effect": "unknown", "class": null},
  {"line": "Retry: the same call after {delay}. It may have taken effect: check first.", "retry": "after_delay", "effect": "unknown", "class": null},
  {"line": "Retry: the same call after a while. A part of it may have been done.", "retry": "after_delay", "effect": "partial", "class": null},
  {"line": "Retry: the same call after {delay}. A part of it may have been done.", "retry": "after_delay", "effect": "partial", "class": null},
  {"line": "Retry: the same call after a while. It was done; do not repeat it.", "retry": "after_delay", "effect": "done", "class": null},
  {"line": "Retry: the same call after {delay}. It was done; do not repeat it.", "retry": "after_delay", "effect": "done", "class": null},
  {"line": "Retry: only with other arguments. Nothing was changed.", "retry": "after_change", "effect": "none", "class": null},
  {"line": "Retry: only with other arguments. It may have taken effect.", "retry": "after_change", "effect": "unknown", "class": null},
  {"line": "Retry: only with other arguments. A part of it may have been done.", "retry": "after_change", "effect": "partial", "class": null},
  {"line": "Retry: only with other arguments. It was done; do not repeat it.", "retry": "after_change", "effect": "done", "class": null},
  {"line": "Retry: only after the state has changed. Nothing was changed.", "retry": "after_state", "effect": "none", "class": null},
  {"line": "Retry: only after the state has changed. It may have taken effect.", "retry": "after_state", "effect": "unknown", "class": null},
  {"line": "Retry: only after the state has changed. A part of it may have been done.", "retry": "after_state", "effect": "partial", "class": null},
  {"line": "Retry: only after the state has changed. It was done; do not repeat it.", "retry": "after_state", "effect": "done", "class": null},
  {"line": "Retry: only after a person has acted. Nothing was changed.", "retry": "after_human", "effect": "none", "class": null},
  {"line": "Retry: only after a person has acted. It may have taken effect.", "retry": "after_human", "effect": "unknown", "class": null},
  {"line": "Retry: only after a person has acted. A part of it may have been done.", "retry": "after_human", "effect": "partial", "class": null},
  {"line": "Retry: only after a person has acted. It was done; do not repeat it.", "retry": "after_human", "effect": "done", "class": null},
  {"line": "Retry: never, it cannot succeed. Nothing was changed.", "retry": "never", "effect": "none", "class": null},
  {"line": "Retry: not as it is, the reason is unknown. Nothing was changed.", "retry": "never", "effect": "none", "class": "unknown"},
  {"line": "Retry: not as it is, the server is at fault. Nothing was changed.", "retry": "never", "effect": "none", "class": "internal"},
  {"line": "Retry: never, it cannot succeed. It may have taken effect.", "retry": "never", "effect": "unknown", "class": null},
  {"line": "Retry: not as it is, the reason is unknown. It may have taken effect.", "retry": "never", "effect": "unknown", "class": "unknown"},
  {"line": "Retry: not as it is, the server is at fault. It may have taken effect.", "retry": "never", "effect": "unknown", "class": "internal"},
  {"line": "Retry: never, it cannot succeed. A part of it may have been done.", "retry": "never", "effect": "partial", "class": null},
  {"line": "Retry: not as it is, the reason is unknown. A part of it may have been done.", "retry": "never", "effect": "partial", "class": "unknown"},
  {"line": "Retry: not as it is, the server is at fault. A part of it may have been done.", "retry": "never", "effect": "partial", "class": "internal"},
  {"line": "Retry: never, it cannot succeed. It was done; do not repeat it.", "retry": "never", "effect": "done", "class": null},
  {"line": "Retry: not as it is, the reason is unknown. It was done; do not repeat it.", "retry": "never", "effect": "done", "class": "unknown"},
  {"line": "Retry: not as it is, the server is at fault. It was done; do not repeat it.", "retry": "never", "effect": "done", "class": "internal"},
];

/** Where each dialect keeps what, as keys from the document down. */
export const PLACES: { readonly [dialect in Dialect]: { readonly [member: string]: readonly string[] } } = {
  "native": {"code": ["code"], "context.invariant_id": ["context", "invariant_id"], "context.phase_id": ["context", "phase_id"], "context.plan_hash": ["context", "plan_hash"], "context.request_id": ["context", "request_id"], "context.role": ["context", "role"], "context.server": ["context", "server"], "context.session_id": ["context", "session_id"], "context.tool": ["context", "tool"], "context.trace_id": ["context", "trace_id"], "context.workspace_root": ["context", "workspace_root"], "details": ["details"], "elapsed_ms": ["elapsed_ms"], "hint": ["hint"], "http": ["http"], "message": ["message"], "next_actions": ["next_actions"], "not_before": ["retry", "not_before"], "similar_refs": ["similar_refs"], "timestamp": ["timestamp"]},
  "atlas-gate": {"cause": ["cause"], "code": ["error_code"], "context.invariant_id": ["invariant_id"], "context.phase_id": ["phase_id"], "context.plan_hash": ["plan_hash"], "context.role": ["role"], "context.session_id": ["session_id"], "context.tool": ["tool_name"], "context.workspace_root": ["workspace_root"], "message": ["human_message"], "stack": ["stack_trace"], "timestamp": ["timestamp"]},
  "workrail": {"code": ["code"], "details": ["details"], "hint": ["suggestion"], "message": ["message"]},
  "rpc": {"code": ["error", "data", "symbol"], "details": ["error", "data", "details"], "message": ["error", "message"], "stack": ["error", "data", "stack"]},
  "stagewright": {"code": ["code"], "context.session_id": ["_meta", "session_id"], "details": ["details"], "elapsed_ms": ["_meta", "elapsed_ms"], "hint": ["hint"], "http": ["http"], "message": ["error"], "next_actions": ["next_actions"], "similar_refs": ["similar_refs"]},
  "mailvault": {"code": ["error"], "details": ["details"], "message": ["message"]},
  "tool-failure": {"code": ["code"], "context.request_id": ["correlationId"], "hint": ["agentGuidance"], "not_before": ["retryNotBefore"]},
};

/** The classes of the open proposal: which of ours they are, and which stands for the rest. */
export const GROUPS: { readonly [group: string]: { readonly class: Class; readonly classes: readonly Class[] } } = {
  "capability": {"class": "unimplemented", "classes": ["invalid_argument", "not_found", "already_exists", "failed_precondition", "out_of_range", "unimplemented"]},
  "governance": {"class": "permission_denied", "classes": ["permission_denied", "unauthenticated"]},
  "reliability": {"class": "unavailable", "classes": ["cancelled", "unknown", "deadline_exceeded", "resource_exhausted", "aborted", "internal", "unavailable", "data_loss"]},
};

export const DIALECTS: readonly Dialect[] = ["native", "atlas-gate", "workrail", "rpc", "stagewright", "mailvault", "tool-failure"];
/** The order in which an unknown document is tried. */
export const DETECTED: readonly Dialect[] = ["rpc", "stagewright", "atlas-gate", "tool-failure", "workrail", "mailvault", "native"];
export const RETRY_KINDS: readonly RetryKind[] = ["now", "after_delay", "after_change", "after_state", "after_human", "never"];
export const EFFECTS: readonly Effect[] = ["none", "unknown", "partial", "done"];
export const ORIGINS: readonly Origin[] = ["tool", "server", "gate", "client"];
export const BASES: readonly Basis[] = ["stated", "taught", "protocol", "inferred"];
export const SEVERITIES: readonly Severity[] = ["info", "warning", "error", "critical"];
/** The members of the native envelope after its code, in their order. */
export const ENVELOPE: readonly string[] = ["message", "hint", "class", "http", "retry", "effect", "origin", "basis", "domain", "number", "severity", "next_actions", "similar_refs", "violations", "details", "server_text", "context", "timestamp", "elapsed_ms", "estimated_tokens", "ledger"];
export const CONTEXT: readonly (keyof Context)[] = ["server", "tool", "request_id", "session_id", "role", "workspace_root", "phase_id", "plan_hash", "invariant_id", "trace_id"];
