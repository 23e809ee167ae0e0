// ATLAS-GATE's factories under their own names: `SystemError` and its envelope.
import { FaultError } from './error.ts';
import { causeOf, fromUnknown as faultFromUnknown } from './unknown.ts';
import { faultOf } from './make.ts';
import { redact } from './redact.ts';
import { SHIPPED, type AtlasCode } from './shipped.ts';
import { textOf } from './json.ts';
import type { Context, Fault, Json, JsonObject, Row } from './types.ts';
import { write } from './write.ts';

const ROWS: readonly Row[] = SHIPPED.filter((it) => it.spelled['atlas-gate']?.includes(it.code));

/** The codes of ATLAS-GATE. */
export const SYSTEM_ERROR_CODES = Object.fromEntries(ROWS.map((it) => [it.code, it.code])) as { readonly [C in AtlasCode]: C };

/** What the seed calls a context: the members of the envelope. */
export interface SystemErrorContext {
  error_code?: string;
  human_message?: string;
  role?: string | null;
  session_id?: string | null;
  workspace_root?: string | null;
  tool_name?: string;
  invariant_id?: string | null;
  phase_id?: string | null;
  plan_hash?: string | null;
  cause?: unknown;
}

/** The envelope of ATLAS-GATE. */
export interface SystemErrorEnvelope {
  error_code: string;
  human_message: string;
  role: string | null;
  session_id: string | null;
  workspace_root: string | null;
  tool_name: string;
  invariant_id: string | null;
  phase_id: string | null;
  plan_hash: string | null;
  /** What was thrown: an error as `{ message, code, name }`. */
  cause: string | JsonObject | Json[] | null;
  timestamp: string;
  /** Only with `DEBUG_STACK=true`. */
  stack_trace?: string;
}

function rowOf(code: unknown): Row {
  const row = ROWS.find((it) => it.code === code);
  if (!row) throw new TypeError(`INVALID_ERROR_CODE: ${String(code)} is not a registered SYSTEM_ERROR_CODE`);
  return row;
}

/** An error with ATLAS-GATE's envelope. `wrapHandler(…, { dialect: 'atlas-gate' })` answers with it. */
export class SystemError extends FaultError {
  constructor(context: SystemErrorContext = {}) {
    super(faultFor(context), context.cause === undefined ? undefined : { cause: context.cause });
    this.name = 'SystemError';
    // The seed's text of an error: a reader of logs finds the code first.
    this.message = `[${this.fault.code}] ${this.fault.message}`;
    if (process.env['DEBUG_STACK'] === 'true' && this.stack !== undefined) this.fault.stack = this.stack;
  }

  get error_code(): string {
    return this.fault.code;
  }

  get human_message(): string {
    return this.fault.message;
  }

  /** Any thrown value. A `SystemError` is returned as it is. */
  static fromUnknown(err: unknown, context: SystemErrorContext = {}): SystemError {
    if (err instanceof SystemError) return err;
    const known = err instanceof FaultError ? err.fault : faultFromUnknown(err);
    const stated = ROWS.some((it) => it.code === known.code) && known.code !== 'INTERNAL_ERROR' ? known.code : 'INTERNAL_ERROR';
    const said = typeof err === 'object' && err !== null ? textOf(err, 'message') : typeof err === 'string' ? err : undefined;
    return new SystemError({
      ...context,
      error_code: context.error_code ?? stated,
      human_message: context.human_message ?? (redact(said ?? '') || 'An unexpected error occurred'),
      cause: err,
    });
  }

  static invariantViolation(invariant_id: string, context: SystemErrorContext = {}): SystemError {
    const { cause: _, ...rest } = context;
    return new SystemError({ ...rest, invariant_id, error_code: 'INVARIANT_VIOLATION', human_message: context.human_message ?? `Invariant ${invariant_id} was violated` });
  }

  static toolFailure(error_code: string, context: SystemErrorContext = {}): SystemError {
    return new SystemError({ ...context, error_code, human_message: context.human_message ?? 'Tool execution failed' });
  }

  static startupFailure(error_code: string, { human_message, cause }: SystemErrorContext = {}): SystemError {
    return new SystemError({ error_code, human_message: human_message ?? 'Startup failed', tool_name: 'startup', cause });
  }

  /** The envelope: all keys, null where there is nothing. */
  toEnvelope(): SystemErrorEnvelope {
    return write(this.fault, 'atlas-gate') as unknown as SystemErrorEnvelope;
  }

  toJSON(): SystemErrorEnvelope {
    return this.toEnvelope();
  }
}

/** The envelope of any thrown value. */
export function toEnvelope(err: unknown, context: SystemErrorContext = {}): SystemErrorEnvelope {
  return SystemError.fromUnknown(err, context).toEnvelope();
}

function faultFor(context: SystemErrorContext): Fault {
  const fault = faultOf(rowOf(context.error_code ?? 'UNKNOWN_TOOL_FAILURE'), 'atlas-gate');
  fault.message = context.human_message ?? 'An error occurred';
  fault.context = contextFor(context);
  const cause = causeOf(context.cause);
  if (cause !== null) fault.cause = cause;
  fault.timestamp = new Date().toISOString();
  return fault;
}

function contextFor({ role, session_id, workspace_root, tool_name, invariant_id, phase_id, plan_hash }: SystemErrorContext): Context {
  const members = Object.entries({ role, session_id, workspace_root, tool: tool_name, invariant_id, phase_id, plan_hash });
  return Object.fromEntries(members.filter(([, it]) => typeof it === 'string')) as Context;
}
