// Writing a fault in any of the seven dialects, in the bytes of the Rust library.
import { argumentName, sentenceOf } from './card.ts';
import { CONTEXT, ENVELOPE, GROUPS, type Class, type Dialect } from './facts.ts';
import { at, isObject } from './json.ts';
import { isRetryable } from './make.ts';
import { workrailForm } from './read.ts';
import { rowOf } from './rows.ts';
import { gist, strip } from './text.ts';
import { says, spelling, toldHttp, toldRetry, withoutRepeat } from './told.ts';
import type { Fault, Json, JsonObject, NextAction, Row } from './types.ts';

/** What the boundary knows: the time, for dialects that cannot do without one. */
export interface Stamp {
  now?: string;
}

/** The document of a fault in a dialect; the native envelope unless another one is named. */
export function write(fault: Fault, dialect: Dialect = 'native', stamp: Stamp = {}): JsonObject {
  switch (dialect) {
    case 'native':
      return native(fault);
    case 'atlas-gate':
      return atlas(withoutRepeat(fault, dialect), stamp);
    case 'workrail':
      return workrail(fault);
    case 'rpc':
      return { jsonrpc: '2.0', id: null, error: rpcError(fault) };
    case 'stagewright':
      return stagewright(fault);
    case 'mailvault':
      return mailvault(withoutRepeat(fault, dialect));
    case 'tool-failure':
      return toolFailure(fault);
  }
}

