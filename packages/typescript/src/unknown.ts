// Any thrown value as a fault. Nothing here throws.
import { FaultError } from './error.ts';
import { CONTEXT } from './facts.ts';
import { errorCopy, isObject, read, safeJson, textOf } from './json.ts';
import { raise } from './make.ts';
import { parse } from './parse.ts';
import { redact, redactJson } from './redact.ts';
import { SHIPPED_LOOKUP, type Lookup } from './rows.ts';
import { matching } from './taught.ts';
import { cut, strip } from './text.ts';
import { httpCode, noAnswer, systemCode } from './thrown.ts';
import type { Context, Fault, Json, Row } from './types.ts';

/** The longest cause and the deepest chain of causes that a fault keeps. */
const MAX_CAUSE_CHARS = 500;
const MAX_CAUSES = 8;
export interface UnknownOptions {
  /** The code to use where the value names none; `INTERNAL_ERROR` if absent. */
  code?: string;
  /** Where it happened. A fault keeps its own, and gets what it lacks. */
  context?: Context;
  lookup?: Lookup;
}

/**
 * A fault for any thrown value: a `FaultError` or a fault keeps its own code; an error, object or text with a code of the contract, in
 * any dialect, has that code; one whose words a taught row of the contract covers has the code of the row; an error of the operating system, of an HTTP client or of a connection has the code of `core` that means
 * the same; the rest is `INTERNAL_ERROR`. What the value said is in `cause`, without credentials.
 */
export function fromUnknown(value: unknown, options: UnknownOptions = {}): Fault {
  const fault = known(value, options);
  fault.context = { ...options.context, ...fault.context };
  return fault;
}

function known(value: unknown, options: UnknownOptions): Fault {
  try {
    return own(value) ?? stated(value, options) ?? taught(value, options) ?? mapped(value, options) ?? quoted(general(options), textOfValue(value), {}, value);
  } catch {
    return quoted(general(options), '', {}, undefined);
  }
}

/** The row of what names no code. */
function general({ code = INTERNAL, lookup = SHIPPED_LOOKUP }: UnknownOptions): Row {
  return lookup.spelled('native', code) ?? (lookup.spelled('native', INTERNAL) as Row);
}

const INTERNAL = 'INTERNAL_ERROR';

/** A fault, or the one inside an error. */
function own(value: unknown): Fault | undefined {
  if (value instanceof FaultError) {
    const cause = value.cause === undefined ? undefined : causeOf(value.cause);
    return { ...(cause !== undefined && { cause }), ...value.fault };
  }
  if (isFault(value)) return { ...value };
  const inner = typeof value === 'object' && value !== null ? read(value, 'fault') : undefined;
  return isFault(inner) ? { ...inner } : undefined;
}

/** What the value itself states: an envelope, or a code of the contract. */
function stated(value: unknown, options: UnknownOptions): Fault | undefined {
  const fault = statedFault(value, options.lookup ?? SHIPPED_LOOKUP) ?? coded(value, options);
  if (fault) fault.cause ??= causeOf(value);
  return fault;
}

/** What a taught row of the contract sees in the words of an error. */
function taught(value: unknown, { context, lookup = SHIPPED_LOOKUP }: UnknownOptions): Fault | undefined {
  if (lookup.matches.length === 0) return undefined;
  const text = (value instanceof Error ? textOf(value, 'message') : undefined) ?? textOfValue(value);
  const match = matching(lookup.matches, { tool: context?.tool ?? '', text, isFlagged: true });
  const row = match && lookup.spelled('native', match.code);
  const fault = row && quoted(row, text, {}, value);
  return fault && { ...fault, effect: match?.effect ?? fault.effect };
}

/** An error of the operating system, of an HTTP client or of a connection, or one with such a cause. */
function mapped(value: unknown, { code: given, lookup = SHIPPED_LOOKUP }: UnknownOptions): Fault | undefined {
  for (const error of causes(value)) {
    const http = httpCode(error);
    const code = http?.code ?? systemCode(error) ?? noAnswer(error, false)?.code;
    const row = code === undefined ? undefined : lookup.spelled('native', code);
    if (row) return quoted(row, textOfValue(error), { path: read(error, 'path'), ...http }, value);
    // The author's own code says more than what lies below it.
    if (given !== undefined) return undefined;
  }
  return undefined;
}

