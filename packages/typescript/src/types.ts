// The types that every module uses: JSON, a fault, and what a registry says about a code.
import type { Basis, Class, ContextMembers, Dialect, Effect, Origin, RetryKind, Severity, StopReason } from './facts.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A code of a registry, or one that a server or a plugin brings along. */
export type AnyCode = string;

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
export type Context = ContextMembers;

/** The member of a fault with what a document did not say, though its dialect has a place for it: there the fault has what its row says. */
export const UNSAID: unique symbol = Symbol('unsaid');

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
  /** By what evidence it is known; absent where the one who failed says so itself. */
  basis?: Basis;
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
  /** Whether it says itself what failed, or that is a guess, or the server never had the call. */
  ground: 'not_sent' | 'stated' | 'guessed';
  /** The shape that it came in. */
  dialect: Dialect;
  /** The registry whose row it is. */
  registry: string;
  readonly [UNSAID]?: { readonly hint?: string; readonly retry?: Readonly<Retry> };
}

/** What is known about a code. */
export interface Row {
  code: string;
  registry: string;
  number?: number;
  domain: string;
  class: Class;
  http: number;
  retry: Readonly<Retry>;
  effect: Effect;
  severity: Severity;
  hint: string;
  /** The parameter that is looked up, and can be like one that exists. */
  similar?: string;
  /** What happened, as far as it is known without details. */
  said: string;
  /** The spellings in each dialect that mean this row. */
  spelled: { readonly [dialect in Dialect]?: readonly string[] };
  /** What each dialect writes for it, where that is not the code. */
  written: { readonly [dialect in Dialect]?: string };
  /** Its number and domain in JSON-RPC, where they are not its own. */
  rpc?: { readonly number: number; readonly domain?: string };
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

/** What a registry says about a tool. */
export interface Tool<C extends string = string> {
  may: readonly C[];
  read_only: boolean;
  idempotent: boolean;
}

/** A row of the decision table. */
export interface Rule {
  id: string;
  when: { readonly [column: string]: readonly string[] | boolean };
  do: 'retry_now' | 'retry_after' | 'change_arguments' | 'call_first' | 'ask_human' | 'fall_back' | 'stop';
  why?: StopReason;
  what?: string;
  because: string;
}
