// The error codes of notes 0.1.0: types and data on the runtime package.
// Written by `redress registry export --format typescript`; not to be edited.
import * as redress from "redress-runtime";

export * from "redress-runtime";

/** The registry that this file was written from. */
export const REGISTRY = { name: "notes", version: "0.1.0" } as const;

/** The members of `details` that each code declares. A server may leave them out, or say more. */
export type Details = {
  "NOTE_NOT_FOUND": { "id": string };
} & redress.ShippedDetails["core"];

/** The codes of the registry. */
export type Code = keyof Details;

/** A code of the registry, or one that a server or a plugin brings along. */
export type AnyCode = Code | (string & {});

/** The tools that the registry knows. */
export const TOOLS: { readonly [tool: string]: redress.Tool<Code> } = {
  "read_note": {"may": ["NOTE_NOT_FOUND"], "read_only": true, "idempotent": false},
  "list_notes": {"may": [], "read_only": true, "idempotent": false},
};

/** The contract: its rows, the codes that it takes from registries of the runtime, and the spellings that mean another row here. */
export const CONTRACT = redress.contract<Details>({
  registry: REGISTRY,
  taken: {"core": null},
  meanings: {"workrail": {"INTERNAL_ERROR": ["core", "INTERNAL_ERROR"], "NOT_FOUND": ["core", "NOT_FOUND"], "TIMEOUT": ["core", "TIMEOUT"]}, "rpc": {"-32601": ["core", "METHOD_NOT_FOUND"], "-32700": ["core", "PARSE_FAILED"], "1001": ["core", "TIMEOUT"], "1002": ["core", "LIMIT_EXCEEDED"], "1003": ["core", "NOT_INSTALLED"], "1004": ["core", "SESSION_NOT_FOUND"], "1005": ["core", "INPUT_TOO_LARGE"], "1006": ["core", "UNSUPPORTED"], "E_FS_NOT_FOUND": ["core", "FILE_NOT_FOUND"], "E_FS_PATH_ESCAPE": ["core", "OUTSIDE_WORKSPACE"], "E_INPUT_TOO_LARGE": ["core", "INPUT_TOO_LARGE"], "E_INVALID_PARAMS": ["core", "INVALID_INPUT_VALUE"], "E_LIMIT_EXCEEDED": ["core", "LIMIT_EXCEEDED"], "E_NOT_INSTALLED": ["core", "NOT_INSTALLED"], "E_SESSION_NOT_FOUND": ["core", "SESSION_NOT_FOUND"], "E_TIMEOUT": ["core", "TIMEOUT"], "E_UNSUPPORTED": ["core", "UNSUPPORTED"]}, "stagewright": {"EVAL_BLOCKED_CONSTRUCT": ["core", "EVAL_BLOCKED_CONSTRUCT"], "EVAL_BLOCKED_KEYWORD": ["core", "EVAL_BLOCKED_KEYWORD"], "EVAL_SYNTAX_ERROR": ["core", "EVAL_SYNTAX_ERROR"], "FILE_NOT_FOUND": ["core", "FILE_NOT_FOUND"], "INTERNAL_ERROR": ["core", "INTERNAL_ERROR"], "NOT_IMPLEMENTED": ["core", "UNSUPPORTED"], "OPERATION_TIMEOUT": ["core", "TIMEOUT"]}, "mailvault": {"auth_required": ["core", "AUTH_REQUIRED"], "internal_error": ["core", "INTERNAL_ERROR"], "mcp_unavailable": ["core", "UPSTREAM_UNAVAILABLE"], "not_found": ["core", "NOT_FOUND"], "permission_denied": ["core", "INSUFFICIENT_PERMISSIONS"], "rate_limited": ["core", "RATE_LIMITED"]}, "tool-failure": {"not_found": ["core", "NOT_FOUND"], "permission_denied": ["core", "INSUFFICIENT_PERMISSIONS"], "unsupported": ["core", "UNSUPPORTED"]}},
  rows: {
  "NOTE_NOT_FOUND": {"code": "NOTE_NOT_FOUND", "registry": "notes", "number": 5000, "domain": "notes", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "List the notes, then use an id from the list.", "similar": "id", "said": "Note not found.", "spelled": {"native": ["NOTE_NOT_FOUND"], "rpc": ["5000", "E_NOTE_NOT_FOUND"], "tool-failure": ["note_not_found"]}, "written": {"atlas-gate": "UNKNOWN_TOOL_FAILURE", "workrail": "NOT_FOUND", "rpc": "E_NOTE_NOT_FOUND", "stagewright": "INTERNAL_ERROR", "mailvault": "not_found", "tool-failure": "note_not_found"}, "title": "Note not found", "message": "There is no note {id}.", "next": [{"tool": "list_notes"}], "params": [{"name": "id", "type": "string", "doc": "The id that was asked for.", "required": true, "untrusted": true, "max_chars": 80}]},
  },
  tools: TOOLS,
  matches: [
  ],
});

/** What is known about each code of the registry. */
export const CODES = CONTRACT.codes;

export const { fault, makeFault, isCode, is, parse, read, readAs, fromUnknown, wrapHandler, wrapServer, describe } = CONTRACT;
