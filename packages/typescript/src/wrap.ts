// `wrapHandler`: a handler of the official SDKs that answers every failure with the envelope.
import { RpcError, toolResult, type ToolResult } from './answer.ts';
import { safeFault } from './bound.ts';
import { card } from './card.ts';
import { FaultError } from './error.ts';
import type { Dialect } from './facts.ts';
import { read } from './json.ts';
import { raise } from './make.ts';
import { SHIPPED_LOOKUP, type Lookup } from './rows.ts';
import type { Context, Fault, Row } from './types.ts';
import { fromUnknown, isFault } from './unknown.ts';
import type { Stamp } from './write.ts';

export interface WrapOptions extends Stamp {
  /** The shape of the envelope; `native` if absent. */
  dialect?: Dialect;
  /** Whether the envelope is structured content, too. Not for a tool with an output schema: clients refuse what does not fit it. */
  structured?: boolean;
  /** Whether the tool only reads: then an unexpected failure has changed nothing. */
  readOnly?: boolean;
  /** The code of a thrown value that names none; `INTERNAL_ERROR` if absent. */
  code?: string;
  /** Where it happens, for every failure of this handler. */
  context?: Context;
  /** What is done with each failure before the answer: a log, a counter. What it throws is ignored. Without it, what was not thrown on purpose is written to stderr. */
  onFault?: (fault: Fault, thrown: unknown) => void;
  lookup?: Lookup;
}

/** What handlers of the SDKs return. It is named so that the compiler keeps `type: 'text'` as it is. */
export type Returned = { content: { type: 'text' | 'image' | 'audio' | 'resource' | 'resource_link'; [key: string]: unknown }[]; [key: string]: unknown };

/** What `wrapHandler` is: the same parameters, and what the handler returns or the answer of a failure. */
export interface WrapHandler {
  <A extends unknown[], R extends Returned | Promise<Returned>>(handler: (...args: A) => R, options?: WrapOptions): (...args: A) => Promise<Awaited<R> | ToolResult>;
  <A extends unknown[], R>(handler: (...args: A) => R, options?: WrapOptions): (...args: A) => Promise<Awaited<R> | ToolResult>;
}

/**
 * A handler that never throws, but for the dialect `rpc`, where the SDK makes the JSON-RPC error of what is thrown, and for the error that
 * asks the user to open an address, which is no failure. What the handler returns is returned as it is, unless it is a fault, an error, or
 * nothing that can be sent.
 */
export const wrapHandler: WrapHandler = <A extends unknown[], R>(handler: (...args: A) => R, options: WrapOptions = {}) => {
  return (...args: A): Promise<Awaited<R> | ToolResult> => {
    try {
      const returned = handler(...args) as Awaited<R>;
      // An answer that is there already needs no second turn of the event loop.
      if (isSendable(returned)) return Promise.resolve(returned);
      return settled(returned, options);
    } catch (thrown) {
      return settled(Promise.reject(thrown), options);
    }
  };
};

/** What a handler promised, or what it returned in place of an answer. */
async function settled<R>(promised: R, options: WrapOptions): Promise<Awaited<R> | ToolResult> {
  let returned: Awaited<R>;
  try {
    returned = await promised;
    if (isSendable(returned)) return returned;
  } catch (thrown) {
    return failed(thrown, options);
  }
  return failed(returnedFault(returned, options), options);
}

/** The answer to what was thrown. */
export function failed(thrown: unknown, options: WrapOptions): ToolResult {
  if (isQuestion(thrown)) throw thrown;
  const fault = fromUnknown(thrown, options);
  if (options.readOnly === true && fault.ground === 'guessed') fault.effect = 'none';
  fault.timestamp ??= options.now ?? new Date().toISOString();
  try {
    (options.onFault ?? toStderr)(fault, thrown);
  } catch {
    // A log that fails must not hide the failure that it was told.
  }
  const { dialect = 'native', structured = false, now } = options;
  if (dialect === 'rpc') throw new RpcError(answerable(fault, options));
  return toolResult(answerable(fault, options), { dialect, hasOutputSchema: !structured, ...(now !== undefined && { now }) });
}

/** The number of the error by which a server asks the user to open an address. It is no failure, and the SDK must see it. */
const URL_ELICITATION_REQUIRED = -32042;

function isQuestion(thrown: unknown): boolean {
  try {
    return thrown instanceof Error && read(thrown, 'code') === URL_ELICITATION_REQUIRED;
  } catch {
    return false;
  }
}

/** Tells the operator what was thrown, unless a handler threw it on purpose. */
function toStderr(fault: Fault, thrown: unknown): void {
  if (fault.ground === 'guessed') console.error(`redress: ${fault.context.tool ?? 'a tool'} failed with ${fault.code}:`, thrown);
}

/** The fault, if it can be shown; else a general one: an author may have put anything into it. */
function answerable(fault: Fault, options: WrapOptions): Fault {
  try {
    const safe = safeFault(fault);
    card(safe);
    return safe;
  } catch {
    return fromUnknown(undefined, options);
  }
}

/** What was returned in place of an answer: a fault, an error, or a value that no client could be sent. */
function returnedFault(returned: unknown, { lookup = SHIPPED_LOOKUP }: WrapOptions): unknown {
  if (isFailure(returned)) return returned;
  const row = lookup.spelled('native', 'OUTPUT_INVALID') as Row;
  const fault = raise(row, {});
  fault.effect = 'unknown';
  return new FaultError(fault, { cause: returned });
}

function isFailure(returned: unknown): boolean {
  try {
    return returned instanceof Error || isFault(returned);
  } catch {
    return false;
  }
}

/** Whether an SDK can send a value as the result of a call. A promise is awaited first. */
function isSendable(result: unknown): boolean {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false;
  // Most results are objects without a class: then neither an error nor a promise of one.
  const isBare = Object.getPrototypeOf(result) === Object.prototype;
  if (!isBare && result instanceof Error) return false;
  if (typeof (result as { then?: unknown }).then === 'function') return false;
  return !('registry' in result && isFault(result)) && isPlain(result, 0);
}

const MAX_NESTING = 128;

/**
 * Whether a value can be written as JSON: no cycle, no BigInt, and nothing that throws when it is looked at. Costs no copy. Every result
 * of every tool comes by here, so that texts and numbers need no call of a function.
 */
function isPlain(value: object, depth: number): boolean {
  if (depth > MAX_NESTING) return false;
  const { toJSON } = value as { toJSON?: unknown };
  if (toJSON !== undefined && typeof toJSON === 'function') {
    const it: unknown = toJSON.call(value);
    return typeof it === 'object' && it !== null ? isPlain(it, depth + 1) : typeof it !== 'bigint';
  }
  if (Array.isArray(value)) {
    const items = value as unknown[];
    for (let at = 0; at < items.length; at += 1) {
      const it = items[at];
      if (typeof it === 'object' ? it !== null && !isPlain(it, depth + 1) : typeof it === 'bigint') return false;
    }
    return true;
  }
  for (const key in value) {
    const it = (value as { [key: string]: unknown })[key];
    if (typeof it === 'object' ? it !== null && !isPlain(it, depth + 1) : typeof it === 'bigint') return false;
  }
  return true;
}