function native(fault: Fault): JsonObject {
  const row = rowOf(fault.registry, fault.code);
  const document: JsonObject = { v: 1, code: fault.code };
  for (const key of ENVELOPE) {
    const value = written(fault, key);
    const isOfTheRow = ['domain', 'number', 'severity'].includes(key) && row !== undefined && value === row[key as keyof Row];
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

/** Eleven keys, all of them always; the stack only where there is one. */
function atlas(fault: Fault, { now }: Stamp): JsonObject {
  const { role, session_id, workspace_root, tool, invariant_id, phase_id, plan_hash } = fault.context;
  return {
    error_code: spelling(fault, 'atlas-gate'),
    human_message: fault.message,
    role: role ?? null,
    session_id: session_id ?? null,
    workspace_root: workspace_root ?? null,
    tool_name: tool ?? 'unknown',
    invariant_id: invariant_id ?? null,
    phase_id: phase_id ?? null,
    plan_hash: plan_hash ?? null,
    cause: fault.cause ?? null,
    timestamp: fault.timestamp ?? now ?? new Date().toISOString(),
    ...(fault.stack !== undefined && { stack_trace: fault.stack }),
  };
}

function workrail(fault: Fault): JsonObject {
  const { kind, after_ms } = workrailForm(toldRetry(fault, 'workrail'));
  const retry: JsonObject = kind === 'after_delay' ? { kind: 'retryable_after_ms', afterMs: after_ms ?? 0 } : { kind: kind === 'now' ? 'retryable_immediate' : 'not_retryable' };
  const details = withIssues(fault);
  return {
    code: spelling(fault, 'workrail'),
    message: fault.message,
    retry,
    ...(fault.hint !== '' && says(fault, 'hint') && { suggestion: fault.hint }),
    ...(details !== undefined && { details }),
  };
}

/** The details with the wrong arguments, where they have a place there: each with its path and what is wrong with it. */
function withIssues(fault: Fault): Json | undefined {
  const { details = {} } = fault;
  if (fault.violations.length === 0 || !isObject(details) || at(details, ['validationIssues']) !== undefined) return fault.details;
  return { ...details, validationIssues: fault.violations.map((it) => ({ path: argumentName(it), message: sentenceOf(it) })) };
}

/** The error object of JSON-RPC. Numbers of the protocol itself have no symbol, and no domain but one of their own. */
export function rpcError(fault: Fault): JsonObject {
  const row = rowOf(fault.registry, fault.code);
  const symbol = spelling(fault, 'rpc');
  const isNumber = /^-?[0-9]+$/.test(symbol);
  const usual = row?.rpc?.number ?? row?.number ?? fault.number ?? -32000;
  const code = ownNumber(fault, row, isNumber) ?? usual;
  const isApplication = code > 0;
  const data: JsonObject = {};
  const domain = row?.rpc ? row.rpc.domain : (row?.domain ?? fault.domain);
  if (row && fault.domain !== row.domain) data['domain'] = fault.domain;
  else if (isApplication && domain !== undefined) data['domain'] = domain;
  if (isApplication && !isNumber) data['symbol'] = symbol;
  const details = typeof fault.details === 'string' ? fault.details : terse(fault);
  if (details !== undefined) data['details'] = details;
  if (says(fault, 'retry')) data['retryable'] = isRetryable(toldRetry(fault, 'rpc'));
  if (fault.stack !== undefined) data['stack'] = fault.stack;
  return { code, message: fault.message, data };
}

/** The most characters of a server's words that the details show. */
const MAX_TERSE_CHARS = 240;

/** The details as one short text: the server's own words where there are some, else what is known in JSON. */
function terse({ details, server_text }: Fault): string | undefined {
  const upstream = at(details, ['upstream', 'data', 'details']);
  const said = strip((typeof upstream === 'string' ? upstream : server_text) ?? '');
  if (said !== '') return gist(said, MAX_TERSE_CHARS);
  if (!isObject(details)) return details === undefined ? undefined : JSON.stringify(details);
  const { upstream: _, ...rest } = details;
  return Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest);
}

/** The number of this occurrence, if it is not the row's and a reader could still tell the row. */
function ownNumber({ number }: Fault, row: Row | undefined, isNumber: boolean): number | undefined {
  if (number === undefined || number === row?.number) return undefined;
  const isSpelling = row?.spelled.rpc?.includes(String(number)) ?? false;
  return (number > 0 && !isNumber) || isSpelling ? number : undefined;
}

function stagewright(fault: Fault): JsonObject {
  const head: JsonObject = {
    ok: false,
    error: fault.message,
    code: spelling(fault, 'stagewright'),
    hint: fault.hint,
    retryable: isRetryable(toldRetry(fault, 'stagewright')),
    http: toldHttp(fault, 'stagewright'),
  };
  const rest: JsonObject = {
    ...(fault.next_actions.length > 0 && { next_actions: fault.next_actions.map(sentence) }),
    ...(fault.similar_refs.length > 0 && { similar_refs: fault.similar_refs }),
    ...(fault.details !== undefined && { details: boxed(fault.details) }),
  };
  const { session_id } = fault.context;
  const meta: JsonObject = {
    estimated_tokens: Math.ceil(JSON.stringify({ ...head, ...rest }).length / 4),
    elapsed_ms: fault.elapsed_ms ?? 0,
    ...(session_id !== undefined && { session_id }),
  };
  return { ...head, _meta: meta, ...rest };
}

/** `tool({…})` for a call, the sentence itself for advice. */
function sentence(action: NextAction): string {
  return typeof action === 'string' ? action : `${action.tool}(${action.args ? JSON.stringify(action.args) : ''})`;
}

/** Details for a dialect where they are an object. */
function boxed(details: Json): JsonObject {
  return isObject(details) ? details : { value: details };
}

function mailvault(fault: Fault): JsonObject {
  const error = spelling(fault, 'mailvault');
  const wait = isRetryable(fault.retry) ? fault.retry.after_ms : undefined;
  const seconds = wait !== undefined && error === 'rate_limited' && says(fault, 'retry') ? { retry_after: Math.ceil(wait / 1000) } : undefined;
  const details = fault.details === undefined ? undefined : boxed(fault.details);
  return { error, message: fault.message, details: details || seconds ? { ...details, ...(at(details, ['retry_after']) === undefined && seconds) } : null };
}

function toolFailure(fault: Fault): JsonObject {
  const { request_id, trace_id } = fault.context;
  const { not_before } = fault.retry;
  return {
    class: group(fault.class),
    code: spelling(fault, 'tool-failure'),
    ...(says(fault, 'retry') && { retryable: isRetryable(fault.retry) }),
    ...(not_before !== undefined && { retryNotBefore: not_before }),
    correlationId: request_id ?? trace_id ?? fault.ledger?.hash ?? '',
    ...(says(fault, 'hint') && { agentGuidance: fault.hint }),
  };
}

/** The class of the open proposal. */
function group(kind: Class): string {
  return Object.entries(GROUPS).find(([, it]) => it.classes.includes(kind))?.[0] ?? '';
}
