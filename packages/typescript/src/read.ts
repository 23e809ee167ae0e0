// Reading an envelope in any of the seven dialects.
import { BASES, CLASSES, CONTEXT, DETECTED, EFFECTS, ENVELOPE, GROUPS, ORIGINS, PLACES, RETRY_KINDS, SEVERITIES, type Basis, type Class, type Dialect, type Effect, type Origin, type RetryKind, type Severity } from './facts.ts';
import { at, isCount, isObject, json } from './json.ts';
import { faultOf, isRetryable } from './make.ts';
import { rowOf, SHIPPED_LOOKUP, type Lookup } from './rows.ts';
import { toldHttp, toldRetry } from './told.ts';
import { UNSAID, type Context, type Fault, type Json, type JsonObject, type NextAction, type Retry, type Row } from './types.ts';

/** The key that carries what a dialect has no place for. */
export const RESIDUE = '_x';

/** Reads an envelope in whichever dialect it is. */
export function read(document: unknown, lookup: Lookup = SHIPPED_LOOKUP): Fault | undefined {
  if (!isObject(document)) return undefined;
  if (document['v'] === 1) return readAs('native', document, lookup);
  for (const dialect of DETECTED) {
    if (claims(dialect, document) && namedRow(dialect, document, lookup)) return readAs(dialect, document, lookup);
  }
  return undefined;
}

/** Reads an envelope of a dialect. */
export function readAs(dialect: Dialect, document: unknown, lookup: Lookup = SHIPPED_LOOKUP): Fault | undefined {
  if (!isObject(document)) return undefined;
  const residue = at(document, dialect === 'rpc' ? ['error', 'data', RESIDUE] : [RESIDUE]);
  const row = isObject(residue) && typeof residue['code'] === 'string' ? rowOfResidue(residue['code'], residue, lookup) : namedRow(dialect, document, lookup);
  if (!row) return undefined;
  const fault = faultOf(row, dialect);
  if (!(dialect === 'native' ? fillNative(fault, document) : fill(fault, row, document))) return undefined;
  if (isObject(residue)) overlay(fault, residue);
  return finished(fault);
}