/** An error and what it comes from, outermost first. */
function causes(value: unknown): object[] {
  const found: object[] = [];
  const left = [value];
  while (left.length > 0 && found.length < MAX_CAUSES) {
    const error = left.shift();
    if (typeof error !== 'object' || error === null || found.includes(error)) continue;
    found.push(error);
    const group = read(error, 'errors');
    left.push(read(error, 'cause'), ...(error instanceof AggregateError && Array.isArray(group) ? (group as unknown[]) : []));
  }
  return found;
}

/** A fault of a row, with foreign words as a quote. What the call had done by then is not known. */
function quoted(row: Row, words: string, params: object, value: unknown): Fault {
  const fault = raise(row, params);
  fault.ground = 'guessed';
  if (fault.effect === 'none') fault.effect = 'unknown';
  const said = redact(words);
  if (said !== '') fault.server_text = said;
  const cause = causeOf(value);
  if (cause !== null) fault.cause = cause;
  return fault;
}

/** Whether a value is a fault of this package. Never throws. */
export function isFault(value: unknown): value is Fault {
  try {
    if (!isObject(value)) return false;
    const texts = ['code', 'message', 'hint', 'registry'].every((key) => textOf(value, key) !== undefined);
    return texts && isObject(read(value, 'retry')) && Array.isArray(read(value, 'violations'));
  } catch {
    // A proxy that is revoked cannot even be asked what it is.
    return false;
  }
}

/** What the value itself states in the form of a contract. */
function statedFault(value: unknown, lookup: Lookup): Fault | undefined {
  const envelope = typeof value === 'object' && value !== null && !(value instanceof Error) ? safeJson(value) : value;
  const fault = typeof envelope === 'string' || isObject(envelope) ? parse(envelope, lookup) : undefined;
  return fault?.ground === 'stated' ? fault : undefined;
}

/** A fault of the code of the contract that an error carries. */
function coded(value: unknown, { lookup = SHIPPED_LOOKUP }: UnknownOptions): Fault | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const code = textOf(value, 'code');
  const row = code === undefined ? undefined : lookup.spelled('native', code);
  if (!row) return undefined;
  const fault = raise(row, read(value, 'details') ?? read(value, 'params'));
  const message = textOf(value, 'message') ?? '';
  const said = [`[${row.code}] `, `${row.code}: `].reduce((it, head) => (it.startsWith(head) ? it.slice(head.length) : it), message);
  if (said !== '') fault.message = redact(said);
  return fault;
}

/** The words of a thrown value. */
function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) {
    const text = textOf(value, 'message') ?? '';
    if (!(value instanceof Error)) return text !== '' ? text : JSON.stringify(safeJson(value) ?? null);
    const name = textOf(value, 'name') ?? 'Error';
    return name === 'Error' || text === '' ? text : `${name}: ${text}`;
  }
  return value === undefined ? '' : String(value);
}

/** The thrown value as a cause: an error is `{message, code, name}` with the causes below it, anything else JSON or text. */
export function causeOf(value: unknown, depth = 0): Json {
  if (value === undefined || value === null) return null;
  if (value instanceof Error) {
    const { message, code, name } = errorCopy(value);
    const below = depth + 1 < MAX_CAUSES ? causeOf(read(value, 'cause'), depth + 1) : null;
    return { message: cut(strip(redact(message)), MAX_CAUSE_CHARS), code, name, ...(below !== null && { cause: below }) };
  }
  if (typeof value === 'string') return cut(redact(value), MAX_CAUSE_CHARS);
  if (typeof value === 'object') return redactJson(safeJson(value) ?? null);
  return String(value);
}

/** The parts of a context that are texts. */
export function contextOf(value: unknown): Context {
  if (typeof value !== 'object' || value === null) return {};
  const members = CONTEXT.map((it) => [it, textOf(value, it)]).filter((it) => it[1] !== undefined);
  return Object.fromEntries(members) as Context;
}
