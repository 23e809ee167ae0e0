// The error codes of @@name@@ @@version@@: types, facts, failures to make, a reader of every dialect, and the decision after a failure.
// Written by `redress registry export --format typescript`; not to be edited.

/** The registry that this file was written from. */
export const REGISTRY = { name: @@name_text@@, version: @@version_text@@ } as const;

/** The codes of the registry. */
export type Code =
// @@codes@@

/** A code of the registry, or one that a server or a plugin brings along. */
export type AnyCode = Code | (string & {});

/** What a client does with a code that it does not know. */
export type Class = @@classes@@;

/** When the same call may be made again. */
export type RetryKind = @@retry_kinds@@;

/** Whether the failed call may have changed something. */
export type Effect = @@effects@@;

/** How bad it is for the operator. */
export type Severity = @@severities@@;

/** Who failed. */
export type Origin = @@origins@@;

/** A shape of envelope. */
export type Dialect = @@dialects@@;

/** The members of `details` that each code declares. A server may leave them out, or say more. */
export interface Details {
// @@details@@
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
// @@context_members@@
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
const FAULT_KEY = @@fault_key@@;
/** Where the open proposal puts its envelope. */
const TOOL_FAILURE_KEY = @@tool_failure_key@@;
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
const FULL_CODE = new RegExp(@@full_code@@);
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
function shown({ untrusted, max_chars = @@max_shown_chars@@ }: Param, value: Json): string {
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
  const isSmall = (it: Json) => bytes(JSON.stringify(it)) <= @@max_part_bytes@@;
  const isShort = (it: NextAction) => bytes(typeof it === 'string' ? it : it.tool + (it.args ? JSON.stringify(it.args) : '')) <= @@max_part_bytes@@;
  const context = Object.entries(fault.context).map(([name, it]) => [name, cut(String(it), @@max_context_chars@@)]);
  const short: Fault = {
    ...fault,
    message: cut(fault.message, @@max_message_chars@@),
    hint: cut(fault.hint, @@max_hint_chars@@),
    similar_refs: fault.similar_refs.filter(isSmall).slice(0, @@max_similar@@),
    next_actions: fault.next_actions.filter(isShort).slice(0, @@max_next@@),
    violations: fault.violations.filter(isSmall).slice(0, @@max_violations@@),
    context: Object.fromEntries(context) as Context,
  };
  if (fault.server_text !== undefined) short.server_text = gist(strip(fault.server_text), @@max_server_text_chars@@);
  if (fault.timestamp !== undefined) short.timestamp = cut(fault.timestamp, @@max_context_chars@@);
  if (fault.details !== undefined && bytes(JSON.stringify(fault.details)) > @@max_details_bytes@@) short.details = boundedDetails(fault.details);
  short.estimated_tokens = Math.ceil((length(card(short)) * 10) / 32);
  return short;
}

/** As many members as fit, in order, and a note that some are missing. */
function boundedDetails(details: Json): Json {
  const kept: [string, Json][] = [];
  let size = 1;
  for (const [key, value] of isObject(details) ? Object.entries(details) : []) {
    size += bytes(JSON.stringify(key)) + bytes(JSON.stringify(value)) + 2;
    if (size + ',"truncated":true}'.length > @@max_details_bytes@@) break;
    kept.push([key, value]);
  }
  return Object.fromEntries([...kept, ['truncated', true]]) as JsonObject;
}

/** The card of a fault: what a model reads. What matters least is cut first. */
export function card(fault: Fault): string {
  let text = `${fault.code}: ${cut(strip(fault.message), @@max_message_chars@@)}\n${retryLine(fault)}`;
  const add = (more: string) => {
    if (length(text) + length(more) <= @@max_card_chars@@) text += more;
  };
  const room = @@max_card_chars@@ - length(text) - '\nFix: '.length;
  const hint = cut(strip(fault.hint), Math.min(Math.max(room, @@min_hint_chars@@), @@max_hint_chars@@));
  if (hint !== '') {
    text += `\nFix: ${hint}`;
    add(expected(fault));
    add(didYouMean(fault));
  }
  for (const it of fault.next_actions.slice(0, @@max_next@@)) {
    add(`\nNext: ${typeof it === 'string' ? strip(it) : it.tool + (it.args ? ` ${JSON.stringify(it.args)}` : '')}`);
  }
  if (fault.server_text !== undefined) text += serverLine(fault.server_text, @@max_card_chars@@ - length(text));
  return cut(text, @@max_card_chars@@);
}

/** The line on what a repeat is good for, and what the call has done. */
function retryLine(fault: Fault): string {
  const { kind, after_ms } = fault.retry;
  const hasDelay = kind === 'after_delay' && after_ms !== undefined;
  const fits = CARD_LINES.filter((it) => it.retry === kind && it.effect === fault.effect && it.line.includes('{delay}') === hasDelay);
  const { line } = fits.find((it) => it.class === fault.class) ?? fits.find((it) => it.class === null) ?? { line: '' };
  const names = wrongArguments(fault).map((it) => strip(it.replace(/^\/+/, ''))).filter((it) => it !== '');
  const list = cut(names.slice(0, @@max_similar_shown@@).join(', '), 60);
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
  const known = violations.filter((it) => typeof it['expected'] === 'string').slice(0, @@max_similar_shown@@);
  const all = known.map((it) => {
    const name = strip(it.pointer.replace(/^\/+/, ''));
    const what = cut(strip(String(it['expected'])), 60);
    return name === '' ? what : `${name}: ${what}`;
  });
  return all.length === 0 ? '' : ` Expected ${all.join('; ')}.`;
}

/** What may have been meant, as a sentence after another one. */
function didYouMean({ similar_refs }: Fault): string {
  const names = similar_refs.slice(0, @@max_similar_shown@@).map((it) => cut(strip(plain(it.ref)), 60));
  const last = names.pop();
  if (last === undefined) return '';
  return names.length === 0 ? ` Did you mean ${last}?` : ` Did you mean ${names.join(', ')} or ${last}?`;
}

/** What a foreign server wrote, in quotes, as far as there is room. */
function serverLine(text: string, left: number): string {
  const label = '\nServer said: ';
  const room = Math.max(0, left - label.length - 2);
  if (room < @@min_server_text_chars@@) return '';
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
const MARKS: readonly (readonly string[])[] = @@marks@@;
/** Of whose marks the last one tells. */
const LAST_TELLS = @@last_tells@@;

/** At most so many characters, chosen for what they tell: the start and, after `…`, the place further on that tells of a failure, else the end. */
function gist(text: string, most: number): string {
  const chars = [...text];
  const count = chars.length;
  if (count <= most || most < @@min_gist_chars@@) return cut(text, most);
  const slice = (from: number, to: number) => chars.slice(from, to).join('').replace(/^ +| +$/g, '');
  const wholeWords = (from: number, to: number) => {
    const space = chars.slice(Math.max(from, to - @@longest_word@@), to).lastIndexOf(' ');
    return to >= count || chars[to] === ' ' || space < 0 ? to : Math.max(from, to - @@longest_word@@) + space;
  };
  const room = most - 3;
  const told = telling(text, chars, Math.floor(most / 3));
  const tail = told === undefined ? Math.floor((room * 2) / 5) : Math.min(count - told, Math.floor((room * 3) / 5));
  const head = room - tail;
  let start = told ?? count - tail;
  if (start <= head) return `${slice(0, wholeWords(0, most - 1))}…`;
  const end = start + tail < count ? wholeWords(start, start + tail - 1) : count;
  const space = chars.slice(start, Math.min(end, start + @@longest_word@@)).indexOf(' ');
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
    const isShort = length(text.slice(word, at)) <= @@longest_word@@;
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

export const POLICY: Policy = { attempts: @@attempts@@, firstPauseMs: @@first_pause_ms@@, longestWaitMs: @@longest_wait_ms@@ };

/** Why a call is given up. */
export type StopReason = @@stop_reasons@@;

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
    this.capacity = rule.capacity ?? @@capacity@@;
    this.perSuccess = rule.perSuccess ?? @@per_success@@;
    this.perSecond = rule.perSecond ?? @@per_second@@;
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
// @@rows@@
};

/** The tools that the registry knows. */
export const TOOLS: { readonly [tool: string]: Tool } = {
// @@tools@@
};

/** The decision table. The first row that fits decides. */
export const DECISIONS: readonly Rule[] = [
// @@decisions@@
];

const LAST: Rule = { id: 'cannot_succeed', when: {}, do: 'stop', why: 'cannot_succeed', because: '' };

/** The codes of other registries, which a server may use all the same. */
const OTHERS: readonly Known[] = [
// @@others@@
];

/** What is known about a code of which only the class is known. */
export const CLASSES: { readonly [name in Class]: { readonly http: number; readonly retry: RetryKind } } = {
// @@by_class@@
};

/** The second line of a card, for each rule and effect. */
const CARD_LINES: readonly { readonly line: string; readonly retry: RetryKind; readonly effect: Effect; readonly class: Class | null }[] = [
// @@card_lines@@
];

/** Where each dialect keeps what, as keys from the document down. */
const PLACES: { readonly [dialect in Dialect]: { readonly [member: string]: readonly string[] } } = {
// @@places@@
};

/** The classes of the open proposal: which of ours they are, and which stands for the rest. */
const GROUPS: { readonly [group: string]: { readonly class: Class; readonly classes: readonly Class[] } } = {
// @@groups@@
};

const DETECTED: readonly Dialect[] = @@detected_list@@;
const RETRY_KINDS: readonly RetryKind[] = @@retry_kinds_list@@;
const EFFECTS: readonly Effect[] = @@effects_list@@;
const ORIGINS: readonly Origin[] = @@origins_list@@;
const SEVERITIES: readonly Severity[] = @@severities_list@@;
const ENVELOPE: readonly string[] = @@envelope_list@@;
const CONTEXT: readonly (keyof Context)[] = @@context_list@@;

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
