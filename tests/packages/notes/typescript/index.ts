// The error codes of notes 0.1.0: types, facts, failures to make, a reader of every dialect, and the decision after a failure.
// Written by `redress registry export --format typescript`; not to be edited.

/** The registry that this file was written from. */
export const REGISTRY = { name: "notes", version: "0.1.0" } as const;

/** The codes of the registry. */
export type Code =
  | "NOTE_NOT_FOUND"
  | "SESSION_NOT_INITIALIZED"
  | "SESSION_LOCKED"
  | "SESSION_INITIALIZATION_FAILED"
  | "INVALID_INPUT_VALUE"
  | "INVALID_INPUT_TYPE"
  | "INVALID_INPUT_FORMAT"
  | "MISSING_REQUIRED_FIELD"
  | "UNAUTHORIZED_ACTION"
  | "INSUFFICIENT_PERMISSIONS"
  | "ROLE_MISMATCH"
  | "AUTH_REQUIRED"
  | "USER_ACTION_REQUIRED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "CONFLICT"
  | "QUERY_FAILED"
  | "FILE_NOT_FOUND"
  | "FILE_ALREADY_EXISTS"
  | "FILE_READ_FAILED"
  | "FILE_WRITE_FAILED"
  | "INVALID_PATH"
  | "PATH_NOT_FOUND"
  | "OUTSIDE_WORKSPACE"
  | "PATH_TRAVERSAL_BLOCKED"
  | "PATCH_INVALID"
  | "PATCH_APPLY_FAILED"
  | "HASH_MISMATCH"
  | "PLAN_NOT_FOUND"
  | "PLAN_NOT_APPROVED"
  | "PLAN_ENFORCEMENT_FAILED"
  | "PLAN_SCOPE_VIOLATION"
  | "POLICY_VIOLATION"
  | "RUST_POLICY_VIOLATION"
  | "PREFLIGHT_FAILED"
  | "EVAL_BLOCKED_KEYWORD"
  | "EVAL_BLOCKED_CONSTRUCT"
  | "EVAL_SYNTAX_ERROR"
  | "INVARIANT_VIOLATION"
  | "BOOTSTRAP_FAILURE"
  | "SELF_AUDIT_FAILURE"
  | "AUDIT_LOG_FAILED"
  | "AUDIT_LOCK_FAILED"
  | "UNKNOWN_TOOL"
  | "METHOD_NOT_FOUND"
  | "INVALID_REQUEST"
  | "PARSE_FAILED"
  | "UPSTREAM_UNAVAILABLE"
  | "UPSTREAM_CRASHED"
  | "UPSTREAM_PROTOCOL_ERROR"
  | "UPSTREAM_PARKED"
  | "CIRCUIT_OPEN"
  | "OUTPUT_TOO_LARGE"
  | "OUTPUT_INVALID"
  | "INTERNAL_ERROR"
  | "UNKNOWN_TOOL_FAILURE"
  | "RATE_LIMITED"
  | "OVERLOADED"
  | "CANCELLED"
  | "CONFIG_INVALID"
  | "SHUTTING_DOWN"
  | "TIMEOUT"
  | "LIMIT_EXCEEDED"
  | "NOT_INSTALLED"
  | "SESSION_NOT_FOUND"
  | "INPUT_TOO_LARGE"
  | "UNSUPPORTED";

/** A code of the registry, or one that a server or a plugin brings along. */
export type AnyCode = Code | (string & {});

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

/** A shape of envelope. */
export type Dialect = "native" | "atlas-gate" | "workrail" | "rpc" | "stagewright" | "mailvault" | "tool-failure";

/** The members of `details` that each code declares. A server may leave them out, or say more. */
export interface Details {
  "NOTE_NOT_FOUND": { "id": string };
  "SESSION_NOT_INITIALIZED": { "tool"?: string };
  "SESSION_LOCKED": { "failed_code"?: string; "ledger_seq"?: number };
  "SESSION_INITIALIZATION_FAILED": { "workspace_root"?: string; "reason"?: string };
  "INVALID_INPUT_VALUE": { "field"?: string; "value"?: string; "allowed"?: Json[] };
  "INVALID_INPUT_TYPE": { "field"?: string; "expected"?: string; "actual"?: string };
  "INVALID_INPUT_FORMAT": { "field"?: string; "expected"?: string };
  "MISSING_REQUIRED_FIELD": { "field"?: string };
  "UNAUTHORIZED_ACTION": { "action"?: string; "role"?: string };
  "INSUFFICIENT_PERMISSIONS": { "permission"?: string; "resource"?: string };
  "ROLE_MISMATCH": { "required_role": string; "role": string };
  "AUTH_REQUIRED": { "command"?: string; "service"?: string };
  "USER_ACTION_REQUIRED": { "action"?: string; "url"?: string };
  "NOT_FOUND": { "kind"?: string; "id"?: string };
  "ALREADY_EXISTS": { "kind"?: string; "id"?: string };
  "CONFLICT": { "kind"?: string; "id"?: string };
  "QUERY_FAILED": { "query"?: string; "reason"?: string };
  "FILE_NOT_FOUND": { "path": string };
  "FILE_ALREADY_EXISTS": { "path": string };
  "FILE_READ_FAILED": { "path"?: string; "reason"?: string };
  "FILE_WRITE_FAILED": { "path"?: string; "reason"?: string };
  "INVALID_PATH": { "path": string; "reason"?: string };
  "PATH_NOT_FOUND": { "path": string };
  "OUTSIDE_WORKSPACE": { "path": string };
  "PATH_TRAVERSAL_BLOCKED": { "path": string };
  "PATCH_INVALID": { "line"?: number; "reason"?: string };
  "PATCH_APPLY_FAILED": { "path"?: string; "hunk"?: number };
  "HASH_MISMATCH": { "path": string; "expected"?: string; "actual"?: string };
  "PLAN_NOT_FOUND": { "plan_hash": string };
  "PLAN_NOT_APPROVED": { "plan_hash": string };
  "PLAN_ENFORCEMENT_FAILED": { "plan_hash": string; "reason"?: string };
  "PLAN_SCOPE_VIOLATION": { "path"?: string; "plan_hash"?: string };
  "POLICY_VIOLATION": { "rule": string; "path"?: string; "line"?: number; "reason"?: string };
  "RUST_POLICY_VIOLATION": { "rule": string; "path"?: string; "line"?: number };
  "PREFLIGHT_FAILED": { "check"?: string; "reason"?: string };
  "EVAL_BLOCKED_KEYWORD": { "keyword": string; "code_hash"?: string };
  "EVAL_BLOCKED_CONSTRUCT": { "construct": string; "code_hash"?: string };
  "EVAL_SYNTAX_ERROR": { "line"?: number; "column"?: number; "reason"?: string };
  "INVARIANT_VIOLATION": { "invariant_id": string };
  "BOOTSTRAP_FAILURE": { "reason"?: string };
  "SELF_AUDIT_FAILURE": { "failed_checks"?: number };
  "AUDIT_LOG_FAILED": {};
  "AUDIT_LOCK_FAILED": { "waited_ms"?: number };
  "UNKNOWN_TOOL": { "tool": string };
  "METHOD_NOT_FOUND": { "method": string };
  "INVALID_REQUEST": { "pointer"?: string; "reason"?: string };
  "PARSE_FAILED": { "offset"?: number; "reason"?: string };
  "UPSTREAM_UNAVAILABLE": { "server"?: string; "service"?: string; "status"?: number };
  "UPSTREAM_CRASHED": { "server"?: string; "exit_code"?: number; "signal"?: string };
  "UPSTREAM_PROTOCOL_ERROR": { "server"?: string; "reason"?: string };
  "UPSTREAM_PARKED": { "server": string; "crashes"?: number };
  "CIRCUIT_OPEN": { "server": string };
  "OUTPUT_TOO_LARGE": { "limit_bytes": number; "size_bytes"?: number };
  "OUTPUT_INVALID": { "pointer"?: string; "reason"?: string };
  "INTERNAL_ERROR": {};
  "UNKNOWN_TOOL_FAILURE": { "tool"?: string };
  "RATE_LIMITED": { "retry_after_ms"?: number; "service"?: string };
  "OVERLOADED": { "limit"?: number };
  "CANCELLED": { "reason"?: string };
  "CONFIG_INVALID": { "place": string; "problem": string };
  "SHUTTING_DOWN": {};
  "TIMEOUT": { "tool"?: string; "timeout_ms"?: number };
  "LIMIT_EXCEEDED": { "limit_name"?: string; "limit"?: number };
  "NOT_INSTALLED": { "dependency"?: string };
  "SESSION_NOT_FOUND": { "session_id"?: string };
  "INPUT_TOO_LARGE": { "field"?: string; "size_bytes"?: number; "limit_bytes"?: number };
  "UNSUPPORTED": { "operation"?: string };
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface Retry {
  kind: RetryKind;
  /** How long to wait. */
  after_ms?: number;
  /** The earliest time of a repeat, in milliseconds since 1970. */
  not_before?: number;
  /** How often at most. */
  max?: number;
}

/** A call that helps, or advice in words. */
export type NextAction = { tool: string; args?: JsonObject } | string;

/** Where a failure happened. */
export interface Context {
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

/** One failure: the native envelope, complete. */
export interface Fault<C extends AnyCode = AnyCode> {
  code: C;
  message: string;
  /** What to do. */
  hint: string;
  class: Class;
  http: number;
  /** Whether a program may send the same call again by itself, if it had no effect. */
  retryable: boolean;
  retry: Retry;
  effect: Effect;
  origin: Origin;
  domain: string;
  number?: number;
  severity: Severity;
  next_actions: NextAction[];
  /** What was probably meant. */
  similar_refs: ({ ref: Json } & JsonObject)[];
  /** Which arguments are wrong: JSON pointers into the arguments of the call. */
  violations: ({ pointer: string } & JsonObject)[];
  details?: Json;
  /** What a foreign server wrote: not to be trusted. */
  server_text?: string;
  context: Context;
  timestamp?: string;
  elapsed_ms?: number;
  estimated_tokens?: number;
  ledger?: { seq: number; hash: string };
  cause?: Json;
  stack?: string;
  /** Whether it says itself what failed, or that is a guess. */
  ground: 'stated' | 'guessed';
  /** The shape that it came in. */
  dialect: Dialect;
  /** The registry whose row it is. */
  registry: string;
}

/** What is known about every code. */
export interface Known {
  code: string;
  registry: string;
  number?: number;
  domain: string;
  class: Class;
  http: number;
  retry: Retry;
  effect: Effect;
  severity: Severity;
  hint: string;
  /** What happened, as far as it is known without details. */
  said: string;
  /** The parameter that is looked up, and can be like one that exists. */
  similar?: string;
  /** Its spellings in each dialect. */
  spelled: { readonly [dialect in Dialect]?: readonly string[] };
  /** Its number and domain in JSON-RPC, where they are not its own. */
  rpc?: { readonly number: number; readonly domain?: string };
}

/** What is known about a code of the registry. */
export interface Row extends Known {
  title: string;
  /** What happened: a template over the params. */
  message: string;
  params: readonly Param[];
  next?: readonly { readonly tool: string; readonly args?: JsonObject }[];
  deprecated?: { readonly since: string; readonly reason: string; readonly to?: string; readonly until?: string };
}

/** A member of `details`. */
export interface Param {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  doc: string;
  required: boolean;
  /** Whether it is shown in quotes, because a caller or a foreign server wrote it. */
  untrusted: boolean;
  /** Its longest value. */
  max_chars?: number;
  enum?: readonly string[];
}

/** What the registry says about a tool. */
export interface Tool {
  may: readonly Code[];
  read_only: boolean;
  idempotent: boolean;
}

/** Whether `code` is one of the registry. */
export function isCode(code: string): code is Code {
  return Object.hasOwn(CODES, code);
}

/** Whether a fault has this code; then its details are those that the code declares. */
export function is<C extends Code>(fault: Fault, code: C): fault is Fault<C> & { details?: Partial<Details[C]> } {
  return fault.code === code;
}

// ---------------------------------------------------------------------------------------------------- reading

/** Where the native envelope stands, in `_meta` of a result and in `data` of an error. */
const FAULT_KEY = "dev.redress/fault";
/** Where the open proposal puts its envelope. */
const TOOL_FAILURE_KEY = "io.modelcontextprotocol/toolFailure";
/** The key that carries what a dialect has no place for. */
const RESIDUE = '_x';

/** An answer inside another one is read up to this depth. */
const MAX_WRAPPINGS = 3;
/** A larger text that nobody flagged is content, whatever it looks like. */
const MAX_UNFLAGGED = 16384;

/**
 * Reads the failure out of whatever a call was answered with: a JSON-RPC response, a tool's result, a JSON-RPC error (also as
 * the error that an SDK throws), an envelope, or a text, in any dialect. `undefined` if nothing failed. Never throws.
 *
 * A failure that does not say what it is has the ground `guessed`. Of these, what an SDK or the runtime throws when a server does not
 * answer is `TIMEOUT`, `UPSTREAM_UNAVAILABLE` or `CANCELLED`; an error of the protocol is what its number says; and the rest is
 * `UNKNOWN_TOOL_FAILURE`.
 */
export function parse(answer: unknown): Fault | undefined {
  try {
    return parseAny(answer) ?? (answer instanceof Error ? (thrown(answer) ?? guessed(answer.message)) : undefined);
  } catch {
    // An object that cannot be looked at is no answer that anybody should take for a success.
    return guessed(undefined);
  }
}

function parseAny(answer: unknown): Fault | undefined {
  if (typeof answer !== 'string') return isObject(answer) ? parseObject(answer) : undefined;
  const document = json(answer);
  if (isObject(document)) return parseObject(document);
  const broken = document === undefined ? parseBroken(answer) : undefined;
  return broken ?? unsure(parseText(typeof document === 'string' ? document : answer, false, 0));
}

/** What is read of an answer that nobody flagged: the call may have succeeded, and this may be what it was asked for. */
function unsure(fault: Fault | undefined): Fault | undefined {
  return fault && { ...fault, ground: 'guessed' };
}

/** An answer that is no JSON. What failed must not pass for a success, because nobody can read all of it. */
function parseBroken(text: string): Fault | undefined {
  const { document, isCut } = mended(text, MAX_WRAPPINGS + 1);
  const { content, error, result } = document;
  const isResponse = 'jsonrpc' in document && !('method' in document);
  const isFlagged =
    [document['isError'], at(result, ['isError'])].includes(true) || Number.isInteger(document['code']) || isCount(document['v']) || (isResponse && (error ?? null) !== null);
  const fault = isFlagged || text.length <= MAX_UNFLAGGED ? unsure(parseObject(document)) : undefined;
  const isAnswer = isResponse || Array.isArray(content) || 'structuredContent' in document || 'isError' in document;
  return fault ?? (isCut && isAnswer ? guessed(text) : undefined);
}

/** The members of a broken object that can be told, and whether it never ends. */
function mended(text: string, levels: number): { document: JsonObject; isCut: boolean } {
  const document: JsonObject = {};
  let place = /^\s*\{/.exec(text)?.[0].length;
  let isCut = true;
  while (place !== undefined) {
    const key = /^\s*("(?:[^"\\]|\\[^])*")\s*:\s*/.exec(text.slice(place, place + 1024));
    if (!key?.[1]) break;
    const start = place + key[0].length;
    const end = endOf(text, start);
    const name = json(key[1]);
    if (typeof name === 'string' && name !== '__proto__' && !Object.hasOwn(document, name)) document[name] = mendedValue(text.slice(start, end), levels);
    isCut = end === undefined || text[end] !== '}';
    place = end !== undefined && text[end] === ',' ? end + 1 : undefined;
  }
  return { document, isCut };
}

function mendedValue(text: string, levels: number): Json {
  const value = json(text);
  if (value !== undefined) return value;
  if (text.startsWith('{')) return levels > 0 ? mended(text, levels - 1).document : {};
  return text.startsWith('[') ? [] : text.startsWith('"') ? '' : null;
}

/** Where the value that starts there ends, if it does. */
function endOf(text: string, start: number): number | undefined {
  const tokens = /"(?:[^"\\]|\\[^])*"?|[[\]{},]/g;
  tokens.lastIndex = start;
  for (let depth = 0, token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [it] = token;
    if (it === '{' || it === '[') depth += 1;
    else if (depth === 0 && !it.startsWith('"')) return token.index;
    else if (it === '}' || it === ']') depth -= 1;
  }
  return undefined;
}

function parseObject(answer: JsonObject): Fault | undefined {
  const { content, message, text } = answer;
  const isBlocks = Array.isArray(content) && content.every((it) => isObject(it) && typeof it['type'] === 'string');
  // Our own envelope has its version first, so that it is found without a look at what else it could be.
  const own = isCount(answer['v']) ? envelope(answer, false) : undefined;
  if (own) return own;
  if ('jsonrpc' in answer) return parseResponse(answer);
  if ('isError' in answer || 'structuredContent' in answer || isBlocks) return parseResult(answer, 0);
  if (Number.isInteger(answer['code']) && typeof message === 'string') return parseError(answer);
  if (answer['type'] === 'text' && typeof text === 'string') return unsure(parseText(text, false, 0));
  return parsePayload(answer, false, 0);
}

function parseResponse(response: JsonObject): Fault | undefined {
  const { error, result } = response;
  if (error !== undefined && error !== null) return isObject(error) ? parseError(error) : guessed(error);
  if (isObject(result)) return parseResult(result, 0);
  return 'method' in response || 'result' in response ? undefined : guessed(undefined);
}

function parseError(error: JsonObject): Fault | undefined {
  const { code, message, data } = error;
  // The members of an error that an SDK throws need not be its own.
  const said: JsonObject = { code: code ?? 0, data: data ?? null, ...(message !== undefined && { message }) };
  // JSON-RPC's own numbers say too little.
  const isOwn = Number.isInteger(code) && (Number(code) > 0 || at(data, ['symbol']) !== undefined);
  const known = ours(at(data, [FAULT_KEY])) ?? envelope(data, true) ?? (isOwn ? readAs('rpc', { jsonrpc: '2.0', id: null, error: said }) : undefined);
  return known ?? thrown(error) ?? guessed(message, spelled('rpc', String(code)));
}

