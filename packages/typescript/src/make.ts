// Making a fault of a row: its message, its next calls and its details from the parameters.
import { LIMITS, type Dialect } from './facts.ts';
import { at, isCount, isObject, safeJson } from './json.ts';
import { cut, plain, quote } from './text.ts';
import type { Fault, Json, JsonObject, NextAction, Param, Retry, Row } from './types.ts';

/** The parameters that were given, by name. */
export type Values = Map<string, { param: Param; value: Json }>;

export function isRetryable(retry: Retry): boolean {
  return retry.kind === 'now' || retry.kind === 'after_delay';
}

/** A fault that says what its row says. */
export function faultOf(row: Row, dialect: Dialect): Fault {
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

/** A fault of a row with its parameters. One that does not fit the row is left out. */
export function raise(row: Row, params: unknown): Fault {
  const values = valuesOf(row, safeJson(params));
  const fault = faultOf(row, 'native');
  fault.message = said(row, values);
  fault.next_actions = nextCalls(row, values);
  const details = Object.fromEntries([...values].map(([name, { value }]) => [name, value]));
  if (values.size > 0) fault.details = details;
  const wait = isCount(details['retry_after_ms']) ? details['retry_after_ms'] : isCount(details['retry_after']) ? details['retry_after'] * 1000 : undefined;
  if (wait !== undefined && fault.retry.kind === 'after_delay') fault.retry.after_ms = wait;
  return fault;
}

/** The members of an object that the row declares, where they have its types. */
function valuesOf(row: Row, given: Json | undefined): Values {
  const values: Values = new Map();
  for (const param of row.params) {
    const value = at(given, [param.name]);
    if (value !== undefined && fits(param, value)) values.set(param.name, { param, value: shortened(param, value) });
  }
  return values;
}

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

/** The row's message with its parameters; the title where one is absent that it needs: half a sentence helps no reader. */
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
function shown({ untrusted, max_chars = LIMITS.shownChars }: Param, value: Json): string {
  return untrusted ? quote(plain(value), max_chars) : cut(plain(value), max_chars);
}

/** The calls of a row that help. */
export function nextCalls({ next = [] }: Row, values: Values): NextAction[] {
  return next.map((it) => helping(it, values)).filter((it) => it !== undefined);
}

/** The calls of a row that help, with the details of a fault as its parameters. */
export function rowCalls(row: Row, details: Json | undefined): NextAction[] {
  return nextCalls(row, valuesOf(row, details));
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