export function finished(fault: Fault): Fault {
  fault.retryable = isRetryable(fault.retry);
  // The gate marks what it concluded from the words of another server.
  if (at(fault.details, ['upstream', 'guessed']) === true) fault.ground = 'guessed';
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
function namedRow(dialect: Dialect, document: JsonObject, lookup: Lookup): Row | undefined {
  const spelling = at(document, PLACES[dialect]['code'] ?? []);
  const number = at(document, ['error', 'code']);
  if (dialect === 'rpc' && !Number.isInteger(number)) return undefined;
  // A number is no symbol, though both spell a row.
  if (typeof spelling === 'string') return dialect === 'rpc' && /^-?[0-9]+$/.test(spelling) ? undefined : lookup.spelled(dialect, spelling);
  return dialect === 'rpc' ? lookup.spelled(dialect, String(number)) : undefined;
}

function rowOfResidue(code: string, { contract }: JsonObject, lookup: Lookup): Row | undefined {
  return typeof contract === 'string' ? rowOf(contract, code) : lookup.spelled('native', code);
}

/** Puts what a document of another dialect says onto the fault. */
function fill(fault: Fault, row: Row, document: JsonObject): boolean {
  const places = PLACES[fault.dialect];
  if (places['message'] && typeof at(document, places['message']) !== 'string') return false;
  for (const [member, place] of Object.entries(places)) {
    const value = at(document, place);
    if (value === undefined || saysNothing(fault.dialect, member, value)) continue;
    // The status that the writer tells of the row anyway leaves the row's own.
    if (member === 'http' && value === toldHttp(fault, fault.dialect)) continue;
    if (member.startsWith('context.')) setContext(fault, member.slice('context.'.length), value);
    else if (member === 'next_actions') fault.next_actions = actions(value);
    else set(fault, member, value);
  }
  fillRetry(fault, row, document);
  const unsaid = unsaidOf(fault.dialect, row, document);
  if (Object.keys(unsaid).length > 0) Object.assign(fault, { [UNSAID]: unsaid });
  return true;
}

/** Of hint and retry rule, what the dialect has a place for and the document does not say. */
function unsaidOf(dialect: Dialect, { hint, retry }: Row, document: JsonObject): { hint?: string; retry?: Readonly<Retry> } {
  const noHint = (dialect === 'workrail' || dialect === 'tool-failure') && !at(document, PLACES[dialect]['hint'] ?? []);
  const places: { readonly [dialect in Dialect]?: readonly string[] } = { rpc: ['error', 'data', 'retryable'], 'tool-failure': ['retryable'], mailvault: ['details', 'retry_after'] };
  const place = places[dialect];
  const noRetry = place !== undefined && (at(document, place) ?? null) === null;
  return { ...(noHint && { hint }), ...(noRetry && { retry }) };
}

/** Whether a value only stands for one that is not there. */
function saysNothing(dialect: Dialect, member: string, value: Json): boolean {
  if (dialect === 'workrail' && member === 'hint') return value === '';
  return value === null && (member !== 'details' || dialect === 'mailvault');
}

/** What a dialect says about a repeat, and whatever else has a form of its own there. */
function fillRetry(fault: Fault, row: Row, document: JsonObject): void {
  switch (fault.dialect) {
    case 'workrail': {
      const said = document['retry'];
      const rule = isObject(said) ? workrailRule(said) : undefined;
      // What we do not understand must not lead to a repeat of the call.
      if (!rule) fault.retry = said === undefined ? fault.retry : { kind: 'never' };
      else if (!sameRule(rule, workrailForm(toldRetry(fault, 'workrail')))) fault.retry = rule;
      return;
    }
    case 'rpc': {
      const number = at(document, ['error', 'code']);
      if (typeof number === 'number' && number !== (row.rpc?.number ?? row.number)) fault.number = number;
      const domain = at(document, ['error', 'data', 'domain']);
      if (typeof domain === 'string' && domain !== (row.rpc ? row.rpc.domain : row.domain)) fault.domain = domain;
      return setTold(fault, at(document, ['error', 'data', 'retryable']));
    }
    case 'stagewright':
      return setTold(fault, document['retryable']);
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

/** Takes whether a repeat helps, unless that is what the writer tells of the row anyway. */
function setTold(fault: Fault, said: Json | undefined): void {
  if ((said === true) !== isRetryable(toldRetry(fault, fault.dialect))) setRetryable(fault, said);
}

/** Puts what a native envelope says onto the fault. What has the wrong type is left as the row has it. */
export function fillNative(fault: Fault, document: JsonObject): boolean {
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
  else if (member === 'timestamp' || member === 'elapsed_ms' || member === 'details' || member === 'basis') delete fault[member];
}

export function set(fault: Fault, member: string, value: Json): void {
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
    case 'basis':
      if (BASES.includes(value as Basis)) fault.basis = value as Basis;
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
export function setRetryable(fault: Fault, said: Json | undefined): void {
  const yes = said === true;
  if (said === undefined || yes === isRetryable(fault.retry)) return;
  const { not_before } = fault.retry;
  fault.retry = { kind: yes ? 'now' : 'never', ...(not_before !== undefined && { not_before }) };
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

export const WORKRAIL_KINDS = ['not_retryable', 'retryable_immediate', 'retryable_after_ms'];
export const WORKRAIL_AFTER_MS = 1000;

/** WorkRail's rule. Stores inside its server also say `retryable`, with a delay or without. */
export function workrailRule(said: JsonObject): Retry | undefined {
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
export function workrailForm(retry: Retry): Retry {
  if (retry.kind === 'now') return { kind: 'now' };
  return retry.kind === 'after_delay' ? { kind: 'after_delay', after_ms: retry.after_ms ?? WORKRAIL_AFTER_MS } : { kind: 'never' };
}

function sameRule(one: Retry, other: Retry): boolean {
  return one.kind === other.kind && one.after_ms === other.after_ms;
}

/** A time to wait in whole units, rounded up: `undefined` if there is none, `null` if it makes no sense. */
export function delay(value: Json | undefined): number | undefined | null {
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