/** What the official SDKs and the runtime throw when a server does not answer: by name or code, or by the words of the message. */
const THROWN: readonly { readonly code: string; readonly names: readonly string[]; readonly said: RegExp }[] = [
  { code: 'CANCELLED', names: ['AbortError', 'ABORT_ERR'], said: /^(?:AbortError: |Error: )?(?:request was cancelled|this operation was aborted)/i },
  {
    code: 'TIMEOUT',
    names: ['TimeoutError', 'REQUEST_TIMEOUT', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
    said: /^(?:request(?: '[^']*')? timed out|maximum total timeout exceeded|timed out while waiting for response|TimeoutError\b)/i,
  },
  {
    code: 'UPSTREAM_UNAVAILABLE',
    names: ['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED', 'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET'],
    said: /^(?:connection closed|not connected|fetch failed|failed to fetch|load failed|networkerror when attempting to fetch)/i,
  },
];

/** A failure of the way to the server. What became of the call is not known. */
function thrown(error: { code?: unknown; name?: unknown; message?: unknown; cause?: unknown }): Fault | undefined {
  const said = typeof error.message === 'string' ? error.message.replace(/^MCP error -?[0-9]+: /, '') : '';
  // What is below it says more than `fetch failed`.
  const inner: unknown[] = isObject(error.cause) ? [error.cause['code'], error.cause['name']] : [];
  const names = [...inner, error.code, error.name].map(String);
  const known = firstOf(names, (name) => THROWN.find((it) => it.names.includes(name))) ?? THROWN.find((it) => it.said.test(said));
  const row = known && spelled('native', known.code);
  return row && guessed(said, row);
}

function parseResult(result: JsonObject, depth: number): Fault | undefined {
  const { isError, structuredContent, content, _meta: meta } = result;
  const isFlagged = isError === true;
  const inMeta = isFlagged && (ours(at(meta, [FAULT_KEY])) ?? readAs('tool-failure', at(meta, [TOOL_FAILURE_KEY])));
  if (inMeta) return inMeta;
  const blocks = Array.isArray(content) ? content.map((it) => at(it, ['text'])) : [content];
  const texts = blocks.filter((it) => typeof it === 'string');
  const fault = structuredContent === undefined ? undefined : parsePayload(structuredContent, isFlagged, depth);
  const found = fault ?? firstOf(texts, (it) => parseText(it, isFlagged, depth));
  return isFlagged ? (found ?? guessed(texts[0])) : unsure(found);
}

function firstOf<T, U>(all: readonly T[], look: (it: T) => U | undefined): U | undefined {
  for (const it of all) {
    const found = look(it);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The text of a block. Without a flag it must be a failure as a whole. */
function parseText(text: string, isFlagged: boolean, depth: number): Fault | undefined {
  const trimmed = text.trim();
  if (!isFlagged && trimmed.length > MAX_UNFLAGGED) return undefined;
  const document = /^[{"]/.test(trimmed) ? json(trimmed) : undefined;
  return document === undefined ? readCard(trimmed, isFlagged) : parsePayload(document, isFlagged, depth);
}

/** JSON that a tool answered with, as structure or as text. */
function parsePayload(payload: Json, isFlagged: boolean, depth: number): Fault | undefined {
  if (typeof payload === 'string' && depth < MAX_WRAPPINGS) return parseText(payload, isFlagged, depth + 1);
  if (!isObject(payload)) return undefined;
  const fault = envelope(payload, isFlagged);
  if (fault) return fault;
  const { result } = payload;
  if (result !== undefined && Object.keys(payload).length === 1 && depth < MAX_WRAPPINGS) return parsePayload(result, isFlagged, depth + 1);
  if ('isError' in payload && depth < MAX_WRAPPINGS) return parseResult(payload, depth + 1);
  return isFlagged || !hasError(payload) ? undefined : guessed(JSON.stringify(payload['error']));
}

/** An `error` is a failure, unless it says nothing. */
function hasError({ error }: JsonObject): boolean {
  return typeof error === 'string' ? error.trim() !== '' : isObject(error) && ('message' in error || 'code' in error);
}

/** An envelope. Without a flag, its dialect must leave no doubt: any answer can have a member `code`. */
function envelope(document: Json | undefined, isFlagged: boolean): Fault | undefined {
  if (!isObject(document)) return undefined;
  if (document['v'] === 1) return ours(document);
  const fault = read(document);
  return isFlagged || (fault?.dialect !== 'native' && fault?.dialect !== 'rpc') ? fault : undefined;
}

/** Our own envelope, also with a code that no registry here has: then its class is all that is known. */
function ours(document: Json | undefined): Fault | undefined {
  const known = readAs('native', document);
  if (known || !isObject(document) || typeof document['code'] !== 'string') return known;
  const unknown = spelled('native', UNKNOWN);
  if (!unknown || !FULL_CODE.test(document['code'])) return undefined;
  const name = String(document['class']);
  const kind = (Object.hasOwn(CLASSES, name) ? name : 'unknown') as Class;
  const { http, retry } = CLASSES[kind];
  const { number: _, ...row } = unknown;
  const stranger = { ...row, registry: '', code: document['code'], class: kind, http, retry: { kind: retry }, effect: 'unknown' as const };
  const fault = faultOf(stranger, 'native');
  return fillNative(fault, document) ? finished(fault) : undefined;
}

/** A failure that does not say what it is. */
function guessed(text: Json | undefined, row = spelled('native', UNKNOWN)): Fault | undefined {
  if (!row) return undefined;
  const fault: Fault = { ...faultOf(row, 'native'), ground: 'guessed', effect: row.effect === 'none' ? 'unknown' : row.effect };
  if (typeof text === 'string' && text !== '') fault.server_text = [...text.slice(0, 2 * MAX_SAID)].slice(0, MAX_SAID).join('');
  return fault;
}

const UNKNOWN = 'UNKNOWN_TOOL_FAILURE';
/** What can be a code, or a code in a plugin's namespace. */
const FULL_CODE = new RegExp("^((?!(core|electron|mcp|rpc|test|x)\\.)[a-z][a-z0-9-]{0,31}\\.)?(?=.{3,63}$)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$");
/** How much of a foreign text is kept. */
const MAX_SAID = 500;

/** Reads a card: `CODE: message`, or `[CODE] message`. Without a flag, it must have a card's second line, too. */
function readCard(text: string, isFlagged: boolean): Fault | undefined {
  const [first = '', ...lines] = text.split(/\r?\n/);
  const [, code, message = ''] = /^\[(.*?)\] (.*)$/.exec(first) ?? /^([^[].*?): (.*)$/.exec(first) ?? [];
  const row = code === undefined ? undefined : spelled('native', code);
  if (!row || row.code !== code) return undefined;
  const fault = faultOf(row, 'native');
  fault.message = message.trim();
  let isCard = false;
  for (const line of lines) isCard = cardLine(fault, line) || isCard;
  // A first line alone has no room for them.
  if (fault.next_actions.length === 0) fault.next_actions = nextCalls(row, new Map());
  return isCard || isFlagged ? finished(fault) : undefined;
}

/** Takes what one line of a card says. Whether it was the line that only cards have. */
function cardLine(fault: Fault, line: string): boolean {
  const [, label, rest = ''] = /^(Retry|Fix|Next|Server said): (.*)$/.exec(line) ?? [];
  if (label === 'Retry') return readRetryLine(fault, line);
  if (label === 'Fix') fault.hint = rest.replace(/^(.*) Did you mean .*$/, '$1').replace(/^(.*) Expected .*$/, '$1');
  if (label === 'Server said') fault.server_text = rest.replace(/^"+|"+$/g, '');
  if (label === 'Next') {
    const [, tool = rest, args] = /^(\S*) (.*)$/.exec(rest) ?? [];
    const parsed = args === undefined ? undefined : json(args);
    fault.next_actions.push(args === undefined ? { tool } : isObject(parsed) ? { tool, args: parsed } : rest);
  }
  return false;
}

/** The code whose wrong name is no argument, and what its card says instead. */
const NO_TOOL = 'UNKNOWN_TOOL';
const OTHER_ARGUMENTS = 'only with other arguments.';
const ANOTHER_TOOL = 'only with another tool.';

function readRetryLine(fault: Fault, line: string): boolean {
  const [, names] = / \((.*?)\)/.exec(line) ?? [];
  const plain = line.replace(ANOTHER_TOOL, OTHER_ARGUMENTS).replace(/ \(.*?\)/, '').replace(/after ([0-9.]+) (ms|s)\b/, 'after {delay}');
  const known = CARD_LINES.find((it) => it.line === plain);
  if (!known) return false;
  const { max } = fault.retry;
  fault.retry = { kind: known.retry, ...(max !== undefined && { max }) };
  fault.effect = known.effect;
  const [, number = '', unit] = /after ([0-9.]+) (ms|s)\b/.exec(line) ?? [];
  if (unit === 'ms') fault.retry.after_ms = Number(number);
  // What was cut to tenths of a second is taken for the longest that it can mean.
  if (unit === 's') fault.retry.after_ms = Math.round(Number(number) * 1000) + (number.includes('.') ? 99 : 0);
  fault.violations = names === undefined ? [] : names.split(', ').map((it) => ({ pointer: `/${it}`, reason: 'wrong' }));
  return true;
}

/** Reads an envelope in whichever dialect it is. */
export function read(document: unknown): Fault | undefined {
  if (!isObject(document)) return undefined;
  if (document['v'] === 1) return readAs('native', document);
  for (const dialect of DETECTED) {
    if (claims(dialect, document) && rowOf(dialect, document)) return readAs(dialect, document);
  }
  return undefined;
}

/** Reads an envelope of a dialect. */
export function readAs(dialect: Dialect, document: unknown): Fault | undefined {
  if (!isObject(document)) return undefined;
  const residue = at(document, dialect === 'rpc' ? ['error', 'data', RESIDUE] : [RESIDUE]);
  const row = isObject(residue) && typeof residue['code'] === 'string' ? rowOfResidue(residue['code'], residue) : rowOf(dialect, document);
  if (!row) return undefined;
  const fault = faultOf(row, dialect);
  if (!(dialect === 'native' ? fillNative(fault, document) : fill(fault, row, document))) return undefined;
  if (isObject(residue)) overlay(fault, residue);
  return finished(fault);
}

function finished(fault: Fault): Fault {
  fault.retryable = isRetryable(fault.retry);
  // Whoever made it from the words of another server says so.
  if (at(fault.details, ['upstream', 'guessed']) === true) fault.ground = 'guessed';
  return fault;
}

/** A fault that says what its row says. */
function faultOf(row: Known, dialect: Dialect): Fault {
  const fault: Fault = {
    code: row.code,
    message: row.said,
    hint: row.hint,
    class: row.class,
    http: row.http,
    retryable: isRetryable(row.retry),
    retry: { ...row.retry },
    effect: row.effect,
    origin: 'tool',
    domain: row.domain,
    severity: row.severity,
    next_actions: [],
    similar_refs: [],
    violations: [],
    context: {},
    ground: 'stated',
    dialect,
    registry: row.registry,
  };
  if (row.number !== undefined) fault.number = row.number;
  return fault;
}

/** Whether a document has the form of a dialect. */
function claims(dialect: Dialect, document: JsonObject): boolean {
  const isText = (key: string) => typeof document[key] === 'string';
  switch (dialect) {
    case 'rpc':
      return isObject(document['error']) && ('jsonrpc' in document || Number.isInteger(document['error']['code']));
    case 'stagewright':
      return document['ok'] === false;
    case 'atlas-gate':
      return isText('error_code');
    case 'tool-failure':
      return isText('code') && isText('correlationId') && Object.hasOwn(GROUPS, String(document['class']));
    case 'workrail':
      return isText('code') && WORKRAIL_KINDS.includes(String(at(document, ['retry', 'kind'])));
    case 'mailvault':
      return isText('error');
    case 'native':
      return 'v' in document || isText('code');
  }
}

/** The row that a document names. */
function rowOf(dialect: Dialect, document: JsonObject): Known | undefined {
  const spelling = at(document, PLACES[dialect]['code'] ?? []);
  const number = at(document, ['error', 'code']);
  if (dialect === 'rpc' && !Number.isInteger(number)) return undefined;
  // A number is no symbol, though both spell a row.
  if (typeof spelling === 'string') return dialect === 'rpc' && /^-?[0-9]+$/.test(spelling) ? undefined : spelled(dialect, spelling);
  return dialect === 'rpc' ? spelled(dialect, String(number)) : undefined;
}

function rowOfResidue(code: string, { contract }: JsonObject): Known | undefined {
  return typeof contract === 'string' ? ROWS.find((it) => it.registry === contract && it.code === code) : spelled('native', code);
}


/** Puts what a document of another dialect says onto the fault. */
function fill(fault: Fault, row: Known, document: JsonObject): boolean {
  const places = PLACES[fault.dialect];
  if (places['message'] && typeof at(document, places['message']) !== 'string') return false;
  for (const [member, place] of Object.entries(places)) {
    const value = at(document, place);
    if (value === undefined || saysNothing(fault.dialect, member, value)) continue;
    if (member.startsWith('context.')) setContext(fault, member.slice('context.'.length), value);
    else if (member === 'next_actions') fault.next_actions = actions(value);
    else set(fault, member, value);
  }
  fillRetry(fault, row, document);
  return true;
}

/** Whether a value only stands for one that is not there. */
function saysNothing(dialect: Dialect, member: string, value: Json): boolean {
  if (dialect === 'workrail' && member === 'hint') return value === '';
  return value === null && (member !== 'details' || dialect === 'mailvault');
}

/** What a dialect says about a repeat, and whatever else has a form of its own there. */
function fillRetry(fault: Fault, row: Known, document: JsonObject): void {
  switch (fault.dialect) {
    case 'workrail': {
      const said = document['retry'];
      const rule = isObject(said) ? workrailRule(said) : undefined;
      // What we do not understand must not make anybody repeat a call.
      if (!rule) fault.retry = said === undefined ? fault.retry : { kind: 'never' };
      else if (!sameRule(rule, workrailForm(row.retry))) fault.retry = rule;
      return;
    }
    case 'rpc': {
      const number = at(document, ['error', 'code']);
      if (typeof number === 'number' && number !== (row.rpc?.number ?? row.number)) fault.number = number;
      const domain = at(document, ['error', 'data', 'domain']);
      if (typeof domain === 'string' && domain !== (row.rpc ? row.rpc.domain : row.domain)) fault.domain = domain;
      return setRetryable(fault, at(document, ['error', 'data', 'retryable']));
    }
    case 'stagewright':
      return setRetryable(fault, document['retryable']);
    case 'mailvault': {
      if (document['error'] !== 'rate_limited') return;
      const wait = delay(at(document, ['details', 'retry_after']));
      if (wait === undefined) return;
      if (wait === null) setRetryable(fault, false);
      else if (!(isRetryable(row.retry) && Math.ceil((row.retry.after_ms ?? -1) / 1000) === wait)) {
        fault.retry = { kind: 'after_delay', after_ms: wait * 1000 };
      }
      return;
    }
    case 'tool-failure': {
      const group = String(document['class']);
      const standsFor = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
      if (standsFor && !standsFor.classes.includes(row.class)) fault.class = standsFor.class;
      setRetryable(fault, document['retryable']);
      if (delay(document['retryNotBefore']) === null) setRetryable(fault, false);
      return;
    }
    default:
      return;
  }
}

/** Puts what a native envelope says onto the fault. What has the wrong type is left as the row has it. */
function fillNative(fault: Fault, document: JsonObject): boolean {
  if ('v' in document && document['v'] !== 1) return false;
  for (const [member, value] of Object.entries(document)) if (ENVELOPE.includes(member)) set(fault, member, value);
  // A rule says more than a yes; nothing says more than a no.
  const said = document['retryable'];
  if (said !== undefined && (document['retry'] === undefined || said !== true)) setRetryable(fault, said);
  return true;
}

/** Puts back what a residue holds. */
function overlay(fault: Fault, residue: JsonObject): void {
  for (const [member, value] of Object.entries(residue)) {
    if (member === 'context' && isObject(value)) {
      for (const [name, it] of Object.entries(value)) setContext(fault, name, it);
    } else if (member === 'invented' && Array.isArray(value)) {
      for (const pointer of value) forget(fault, String(pointer));
    } else if (member !== 'code') {
      set(fault, member, value);
    }
  }
}

/** Makes a value absent that a writer invented. */
function forget(fault: Fault, pointer: string): void {
  const [, member = '', name = ''] = pointer.split('/');
  if (member === 'context') delete fault.context[name as keyof Context];
  else if (member === 'timestamp' || member === 'elapsed_ms' || member === 'details') delete fault[member];
}

function set(fault: Fault, member: string, value: Json): void {
  switch (member) {
    case 'message':
    case 'hint':
    case 'domain':
    case 'server_text':
    case 'timestamp':
    case 'stack':
      if (typeof value === 'string') fault[member] = value;
      return;
    case 'class':
      if (typeof value === 'string' && Object.hasOwn(CLASSES, value)) fault.class = value as Class;
      return;
    case 'effect':
      if (EFFECTS.includes(value as Effect)) fault.effect = value as Effect;
      return;
    case 'origin':
      if (ORIGINS.includes(value as Origin)) fault.origin = value as Origin;
      return;
    case 'severity':
      if (SEVERITIES.includes(value as Severity)) fault.severity = value as Severity;
      return;
    case 'http':
      if (isCount(value) && value >= 100 && value <= 599) fault.http = value;
      return;
    case 'number':
      if (value === null) delete fault.number;
      else if (Number.isInteger(value)) fault.number = value as number;
      return;
    case 'retry':
      fault.retry = (isObject(value) && rule(value)) || { kind: 'never' };
      return;
    case 'not_before': {
      const when = delay(value);
      if (typeof when === 'number') fault.retry.not_before = when;
      return;
    }
    case 'elapsed_ms':
    case 'estimated_tokens':
      if (isCount(value)) fault[member] = value;
      return;
    case 'details':
    case 'cause':
      fault[member] = value;
      return;
    case 'next_actions': {
      const all = Array.isArray(value) ? value.map(action) : [undefined];
      if (!all.includes(undefined)) fault.next_actions = all as NextAction[];
      return;
    }
    case 'similar_refs':
      if (Array.isArray(value) && value.every((it) => isObject(it) && 'ref' in it)) {
        fault.similar_refs = value as Fault['similar_refs'];
      }
      return;
    case 'violations':
      if (Array.isArray(value) && value.every((it) => isObject(it) && typeof it['pointer'] === 'string')) {
        fault.violations = value as Fault['violations'];
      }
      return;
    case 'context':
      if (isObject(value)) for (const name of CONTEXT) setContext(fault, name, value[name]);
      return;
    case 'ledger':
      if (isObject(value) && isCount(value['seq']) && typeof value['hash'] === 'string') {
        fault.ledger = { seq: value['seq'], hash: value['hash'] };
      }
      return;
  }
}

function setContext(fault: Fault, name: string, value: Json | undefined): void {
  if (CONTEXT.includes(name as keyof Context) && typeof value === 'string') fault.context[name as keyof Context] = value;
}

/** Takes a retry rule that is only yes or no; a rule that says the same already stays. */
function setRetryable(fault: Fault, said: Json | undefined): void {
  const yes = said === true;
  if (said === undefined || yes === isRetryable(fault.retry)) return;
  const { not_before } = fault.retry;
  fault.retry = { kind: yes ? 'now' : 'never', ...(not_before !== undefined && { not_before }) };
}

function isRetryable(retry: Retry): boolean {
  return retry.kind === 'now' || retry.kind === 'after_delay';
}

/** A rule of the native envelope, if all of it can be understood. */
function rule(value: JsonObject): Retry | undefined {
  const retry: Retry = { kind: value['kind'] as RetryKind };
  if (!RETRY_KINDS.includes(retry.kind)) return undefined;
  for (const key of ['after_ms', 'not_before'] as const) {
    const wait = delay(value[key]);
    if (wait === null) return undefined;
    if (wait !== undefined) retry[key] = wait;
  }
  const max = value['max'] ?? undefined;
  if (max !== undefined && !(isCount(max) && max < 2 ** 32)) return undefined;
  if (max !== undefined) retry.max = max;
  return retry;
}

const WORKRAIL_KINDS = ['not_retryable', 'retryable_immediate', 'retryable_after_ms'];
const WORKRAIL_AFTER_MS = 1000;

/** WorkRail's rule. Stores inside its server also say `retryable`, with a delay or without. */
function workrailRule(said: JsonObject): Retry | undefined {
  const after = delay(said['afterMs']);
  switch (said['kind']) {
    case 'not_retryable':
      return { kind: 'never' };
    case 'retryable_immediate':
      return { kind: 'now' };
    case 'retryable_after_ms':
      return after === null ? undefined : { kind: 'after_delay', after_ms: after ?? WORKRAIL_AFTER_MS };
    case 'retryable':
      return after === null ? undefined : after === undefined ? { kind: 'now' } : { kind: 'after_delay', after_ms: after };
    default:
      return undefined;
  }
}

/** What WorkRail can say of a rule: six kinds become three. */
function workrailForm(retry: Retry): Retry {
  if (retry.kind === 'now') return { kind: 'now' };
  return retry.kind === 'after_delay' ? { kind: 'after_delay', after_ms: retry.after_ms ?? WORKRAIL_AFTER_MS } : { kind: 'never' };
}

function sameRule(one: Retry, other: Retry): boolean {
  return one.kind === other.kind && one.after_ms === other.after_ms;
}

/** A time to wait in whole units, rounded up: `undefined` if there is none, `null` if it makes no sense. */
function delay(value: Json | undefined): number | undefined | null {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' && value >= 0 && value < 2 ** 64 ? Math.ceil(value) : null;
}

/** An element of `next_actions`. */
function action(value: Json): NextAction | undefined {
  if (typeof value === 'string') return value;
  if (!isObject(value) || typeof value['tool'] !== 'string') return undefined;
  return isObject(value['args']) ? { tool: value['tool'], args: value['args'] } : { tool: value['tool'] };
}

/** Stagewright's sentences; `tool({…})` is a call. */
function actions(value: Json): NextAction[] {
  const texts = Array.isArray(value) ? value.filter((it) => typeof it === 'string') : [];
  return texts.map((text) => {
    const [, tool, args] = /^([A-Za-z0-9_\-./:]+)\((.*)\)$/s.exec(text) ?? [];
    if (tool === undefined || args === undefined) return text;
    if (args === '') return { tool };
    const parsed = json(args);
    return isObject(parsed) && JSON.stringify(parsed) === args ? { tool, args: parsed } : text;
  });
}

function spelled(dialect: Dialect, spelling: string): Known | undefined {
  return SPELLED[dialect].get(spelling);
}

function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** A text as the JSON that it is, if it is. */
function json(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

// ---------------------------------------------------------------------------------------------------- making

/** Where a code requires no parameters, none need be given. */
type Given<C extends Code> = {} extends Details[C] ? [params?: Details[C]] : [params: Details[C]];

/**
 * A fault of a code of the registry. The parameters fill its message, its next calls and `details`; one that does not fit the row is
 * left out. Set what else you know: `similar_refs`, `violations`, `effect`, `context`.
 */
export function makeFault<C extends Code>(code: C, ...[params]: Given<C>): Fault<C> {
  const row: Row = CODES[code];
  const values: Values = new Map();
  for (const param of row.params) {
    const value = at(params as JsonObject | undefined, [param.name]);
    if (value !== undefined && fits(param, value)) values.set(param.name, { param, value: shortened(param, value) });
  }
  const fault: Fault<C> = { ...faultOf(row, 'native'), code };
  fault.message = said(row, values);
  fault.next_actions = nextCalls(row, values);
  const details = Object.fromEntries([...values].map(([name, { value }]) => [name, value]));
  if (values.size > 0) fault.details = details;
  const wait = isCount(details['retry_after_ms']) ? details['retry_after_ms'] : isCount(details['retry_after']) ? details['retry_after'] * 1000 : undefined;
  if (wait !== undefined && fault.retry.kind === 'after_delay') fault.retry.after_ms = wait;
  return fault;
}

/** The result of a failed call. */
export interface ToolResult {
  [key: string]: unknown;
  resultType: 'complete';
  content: { type: 'text'; text: string }[];
  structuredContent?: JsonObject;
  isError: true;
  _meta: JsonObject;
}

/**
 * The answer of a tool that failed: a card for the model, and the envelope for the program. A tool that declares an `outputSchema` must
 * say so: clients refuse a structured failure that does not fit it.
 */
export function toolResult(fault: Fault, tool: { hasOutputSchema?: boolean } = {}): ToolResult {
  const short = bounded(fault);
  const written = write(short);
  return {
    resultType: 'complete',
    content: [{ type: 'text', text: card(short) }],
    ...(!tool.hasOutputSchema && { structuredContent: written }),
    isError: true,
    _meta: { [FAULT_KEY]: written },
  };
}

/** The native envelope of a fault. */
export function write(fault: Fault): JsonObject {
  const row = ROWS.find((it) => it.registry === fault.registry && it.code === fault.code);
  const document: JsonObject = { v: 1, code: fault.code };
  for (const key of ENVELOPE) {
    const value = written(fault, key);
    const isOfTheRow = ['domain', 'number', 'severity'].includes(key) && row !== undefined && value === row[key as keyof Known];
    const isNothing = value === undefined || (['next_actions', 'similar_refs', 'violations', 'context'].includes(key) && Object.keys(value ?? {}).length === 0);
    if (key === 'retry') document['retryable'] = isRetryable(fault.retry);
    if (!isOfTheRow && !isNothing) document[key] = value;
  }
  return document;
}

/** A member of the envelope, its own members in their order. */
function written(fault: Fault, key: string): Json | undefined {
  if (key === 'retry') return picked(fault.retry, ['kind', 'after_ms', 'not_before', 'max']);
  if (key === 'context') return picked(fault.context, CONTEXT);
  return fault[key as keyof Fault] as Json | undefined;
}

function picked(object: object, keys: readonly string[]): JsonObject {
  const members = keys.map((it) => [it, at(object as JsonObject, [it])] as const);
  return Object.fromEntries(members.filter((it): it is [string, Json] => it[1] !== undefined));
}

/** The parameters that were given, by name. */
type Values = Map<string, { param: Param; value: Json }>;

function fits({ type }: Param, value: Json): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && (type !== 'number' || Number.isFinite(value));
}

function shortened({ type, max_chars }: Param, value: Json): Json {
  return type === 'string' && max_chars !== undefined ? cut(String(value), max_chars) : value;
}

/** `{name}` is a parameter, and a brace twice is a brace. */
const GAPS = /\{\{|\}\}|\{([a-z][a-z0-9_]*)\}/g;

/** The row's message with its parameters; the title where one is absent that it needs: half a sentence helps nobody. */
function said({ message, params, title }: Row, values: Values): string {
  let isWhole = true;
  const text = message.replace(GAPS, (brace: string, name: string | undefined) => {
    if (name === undefined) return brace.charAt(0);
    const given = values.get(name);
    if (given) return shown(given.param, given.value);
    const only = params.find((it) => it.name === name)?.enum;
    isWhole &&= only?.length === 1;
    return only?.[0] ?? '';
  });
  return isWhole ? text : `${title}.`;
}

/** A value inside a sentence: what is not to be trusted stands in quotes and is cut. */
function shown({ untrusted, max_chars = 120 }: Param, value: Json): string {
  return untrusted ? quote(plain(value), max_chars) : cut(plain(value), max_chars);
}

/** The calls of a row that help. */
function nextCalls({ next = [] }: Known & Pick<Row, 'next'>, values: Values): NextAction[] {
  return next.map((it) => helping(it, values)).filter((it) => it !== undefined);
}

/** A call that helps, unless it names a parameter that is absent or not to be trusted. */
function helping({ tool, args }: { readonly tool: string; readonly args?: JsonObject }, values: Values): NextAction | undefined {
  if (args === undefined) return { tool };
  const filled = Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? argument(value, values) : value] as const);
  return filled.some((it) => it[1] === undefined) ? undefined : { tool, args: Object.fromEntries(filled) as JsonObject };
}

/** One argument: a lone parameter keeps its type. */
function argument(template: string, values: Values): Json | undefined {
  const trusted = (name: string) => {
    const given = values.get(name);
    return given && !given.param.untrusted ? given.value : undefined;
  };
  const [, only] = /^\{([a-z][a-z0-9_]*)\}$/.exec(template) ?? [];
  if (only !== undefined) return trusted(only);
  let isWhole = true;
  const text = template.replace(GAPS, (brace: string, name: string | undefined) => {
    const value = name === undefined ? brace.charAt(0) : trusted(name);
    isWhole &&= value !== undefined;
    return value === undefined ? '' : plain(value);
  });
  return isWhole ? text : undefined;
}

/** Cuts every part to its bound, and notes what the card costs. */
function bounded(fault: Fault): Fault {
  const isSmall = (it: Json) => bytes(JSON.stringify(it)) <= 1024;
  const isShort = (it: NextAction) => bytes(typeof it === 'string' ? it : it.tool + (it.args ? JSON.stringify(it.args) : '')) <= 1024;
  const context = Object.entries(fault.context).map(([name, it]) => [name, cut(String(it), 256)]);
  const short: Fault = {
    ...fault,
    message: cut(fault.message, 200),
    hint: cut(fault.hint, 240),
    similar_refs: fault.similar_refs.filter(isSmall).slice(0, 5),
    next_actions: fault.next_actions.filter(isShort).slice(0, 3),
    violations: fault.violations.filter(isSmall).slice(0, 20),
    context: Object.fromEntries(context) as Context,
  };
  if (fault.server_text !== undefined) short.server_text = gist(strip(fault.server_text), 500);
  if (fault.timestamp !== undefined) short.timestamp = cut(fault.timestamp, 256);
  if (fault.details !== undefined && bytes(JSON.stringify(fault.details)) > 2048) short.details = boundedDetails(fault.details);
  short.estimated_tokens = Math.ceil((length(card(short)) * 10) / 32);
  return short;
}

/** As many members as fit, in order, and a note that some are missing. */
function boundedDetails(details: Json): Json {
  const kept: [string, Json][] = [];
  let size = 1;
  for (const [key, value] of isObject(details) ? Object.entries(details) : []) {
    size += bytes(JSON.stringify(key)) + bytes(JSON.stringify(value)) + 2;
    if (size + ',"truncated":true}'.length > 2048) break;
    kept.push([key, value]);
  }
  return Object.fromEntries([...kept, ['truncated', true]]) as JsonObject;
}

/** The card of a fault: what a model reads. What matters least is cut first. */
export function card(fault: Fault): string {
  let text = `${fault.code}: ${cut(strip(fault.message), 200)}\n${retryLine(fault)}`;
  const add = (more: string) => {
    if (length(text) + length(more) <= 384) text += more;
  };
  const room = 384 - length(text) - '\nFix: '.length;
  const hint = cut(strip(fault.hint), Math.min(Math.max(room, 80), 240));
  if (hint !== '') {
    text += `\nFix: ${hint}`;
    add(expected(fault));
    add(didYouMean(fault));
  }
  for (const it of fault.next_actions.slice(0, 3)) {
    add(`\nNext: ${typeof it === 'string' ? strip(it) : it.tool + (it.args ? ` ${JSON.stringify(it.args)}` : '')}`);
  }
  if (fault.server_text !== undefined) text += serverLine(fault.server_text, 384 - length(text));
  return cut(text, 384);
}

/** The line on what a repeat is good for, and what the call has done. */
function retryLine(fault: Fault): string {
  const { kind, after_ms } = fault.retry;
  const hasDelay = kind === 'after_delay' && after_ms !== undefined;
  const fits = CARD_LINES.filter((it) => it.retry === kind && it.effect === fault.effect && it.line.includes('{delay}') === hasDelay);
  const { line } = fits.find((it) => it.class === fault.class) ?? fits.find((it) => it.class === null) ?? { line: '' };
  const names = wrongArguments(fault).map((it) => strip(it.replace(/^\/+/, ''))).filter((it) => it !== '');
  const list = cut(names.slice(0, 3).join(', '), 60);
  const changed = fault.code === NO_TOOL ? line.replace(OTHER_ARGUMENTS, ANOTHER_TOOL) : line;
  const named = kind === 'after_change' && list !== '' ? changed.replace('arguments.', () => `arguments (${list}).`) : changed;
  return named.replace('{delay}', duration(after_ms ?? 0));
}

function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${Math.floor(ms / 1000)}.${Math.floor((ms % 1000) / 100)} s`;
}

/** What the wrong arguments should have been, where that is known. */
function expected({ violations }: Fault): string {
  const known = violations.filter((it) => typeof it['expected'] === 'string').slice(0, 3);
  const all = known.map((it) => {
    const name = strip(it.pointer.replace(/^\/+/, ''));
    const what = cut(strip(String(it['expected'])), 60);
    return name === '' ? what : `${name}: ${what}`;
  });
  return all.length === 0 ? '' : ` Expected ${all.join('; ')}.`;
}

/** What may have been meant, as a sentence after another one. */
function didYouMean({ similar_refs }: Fault): string {
  const names = similar_refs.slice(0, 3).map((it) => cut(strip(plain(it.ref)), 60));
  const last = names.pop();
  if (last === undefined) return '';
  return names.length === 0 ? ` Did you mean ${last}?` : ` Did you mean ${names.join(', ')} or ${last}?`;
}

/** What a foreign server wrote, in quotes, as far as there is room. */
function serverLine(text: string, left: number): string {
  const label = '\nServer said: ';
  const room = Math.max(0, left - label.length - 2);
  if (room < 24) return '';
  let most = room;
  for (;;) {
    const quoted = JSON.stringify(gist(strip(text), most));
    const over = length(quoted) - (room + 2);
    if (over <= 0) return label + quoted;
    most = Math.max(0, most - over);
  }
}

/** A value in a sentence. */
function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Foreign text for a sentence of ours: stripped, cut and put in quotes. */
function quote(text: string, most: number): string {
  return JSON.stringify(cut(strip(text), most));
}

const ESCAPES = /\x1b(?:\[[^@-~]*[@-~]?|\][^\x07\x1b]*\x07?|[^])?/gu;
const SPACES = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
/** Characters that change how a text reads without being seen. */
const INVISIBLE = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;

/** Foreign text made harmless: no control, bidi, invisible or escape-sequence characters, white space folded. */
function strip(text: string): string {
  return text.replace(ESCAPES, '').replace(INVISIBLE, '').replace(SPACES, ' ').replace(/^ | $/g, '');
}

/** At most so many characters; a cut text ends in `…`. */
function cut(text: string, most: number): string {
  return text.length <= most || length(text) <= most ? text : `${[...text].slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** What tells of a failure in a long text, most of all first. */
const MARKS: readonly (readonly string[])[] = [["error:", "error[", "error ts", "exception:", "panicked at", "fatal:", "npm err"], ["failed", "expected", "assert", "cannot", "not found", "denied", "must be"]];
/** Of whose marks the last one tells. */
const LAST_TELLS = "traceback (most recent call last)";

/** At most so many characters, chosen for what they tell: the start and, after `…`, the place further on that tells of a failure, else the end. */
function gist(text: string, most: number): string {
  const chars = [...text];
  const count = chars.length;
  if (count <= most || most < 64) return cut(text, most);
  const slice = (from: number, to: number) => chars.slice(from, to).join('').replace(/^ +| +$/g, '');
  const wholeWords = (from: number, to: number) => {
    const space = chars.slice(Math.max(from, to - 24), to).lastIndexOf(' ');
    return to >= count || chars[to] === ' ' || space < 0 ? to : Math.max(from, to - 24) + space;
  };
  const room = most - 3;
  const told = telling(text, chars, Math.floor(most / 3));
  const tail = told === undefined ? Math.floor((room * 2) / 5) : Math.min(count - told, Math.floor((room * 3) / 5));
  const head = room - tail;
  let start = told ?? count - tail;
  if (start <= head) return `${slice(0, wholeWords(0, most - 1))}…`;
  const end = start + tail < count ? wholeWords(start, start + tail - 1) : count;
  const space = chars.slice(start, Math.min(end, start + 24)).indexOf(' ');
  if (told === undefined && chars[start - 1] !== ' ' && space >= 0) start += space;
  return `${slice(0, wholeWords(0, head))} … ${slice(start, end)}${end < count ? '…' : ''}`;
}

/** Where the words start that tell most, from a character on. */
function telling(text: string, chars: string[], from: number): number | undefined {
  const lower = text.replace(/[A-Z]+/g, (it) => it.toLowerCase());
  const begin = chars.slice(0, from).join('').length;
  const isLast = lower.includes(LAST_TELLS);
  for (const marks of MARKS) {
    const places = marks.map((it) => (isLast ? lower.lastIndexOf(it) : lower.indexOf(it, begin))).filter((it) => it >= begin);
    if (places.length === 0) continue;
    const at = isLast ? Math.max(...places) : Math.min(...places);
    const word = text.slice(0, at).lastIndexOf(' ') + 1;
    const isShort = length(text.slice(word, at)) <= 24;
    return length(text.slice(0, isShort ? word : at));
  }
  return undefined;
}

/** How many characters a text has. */
function length(text: string): number {
  return [...text].length;
}

/** How many bytes a text has in UTF-8. */
function bytes(text: string): number {
  let all = 0;
  for (const it of text) {
    const point = it.codePointAt(0) ?? 0;
    all += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return all;
}

// ------------------------------------------------------------------------------------------------- deciding

/** What a tool is known to be. */
export interface Traits {
  /** It changes nothing. */
  readOnly?: boolean;
  /** Calling it twice is calling it once. */
  idempotent?: boolean;
  /** Whether whoever says so is to be believed. */
  trusted?: boolean;
}

/** What is known about a call that failed. */
export interface Attempt {
  /** How often the call was made so far. */
  made: number;
  /** How it is known what failed: the server never had the call, says so itself, or it is a guess. As the fault says, if absent. */
  ground?: 'not_sent' | 'stated' | 'guessed';
  /** Whether there is another way that was not tried yet. */
  fallback?: boolean;
  /** Now, in milliseconds since 1970. */
  nowMs?: number;
  /** How long the caller still waits, if that has an end. */
  timeLeftMs?: number;
  /** Chance: a whole number from 0 up to, not including, 2^32. */
  random?: number;
}

/** How a client repeats calls. */
export interface Policy {
  /** How often a call is made at most. */
  attempts: number;
  /** The longest first pause; it doubles with each further one. */
  firstPauseMs: number;
  /** The longest pause of our own, and the longest that a server may ask for. */
  longestWaitMs: number;
}

export const POLICY: Policy = { attempts: 3, firstPauseMs: 200, longestWaitMs: 30000 };

/** Why a call is given up. */
export type StopReason = "cancelled" | "already_done" | "refused" | "attempts_used" | "wait_too_long" | "budget_spent" | "cannot_succeed";

/** What to do about a fault, and the row of the table that says so. */
export type Decision = { row: string } & (
  | { do: 'retry_now' }
  | { do: 'retry_after'; after_ms: number }
  | { do: 'change_arguments'; pointers: string[] }
  | { do: 'call_first'; next: NextAction[] }
  | { do: 'ask_human'; what: string }
  | { do: 'fall_back' }
  | { do: 'stop'; why: StopReason }
);

/** The repeats that are left, in thousandths. Share one among all calls to a server. */
export class Budget {
  private saved: number;
  private countedMs: number | undefined;
  private parts = 0;
  private readonly capacity: number;
  private readonly perSuccess: number;
  private readonly perSecond: number;

  constructor(rule: { capacity?: number; perSuccess?: number; perSecond?: number; saved?: number } = {}) {
    this.capacity = rule.capacity ?? 10000;
    this.perSuccess = rule.perSuccess ?? 100;
    this.perSecond = rule.perSecond ?? 0;
    this.saved = Math.min(rule.saved ?? this.capacity, this.capacity);
  }

  /** A call succeeded. */
  succeeded(): void {
    this.put(this.perSuccess);
  }

  /** It is so late now. A clock that goes back puts nothing in. */
  pass(nowMs: number): void {
    const since = Math.max(0, nowMs - (this.countedMs ?? nowMs));
    const parts = this.parts + since * this.perSecond;
    this.put(Math.floor(parts / 1000));
    this.parts = parts % 1000;
    this.countedMs = Math.max(this.countedMs ?? nowMs, nowMs);
  }

  /** Whether there is one repeat left. */
  hasOne(): boolean {
    return this.saved >= 1000;
  }

  /** Takes one repeat, if there is one. */
  spend(): void {
    this.saved = Math.max(0, this.saved - 1000);
  }

  /** What it holds, in thousandths of a repeat. */
  left(): number {
    return this.saved;
  }

  private put(more: number): void {
    this.saved = Math.min(this.saved + more, this.capacity);
  }
}

/** What to do about a fault: the first row of the table that fits. A repeat is taken from the budget. */
export function decide(fault: Fault, traits: Traits, attempt: Attempt, budget: Budget, policy: Policy = POLICY): Decision {
  const { made, ground = fault.ground, fallback = false, nowMs = Date.now(), random = Math.random() * 2 ** 32 } = attempt;
  budget.pass(nowMs);
  const asked = Math.max(fault.retry.after_ms ?? 0, (fault.retry.not_before ?? 0) - nowMs, 0);
  const retry = fault.retry.kind === 'now' && (asked > 0 || made > 1) ? 'after_delay' : fault.retry.kind;
  const wait = retry === 'after_delay' ? waitMs(made, asked, random, policy) : 0;
  const most = Math.min(policy.attempts, (fault.retry.max ?? Infinity) + 1);
  const isLate = asked > policy.longestWaitMs || (attempt.timeLeftMs ?? Infinity) <= wait;
  const facts: { readonly [column: string]: string | boolean } = {
    retry,
    code: fault.code,
    class: fault.class,
    repeat: repeat(fault, traits, ground),
    room: made >= most ? 'attempts_used' : isLate ? 'wait_too_long' : budget.hasOne() ? 'left' : 'budget_spent',
    next: fault.next_actions.length > 0,
    fallback,
  };
  const fits = ({ when }: Rule) =>
    Object.entries(when).every(([column, fit]) => {
      const fact = facts[column];
      return typeof fit === 'boolean' ? fit === fact : fit.includes(String(fact));
    });
  const { id: row, do: what, why, what: question } = DECISIONS.find(fits) ?? LAST;
  const advice = fault.hint || fault.message;
  switch (what) {
    case 'retry_now':
      budget.spend();
      return { row, do: what };
    case 'retry_after':
      budget.spend();
      return { row, do: what, after_ms: wait };
    case 'change_arguments':
      return { row, do: what, pointers: wrongArguments(fault) };
    case 'call_first':
      return { row, do: what, next: fault.next_actions.length > 0 ? fault.next_actions : [advice] };
    case 'ask_human':
      return { row, do: what, what: question ?? advice };
    case 'fall_back':
      return { row, do: what };
    default:
      return { row, do: 'stop', why: why ?? 'cannot_succeed' };
  }
}

/** What making the call again would do, whether or not it helps. */
function repeat(fault: Fault, traits: Traits, ground: string): 'safe' | 'doubtful' | 'double' {
  if (ground === 'not_sent') return 'safe';
  if (fault.effect === 'done') return 'double';
  if (fault.effect === 'partial') return 'doubtful';
  if (traits.trusted && (traits.readOnly || traits.idempotent)) return 'safe';
  return ground === 'stated' && fault.effect === 'none' ? 'safe' : 'doubtful';
}

/** Where the arguments stand that are to be changed: those of the violations, else the parameter that was looked up. */
export function wrongArguments(fault: Fault): string[] {
  const pointers = [...new Set(fault.violations.map((it) => it.pointer))].filter((it) => it !== '');
  const looked = ROWS.find((it) => it.registry === fault.registry && it.code === fault.code)?.similar;
  const isGiven = looked !== undefined && isObject(fault.details) && Object.keys(fault.details).includes(looked);
  return pointers.length === 0 && isGiven && fault.code !== NO_TOOL ? [`/${looked}`] : pointers;
}

/** At least as long as is asked for, and some part of a pause that grows, so that many clients do not come back at once. */
function waitMs(made: number, asked: number, random: number, policy: Policy): number {
  const pause = Math.min(policy.firstPauseMs * 2 ** Math.min(Math.max(made - 1, 0), 32), policy.longestWaitMs);
  return asked + Math.floor((pause + 1) * (Math.floor(random) / 2 ** 32));
}

// ---------------------------------------------------------------------------------------------------- facts

interface Rule {
  id: string;
  when: { readonly [column: string]: readonly string[] | boolean };
  do: Decision['do'];
  why?: StopReason;
  what?: string;
  because: string;
}

/** What is known about each code of the registry. */
export const CODES: { readonly [code in Code]: Row } = {
  "NOTE_NOT_FOUND": {"code": "NOTE_NOT_FOUND", "registry": "notes", "number": 5000, "domain": "notes", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "List the notes, then use an id from the list.", "similar": "id", "said": "Note not found.", "spelled": {"native": ["NOTE_NOT_FOUND"], "rpc": ["5000", "E_NOTE_NOT_FOUND"], "tool-failure": ["note_not_found"]}, "title": "Note not found", "message": "There is no note {id}.", "next": [{"tool": "list_notes"}], "params": [{"name": "id", "type": "string", "doc": "The id that was asked for.", "required": true, "untrusted": true, "max_chars": 80}]},
  "SESSION_NOT_INITIALIZED": {"code": "SESSION_NOT_INITIALIZED", "registry": "core", "number": 4000, "domain": "session", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Start a session first, then make the same call again.", "said": "No session has been started.", "spelled": {"atlas-gate": ["SESSION_NOT_INITIALIZED"], "native": ["SESSION_NOT_INITIALIZED"], "rpc": ["4000", "E_SESSION_NOT_INITIALIZED"], "tool-failure": ["session_not_initialized"]}, "title": "Session not started", "message": "No session has been started.", "next": [{"tool": "begin_session"}], "params": [{"name": "tool", "type": "string", "doc": "The tool that needs a session.", "required": false, "untrusted": true, "max_chars": 80}]},
  "SESSION_LOCKED": {"code": "SESSION_LOCKED", "registry": "core", "number": 4001, "domain": "session", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Submit a failure report that names the failed call, then make the same call again.", "said": "The session is locked because an earlier call failed.", "spelled": {"atlas-gate": ["SESSION_LOCKED"], "native": ["SESSION_LOCKED"], "rpc": ["4001", "E_SESSION_LOCKED"], "tool-failure": ["session_locked"]}, "title": "Session locked after a failure", "message": "The session is locked because an earlier call failed.", "next": [{"tool": "submit_failure_report"}], "params": [{"name": "failed_code", "type": "string", "doc": "The code of the failure that locked the session.", "required": false, "untrusted": false}, {"name": "ledger_seq", "type": "integer", "doc": "The ledger record of that failure.", "required": false, "untrusted": false}]},
  "SESSION_INITIALIZATION_FAILED": {"code": "SESSION_INITIALIZATION_FAILED", "registry": "core", "number": 4002, "domain": "session", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Give the absolute path of an existing directory as workspace root.", "said": "The session could not be started.", "spelled": {"atlas-gate": ["SESSION_INITIALIZATION_FAILED"], "native": ["SESSION_INITIALIZATION_FAILED"], "rpc": ["4002", "E_SESSION_INITIALIZATION_FAILED"], "tool-failure": ["session_initialization_failed"]}, "title": "Session could not start", "message": "The session could not be started.", "params": [{"name": "workspace_root", "type": "string", "doc": "The workspace root that was given.", "required": false, "untrusted": true, "max_chars": 120}, {"name": "reason", "type": "string", "doc": "Why it could not start.", "required": false, "untrusted": true, "max_chars": 120}]},
  "INVALID_INPUT_VALUE": {"code": "INVALID_INPUT_VALUE", "registry": "core", "number": 4100, "domain": "input", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use a value within what the tool's description and input schema allow.", "said": "An argument has a value that the tool does not accept.", "spelled": {"atlas-gate": ["INVALID_INPUT_VALUE"], "native": ["INVALID_INPUT_VALUE"], "rpc": ["4100", "E_INVALID_INPUT_VALUE", "E_INVALID_PARAMS"], "tool-failure": ["invalid_input", "invalid_input_value"]}, "rpc": {"number": 1000, "domain": "common"}, "title": "Value not allowed", "message": "An argument has a value that the tool does not accept.", "params": [{"name": "field", "type": "string", "doc": "The argument, as a JSON pointer.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "value", "type": "string", "doc": "The value that was sent.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "allowed", "type": "array", "doc": "The values that are accepted.", "required": false, "untrusted": false}]},
  "INVALID_INPUT_TYPE": {"code": "INVALID_INPUT_TYPE", "registry": "core", "number": 4101, "domain": "input", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Send the argument with the type that the tool's input schema asks for.", "said": "An argument has the wrong type.", "spelled": {"atlas-gate": ["INVALID_INPUT_TYPE"], "native": ["INVALID_INPUT_TYPE"], "rpc": ["4101", "E_INVALID_INPUT_TYPE"], "tool-failure": ["invalid_input_type"]}, "rpc": {"number": 1000, "domain": "common"}, "title": "Wrong type", "message": "An argument has the wrong type.", "params": [{"name": "field", "type": "string", "doc": "The argument, as a JSON pointer.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "expected", "type": "string", "doc": "The type that is asked for.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "actual", "type": "string", "doc": "The type that was sent.", "required": false, "untrusted": true, "max_chars": 80}]},
  "INVALID_INPUT_FORMAT": {"code": "INVALID_INPUT_FORMAT", "registry": "core", "number": 4102, "domain": "input", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Write the argument in the form that the tool's description asks for.", "said": "An argument is malformed and cannot be read.", "spelled": {"atlas-gate": ["INVALID_INPUT_FORMAT"], "native": ["INVALID_INPUT_FORMAT"], "rpc": ["4102", "E_INVALID_INPUT_FORMAT"], "tool-failure": ["invalid_input_format"]}, "rpc": {"number": 1000, "domain": "common"}, "title": "Malformed argument", "message": "An argument is malformed and cannot be read.", "params": [{"name": "field", "type": "string", "doc": "The argument, as a JSON pointer.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "expected", "type": "string", "doc": "The form that is asked for.", "required": false, "untrusted": true, "max_chars": 80}]},
  "MISSING_REQUIRED_FIELD": {"code": "MISSING_REQUIRED_FIELD", "registry": "core", "number": 4103, "domain": "input", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Add every argument that the tool's input schema lists as required.", "said": "A required argument is missing.", "spelled": {"atlas-gate": ["MISSING_REQUIRED_FIELD"], "native": ["MISSING_REQUIRED_FIELD"], "rpc": ["4103", "E_MISSING_REQUIRED_FIELD"], "tool-failure": ["missing_required_field"]}, "rpc": {"number": 1000, "domain": "common"}, "title": "Required argument missing", "message": "A required argument is missing.", "params": [{"name": "field", "type": "string", "doc": "The missing argument, as a JSON pointer.", "required": false, "untrusted": true, "max_chars": 80}]},
  "UNAUTHORIZED_ACTION": {"code": "UNAUTHORIZED_ACTION", "registry": "core", "number": 4200, "domain": "authorization", "class": "permission_denied", "http": 403, "retry": {"kind": "never"}, "effect": "none", "severity": "error", "hint": "Choose an action that your role and the server's rules allow.", "said": "This action is not allowed here.", "spelled": {"atlas-gate": ["UNAUTHORIZED_ACTION"], "native": ["UNAUTHORIZED_ACTION"], "rpc": ["4200", "E_UNAUTHORIZED_ACTION"], "tool-failure": ["policy_blocked", "unauthorized_action"]}, "title": "Action not allowed", "message": "This action is not allowed here.", "params": [{"name": "action", "type": "string", "doc": "What was refused.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "role", "type": "string", "doc": "The role of the session.", "required": false, "untrusted": false}]},
  "INSUFFICIENT_PERMISSIONS": {"code": "INSUFFICIENT_PERMISSIONS", "registry": "core", "number": 4201, "domain": "authorization", "class": "permission_denied", "http": 403, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the user or the operator to grant the permission, then repeat the call.", "said": "The credentials in use lack a permission that this call needs.", "spelled": {"atlas-gate": ["INSUFFICIENT_PERMISSIONS"], "mailvault": ["permission_denied"], "native": ["INSUFFICIENT_PERMISSIONS"], "rpc": ["4201", "E_INSUFFICIENT_PERMISSIONS"], "tool-failure": ["insufficient_permissions", "permission_denied"]}, "title": "Permission missing", "message": "The credentials in use lack a permission that this call needs.", "params": [{"name": "permission", "type": "string", "doc": "The permission that is missing.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "resource", "type": "string", "doc": "What it is missing on.", "required": false, "untrusted": true, "max_chars": 120}]},
  "ROLE_MISMATCH": {"code": "ROLE_MISMATCH", "registry": "core", "number": 4202, "domain": "authorization", "class": "permission_denied", "http": 403, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the operator for a session with the role that is needed.", "said": "Wrong role.", "spelled": {"atlas-gate": ["ROLE_MISMATCH"], "native": ["ROLE_MISMATCH"], "rpc": ["4202", "E_ROLE_MISMATCH"], "tool-failure": ["role_mismatch"]}, "title": "Wrong role", "message": "The call needs the role {required_role}; this session has {role}.", "params": [{"name": "required_role", "type": "string", "doc": "The role that the call needs.", "required": true, "untrusted": false}, {"name": "role", "type": "string", "doc": "The role of the session.", "required": true, "untrusted": false}]},
  "AUTH_REQUIRED": {"code": "AUTH_REQUIRED", "registry": "core", "number": 4203, "domain": "authorization", "class": "unauthenticated", "http": 401, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the user to sign in or to renew the credentials, then repeat the call.", "said": "Credentials are missing, expired or refused.", "spelled": {"mailvault": ["auth_required"], "native": ["AUTH_REQUIRED"], "rpc": ["4203", "E_AUTH_REQUIRED"], "tool-failure": ["auth_required"]}, "title": "Sign-in required", "message": "Credentials are missing, expired or refused.", "params": [{"name": "command", "type": "string", "doc": "The command with which a person signs in.", "required": false, "untrusted": false}, {"name": "service", "type": "string", "doc": "The service that wants the credentials.", "required": false, "untrusted": true, "max_chars": 80}]},
  "USER_ACTION_REQUIRED": {"code": "USER_ACTION_REQUIRED", "registry": "core", "number": 4204, "domain": "authorization", "class": "permission_denied", "http": 403, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Tell the user what to do and where, wait for it, then repeat the call.", "said": "A person must do something before this call can work.", "spelled": {"native": ["USER_ACTION_REQUIRED"], "rpc": ["4204", "E_USER_ACTION_REQUIRED"], "tool-failure": ["user_action_required"]}, "title": "The user must act first", "message": "A person must do something before this call can work.", "params": [{"name": "action", "type": "string", "doc": "What the user has to do.", "required": false, "untrusted": true, "max_chars": 200}, {"name": "url", "type": "string", "doc": "Where the user can do it.", "required": false, "untrusted": true, "max_chars": 200}]},
  "NOT_FOUND": {"code": "NOT_FOUND", "registry": "core", "number": 4300, "domain": "resource", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Search or list what exists, then use a name or id from there.", "said": "What was asked for does not exist.", "spelled": {"mailvault": ["not_found"], "native": ["NOT_FOUND"], "rpc": ["4300", "E_NOT_FOUND"], "tool-failure": ["not_found", "resource_not_found"], "workrail": ["NOT_FOUND"]}, "title": "Not found", "message": "What was asked for does not exist.", "params": [{"name": "kind", "type": "string", "doc": "What kind of thing it is.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "id", "type": "string", "doc": "The name or id that was given.", "required": false, "untrusted": true, "max_chars": 120}]},
  "ALREADY_EXISTS": {"code": "ALREADY_EXISTS", "registry": "core", "number": 4301, "domain": "resource", "class": "already_exists", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use the existing one, or choose another name or id.", "said": "Something of that name or id already exists.", "spelled": {"native": ["ALREADY_EXISTS"], "rpc": ["4301", "E_ALREADY_EXISTS"], "tool-failure": ["already_exists"]}, "title": "Already exists", "message": "Something of that name or id already exists.", "params": [{"name": "kind", "type": "string", "doc": "What kind of thing it is.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "id", "type": "string", "doc": "The name or id that is taken.", "required": false, "untrusted": true, "max_chars": 120}]},
  "CONFLICT": {"code": "CONFLICT", "registry": "core", "number": 4302, "domain": "resource", "class": "aborted", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Read the present state, then make a call that fits it.", "said": "The call conflicts with the present state of what it would change.", "spelled": {"native": ["CONFLICT"], "rpc": ["4302", "E_CONFLICT"], "tool-failure": ["conflict"]}, "title": "Conflict with the present state", "message": "The call conflicts with the present state of what it would change.", "params": [{"name": "kind", "type": "string", "doc": "What kind of thing it is.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "id", "type": "string", "doc": "The name or id of it.", "required": false, "untrusted": true, "max_chars": 120}]},
  "QUERY_FAILED": {"code": "QUERY_FAILED", "registry": "core", "number": 4303, "domain": "resource", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "unknown", "severity": "error", "hint": "Correct the query: check its syntax, and every table and column name.", "said": "The database or search engine refused the query.", "spelled": {"native": ["QUERY_FAILED"], "rpc": ["4303", "E_QUERY_FAILED"], "tool-failure": ["query_failed"]}, "title": "Query failed", "message": "The database or search engine refused the query.", "params": [{"name": "query", "type": "string", "doc": "The query.", "required": false, "untrusted": true, "max_chars": 200}, {"name": "reason", "type": "string", "doc": "What the engine said.", "required": false, "untrusted": true, "max_chars": 200}]},
  "FILE_NOT_FOUND": {"code": "FILE_NOT_FOUND", "registry": "core", "number": 4400, "domain": "file", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Check the path, or list the directory first.", "similar": "path", "said": "File not found.", "spelled": {"atlas-gate": ["FILE_NOT_FOUND"], "native": ["FILE_NOT_FOUND"], "rpc": ["4400", "E_FILE_NOT_FOUND", "E_FS_NOT_FOUND"], "stagewright": ["FILE_NOT_FOUND"], "tool-failure": ["file_not_found"]}, "rpc": {"number": 2502, "domain": "filesystem"}, "title": "File not found", "message": "No file at {path}.", "params": [{"name": "path", "type": "string", "doc": "The path that was given.", "required": true, "untrusted": true, "max_chars": 120}]},
  "FILE_ALREADY_EXISTS": {"code": "FILE_ALREADY_EXISTS", "registry": "core", "number": 4401, "domain": "file", "class": "already_exists", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Choose another path, or ask for overwriting if the tool offers it.", "said": "File already exists.", "spelled": {"atlas-gate": ["FILE_ALREADY_EXISTS"], "native": ["FILE_ALREADY_EXISTS"], "rpc": ["4401", "E_FILE_ALREADY_EXISTS"], "tool-failure": ["file_already_exists"]}, "title": "File already exists", "message": "There is already something at {path}.", "params": [{"name": "path", "type": "string", "doc": "The path that was given.", "required": true, "untrusted": true, "max_chars": 120}]},
  "FILE_READ_FAILED": {"code": "FILE_READ_FAILED", "registry": "core", "number": 4402, "domain": "file", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Tell the user that the file needs repair, or work without it.", "said": "A file exists, but reading it failed.", "spelled": {"atlas-gate": ["FILE_READ_FAILED"], "native": ["FILE_READ_FAILED"], "rpc": ["4402", "E_FILE_READ_FAILED"], "tool-failure": ["file_read_failed"]}, "title": "File could not be read", "message": "A file exists, but reading it failed.", "params": [{"name": "path", "type": "string", "doc": "The file.", "required": false, "untrusted": true, "max_chars": 120}, {"name": "reason", "type": "string", "doc": "What the system or the parser said.", "required": false, "untrusted": true, "max_chars": 120}]},
  "FILE_WRITE_FAILED": {"code": "FILE_WRITE_FAILED", "registry": "core", "number": 4403, "domain": "file", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "unknown", "severity": "error", "hint": "Read the file to see its state, and tell the operator to check disk space and rights.", "said": "Writing a file failed; it may be incomplete.", "spelled": {"atlas-gate": ["FILE_WRITE_FAILED"], "native": ["FILE_WRITE_FAILED"], "rpc": ["4403", "E_FILE_WRITE_FAILED"], "tool-failure": ["file_write_failed"]}, "title": "File could not be written", "message": "Writing a file failed; it may be incomplete.", "params": [{"name": "path", "type": "string", "doc": "The file.", "required": false, "untrusted": true, "max_chars": 120}, {"name": "reason", "type": "string", "doc": "What the system said.", "required": false, "untrusted": true, "max_chars": 120}]},
  "INVALID_PATH": {"code": "INVALID_PATH", "registry": "core", "number": 4404, "domain": "file", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Give a path of the kind that the call needs, a file or a directory.", "said": "Path not usable.", "spelled": {"atlas-gate": ["INVALID_PATH"], "native": ["INVALID_PATH"], "rpc": ["4404", "E_INVALID_PATH"], "tool-failure": ["invalid_path"]}, "title": "Path not usable", "message": "The path {path} cannot be used here.", "params": [{"name": "path", "type": "string", "doc": "The path that was given.", "required": true, "untrusted": true, "max_chars": 120}, {"name": "reason", "type": "string", "doc": "What is wrong with it.", "required": false, "untrusted": true, "max_chars": 120}]},
  "PATH_NOT_FOUND": {"code": "PATH_NOT_FOUND", "registry": "core", "number": 4405, "domain": "file", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Check the path from its first directory on, or list the parent directory.", "similar": "path", "said": "Path not found.", "spelled": {"atlas-gate": ["PATH_NOT_FOUND"], "native": ["PATH_NOT_FOUND"], "rpc": ["4405", "E_PATH_NOT_FOUND"], "tool-failure": ["path_not_found"]}, "rpc": {"number": 2502, "domain": "filesystem"}, "title": "Path not found", "message": "Nothing exists at {path}.", "params": [{"name": "path", "type": "string", "doc": "The path that was given.", "required": true, "untrusted": true, "max_chars": 120}]},
  "OUTSIDE_WORKSPACE": {"code": "OUTSIDE_WORKSPACE", "registry": "core", "number": 4406, "domain": "file", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Give a path relative to the workspace root, and inside it.", "said": "Outside the workspace.", "spelled": {"atlas-gate": ["OUTSIDE_WORKSPACE"], "native": ["OUTSIDE_WORKSPACE"], "rpc": ["4406", "E_FS_PATH_ESCAPE", "E_OUTSIDE_WORKSPACE"], "tool-failure": ["outside_workspace"]}, "rpc": {"number": 2500, "domain": "filesystem"}, "title": "Outside the workspace", "message": "The path {path} is outside the workspace.", "params": [{"name": "path", "type": "string", "doc": "The path that was given.", "required": true, "untrusted": true, "max_chars": 120}]},
  "PATH_TRAVERSAL_BLOCKED": {"code": "PATH_TRAVERSAL_BLOCKED", "registry": "core", "number": 4407, "domain": "file", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Give a path inside the workspace, without `..` in it.", "said": "Path traversal blocked.", "spelled": {"atlas-gate": ["PATH_TRAVERSAL_BLOCKED"], "native": ["PATH_TRAVERSAL_BLOCKED"], "rpc": ["4407", "E_PATH_TRAVERSAL_BLOCKED"], "tool-failure": ["path_traversal_blocked"]}, "rpc": {"number": 2500, "domain": "filesystem"}, "title": "Path traversal blocked", "message": "The path {path} climbs out with \"..\" and was refused.", "params": [{"name": "path", "type": "string", "doc": "The path that was given.", "required": true, "untrusted": true, "max_chars": 120}]},
  "PATCH_INVALID": {"code": "PATCH_INVALID", "registry": "core", "number": 4408, "domain": "file", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Write the patch anew in the format that the tool names.", "said": "The patch is malformed and cannot be read.", "spelled": {"atlas-gate": ["PATCH_INVALID"], "native": ["PATCH_INVALID"], "rpc": ["4408", "E_PATCH_INVALID"], "tool-failure": ["patch_invalid"]}, "title": "Patch malformed", "message": "The patch is malformed and cannot be read.", "params": [{"name": "line", "type": "integer", "doc": "The first line of the patch that cannot be read, from 1.", "required": false, "untrusted": false}, {"name": "reason", "type": "string", "doc": "What is wrong there.", "required": false, "untrusted": true, "max_chars": 120}]},
  "PATCH_APPLY_FAILED": {"code": "PATCH_APPLY_FAILED", "registry": "core", "number": 4409, "domain": "file", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Read the file again and make the change from its exact text.", "said": "The patch does not fit the present text of the file.", "spelled": {"atlas-gate": ["PATCH_APPLY_FAILED"], "native": ["PATCH_APPLY_FAILED"], "rpc": ["4409", "E_PATCH_APPLY_FAILED"], "tool-failure": ["patch_apply_failed"]}, "title": "Patch does not apply", "message": "The patch does not fit the present text of the file.", "params": [{"name": "path", "type": "string", "doc": "The file.", "required": false, "untrusted": true, "max_chars": 120}, {"name": "hunk", "type": "integer", "doc": "The first part of the patch that does not fit, from 1.", "required": false, "untrusted": false}]},
  "HASH_MISMATCH": {"code": "HASH_MISMATCH", "registry": "core", "number": 4410, "domain": "file", "class": "aborted", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Read the file again, then repeat the change with the new hash.", "said": "File changed in between.", "spelled": {"atlas-gate": ["HASH_MISMATCH"], "native": ["HASH_MISMATCH"], "rpc": ["4410", "E_HASH_MISMATCH"], "tool-failure": ["hash_mismatch"]}, "title": "File changed in between", "message": "The file {path} is not the one whose hash was given.", "next": [{"tool": "read_file"}], "params": [{"name": "path", "type": "string", "doc": "The file.", "required": true, "untrusted": true, "max_chars": 120}, {"name": "expected", "type": "string", "doc": "The hash that was given.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "actual", "type": "string", "doc": "The hash of the file as it is.", "required": false, "untrusted": false}]},
  "PLAN_NOT_FOUND": {"code": "PLAN_NOT_FOUND", "registry": "core", "number": 4500, "domain": "governance", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "List the approved plans, then use a hash from the list.", "similar": "plan_hash", "said": "Plan not found.", "spelled": {"atlas-gate": ["PLAN_NOT_FOUND"], "native": ["PLAN_NOT_FOUND"], "rpc": ["4500", "E_PLAN_NOT_FOUND"], "tool-failure": ["plan_not_found"]}, "title": "Plan not found", "message": "There is no plan {plan_hash}.", "next": [{"tool": "list_plans"}], "params": [{"name": "plan_hash", "type": "string", "doc": "The hash that was given.", "required": true, "untrusted": true, "max_chars": 64}]},
  "PLAN_NOT_APPROVED": {"code": "PLAN_NOT_APPROVED", "registry": "core", "number": 4501, "domain": "governance", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the plan's owner to approve it, then make the same call again.", "said": "Plan not approved.", "spelled": {"atlas-gate": ["PLAN_NOT_APPROVED"], "native": ["PLAN_NOT_APPROVED"], "rpc": ["4501", "E_PLAN_NOT_APPROVED"], "tool-failure": ["plan_not_approved"]}, "title": "Plan not approved", "message": "The plan {plan_hash} is not approved.", "params": [{"name": "plan_hash", "type": "string", "doc": "The hash of the plan.", "required": true, "untrusted": true, "max_chars": 64}]},
  "PLAN_ENFORCEMENT_FAILED": {"code": "PLAN_ENFORCEMENT_FAILED", "registry": "core", "number": 4502, "domain": "governance", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the plan's owner to correct it and to approve it again.", "said": "Plan does not validate.", "spelled": {"atlas-gate": ["PLAN_ENFORCEMENT_FAILED"], "native": ["PLAN_ENFORCEMENT_FAILED"], "rpc": ["4502", "E_PLAN_ENFORCEMENT_FAILED"], "tool-failure": ["plan_enforcement_failed"]}, "title": "Plan does not validate", "message": "The plan {plan_hash} does not pass validation.", "params": [{"name": "plan_hash", "type": "string", "doc": "The hash of the plan.", "required": true, "untrusted": true, "max_chars": 64}, {"name": "reason", "type": "string", "doc": "What does not hold.", "required": false, "untrusted": true, "max_chars": 120}]},
  "PLAN_SCOPE_VIOLATION": {"code": "PLAN_SCOPE_VIOLATION", "registry": "core", "number": 4503, "domain": "governance", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Keep to the paths and tools that the plan allows, or use a plan that covers this.", "said": "The call is outside the scope of the approved plan.", "spelled": {"atlas-gate": ["PLAN_SCOPE_VIOLATION"], "native": ["PLAN_SCOPE_VIOLATION"], "rpc": ["4503", "E_PLAN_SCOPE_VIOLATION"], "tool-failure": ["plan_scope_violation"]}, "title": "Outside the plan's scope", "message": "The call is outside the scope of the approved plan.", "params": [{"name": "path", "type": "string", "doc": "The path that is out of scope.", "required": false, "untrusted": true, "max_chars": 120}, {"name": "plan_hash", "type": "string", "doc": "The hash of the plan.", "required": false, "untrusted": true, "max_chars": 64}]},
  "POLICY_VIOLATION": {"code": "POLICY_VIOLATION", "registry": "core", "number": 4504, "domain": "governance", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Change the content so that it follows the rule.", "said": "Policy violated.", "spelled": {"atlas-gate": ["POLICY_VIOLATION"], "native": ["POLICY_VIOLATION"], "rpc": ["4504", "E_POLICY_VIOLATION"], "tool-failure": ["policy_violation"]}, "title": "Policy violated", "message": "The call breaks the policy rule {rule}.", "params": [{"name": "rule", "type": "string", "doc": "The rule.", "required": true, "untrusted": false}, {"name": "path", "type": "string", "doc": "The file that the call would change.", "required": false, "untrusted": true, "max_chars": 120}, {"name": "line", "type": "integer", "doc": "The line that breaks it, from 1.", "required": false, "untrusted": false}, {"name": "reason", "type": "string", "doc": "How the rule is broken, where no line is.", "required": false, "untrusted": true, "max_chars": 120}]},
  "RUST_POLICY_VIOLATION": {"code": "RUST_POLICY_VIOLATION", "registry": "core", "number": 4505, "domain": "governance", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Handle the error or drop the construct that the rule names.", "said": "Rust policy violated.", "spelled": {"atlas-gate": ["RUST_POLICY_VIOLATION"], "native": ["RUST_POLICY_VIOLATION"], "rpc": ["4505", "E_RUST_POLICY_VIOLATION"], "tool-failure": ["rust_policy_violation"]}, "title": "Rust policy violated", "message": "The Rust code breaks the policy rule {rule}.", "params": [{"name": "rule", "type": "string", "doc": "The rule.", "required": true, "untrusted": false}, {"name": "path", "type": "string", "doc": "The file that the call would change.", "required": false, "untrusted": true, "max_chars": 120}, {"name": "line", "type": "integer", "doc": "The line of the code, from 1.", "required": false, "untrusted": false}]},
  "PREFLIGHT_FAILED": {"code": "PREFLIGHT_FAILED", "registry": "core", "number": 4506, "domain": "governance", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Correct the change until tests and lints pass with it.", "said": "The checks that run on every change failed, so the change was undone.", "spelled": {"atlas-gate": ["PREFLIGHT_FAILED"], "native": ["PREFLIGHT_FAILED"], "rpc": ["4506", "E_PREFLIGHT_FAILED"], "tool-failure": ["preflight_failed"]}, "title": "Preflight checks failed", "message": "The checks that run on every change failed, so the change was undone.", "params": [{"name": "check", "type": "string", "doc": "The check that failed.", "required": false, "untrusted": false}, {"name": "reason", "type": "string", "doc": "What it said.", "required": false, "untrusted": true, "max_chars": 200}]},
  "EVAL_BLOCKED_KEYWORD": {"code": "EVAL_BLOCKED_KEYWORD", "registry": "core", "number": 4507, "domain": "governance", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Remove the keyword from the code, or do the step with a dedicated tool.", "said": "Code with a blocked keyword.", "spelled": {"native": ["EVAL_BLOCKED_KEYWORD"], "rpc": ["4507", "E_EVAL_BLOCKED_KEYWORD"], "stagewright": ["EVAL_BLOCKED_KEYWORD"], "tool-failure": ["eval_blocked_keyword"]}, "title": "Code with a blocked keyword", "message": "The code contains the blocked keyword {keyword}.", "params": [{"name": "keyword", "type": "string", "doc": "The keyword of the blocklist that was found.", "required": true, "untrusted": false}, {"name": "code_hash", "type": "string", "doc": "A fingerprint of the code, which is itself never recorded.", "required": false, "untrusted": false}]},
  "EVAL_BLOCKED_CONSTRUCT": {"code": "EVAL_BLOCKED_CONSTRUCT", "registry": "core", "number": 4508, "domain": "governance", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Rewrite the code without the construct, or do the step with a dedicated tool.", "said": "Code with a blocked construct.", "spelled": {"native": ["EVAL_BLOCKED_CONSTRUCT"], "rpc": ["4508", "E_EVAL_BLOCKED_CONSTRUCT"], "stagewright": ["EVAL_BLOCKED_CONSTRUCT"], "tool-failure": ["eval_blocked_construct"]}, "title": "Code with a blocked construct", "message": "The code contains a blocked construct: {construct}.", "params": [{"name": "construct", "type": "string", "doc": "The construct that was found.", "required": true, "untrusted": false}, {"name": "code_hash", "type": "string", "doc": "A fingerprint of the code, which is itself never recorded.", "required": false, "untrusted": false}]},
  "EVAL_SYNTAX_ERROR": {"code": "EVAL_SYNTAX_ERROR", "registry": "core", "number": 4509, "domain": "governance", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Correct the syntax of the code, then send it again.", "said": "The code has a syntax mistake and was not run.", "spelled": {"native": ["EVAL_SYNTAX_ERROR"], "rpc": ["4509", "E_EVAL_SYNTAX_ERROR"], "stagewright": ["EVAL_SYNTAX_ERROR"], "tool-failure": ["eval_syntax_error"]}, "title": "Code does not parse", "message": "The code has a syntax mistake and was not run.", "params": [{"name": "line", "type": "integer", "doc": "The line of the mistake, from 1.", "required": false, "untrusted": false}, {"name": "column", "type": "integer", "doc": "The column of the mistake, from 1.", "required": false, "untrusted": false}, {"name": "reason", "type": "string", "doc": "What the parser said.", "required": false, "untrusted": true, "max_chars": 120}]},
  "INVARIANT_VIOLATION": {"code": "INVARIANT_VIOLATION", "registry": "core", "number": 4510, "domain": "governance", "class": "internal", "http": 500, "retry": {"kind": "never"}, "effect": "unknown", "severity": "critical", "hint": "Stop this line of work and report the invariant to the operator.", "said": "Invariant violated.", "spelled": {"atlas-gate": ["INVARIANT_VIOLATION"], "native": ["INVARIANT_VIOLATION"], "rpc": ["4510", "E_INVARIANT_VIOLATION"], "tool-failure": ["invariant_violation"]}, "title": "Invariant violated", "message": "The invariant {invariant_id} was violated.", "params": [{"name": "invariant_id", "type": "string", "doc": "The invariant.", "required": true, "untrusted": false}]},
  "BOOTSTRAP_FAILURE": {"code": "BOOTSTRAP_FAILURE", "registry": "core", "number": 4511, "domain": "governance", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "critical", "hint": "Ask the operator to correct the server's set-up and to start it again.", "said": "The server could not finish its start-up.", "spelled": {"atlas-gate": ["BOOTSTRAP_FAILURE"], "native": ["BOOTSTRAP_FAILURE"], "rpc": ["4511", "E_BOOTSTRAP_FAILURE"], "tool-failure": ["bootstrap_failure"]}, "title": "Start-up failed", "message": "The server could not finish its start-up.", "params": [{"name": "reason", "type": "string", "doc": "What failed.", "required": false, "untrusted": true, "max_chars": 120}]},
  "SELF_AUDIT_FAILURE": {"code": "SELF_AUDIT_FAILURE", "registry": "core", "number": 4512, "domain": "governance", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "none", "severity": "critical", "hint": "Ask the operator to repair what the audit found and to restart.", "said": "The server's self-audit failed, so it refuses to serve.", "spelled": {"atlas-gate": ["SELF_AUDIT_FAILURE"], "native": ["SELF_AUDIT_FAILURE"], "rpc": ["4512", "E_SELF_AUDIT_FAILURE"], "tool-failure": ["self_audit_failure"]}, "title": "Self-audit failed", "message": "The server's self-audit failed, so it refuses to serve.", "params": [{"name": "failed_checks", "type": "integer", "doc": "How many checks failed.", "required": false, "untrusted": false}]},
  "AUDIT_LOG_FAILED": {"code": "AUDIT_LOG_FAILED", "registry": "core", "number": 4600, "domain": "audit", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "unknown", "severity": "critical", "hint": "Stop, and tell the operator that the ledger cannot be written.", "said": "The call could not be recorded in the audit trail.", "spelled": {"atlas-gate": ["AUDIT_LOG_FAILED"], "native": ["AUDIT_LOG_FAILED"], "rpc": ["4600", "E_AUDIT_LOG_FAILED"], "tool-failure": ["audit_log_failed"]}, "title": "Audit trail not writable", "message": "The call could not be recorded in the audit trail.", "params": []},
  "AUDIT_LOCK_FAILED": {"code": "AUDIT_LOCK_FAILED", "registry": "core", "number": 4601, "domain": "audit", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 3}, "effect": "unknown", "severity": "error", "hint": "Wait a moment, check whether the call took effect, then repeat it.", "said": "Another process holds the lock of the audit trail.", "spelled": {"atlas-gate": ["AUDIT_LOCK_FAILED"], "native": ["AUDIT_LOCK_FAILED"], "rpc": ["4601", "E_AUDIT_LOCK_FAILED"], "tool-failure": ["audit_lock_failed"]}, "title": "Audit trail locked", "message": "Another process holds the lock of the audit trail.", "params": [{"name": "waited_ms", "type": "integer", "doc": "How long the lock was waited for, in milliseconds.", "required": false, "untrusted": false}]},
  "UNKNOWN_TOOL": {"code": "UNKNOWN_TOOL", "registry": "core", "number": 4700, "domain": "protocol", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use a tool name exactly as the server's list of tools gives it.", "similar": "tool", "said": "Unknown tool.", "spelled": {"native": ["UNKNOWN_TOOL"], "rpc": ["4700", "E_UNKNOWN_TOOL"], "tool-failure": ["unknown_tool"]}, "title": "Unknown tool", "message": "There is no tool {tool}.", "params": [{"name": "tool", "type": "string", "doc": "The name that was called.", "required": true, "untrusted": true, "max_chars": 80}]},
  "METHOD_NOT_FOUND": {"code": "METHOD_NOT_FOUND", "registry": "core", "number": 4701, "domain": "protocol", "class": "unimplemented", "http": 501, "retry": {"kind": "never"}, "effect": "none", "severity": "error", "hint": "Do without this method; the server's capabilities say what it offers.", "said": "Method not found.", "spelled": {"native": ["METHOD_NOT_FOUND"], "rpc": ["-32601", "4701", "E_METHOD_NOT_FOUND"], "tool-failure": ["method_not_found"]}, "rpc": {"number": -32601}, "title": "Method not found", "message": "The server has no method {method}.", "params": [{"name": "method", "type": "string", "doc": "The method that was asked for.", "required": true, "untrusted": true, "max_chars": 80}]},
  "INVALID_REQUEST": {"code": "INVALID_REQUEST", "registry": "core", "number": 4702, "domain": "protocol", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Send a message that follows JSON-RPC 2.0 and the MCP schema.", "said": "The message is not a valid request.", "spelled": {"native": ["INVALID_REQUEST"], "rpc": ["-32600", "4702", "E_INVALID_REQUEST"], "tool-failure": ["invalid_request"]}, "rpc": {"number": -32600}, "title": "Invalid request", "message": "The message is not a valid request.", "params": [{"name": "pointer", "type": "string", "doc": "The part that is wrong, as a JSON pointer.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "reason", "type": "string", "doc": "What is wrong with it.", "required": false, "untrusted": true, "max_chars": 120}]},
  "PARSE_FAILED": {"code": "PARSE_FAILED", "registry": "core", "number": 4703, "domain": "protocol", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Send one complete JSON value in valid UTF-8 for each message.", "said": "The message could not be read as JSON.", "spelled": {"native": ["PARSE_FAILED"], "rpc": ["-32700", "4703", "E_PARSE_FAILED"], "tool-failure": ["parse_failed"]}, "rpc": {"number": -32700}, "title": "Not valid JSON", "message": "The message could not be read as JSON.", "params": [{"name": "offset", "type": "integer", "doc": "The byte where reading stopped, from 0.", "required": false, "untrusted": false}, {"name": "reason", "type": "string", "doc": "What was wrong there.", "required": false, "untrusted": true, "max_chars": 120}]},
  "UPSTREAM_UNAVAILABLE": {"code": "UPSTREAM_UNAVAILABLE", "registry": "core", "number": 4800, "domain": "upstream", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 2000, "max": 3}, "effect": "unknown", "severity": "error", "hint": "Wait a moment and try again; tell the user if it stays away.", "said": "The server, or a service behind it, cannot be reached.", "spelled": {"mailvault": ["mcp_unavailable"], "native": ["UPSTREAM_UNAVAILABLE"], "rpc": ["4800", "E_UPSTREAM_UNAVAILABLE"], "tool-failure": ["retryable_transient_error", "upstream_unavailable"]}, "title": "Upstream unavailable", "message": "The server, or a service behind it, cannot be reached.", "params": [{"name": "server", "type": "string", "doc": "The server, by its name in the configuration.", "required": false, "untrusted": false}, {"name": "service", "type": "string", "doc": "The service behind it that is away.", "required": false, "untrusted": true, "max_chars": 120}, {"name": "status", "type": "integer", "doc": "The HTTP status that it gave.", "required": false, "untrusted": false}]},
  "UPSTREAM_CRASHED": {"code": "UPSTREAM_CRASHED", "registry": "core", "number": 4801, "domain": "upstream", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 2000, "max": 1}, "effect": "unknown", "severity": "error", "hint": "Check whether the call took effect, then try once more; tell the operator if it ends again.", "said": "The server process ended before it answered.", "spelled": {"native": ["UPSTREAM_CRASHED"], "rpc": ["4801", "E_UPSTREAM_CRASHED"], "tool-failure": ["upstream_crashed"]}, "title": "Server process ended", "message": "The server process ended before it answered.", "params": [{"name": "server", "type": "string", "doc": "The server, by its name in the configuration.", "required": false, "untrusted": false}, {"name": "exit_code", "type": "integer", "doc": "The exit code of the process.", "required": false, "untrusted": false}, {"name": "signal", "type": "string", "doc": "The signal that ended the process.", "required": false, "untrusted": false}]},
  "UPSTREAM_PROTOCOL_ERROR": {"code": "UPSTREAM_PROTOCOL_ERROR", "registry": "core", "number": 4802, "domain": "upstream", "class": "internal", "http": 500, "retry": {"kind": "never"}, "effect": "unknown", "severity": "error", "hint": "Check whether the call took effect, and tell the operator about this server.", "said": "The answer does not follow the protocol and cannot be used.", "spelled": {"native": ["UPSTREAM_PROTOCOL_ERROR"], "rpc": ["4802", "E_UPSTREAM_PROTOCOL_ERROR"], "tool-failure": ["upstream_protocol_error"]}, "title": "Answer breaks the protocol", "message": "The answer does not follow the protocol and cannot be used.", "params": [{"name": "server", "type": "string", "doc": "The server, by its name in the configuration.", "required": false, "untrusted": false}, {"name": "reason", "type": "string", "doc": "What is wrong with the answer.", "required": false, "untrusted": true, "max_chars": 120}]},
  "UPSTREAM_PARKED": {"code": "UPSTREAM_PARKED", "registry": "core", "number": 4803, "domain": "upstream", "class": "unavailable", "http": 503, "retry": {"kind": "after_human"}, "effect": "none", "severity": "critical", "hint": "Ask the operator to repair and restart the server; use other tools until then.", "said": "Server parked.", "spelled": {"native": ["UPSTREAM_PARKED"], "rpc": ["4803", "E_UPSTREAM_PARKED"], "tool-failure": ["upstream_parked"]}, "title": "Server parked", "message": "The server {server} keeps crashing and was parked.", "params": [{"name": "server", "type": "string", "doc": "The server, by its name in the configuration.", "required": true, "untrusted": false}, {"name": "crashes", "type": "integer", "doc": "How often it ended in a row.", "required": false, "untrusted": false}]},
  "CIRCUIT_OPEN": {"code": "CIRCUIT_OPEN", "registry": "core", "number": 4804, "domain": "upstream", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 5000, "max": 3}, "effect": "none", "severity": "warning", "hint": "Wait until the pause is over, or use another tool meanwhile.", "said": "Circuit open.", "spelled": {"native": ["CIRCUIT_OPEN"], "rpc": ["4804", "E_CIRCUIT_OPEN"], "tool-failure": ["circuit_open"]}, "title": "Circuit open", "message": "Calls to the server {server} are paused after repeated failures.", "params": [{"name": "server", "type": "string", "doc": "The server, by its name in the configuration.", "required": true, "untrusted": false}]},
  "OUTPUT_TOO_LARGE": {"code": "OUTPUT_TOO_LARGE", "registry": "core", "number": 4805, "domain": "upstream", "class": "resource_exhausted", "http": 502, "retry": {"kind": "after_change"}, "effect": "done", "severity": "error", "hint": "Ask for less: a smaller range, fewer items, or one page at a time.", "said": "Answer too large.", "spelled": {"native": ["OUTPUT_TOO_LARGE"], "rpc": ["4805", "E_OUTPUT_TOO_LARGE"], "tool-failure": ["output_too_large"]}, "title": "Answer too large", "message": "The answer is larger than {limit_bytes} bytes and was dropped.", "params": [{"name": "limit_bytes", "type": "integer", "doc": "The largest answer that is passed on, in bytes.", "required": true, "untrusted": false}, {"name": "size_bytes", "type": "integer", "doc": "The size of the answer as far as it is known, in bytes.", "required": false, "untrusted": false}]},
  "OUTPUT_INVALID": {"code": "OUTPUT_INVALID", "registry": "core", "number": 4806, "domain": "upstream", "class": "internal", "http": 500, "retry": {"kind": "never"}, "effect": "done", "severity": "error", "hint": "Treat the call as done, and tell the operator about this tool.", "said": "The result does not fit the output schema that the tool declares.", "spelled": {"native": ["OUTPUT_INVALID"], "rpc": ["4806", "E_OUTPUT_INVALID"], "tool-failure": ["output_invalid"]}, "title": "Answer breaks its schema", "message": "The result does not fit the output schema that the tool declares.", "params": [{"name": "pointer", "type": "string", "doc": "The part that does not fit, as a JSON pointer.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "reason", "type": "string", "doc": "How it does not fit.", "required": false, "untrusted": true, "max_chars": 120}]},
  "INTERNAL_ERROR": {"code": "INTERNAL_ERROR", "registry": "core", "number": 4900, "domain": "service", "class": "internal", "http": 500, "retry": {"kind": "never"}, "effect": "unknown", "severity": "error", "hint": "Check whether the call took effect, and tell the operator what you called.", "said": "Something unexpected went wrong inside the server.", "spelled": {"atlas-gate": ["INTERNAL_ERROR"], "mailvault": ["internal_error"], "native": ["INTERNAL_ERROR"], "rpc": ["-32603", "4900", "E_INTERNAL_ERROR"], "stagewright": ["INTERNAL_ERROR"], "tool-failure": ["internal_error"], "workrail": ["INTERNAL_ERROR"]}, "title": "Internal error", "message": "Something unexpected went wrong inside the server.", "params": []},
  "UNKNOWN_TOOL_FAILURE": {"code": "UNKNOWN_TOOL_FAILURE", "registry": "core", "number": 4901, "domain": "service", "class": "unknown", "http": 500, "retry": {"kind": "never"}, "effect": "unknown", "severity": "error", "hint": "Try another way, or tell the user that this tool failed.", "said": "The tool failed in a way that fits no known code.", "spelled": {"atlas-gate": ["UNKNOWN_TOOL_FAILURE"], "native": ["UNKNOWN_TOOL_FAILURE"], "rpc": ["4901", "E_UNKNOWN_TOOL_FAILURE"], "tool-failure": ["unknown_tool_failure"]}, "title": "Unrecognised failure", "message": "The tool failed in a way that fits no known code.", "params": [{"name": "tool", "type": "string", "doc": "The tool that was called.", "required": false, "untrusted": true, "max_chars": 80}]},
  "RATE_LIMITED": {"code": "RATE_LIMITED", "registry": "core", "number": 4902, "domain": "service", "class": "resource_exhausted", "http": 429, "retry": {"kind": "after_delay", "after_ms": 5000, "max": 3}, "effect": "none", "severity": "warning", "hint": "Wait as long as the retry rule says, then go on more slowly.", "said": "Too many calls were made in a short time.", "spelled": {"mailvault": ["rate_limited"], "native": ["RATE_LIMITED"], "rpc": ["4902", "E_RATE_LIMITED"], "tool-failure": ["rate_limited"]}, "title": "Rate limited", "message": "Too many calls were made in a short time.", "params": [{"name": "retry_after_ms", "type": "integer", "doc": "How long to wait, in milliseconds.", "required": false, "untrusted": false}, {"name": "service", "type": "string", "doc": "The service that limits the rate.", "required": false, "untrusted": true, "max_chars": 80}]},
  "OVERLOADED": {"code": "OVERLOADED", "registry": "core", "number": 4903, "domain": "service", "class": "resource_exhausted", "http": 503, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 5}, "effect": "none", "severity": "warning", "hint": "Wait for some of your calls to finish, then repeat this one.", "said": "Too many calls are in progress at the same time.", "spelled": {"native": ["OVERLOADED"], "rpc": ["4903", "E_OVERLOADED"], "tool-failure": ["overloaded"]}, "title": "Too busy", "message": "Too many calls are in progress at the same time.", "params": [{"name": "limit", "type": "integer", "doc": "How many calls may be in progress.", "required": false, "untrusted": false}]},
  "CANCELLED": {"code": "CANCELLED", "registry": "core", "number": 4904, "domain": "service", "class": "cancelled", "http": 499, "retry": {"kind": "after_human"}, "effect": "unknown", "severity": "info", "hint": "Ask the user before you start this call again.", "said": "The call was cancelled before it finished.", "spelled": {"native": ["CANCELLED"], "rpc": ["4904", "E_CANCELLED"], "tool-failure": ["cancelled"]}, "title": "Cancelled", "message": "The call was cancelled before it finished.", "params": [{"name": "reason", "type": "string", "doc": "Why it was cancelled.", "required": false, "untrusted": true, "max_chars": 120}]},
  "CONFIG_INVALID": {"code": "CONFIG_INVALID", "registry": "core", "number": 4905, "domain": "service", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Correct the configuration, or ask the operator to do it.", "said": "Configuration not valid.", "spelled": {"native": ["CONFIG_INVALID"], "rpc": ["4905", "E_CONFIG_INVALID"], "tool-failure": ["config_invalid"]}, "title": "Configuration not valid", "message": "The configuration is not valid at {place}: {problem}", "params": [{"name": "place", "type": "string", "doc": "The file, with line and column where they are known.", "required": true, "untrusted": false}, {"name": "problem", "type": "string", "doc": "What is wrong, as a sentence.", "required": true, "untrusted": false}]},
  "SHUTTING_DOWN": {"code": "SHUTTING_DOWN", "registry": "core", "number": 4906, "domain": "service", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 5000, "max": 3}, "effect": "unknown", "severity": "info", "hint": "Wait until it runs again, check whether the call took effect, then repeat it.", "said": "The server is shutting down and takes no more calls.", "spelled": {"native": ["SHUTTING_DOWN"], "rpc": ["4906", "E_SHUTTING_DOWN"], "tool-failure": ["shutting_down"]}, "title": "Shutting down", "message": "The server is shutting down and takes no more calls.", "params": []},
  "TIMEOUT": {"code": "TIMEOUT", "registry": "core", "number": 1001, "domain": "common", "class": "deadline_exceeded", "http": 504, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 2}, "effect": "unknown", "severity": "error", "hint": "Check whether the call took effect before you repeat it, or ask for less at once.", "said": "The call did not finish in time.", "spelled": {"native": ["TIMEOUT"], "rpc": ["1001", "E_TIMEOUT"], "stagewright": ["OPERATION_TIMEOUT"], "tool-failure": ["timeout"], "workrail": ["TIMEOUT"]}, "title": "Timed out", "message": "The call did not finish in time.", "params": [{"name": "tool", "type": "string", "doc": "The tool that was called.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "timeout_ms", "type": "integer", "doc": "The time that was allowed, in milliseconds.", "required": false, "untrusted": false}]},
  "LIMIT_EXCEEDED": {"code": "LIMIT_EXCEEDED", "registry": "core", "number": 1002, "domain": "common", "class": "resource_exhausted", "http": 429, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Release what you no longer need, or ask the operator to raise the limit.", "said": "A limit of the server or of the account is used up.", "spelled": {"native": ["LIMIT_EXCEEDED"], "rpc": ["1002", "E_LIMIT_EXCEEDED"], "tool-failure": ["limit_exceeded"]}, "title": "Limit exceeded", "message": "A limit of the server or of the account is used up.", "params": [{"name": "limit_name", "type": "string", "doc": "What is limited.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "limit", "type": "integer", "doc": "The most that is allowed.", "required": false, "untrusted": false}]},
  "NOT_INSTALLED": {"code": "NOT_INSTALLED", "registry": "core", "number": 1003, "domain": "common", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the operator to install it where the server runs, or use another tool.", "said": "A program or library that this tool needs is not installed.", "spelled": {"native": ["NOT_INSTALLED"], "rpc": ["1003", "E_NOT_INSTALLED"], "tool-failure": ["not_installed"]}, "title": "Dependency not installed", "message": "A program or library that this tool needs is not installed.", "params": [{"name": "dependency", "type": "string", "doc": "What is missing.", "required": false, "untrusted": true, "max_chars": 80}]},
  "SESSION_NOT_FOUND": {"code": "SESSION_NOT_FOUND", "registry": "core", "number": 1004, "domain": "common", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Open a new session, or use the id of one that is still open.", "said": "The session does not exist, or it has ended.", "spelled": {"native": ["SESSION_NOT_FOUND"], "rpc": ["1004", "E_SESSION_NOT_FOUND"], "tool-failure": ["session_not_found"]}, "title": "Session not found", "message": "The session does not exist, or it has ended.", "params": [{"name": "session_id", "type": "string", "doc": "The id that was given.", "required": false, "untrusted": true, "max_chars": 80}]},
  "INPUT_TOO_LARGE": {"code": "INPUT_TOO_LARGE", "registry": "core", "number": 1005, "domain": "common", "class": "invalid_argument", "http": 413, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Send less: shorten the input, or split it over several calls.", "said": "The input is larger than the server accepts.", "spelled": {"native": ["INPUT_TOO_LARGE"], "rpc": ["1005", "E_INPUT_TOO_LARGE"], "tool-failure": ["input_too_large"]}, "title": "Input too large", "message": "The input is larger than the server accepts.", "params": [{"name": "field", "type": "string", "doc": "The argument that is too large.", "required": false, "untrusted": true, "max_chars": 80}, {"name": "size_bytes", "type": "integer", "doc": "The size of what was sent, in bytes.", "required": false, "untrusted": false}, {"name": "limit_bytes", "type": "integer", "doc": "The largest size that is accepted, in bytes.", "required": false, "untrusted": false}]},
  "UNSUPPORTED": {"code": "UNSUPPORTED", "registry": "core", "number": 1006, "domain": "common", "class": "unimplemented", "http": 501, "retry": {"kind": "never"}, "effect": "none", "severity": "error", "hint": "Use another tool or another way; this one will not work here.", "said": "The server does not support this operation.", "spelled": {"native": ["UNSUPPORTED"], "rpc": ["1006", "E_UNSUPPORTED"], "stagewright": ["NOT_IMPLEMENTED"], "tool-failure": ["capability_unsupported", "unsupported"]}, "title": "Unsupported operation", "message": "The server does not support this operation.", "params": [{"name": "operation", "type": "string", "doc": "What was asked for.", "required": false, "untrusted": true, "max_chars": 80}]},
};

/** The tools that the registry knows. */
export const TOOLS: { readonly [tool: string]: Tool } = {
  "read_note": {"may": ["NOTE_NOT_FOUND"], "read_only": true, "idempotent": false},
  "list_notes": {"may": [], "read_only": true, "idempotent": false},
};

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

const LAST: Rule = { id: 'cannot_succeed', when: {}, do: 'stop', why: 'cannot_succeed', because: '' };

/** The codes of other registries, which a server may use all the same. */
const OTHERS: readonly Known[] = [
  {"code": "VALIDATION_ERROR", "registry": "workrail", "domain": "general", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Correct the fields that the details name, then call again.", "said": "Invalid input", "spelled": {"native": ["VALIDATION_ERROR"], "tool-failure": ["validation_error"], "workrail": ["VALIDATION_ERROR"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "NOT_FOUND", "registry": "workrail", "domain": "general", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Check available workflows with workflow_list", "similar": "id", "said": "The workflow does not exist.", "spelled": {}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "PRECONDITION_FAILED", "registry": "workrail", "domain": "general", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Provide the required keys in the `context` object, or use a token of an existing run.", "said": "A condition for this call is not met.", "spelled": {"native": ["PRECONDITION_FAILED"], "tool-failure": ["precondition_failed"], "workrail": ["PRECONDITION_FAILED"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "TIMEOUT", "registry": "workrail", "domain": "general", "class": "deadline_exceeded", "http": 504, "retry": {"kind": "now"}, "effect": "unknown", "severity": "error", "hint": "Call the tool again with the same input.", "said": "The tool did not finish in time.", "spelled": {}, "rpc": {"number": 1001, "domain": "common"}},
  {"code": "INTERNAL_ERROR", "registry": "workrail", "domain": "general", "class": "internal", "http": 500, "retry": {"kind": "never"}, "effect": "unknown", "severity": "error", "hint": "Tell the user which tool you called, with what input, and what came back.", "said": "WorkRail encountered an unexpected error. This is not caused by your input.", "spelled": {}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "TOKEN_INVALID_FORMAT", "registry": "workrail", "domain": "token", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use the exact tokens returned by WorkRail. Tokens are opaque; do not edit or construct them.", "said": "The token is not one that WorkRail wrote.", "spelled": {"native": ["TOKEN_INVALID_FORMAT"], "tool-failure": ["token_invalid_format"], "workrail": ["TOKEN_INVALID_FORMAT"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "TOKEN_UNSUPPORTED_VERSION", "registry": "workrail", "domain": "token", "class": "unimplemented", "http": 501, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Update WorkRail to a version that supports this token format.", "said": "The token is of a version that this WorkRail does not read.", "spelled": {"native": ["TOKEN_UNSUPPORTED_VERSION"], "tool-failure": ["token_unsupported_version"], "workrail": ["TOKEN_UNSUPPORTED_VERSION"]}, "rpc": {"number": 1006, "domain": "common"}},
  {"code": "TOKEN_BAD_SIGNATURE", "registry": "workrail", "domain": "token", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Token signature verification failed. Use the exact tokens returned by WorkRail.", "said": "The token does not carry a valid signature.", "spelled": {"native": ["TOKEN_BAD_SIGNATURE"], "tool-failure": ["token_bad_signature"], "workrail": ["TOKEN_BAD_SIGNATURE"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "TOKEN_SCOPE_MISMATCH", "registry": "workrail", "domain": "token", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Tokens must come from the same WorkRail response. Do not mix tokens from different runs or nodes.", "said": "The tokens are of different runs, nodes or sessions.", "spelled": {"native": ["TOKEN_SCOPE_MISMATCH"], "tool-failure": ["token_scope_mismatch"], "workrail": ["TOKEN_SCOPE_MISMATCH"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "TOKEN_UNKNOWN_NODE", "registry": "workrail", "domain": "token", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use a stateToken returned by WorkRail for an existing run/node.", "said": "No durable run/node state was found for this stateToken.", "spelled": {"native": ["TOKEN_UNKNOWN_NODE"], "tool-failure": ["token_unknown_node"], "workrail": ["TOKEN_UNKNOWN_NODE"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "TOKEN_WORKFLOW_HASH_MISMATCH", "registry": "workrail", "domain": "token", "class": "aborted", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use the stateToken returned by WorkRail for this node.", "said": "workflowHash mismatch for this node.", "spelled": {"native": ["TOKEN_WORKFLOW_HASH_MISMATCH"], "tool-failure": ["token_workflow_hash_mismatch"], "workrail": ["TOKEN_WORKFLOW_HASH_MISMATCH"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "TOKEN_SESSION_LOCKED", "registry": "workrail", "domain": "token", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 5}, "effect": "none", "severity": "warning", "hint": "Retry in a few seconds; if this persists >10s, ensure no other WorkRail process is running.", "said": "Another writer holds the lock of this session.", "spelled": {"native": ["TOKEN_SESSION_LOCKED"], "tool-failure": ["token_session_locked"], "workrail": ["TOKEN_SESSION_LOCKED"]}, "rpc": {"number": 4800, "domain": "upstream"}},
  {"code": "SESSION_NOT_HEALTHY", "registry": "workrail", "domain": "session", "class": "data_loss", "http": 500, "retry": {"kind": "never"}, "effect": "none", "severity": "critical", "hint": "Execution requires a healthy session. Export salvage view, then recreate.", "said": "The session is corrupt or of an unknown version, and was left untouched.", "spelled": {"native": ["SESSION_NOT_HEALTHY"], "tool-failure": ["session_not_healthy"], "workrail": ["SESSION_NOT_HEALTHY"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "PARSE_FAILED", "registry": "rpc-taxonomy", "domain": "protocol", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Send one complete JSON value on each line.", "said": "Invalid JSON", "spelled": {}, "rpc": {"number": -32700}},
  {"code": "METHOD_NOT_FOUND", "registry": "rpc-taxonomy", "domain": "protocol", "class": "unimplemented", "http": 501, "retry": {"kind": "never"}, "effect": "none", "severity": "error", "hint": "Call a method that the ready line of the server lists.", "said": "Method not found", "spelled": {}, "rpc": {"number": -32601}},
  {"code": "RPC_INVALID_PARAMS", "registry": "rpc-taxonomy", "domain": "protocol", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Correct the parameters so that they fit the method.", "said": "Invalid params", "spelled": {"native": ["RPC_INVALID_PARAMS"], "rpc": ["-32602"], "tool-failure": ["rpc_invalid_params"]}, "rpc": {"number": -32602}},
  {"code": "RPC_SERVER_FAILURE", "registry": "rpc-taxonomy", "domain": "protocol", "class": "unknown", "http": 500, "retry": {"kind": "never"}, "effect": "unknown", "severity": "error", "hint": "Try another way, or tell the user that the call failed.", "said": "Unknown error", "spelled": {"native": ["RPC_SERVER_FAILURE"], "rpc": ["-32000"], "tool-failure": ["rpc_server_failure"]}, "rpc": {"number": -32000}},
  {"code": "INVALID_PARAMS", "registry": "rpc-taxonomy", "number": 1000, "domain": "common", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Correct the parameter that the details name, then call again.", "said": "Invalid parameters", "spelled": {"native": ["INVALID_PARAMS"], "rpc": ["1000", "INVALID_PARAMS"], "tool-failure": ["invalid_params"]}},
  {"code": "TIMEOUT", "registry": "rpc-taxonomy", "number": 1001, "domain": "common", "class": "deadline_exceeded", "http": 504, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 2}, "effect": "unknown", "severity": "error", "hint": "Check whether the operation took effect, then try once more.", "said": "Operation timed out", "spelled": {}},
  {"code": "LIMIT_EXCEEDED", "registry": "rpc-taxonomy", "number": 1002, "domain": "common", "class": "resource_exhausted", "http": 429, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 3}, "effect": "none", "severity": "error", "hint": "Close a session that you no longer need, then call again.", "said": "Limit exceeded", "spelled": {}},
  {"code": "NOT_INSTALLED", "registry": "rpc-taxonomy", "number": 1003, "domain": "common", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the operator to install what the domain needs.", "said": "Dependency not installed", "spelled": {}},
  {"code": "SESSION_NOT_FOUND", "registry": "rpc-taxonomy", "number": 1004, "domain": "common", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Launch a new session, and use the id that it returns.", "similar": "session_id", "said": "Session not found", "spelled": {}},
  {"code": "INPUT_TOO_LARGE", "registry": "rpc-taxonomy", "number": 1005, "domain": "common", "class": "invalid_argument", "http": 413, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Shorten the input, or split it over several calls.", "said": "Input too large", "spelled": {}},
  {"code": "UNSUPPORTED", "registry": "rpc-taxonomy", "number": 1006, "domain": "common", "class": "unimplemented", "http": 501, "retry": {"kind": "never"}, "effect": "none", "severity": "error", "hint": "Use another method; this server cannot do it.", "said": "Unsupported operation", "spelled": {}},
  {"code": "PY_EXEC_FAIL", "registry": "rpc-taxonomy", "number": 2000, "domain": "python", "class": "failed_precondition", "http": 422, "retry": {"kind": "after_change"}, "effect": "unknown", "severity": "error", "hint": "Correct the script; the details say what Python reported.", "said": "Python execution failed", "spelled": {"native": ["PY_EXEC_FAIL"], "rpc": ["2000", "E_PY_EXEC_FAIL"], "tool-failure": ["py_exec_fail"]}},
  {"code": "PY_SECURITY", "registry": "rpc-taxonomy", "number": 2001, "domain": "python", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Remove what the policy forbids from the script.", "said": "Code refused by the security policy", "spelled": {"native": ["PY_SECURITY"], "rpc": ["2001", "E_PY_SECURITY"], "tool-failure": ["py_security"]}},
  {"code": "PW_NAV", "registry": "rpc-taxonomy", "number": 2100, "domain": "playwright", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 3}, "effect": "none", "severity": "error", "hint": "Check the address for typing mistakes, then try again.", "said": "Navigation failed", "spelled": {"native": ["PW_NAV"], "rpc": ["2100", "E_PW_NAV"], "tool-failure": ["pw_nav"]}},
  {"code": "PW_LAUNCH", "registry": "rpc-taxonomy", "number": 2101, "domain": "playwright", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the operator to check the browser's installation.", "said": "Browser launch failed", "spelled": {"native": ["PW_LAUNCH"], "rpc": ["2101", "E_PW_LAUNCH"], "tool-failure": ["pw_launch"]}},
  {"code": "PT_NAV", "registry": "rpc-taxonomy", "number": 2200, "domain": "puppeteer", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 3}, "effect": "none", "severity": "error", "hint": "Check the address for typing mistakes, then try again.", "said": "Navigation failed", "spelled": {"native": ["PT_NAV"], "rpc": ["2200", "E_PT_NAV"], "tool-failure": ["pt_nav"]}},
  {"code": "PT_LAUNCH", "registry": "rpc-taxonomy", "number": 2201, "domain": "puppeteer", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the operator to check the browser's installation.", "said": "Browser launch failed", "spelled": {"native": ["PT_LAUNCH"], "rpc": ["2201", "E_PT_LAUNCH"], "tool-failure": ["pt_launch"]}},
  {"code": "MB_FILE_NOT_FOUND", "registry": "rpc-taxonomy", "number": 2300, "domain": "memory-bank", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "List the memory bank, then use a name from the list.", "similar": "file", "said": "invalid file", "spelled": {"native": ["MB_FILE_NOT_FOUND"], "rpc": ["2300", "E_MB_FILE_NOT_FOUND", "FILE_NOT_FOUND"], "tool-failure": ["mb_file_not_found"]}},
  {"code": "MB_READ", "registry": "rpc-taxonomy", "number": 2301, "domain": "memory-bank", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Tell the operator that this file of the memory bank cannot be read.", "said": "read failed", "spelled": {"native": ["MB_READ"], "rpc": ["2301", "E_MB_READ", "READ_FAILED"], "tool-failure": ["mb_read"]}},
  {"code": "KG_FULL", "registry": "rpc-taxonomy", "number": 2400, "domain": "kg-memory", "class": "resource_exhausted", "http": 429, "retry": {"kind": "after_delay", "after_ms": 5000, "max": 2}, "effect": "none", "severity": "error", "hint": "Remove triples that are no longer needed, then add this one.", "said": "triple store full", "spelled": {"native": ["KG_FULL"], "rpc": ["2400", "E_KG_FULL", "FULL"], "tool-failure": ["kg_full"]}},
  {"code": "KG_INVALID_TRIPLE", "registry": "rpc-taxonomy", "number": 2401, "domain": "kg-memory", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Send subject, predicate and object, each as text that is not empty.", "said": "invalid triple", "spelled": {"native": ["KG_INVALID_TRIPLE"], "rpc": ["2401", "E_KG_INVALID_TRIPLE", "INVALID_TRIPLE"], "tool-failure": ["kg_invalid_triple"]}},
  {"code": "FS_PATH_ESCAPE", "registry": "rpc-taxonomy", "number": 2500, "domain": "filesystem", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Give a path inside the root that the server announced.", "said": "Path escapes root", "spelled": {"native": ["FS_PATH_ESCAPE"], "rpc": ["2500", "PATH_ESCAPE"], "tool-failure": ["fs_path_escape"]}},
  {"code": "FS_DENIED", "registry": "rpc-taxonomy", "number": 2501, "domain": "filesystem", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Write only where the server's allowlist permits it.", "said": "Operation denied by policy", "spelled": {"native": ["FS_DENIED"], "rpc": ["2501", "DENIED", "E_FS_DENIED"], "tool-failure": ["fs_denied"]}},
  {"code": "FS_NOT_FOUND", "registry": "rpc-taxonomy", "number": 2502, "domain": "filesystem", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "List the parent directory, then use a name from the list.", "similar": "path", "said": "File or directory not found", "spelled": {"native": ["FS_NOT_FOUND"], "rpc": ["2502", "NOT_FOUND"], "tool-failure": ["fs_not_found"]}},
  {"code": "FS_WRITE_TOO_LARGE", "registry": "rpc-taxonomy", "number": 2503, "domain": "filesystem", "class": "invalid_argument", "http": 413, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Write less, or split the content over several files.", "said": "Write exceeds size limit", "spelled": {"native": ["FS_WRITE_TOO_LARGE"], "rpc": ["2503", "E_FS_WRITE_TOO_LARGE", "WRITE_TOO_LARGE"], "tool-failure": ["fs_write_too_large"]}},
  {"code": "SQL_CONN", "registry": "rpc-taxonomy", "number": 2600, "domain": "sqlserver", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 2000, "max": 3}, "effect": "none", "severity": "error", "hint": "Wait a moment and try again; tell the operator if it stays away.", "said": "Database connection failed", "spelled": {"native": ["SQL_CONN"], "rpc": ["2600", "E_SQL_CONN"], "tool-failure": ["sql_conn"]}},
  {"code": "SQL_QUERY", "registry": "rpc-taxonomy", "number": 2601, "domain": "sqlserver", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "unknown", "severity": "error", "hint": "Correct the statement: check its syntax, and every table and column name.", "said": "Query failed", "spelled": {"native": ["SQL_QUERY"], "rpc": ["2601", "E_SQL_QUERY"], "tool-failure": ["sql_query"]}},
  {"code": "NOTION_AUTH", "registry": "rpc-taxonomy", "number": 2700, "domain": "notion", "class": "unauthenticated", "http": 401, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the operator to set a valid Notion token for this server.", "said": "Notion authentication failed", "spelled": {"native": ["NOTION_AUTH"], "rpc": ["2700", "E_NOTION_AUTH"], "tool-failure": ["notion_auth"]}},
  {"code": "NOTION_RATE", "registry": "rpc-taxonomy", "number": 2701, "domain": "notion", "class": "resource_exhausted", "http": 429, "retry": {"kind": "after_delay", "after_ms": 2000, "max": 3}, "effect": "none", "severity": "warning", "hint": "Wait before the next call, and make fewer calls at once.", "said": "Notion rate limit reached", "spelled": {"native": ["NOTION_RATE"], "rpc": ["2701", "E_NOTION_RATE"], "tool-failure": ["notion_rate"]}},
  {"code": "TAVILY_HTTP", "registry": "rpc-taxonomy", "number": 2800, "domain": "tavily", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 2000, "max": 3}, "effect": "none", "severity": "error", "hint": "Try again after a moment, or search with another tool.", "said": "Tavily HTTP request failed", "spelled": {"native": ["TAVILY_HTTP"], "rpc": ["2800", "E_TAVILY_HTTP"], "tool-failure": ["tavily_http"]}},
  {"code": "TAVILY_RATE", "registry": "rpc-taxonomy", "number": 2801, "domain": "tavily", "class": "resource_exhausted", "http": 429, "retry": {"kind": "after_delay", "after_ms": 5000, "max": 3}, "effect": "none", "severity": "warning", "hint": "Wait before the next search, and search less often.", "said": "Tavily rate limit reached", "spelled": {"native": ["TAVILY_RATE"], "rpc": ["2801", "E_TAVILY_RATE"], "tool-failure": ["tavily_rate"]}},
  {"code": "NOT_RUNNING", "registry": "stagewright", "domain": "lifecycle", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Call launch first.", "said": "Call launch first.", "spelled": {"native": ["NOT_RUNNING"], "stagewright": ["NOT_RUNNING"], "tool-failure": ["not_running"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "ALREADY_RUNNING", "registry": "stagewright", "domain": "lifecycle", "class": "already_exists", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Stop the active app before launching another one.", "said": "Stop the active app before launching another one.", "spelled": {"native": ["ALREADY_RUNNING"], "stagewright": ["ALREADY_RUNNING"], "tool-failure": ["already_running"]}, "rpc": {"number": 4301, "domain": "resource"}},
  {"code": "LAUNCH_TIMEOUT", "registry": "stagewright", "domain": "lifecycle", "class": "deadline_exceeded", "http": 408, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 2}, "effect": "unknown", "severity": "error", "hint": "Check main process startup time.", "said": "Check main process startup time.", "spelled": {"native": ["LAUNCH_TIMEOUT"], "stagewright": ["LAUNCH_TIMEOUT"], "tool-failure": ["launch_timeout"]}, "rpc": {"number": 1001, "domain": "common"}},
  {"code": "LAUNCH_FAILED", "registry": "stagewright", "domain": "lifecycle", "class": "internal", "http": 500, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "The packaged app could not be started or exited before a driveable Electron window became available; inspect its path, startup configuration, and logs.", "said": "The packaged app could not be started or exited before a driveable Electron window became available; inspect its path, startup configuration, and logs.", "spelled": {"native": ["LAUNCH_FAILED"], "stagewright": ["LAUNCH_FAILED"], "tool-failure": ["launch_failed"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "FUSES_BLOCK_LAUNCH", "registry": "stagewright", "domain": "lifecycle", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Launch the packaged executable without a main entry so Stagewright can use CDP, attach to a CDP-enabled running app, or use a development build whose Node CLI inspect fuse is enabled.", "said": "Launch the packaged executable without a main entry so Stagewright can use CDP, attach to a CDP-enabled running app, or use a development build whose Node CLI inspect fuse is enabled.", "spelled": {"native": ["FUSES_BLOCK_LAUNCH"], "stagewright": ["FUSES_BLOCK_LAUNCH"], "tool-failure": ["fuses_block_launch"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "SINGLE_INSTANCE_LOCK", "registry": "stagewright", "domain": "lifecycle", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Another instance of the app is running.", "said": "Another instance of the app is running.", "spelled": {"native": ["SINGLE_INSTANCE_LOCK"], "stagewright": ["SINGLE_INSTANCE_LOCK"], "tool-failure": ["single_instance_lock"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "BAD_ARGUMENT", "registry": "stagewright", "domain": "arguments", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Check the input schema for this tool.", "said": "Check the input schema for this tool.", "spelled": {"native": ["BAD_ARGUMENT"], "stagewright": ["BAD_ARGUMENT"], "tool-failure": ["bad_argument"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "FILE_NOT_FOUND", "registry": "stagewright", "domain": "arguments", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Verify the path exists and is readable.", "similar": "path", "said": "Verify the path exists and is readable.", "spelled": {}, "rpc": {"number": 2502, "domain": "filesystem"}},
  {"code": "ABSOLUTE_PATH_REQUIRED", "registry": "stagewright", "domain": "arguments", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use an absolute path.", "said": "Use an absolute path.", "spelled": {"native": ["ABSOLUTE_PATH_REQUIRED"], "stagewright": ["ABSOLUTE_PATH_REQUIRED"], "tool-failure": ["absolute_path_required"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "REF_NOT_FOUND", "registry": "stagewright", "domain": "selectors", "class": "not_found", "http": 404, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Call snapshot first.", "similar": "ref", "said": "Call snapshot first.", "spelled": {"native": ["REF_NOT_FOUND"], "stagewright": ["REF_NOT_FOUND"], "tool-failure": ["ref_not_found"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "SURFACE_NOT_FOUND", "registry": "stagewright", "domain": "selectors", "class": "not_found", "http": 404, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Call electron_surfaces_list and select one of the returned surface ids.", "similar": "surface_id", "said": "Call electron_surfaces_list and select one of the returned surface ids.", "spelled": {"native": ["SURFACE_NOT_FOUND"], "stagewright": ["SURFACE_NOT_FOUND"], "tool-failure": ["surface_not_found"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "SURFACE_CLOSED", "registry": "stagewright", "domain": "selectors", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "The selected renderer closed or detached; call electron_surfaces_list and select a live surface.", "said": "The selected renderer closed or detached; call electron_surfaces_list and select a live surface.", "spelled": {"native": ["SURFACE_CLOSED"], "stagewright": ["SURFACE_CLOSED"], "tool-failure": ["surface_closed"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "SURFACE_UNSUPPORTED", "registry": "stagewright", "domain": "selectors", "class": "unimplemented", "http": 501, "retry": {"kind": "never"}, "effect": "none", "severity": "error", "hint": "The selected surface cannot perform that renderer operation through this transport.", "said": "The selected surface cannot perform that renderer operation through this transport.", "spelled": {"native": ["SURFACE_UNSUPPORTED"], "stagewright": ["SURFACE_UNSUPPORTED"], "tool-failure": ["surface_unsupported"]}, "rpc": {"number": 1006, "domain": "common"}},
  {"code": "SELECTOR_NO_MATCH", "registry": "stagewright", "domain": "selectors", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Element is not in the DOM.", "similar": "selector", "said": "Element is not in the DOM.", "spelled": {"native": ["SELECTOR_NO_MATCH"], "stagewright": ["SELECTOR_NO_MATCH"], "tool-failure": ["selector_no_match"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "ELEMENT_NOT_VISIBLE", "registry": "stagewright", "domain": "selectors", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_delay", "after_ms": 500, "max": 3}, "effect": "none", "severity": "error", "hint": "Wait for the element to become visible.", "said": "Wait for the element to become visible.", "spelled": {"native": ["ELEMENT_NOT_VISIBLE"], "stagewright": ["ELEMENT_NOT_VISIBLE"], "tool-failure": ["element_not_visible"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "ELEMENT_DISABLED", "registry": "stagewright", "domain": "selectors", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Element is disabled; address the disabled state via app-level interaction.", "said": "Element is disabled; address the disabled state via app-level interaction.", "spelled": {"native": ["ELEMENT_DISABLED"], "stagewright": ["ELEMENT_DISABLED"], "tool-failure": ["element_disabled"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "TYPE_NO_EFFECT", "registry": "stagewright", "domain": "selectors", "class": "failed_precondition", "http": 422, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Typing changed nothing — the target ignored the input (e.g. a code editor's hidden textarea). Use electron_type_into_editor on the editor's content area.", "said": "Typing changed nothing — the target ignored the input (e.g. a code editor's hidden textarea). Use electron_type_into_editor on the editor's content area.", "spelled": {"native": ["TYPE_NO_EFFECT"], "stagewright": ["TYPE_NO_EFFECT"], "tool-failure": ["type_no_effect"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "WAIT_TIMEOUT", "registry": "stagewright", "domain": "waits", "class": "deadline_exceeded", "http": 408, "retry": {"kind": "now"}, "effect": "none", "severity": "error", "hint": "The awaited condition did not hold within timeoutMs; raise timeoutMs or recheck the condition.", "said": "The awaited condition did not hold within timeoutMs; raise timeoutMs or recheck the condition.", "spelled": {"native": ["WAIT_TIMEOUT"], "stagewright": ["WAIT_TIMEOUT"], "tool-failure": ["wait_timeout"]}, "rpc": {"number": 1001, "domain": "common"}},
  {"code": "EXPECTATION_FAILED", "registry": "stagewright", "domain": "assertions", "class": "failed_precondition", "http": 417, "retry": {"kind": "after_delay", "after_ms": 500, "max": 3}, "effect": "none", "severity": "error", "hint": "The expectation did not hold; details carry expected vs actual. Re-check state or raise timeoutMs.", "said": "The expectation did not hold; details carry expected vs actual. Re-check state or raise timeoutMs.", "spelled": {"native": ["EXPECTATION_FAILED"], "stagewright": ["EXPECTATION_FAILED"], "tool-failure": ["expectation_failed"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "TRANSPORT_UNSUPPORTED", "registry": "stagewright", "domain": "transports", "class": "unimplemented", "http": 501, "retry": {"kind": "never"}, "effect": "none", "severity": "error", "hint": "Active transport lacks this capability.", "said": "Active transport lacks this capability.", "spelled": {"native": ["TRANSPORT_UNSUPPORTED"], "stagewright": ["TRANSPORT_UNSUPPORTED"], "tool-failure": ["transport_unsupported"]}, "rpc": {"number": 1006, "domain": "common"}},
  {"code": "CDP_DISCONNECTED", "registry": "stagewright", "domain": "transports", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 3}, "effect": "unknown", "severity": "error", "hint": "The CDP connection dropped; the dispatcher will attempt reconnection.", "said": "The CDP connection dropped; the dispatcher will attempt reconnection.", "spelled": {"native": ["CDP_DISCONNECTED"], "stagewright": ["CDP_DISCONNECTED"], "tool-failure": ["cdp_disconnected"]}, "rpc": {"number": 4800, "domain": "upstream"}},
  {"code": "CDP_TIMEOUT", "registry": "stagewright", "domain": "transports", "class": "deadline_exceeded", "http": 408, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 3}, "effect": "unknown", "severity": "error", "hint": "The CDP method did not respond within its timeout; the target may be busy or hung.", "said": "The CDP method did not respond within its timeout; the target may be busy or hung.", "spelled": {"native": ["CDP_TIMEOUT"], "stagewright": ["CDP_TIMEOUT"], "tool-failure": ["cdp_timeout"]}, "rpc": {"number": 1001, "domain": "common"}},
  {"code": "INJECT_FAILED", "registry": "stagewright", "domain": "transports", "class": "internal", "http": 500, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 1}, "effect": "none", "severity": "error", "hint": "Inspector handshake failed; retry with attach instead.", "said": "Inspector handshake failed; retry with attach instead.", "spelled": {"native": ["INJECT_FAILED"], "stagewright": ["INJECT_FAILED"], "tool-failure": ["inject_failed"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "PLUGIN_LOAD_FAILED", "registry": "stagewright", "domain": "plugins", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Plugin package could not be imported.", "said": "Plugin package could not be imported.", "spelled": {"native": ["PLUGIN_LOAD_FAILED"], "stagewright": ["PLUGIN_LOAD_FAILED"], "tool-failure": ["plugin_load_failed"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "PLUGIN_VERSION_MISMATCH", "registry": "stagewright", "domain": "plugins", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Plugin requires a different core version.", "said": "Plugin requires a different core version.", "spelled": {"native": ["PLUGIN_VERSION_MISMATCH"], "stagewright": ["PLUGIN_VERSION_MISMATCH"], "tool-failure": ["plugin_version_mismatch"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "PLUGIN_MANIFEST_INVALID", "registry": "stagewright", "domain": "plugins", "class": "internal", "http": 500, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Plugin default export does not match the PluginManifest schema.", "said": "Plugin default export does not match the PluginManifest schema.", "spelled": {"native": ["PLUGIN_MANIFEST_INVALID"], "stagewright": ["PLUGIN_MANIFEST_INVALID"], "tool-failure": ["plugin_manifest_invalid"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "PLUGIN_CONFIG_INVALID", "registry": "stagewright", "domain": "plugins", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Plugin config did not match the plugin configSchema.", "said": "Plugin config did not match the plugin configSchema.", "spelled": {"native": ["PLUGIN_CONFIG_INVALID"], "stagewright": ["PLUGIN_CONFIG_INVALID"], "tool-failure": ["plugin_config_invalid"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "EVAL_SYNTAX_ERROR", "registry": "stagewright", "domain": "evaluation", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Check the JavaScript syntax of the eval body.", "said": "Check the JavaScript syntax of the eval body.", "spelled": {}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "EVAL_RUNTIME_ERROR", "registry": "stagewright", "domain": "evaluation", "class": "internal", "http": 500, "retry": {"kind": "after_change"}, "effect": "unknown", "severity": "error", "hint": "The evaluated code threw.", "said": "The evaluated code threw.", "spelled": {"native": ["EVAL_RUNTIME_ERROR"], "stagewright": ["EVAL_RUNTIME_ERROR"], "tool-failure": ["eval_runtime_error"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "EVAL_TIMEOUT", "registry": "stagewright", "domain": "evaluation", "class": "deadline_exceeded", "http": 408, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 1}, "effect": "unknown", "severity": "error", "hint": "Evaluation exceeded the budget.", "said": "Evaluation exceeded the budget.", "spelled": {"native": ["EVAL_TIMEOUT"], "stagewright": ["EVAL_TIMEOUT"], "tool-failure": ["eval_timeout"]}, "rpc": {"number": 1001, "domain": "common"}},
  {"code": "EVAL_BLOCKED_KEYWORD", "registry": "stagewright", "domain": "evaluation", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Remove the blocked keyword, or use an explicit trusted-eval opt-in for this session.", "said": "Remove the blocked keyword, or use an explicit trusted-eval opt-in for this session.", "spelled": {}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "EVAL_BLOCKED_CONSTRUCT", "registry": "stagewright", "domain": "evaluation", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Remove the blocked construct (e.g. process.exit, require, the Function constructor, dynamic import); rewrite the flow using a granular tool where possible.", "said": "Remove the blocked construct (e.g. process.exit, require, the Function constructor, dynamic import); rewrite the flow using a granular tool where possible.", "spelled": {}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "OPERATION_TIMEOUT", "registry": "stagewright", "domain": "dispatch", "class": "deadline_exceeded", "http": 408, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 2}, "effect": "unknown", "severity": "error", "hint": "The operation exceeded the dispatch timeout budget (the app may be hung); retry, or raise the operation timeout (--operation-timeout-ms).", "said": "The operation exceeded the dispatch timeout budget (the app may be hung); retry, or raise the operation timeout (--operation-timeout-ms).", "spelled": {"native": ["OPERATION_TIMEOUT"], "tool-failure": ["operation_timeout"]}, "rpc": {"number": 1001, "domain": "common"}},
  {"code": "NOT_IMPLEMENTED", "registry": "stagewright", "domain": "catch-all", "class": "unimplemented", "http": 501, "retry": {"kind": "never"}, "effect": "none", "severity": "error", "hint": "This transport or plugin does not implement the tool yet.", "said": "This transport or plugin does not implement the tool yet.", "spelled": {"native": ["NOT_IMPLEMENTED"], "tool-failure": ["not_implemented"]}, "rpc": {"number": 1006, "domain": "common"}},
  {"code": "INTERNAL_ERROR", "registry": "stagewright", "domain": "catch-all", "class": "internal", "http": 500, "retry": {"kind": "never"}, "effect": "unknown", "severity": "error", "hint": "Bug in Electron Stagewright — please file an issue.", "said": "Bug in Electron Stagewright — please file an issue.", "spelled": {}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "a11y.UNSUPPORTED", "registry": "stagewright", "domain": "a11y", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use a Playwright launch session that supports renderer evaluation and surface targeting.", "said": "Use a Playwright launch session that supports renderer evaluation and surface targeting.", "spelled": {"native": ["a11y.UNSUPPORTED"], "stagewright": ["a11y.UNSUPPORTED"], "tool-failure": ["a11y.unsupported"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "a11y.INVALID_SELECTOR", "registry": "stagewright", "domain": "a11y", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Correct the CSS selector and retry the audit.", "said": "Correct the CSS selector and retry the audit.", "spelled": {"native": ["a11y.INVALID_SELECTOR"], "stagewright": ["a11y.INVALID_SELECTOR"], "tool-failure": ["a11y.invalid_selector"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "a11y.SCOPE_NOT_FOUND", "registry": "stagewright", "domain": "a11y", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Re-snapshot the selected surface or choose a selector that exists there.", "similar": "selector", "said": "Re-snapshot the selected surface or choose a selector that exists there.", "spelled": {"native": ["a11y.SCOPE_NOT_FOUND"], "stagewright": ["a11y.SCOPE_NOT_FOUND"], "tool-failure": ["a11y.scope_not_found"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "a11y.ENGINE_FAILED", "registry": "stagewright", "domain": "a11y", "class": "internal", "http": 500, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 2}, "effect": "none", "severity": "error", "hint": "Wait for the renderer to settle, then retry or audit a narrower surface.", "said": "Wait for the renderer to settle, then retry or audit a narrower surface.", "spelled": {"native": ["a11y.ENGINE_FAILED"], "stagewright": ["a11y.ENGINE_FAILED"], "tool-failure": ["a11y.engine_failed"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "clock.UNSUPPORTED", "registry": "stagewright", "domain": "clock", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "This transport cannot control the clock; use the default Playwright launch transport.", "said": "This transport cannot control the clock; use the default Playwright launch transport.", "spelled": {"native": ["clock.UNSUPPORTED"], "stagewright": ["clock.UNSUPPORTED"], "tool-failure": ["clock.unsupported"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "clock.NOT_INSTALLED", "registry": "stagewright", "domain": "clock", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "No fake clock is installed on this session; call clock_install first.", "said": "No fake clock is installed on this session; call clock_install first.", "spelled": {"native": ["clock.NOT_INSTALLED"], "stagewright": ["clock.NOT_INSTALLED"], "tool-failure": ["clock.not_installed"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "ipc.EVAL_REQUIRED", "registry": "stagewright", "domain": "ipc", "class": "permission_denied", "http": 403, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Start the server with --allow-eval=main (or bare --allow-eval); IPC instrumentation runs main-process JS.", "said": "Start the server with --allow-eval=main (or bare --allow-eval); IPC instrumentation runs main-process JS.", "spelled": {"native": ["ipc.EVAL_REQUIRED"], "stagewright": ["ipc.EVAL_REQUIRED"], "tool-failure": ["ipc.eval_required"]}, "rpc": {"number": 4201, "domain": "authorization"}},
  {"code": "ipc.MAIN_EVAL_UNSUPPORTED", "registry": "stagewright", "domain": "ipc", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "This transport cannot evaluate in the main process; IPC capture/invoke needs that.", "said": "This transport cannot evaluate in the main process; IPC capture/invoke needs that.", "spelled": {"native": ["ipc.MAIN_EVAL_UNSUPPORTED"], "stagewright": ["ipc.MAIN_EVAL_UNSUPPORTED"], "tool-failure": ["ipc.main_eval_unsupported"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "ipc.ALREADY_CAPTURING", "registry": "stagewright", "domain": "ipc", "class": "already_exists", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "An IPC capture is already active; call ipc_capture_stop first.", "said": "An IPC capture is already active; call ipc_capture_stop first.", "spelled": {"native": ["ipc.ALREADY_CAPTURING"], "stagewright": ["ipc.ALREADY_CAPTURING"], "tool-failure": ["ipc.already_capturing"]}, "rpc": {"number": 4301, "domain": "resource"}},
  {"code": "ipc.NOT_CAPTURING", "registry": "stagewright", "domain": "ipc", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "No active IPC capture; call ipc_capture_start first.", "said": "No active IPC capture; call ipc_capture_start first.", "spelled": {"native": ["ipc.NOT_CAPTURING"], "stagewright": ["ipc.NOT_CAPTURING"], "tool-failure": ["ipc.not_capturing"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "ipc.CHANNEL_NOT_ALLOWED", "registry": "stagewright", "domain": "ipc", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "The channel is not in the relevant allowlist; for capture/stub add it to ipc_capture_start channels, for ipc_invoke add it to the invokeAllow config.", "said": "The channel is not in the relevant allowlist; for capture/stub add it to ipc_capture_start channels, for ipc_invoke add it to the invokeAllow config.", "spelled": {"native": ["ipc.CHANNEL_NOT_ALLOWED"], "stagewright": ["ipc.CHANNEL_NOT_ALLOWED"], "tool-failure": ["ipc.channel_not_allowed"]}, "rpc": {"number": 4201, "domain": "authorization"}},
  {"code": "ipc.INVOKE_FAILED", "registry": "stagewright", "domain": "ipc", "class": "failed_precondition", "http": 422, "retry": {"kind": "after_change"}, "effect": "unknown", "severity": "error", "hint": "The channel had no handler, the handler threw, or it timed out.", "said": "The channel had no handler, the handler threw, or it timed out.", "spelled": {"native": ["ipc.INVOKE_FAILED"], "stagewright": ["ipc.INVOKE_FAILED"], "tool-failure": ["ipc.invoke_failed"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "native.UNSUPPORTED", "registry": "stagewright", "domain": "native", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "This transport cannot access the native UI; use the default Playwright launch transport.", "said": "This transport cannot access the native UI; use the default Playwright launch transport.", "spelled": {"native": ["native.UNSUPPORTED"], "stagewright": ["native.UNSUPPORTED"], "tool-failure": ["native.unsupported"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "native.ALREADY_CAPTURING", "registry": "stagewright", "domain": "native", "class": "already_exists", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Notification capture is already active on this session; call native_notifications_stop first.", "said": "Notification capture is already active on this session; call native_notifications_stop first.", "spelled": {"native": ["native.ALREADY_CAPTURING"], "stagewright": ["native.ALREADY_CAPTURING"], "tool-failure": ["native.already_capturing"]}, "rpc": {"number": 4301, "domain": "resource"}},
  {"code": "native.NOT_CAPTURING", "registry": "stagewright", "domain": "native", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "No active notification capture on this session; call native_notifications_start first.", "said": "No active notification capture on this session; call native_notifications_start first.", "spelled": {"native": ["native.NOT_CAPTURING"], "stagewright": ["native.NOT_CAPTURING"], "tool-failure": ["native.not_capturing"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "native.NOT_INSTRUMENTED", "registry": "stagewright", "domain": "native", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "This session was not launched with native instrumentation; relaunch with electron_launch { instrumentNative: true }.", "said": "This session was not launched with native instrumentation; relaunch with electron_launch { instrumentNative: true }.", "spelled": {"native": ["native.NOT_INSTRUMENTED"], "stagewright": ["native.NOT_INSTRUMENTED"], "tool-failure": ["native.not_instrumented"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "network.UNSUPPORTED", "registry": "stagewright", "domain": "network", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "This transport cannot intercept network traffic; use a Playwright launch session or a CDP attach session.", "said": "This transport cannot intercept network traffic; use a Playwright launch session or a CDP attach session.", "spelled": {"native": ["network.UNSUPPORTED"], "stagewright": ["network.UNSUPPORTED"], "tool-failure": ["network.unsupported"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "network.ALREADY_CAPTURING", "registry": "stagewright", "domain": "network", "class": "already_exists", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "A network capture is already active on this session; call network_capture_stop first.", "said": "A network capture is already active on this session; call network_capture_stop first.", "spelled": {"native": ["network.ALREADY_CAPTURING"], "stagewright": ["network.ALREADY_CAPTURING"], "tool-failure": ["network.already_capturing"]}, "rpc": {"number": 4301, "domain": "resource"}},
  {"code": "network.NOT_CAPTURING", "registry": "stagewright", "domain": "network", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "No active network capture on this session; call network_capture_start first.", "said": "No active network capture on this session; call network_capture_start first.", "spelled": {"native": ["network.NOT_CAPTURING"], "stagewright": ["network.NOT_CAPTURING"], "tool-failure": ["network.not_capturing"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "production.APP_NOT_FOUND", "registry": "stagewright", "domain": "production", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "No file or directory at appPath; pass the absolute path to the packaged release artifact.", "similar": "path", "said": "No file or directory at appPath; pass the absolute path to the packaged release artifact.", "spelled": {"native": ["production.APP_NOT_FOUND"], "stagewright": ["production.APP_NOT_FOUND"], "tool-failure": ["production.app_not_found"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "production.NOT_A_BUNDLE", "registry": "stagewright", "domain": "production", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "A macOS .app is a bundle directory; appPath pointed at a non-directory.", "said": "A macOS .app is a bundle directory; appPath pointed at a non-directory.", "spelled": {"native": ["production.NOT_A_BUNDLE"], "stagewright": ["production.NOT_A_BUNDLE"], "tool-failure": ["production.not_a_bundle"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "production.UNSUPPORTED_ARTIFACT", "registry": "stagewright", "domain": "production", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Pass a macOS .app directory, Windows .exe/.msi file, or Linux .AppImage file.", "said": "Pass a macOS .app directory, Windows .exe/.msi file, or Linux .AppImage file.", "spelled": {"native": ["production.UNSUPPORTED_ARTIFACT"], "stagewright": ["production.UNSUPPORTED_ARTIFACT"], "tool-failure": ["production.unsupported_artifact"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "storage.UNSUPPORTED", "registry": "stagewright", "domain": "storage", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "This transport cannot access storage; use the default Playwright launch transport or a CDP attach session.", "said": "This transport cannot access storage; use the default Playwright launch transport or a CDP attach session.", "spelled": {"native": ["storage.UNSUPPORTED"], "stagewright": ["storage.UNSUPPORTED"], "tool-failure": ["storage.unsupported"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "storage.EVAL_REQUIRED", "registry": "stagewright", "domain": "storage", "class": "permission_denied", "http": 403, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Per-key localStorage/sessionStorage and IndexedDB tools run renderer JS; start the server with --allow-eval=renderer (or bare --allow-eval).", "said": "Per-key localStorage/sessionStorage and IndexedDB tools run renderer JS; start the server with --allow-eval=renderer (or bare --allow-eval).", "spelled": {"native": ["storage.EVAL_REQUIRED"], "stagewright": ["storage.EVAL_REQUIRED"], "tool-failure": ["storage.eval_required"]}, "rpc": {"number": 4201, "domain": "authorization"}},
  {"code": "storage.ACCESS_FAILED", "registry": "stagewright", "domain": "storage", "class": "failed_precondition", "http": 422, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "The renderer could not read or write the storage area (e.g. quota exceeded or an opaque origin).", "said": "The renderer could not read or write the storage area (e.g. quota exceeded or an opaque origin).", "spelled": {"native": ["storage.ACCESS_FAILED"], "stagewright": ["storage.ACCESS_FAILED"], "tool-failure": ["storage.access_failed"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "storage.NOT_FOUND", "registry": "stagewright", "domain": "storage", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "The named IndexedDB database or object store does not exist; this plugin operates on existing databases/stores only.", "similar": "name", "said": "The named IndexedDB database or object store does not exist; this plugin operates on existing databases/stores only.", "spelled": {"native": ["storage.NOT_FOUND"], "stagewright": ["storage.NOT_FOUND"], "tool-failure": ["storage.not_found"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "trace.ALREADY_RECORDING", "registry": "stagewright", "domain": "trace", "class": "already_exists", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "A trace is already recording; call trace_stop first.", "said": "A trace is already recording; call trace_stop first.", "spelled": {"native": ["trace.ALREADY_RECORDING"], "stagewright": ["trace.ALREADY_RECORDING"], "tool-failure": ["trace.already_recording"]}, "rpc": {"number": 4301, "domain": "resource"}},
  {"code": "trace.NOT_RECORDING", "registry": "stagewright", "domain": "trace", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "No active trace; call trace_start first.", "said": "No active trace; call trace_start first.", "spelled": {"native": ["trace.NOT_RECORDING"], "stagewright": ["trace.NOT_RECORDING"], "tool-failure": ["trace.not_recording"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "trace.ARTIFACT_NOT_FOUND", "registry": "stagewright", "domain": "trace", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "No trace artifact at the given path.", "similar": "path", "said": "No trace artifact at the given path.", "spelled": {"native": ["trace.ARTIFACT_NOT_FOUND"], "stagewright": ["trace.ARTIFACT_NOT_FOUND"], "tool-failure": ["trace.artifact_not_found"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "trace.ARTIFACT_INVALID", "registry": "stagewright", "domain": "trace", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "The trace artifact is not valid JSONL.", "said": "The trace artifact is not valid JSONL.", "spelled": {"native": ["trace.ARTIFACT_INVALID"], "stagewright": ["trace.ARTIFACT_INVALID"], "tool-failure": ["trace.artifact_invalid"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "trace.ARTIFACT_WRITE_FAILED", "registry": "stagewright", "domain": "trace", "class": "internal", "http": 500, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 2}, "effect": "unknown", "severity": "error", "hint": "The trace artifact could not be written; check the path and permissions, then retry the trace operation.", "said": "The trace artifact could not be written; check the path and permissions, then retry the trace operation.", "spelled": {"native": ["trace.ARTIFACT_WRITE_FAILED"], "stagewright": ["trace.ARTIFACT_WRITE_FAILED"], "tool-failure": ["trace.artifact_write_failed"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "trace.BUDGET_EXCEEDED", "registry": "stagewright", "domain": "trace", "class": "resource_exhausted", "http": 429, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "The recording’s token budget is exhausted; call trace_stop or start a new trace with a higher budgetTokens.", "said": "The recording’s token budget is exhausted; call trace_stop or start a new trace with a higher budgetTokens.", "spelled": {"native": ["trace.BUDGET_EXCEEDED"], "stagewright": ["trace.BUDGET_EXCEEDED"], "tool-failure": ["trace.budget_exceeded"]}, "rpc": {"number": 1002, "domain": "common"}},
  {"code": "visual.UNSUPPORTED", "registry": "stagewright", "domain": "visual", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use a Playwright launch session with renderer evaluation and surface targeting.", "said": "Use a Playwright launch session with renderer evaluation and surface targeting.", "spelled": {"native": ["visual.UNSUPPORTED"], "stagewright": ["visual.UNSUPPORTED"], "tool-failure": ["visual.unsupported"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "visual.SURFACE_UNSUPPORTED", "registry": "stagewright", "domain": "visual", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Select a BrowserWindow surface; frame, webview, and WebContentsView screenshots are not approximated.", "said": "Select a BrowserWindow surface; frame, webview, and WebContentsView screenshots are not approximated.", "spelled": {"native": ["visual.SURFACE_UNSUPPORTED"], "stagewright": ["visual.SURFACE_UNSUPPORTED"], "tool-failure": ["visual.surface_unsupported"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "visual.INVALID_SELECTOR", "registry": "stagewright", "domain": "visual", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Correct the visual mask selector and retry.", "said": "Correct the visual mask selector and retry.", "spelled": {"native": ["visual.INVALID_SELECTOR"], "stagewright": ["visual.INVALID_SELECTOR"], "tool-failure": ["visual.invalid_selector"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "visual.UNSTABLE", "registry": "stagewright", "domain": "visual", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 3}, "effect": "none", "severity": "error", "hint": "Wait for the UI to settle or increase settleMs, then retry.", "said": "Wait for the UI to settle or increase settleMs, then retry.", "spelled": {"native": ["visual.UNSTABLE"], "stagewright": ["visual.UNSTABLE"], "tool-failure": ["visual.unstable"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "visual.CAPTURE_FAILED", "registry": "stagewright", "domain": "visual", "class": "internal", "http": 500, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 2}, "effect": "none", "severity": "error", "hint": "Confirm the selected BrowserWindow is live and retry the capture.", "said": "Confirm the selected BrowserWindow is live and retry the capture.", "spelled": {"native": ["visual.CAPTURE_FAILED"], "stagewright": ["visual.CAPTURE_FAILED"], "tool-failure": ["visual.capture_failed"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "visual.IMAGE_TOO_LARGE", "registry": "stagewright", "domain": "visual", "class": "invalid_argument", "http": 413, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use a smaller viewport or fullPage: false so visual artifacts remain bounded.", "said": "Use a smaller viewport or fullPage: false so visual artifacts remain bounded.", "spelled": {"native": ["visual.IMAGE_TOO_LARGE"], "stagewright": ["visual.IMAGE_TOO_LARGE"], "tool-failure": ["visual.image_too_large"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "visual.PATH_INVALID", "registry": "stagewright", "domain": "visual", "class": "invalid_argument", "http": 400, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Use a safe baseline name and configured absolute artifact or baseline roots.", "said": "Use a safe baseline name and configured absolute artifact or baseline roots.", "spelled": {"native": ["visual.PATH_INVALID"], "stagewright": ["visual.PATH_INVALID"], "tool-failure": ["visual.path_invalid"]}, "rpc": {"number": 1000, "domain": "common"}},
  {"code": "visual.BASELINE_NOT_FOUND", "registry": "stagewright", "domain": "visual", "class": "not_found", "http": 404, "retry": {"kind": "after_state"}, "effect": "none", "severity": "error", "hint": "Review the capture, then create it explicitly with visual_update_baseline.", "said": "Review the capture, then create it explicitly with visual_update_baseline.", "spelled": {"native": ["visual.BASELINE_NOT_FOUND"], "stagewright": ["visual.BASELINE_NOT_FOUND"], "tool-failure": ["visual.baseline_not_found"]}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "visual.BASELINE_INVALID", "registry": "stagewright", "domain": "visual", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Restore a matching baseline PNG and metadata sidecar from version control.", "said": "Restore a matching baseline PNG and metadata sidecar from version control.", "spelled": {"native": ["visual.BASELINE_INVALID"], "stagewright": ["visual.BASELINE_INVALID"], "tool-failure": ["visual.baseline_invalid"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "visual.ENV_MISMATCH", "registry": "stagewright", "domain": "visual", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Match the baseline platform, viewport, DPR, Electron version, locale, color scheme, and font fingerprint before comparison.", "said": "Match the baseline platform, viewport, DPR, Electron version, locale, color scheme, and font fingerprint before comparison.", "spelled": {"native": ["visual.ENV_MISMATCH"], "stagewright": ["visual.ENV_MISMATCH"], "tool-failure": ["visual.env_mismatch"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "visual.MISMATCH", "registry": "stagewright", "domain": "visual", "class": "failed_precondition", "http": 409, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Inspect the actual and diff artifacts; update a baseline only after intentional review.", "said": "Inspect the actual and diff artifacts; update a baseline only after intentional review.", "spelled": {"native": ["visual.MISMATCH"], "stagewright": ["visual.MISMATCH"], "tool-failure": ["visual.mismatch"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "visual.WRITE_FAILED", "registry": "stagewright", "domain": "visual", "class": "internal", "http": 500, "retry": {"kind": "after_delay", "after_ms": 1000, "max": 2}, "effect": "unknown", "severity": "error", "hint": "Check that configured visual roots are writable and retry.", "said": "Check that configured visual roots are writable and retry.", "spelled": {"native": ["visual.WRITE_FAILED"], "stagewright": ["visual.WRITE_FAILED"], "tool-failure": ["visual.write_failed"]}, "rpc": {"number": 4900, "domain": "service"}},
  {"code": "AUTH_REQUIRED", "registry": "mailvault", "domain": "gmail", "class": "unauthenticated", "http": 401, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the user to run that command, then repeat the call.", "said": "Gmail OAuth token missing or expired. Run 'python3 scripts/gmail_auth.py' to authenticate.", "spelled": {}, "rpc": {"number": 4203, "domain": "authorization"}},
  {"code": "RATE_LIMITED", "registry": "mailvault", "domain": "gmail", "class": "resource_exhausted", "http": 429, "retry": {"kind": "after_delay", "after_ms": 60000}, "effect": "none", "severity": "warning", "hint": "Wait for retry_after seconds, then repeat the call.", "said": "Gmail API rate limit hit", "spelled": {}, "rpc": {"number": 1002, "domain": "common"}},
  {"code": "SEND_FAILED", "registry": "mailvault", "domain": "gmail", "class": "unavailable", "http": 502, "retry": {"kind": "after_human"}, "effect": "unknown", "severity": "error", "hint": "Check the sent mail, and ask the user before you send again.", "said": "Gmail did not accept the message for sending.", "spelled": {"mailvault": ["send_failed"], "native": ["SEND_FAILED"], "tool-failure": ["send_failed"]}, "rpc": {"number": 4800, "domain": "upstream"}},
  {"code": "PERMISSION_DENIED", "registry": "mailvault", "domain": "obsidian", "class": "permission_denied", "http": 403, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "Give a path relative to the vault's root, and inside it.", "said": "The path is outside the vault.", "spelled": {"native": ["PERMISSION_DENIED"]}, "rpc": {"number": 2500, "domain": "filesystem"}},
  {"code": "PARSE_ERROR", "registry": "mailvault", "domain": "obsidian", "class": "failed_precondition", "http": 422, "retry": {"kind": "after_human"}, "effect": "none", "severity": "error", "hint": "Ask the user to repair the frontmatter of the note.", "said": "The frontmatter of the note is corrupt.", "spelled": {"mailvault": ["parse_error"], "native": ["PARSE_ERROR"], "tool-failure": ["parse_error"]}, "rpc": {"number": 4302, "domain": "resource"}},
  {"code": "NOT_FOUND", "registry": "mailvault", "domain": "shared", "class": "not_found", "http": 404, "retry": {"kind": "after_change"}, "effect": "none", "severity": "error", "hint": "List or search first, then use an id or path from the result.", "similar": "path", "said": "There is no such email, note or directory.", "spelled": {}, "rpc": {"number": 4300, "domain": "resource"}},
  {"code": "MCP_UNAVAILABLE", "registry": "mailvault", "domain": "shared", "class": "unavailable", "http": 503, "retry": {"kind": "after_delay", "after_ms": 5000, "max": 3}, "effect": "unknown", "severity": "error", "hint": "Wait a moment, check whether the call took effect, then try again.", "said": "The server did not answer.", "spelled": {"native": ["MCP_UNAVAILABLE"], "tool-failure": ["mcp_unavailable"]}, "rpc": {"number": 4800, "domain": "upstream"}},
  {"code": "INTERNAL_ERROR", "registry": "mailvault", "domain": "shared", "class": "internal", "http": 500, "retry": {"kind": "never"}, "effect": "unknown", "severity": "error", "hint": "Check whether the call took effect, and tell the user about it.", "said": "Something unexpected went wrong in the server.", "spelled": {}, "rpc": {"number": 4900, "domain": "service"}},
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
const CARD_LINES: readonly { readonly line: string; readonly retry: RetryKind; readonly effect: Effect; readonly class: Class | null }[] = [
  {"line": "Retry: now, with the same call. Nothing was changed.", "retry": "now", "effect": "none", "class": null},
  {"line": "Retry: now, with the same call. It may have taken effect: check before you repeat it.", "retry": "now", "effect": "unknown", "class": null},
  {"line": "Retry: now, with the same call. A part of it may have been done.", "retry": "now", "effect": "partial", "class": null},
  {"line": "Retry: now, with the same call. It was done; do not repeat it.", "retry": "now", "effect": "done", "class": null},
  {"line": "Retry: the same call after a while. Nothing was changed.", "retry": "after_delay", "effect": "none", "class": null},
  {"line": "Retry: the same call after {delay}. Nothing was changed.", "retry": "after_delay", "effect": "none", "class": null},
  {"line": "Retry: the same call after a while. It may have taken effect: check before you repeat it.", "retry": "after_delay", "effect": "unknown", "class": null},
  {"line": "Retry: the same call after {delay}. It may have taken effect: check before you repeat it.", "retry": "after_delay", "effect": "unknown", "class": null},
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
  {"line": "Retry: not as it is, nobody knows why it failed. Nothing was changed.", "retry": "never", "effect": "none", "class": "unknown"},
  {"line": "Retry: not as it is, the fault lies with the server. Nothing was changed.", "retry": "never", "effect": "none", "class": "internal"},
  {"line": "Retry: never, it cannot succeed. It may have taken effect.", "retry": "never", "effect": "unknown", "class": null},
  {"line": "Retry: not as it is, nobody knows why it failed. It may have taken effect.", "retry": "never", "effect": "unknown", "class": "unknown"},
  {"line": "Retry: not as it is, the fault lies with the server. It may have taken effect.", "retry": "never", "effect": "unknown", "class": "internal"},
  {"line": "Retry: never, it cannot succeed. A part of it may have been done.", "retry": "never", "effect": "partial", "class": null},
  {"line": "Retry: not as it is, nobody knows why it failed. A part of it may have been done.", "retry": "never", "effect": "partial", "class": "unknown"},
  {"line": "Retry: not as it is, the fault lies with the server. A part of it may have been done.", "retry": "never", "effect": "partial", "class": "internal"},
  {"line": "Retry: never, it cannot succeed. It was done; do not repeat it.", "retry": "never", "effect": "done", "class": null},
  {"line": "Retry: not as it is, nobody knows why it failed. It was done; do not repeat it.", "retry": "never", "effect": "done", "class": "unknown"},
  {"line": "Retry: not as it is, the fault lies with the server. It was done; do not repeat it.", "retry": "never", "effect": "done", "class": "internal"},
];

/** Where each dialect keeps what, as keys from the document down. */
const PLACES: { readonly [dialect in Dialect]: { readonly [member: string]: readonly string[] } } = {
  "native": {"code": ["code"], "context.invariant_id": ["context", "invariant_id"], "context.phase_id": ["context", "phase_id"], "context.plan_hash": ["context", "plan_hash"], "context.request_id": ["context", "request_id"], "context.role": ["context", "role"], "context.server": ["context", "server"], "context.session_id": ["context", "session_id"], "context.tool": ["context", "tool"], "context.trace_id": ["context", "trace_id"], "context.workspace_root": ["context", "workspace_root"], "details": ["details"], "elapsed_ms": ["elapsed_ms"], "hint": ["hint"], "http": ["http"], "message": ["message"], "next_actions": ["next_actions"], "not_before": ["retry", "not_before"], "similar_refs": ["similar_refs"], "timestamp": ["timestamp"]},
  "atlas-gate": {"cause": ["cause"], "code": ["error_code"], "context.invariant_id": ["invariant_id"], "context.phase_id": ["phase_id"], "context.plan_hash": ["plan_hash"], "context.role": ["role"], "context.session_id": ["session_id"], "context.tool": ["tool_name"], "context.workspace_root": ["workspace_root"], "message": ["human_message"], "stack": ["stack_trace"], "timestamp": ["timestamp"]},
  "workrail": {"code": ["code"], "details": ["details"], "hint": ["suggestion"], "message": ["message"]},
  "rpc": {"code": ["error", "data", "symbol"], "details": ["error", "data", "details"], "message": ["error", "message"], "stack": ["error", "data", "stack"]},
  "stagewright": {"code": ["code"], "context.session_id": ["_meta", "session_id"], "details": ["details"], "elapsed_ms": ["_meta", "elapsed_ms"], "hint": ["hint"], "http": ["http"], "message": ["error"], "next_actions": ["next_actions"], "similar_refs": ["similar_refs"]},
  "mailvault": {"code": ["error"], "details": ["details"], "message": ["message"]},
  "tool-failure": {"code": ["code"], "context.request_id": ["correlationId"], "hint": ["agentGuidance"], "not_before": ["retryNotBefore"]},
};

/** The classes of the open proposal: which of ours they are, and which stands for the rest. */
const GROUPS: { readonly [group: string]: { readonly class: Class; readonly classes: readonly Class[] } } = {
  "capability": {"class": "unimplemented", "classes": ["invalid_argument", "not_found", "already_exists", "failed_precondition", "out_of_range", "unimplemented"]},
  "governance": {"class": "permission_denied", "classes": ["permission_denied", "unauthenticated"]},
  "reliability": {"class": "unavailable", "classes": ["cancelled", "unknown", "deadline_exceeded", "resource_exhausted", "aborted", "internal", "unavailable", "data_loss"]},
};

const DETECTED: readonly Dialect[] = ["rpc", "stagewright", "atlas-gate", "tool-failure", "workrail", "mailvault", "native"];
const RETRY_KINDS: readonly RetryKind[] = ["now", "after_delay", "after_change", "after_state", "after_human", "never"];
const EFFECTS: readonly Effect[] = ["none", "unknown", "partial", "done"];
const ORIGINS: readonly Origin[] = ["tool", "server", "gate", "client"];
const SEVERITIES: readonly Severity[] = ["info", "warning", "error", "critical"];
const ENVELOPE: readonly string[] = ["message", "hint", "class", "http", "retry", "effect", "origin", "domain", "number", "severity", "next_actions", "similar_refs", "violations", "details", "server_text", "context", "timestamp", "elapsed_ms", "estimated_tokens", "ledger"];
const CONTEXT: readonly (keyof Context)[] = ["server", "tool", "request_id", "session_id", "role", "workspace_root", "phase_id", "plan_hash", "invariant_id", "trace_id"];

const ROWS: readonly Known[] = [...Object.values(CODES), ...OTHERS];

const SPELLED: { readonly [dialect in Dialect]: ReadonlyMap<string, Known> } = index();

function index(): { [dialect in Dialect]: Map<string, Known> } {
  const all = Object.fromEntries(Object.keys(PLACES).map((it) => [it, new Map<string, Known>()]));
  for (const row of ROWS) {
    for (const [dialect, spellings] of Object.entries(row.spelled)) {
      for (const spelling of spellings) all[dialect]?.set(spelling, row);
    }
  }
  return all as { [dialect in Dialect]: Map<string, Known> };
}
