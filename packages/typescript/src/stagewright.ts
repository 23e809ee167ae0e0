// Electron Stagewright's envelope: `makeError`, `makeSuccess`, plugin codes at run time, and what an answer costs.
import { AsyncLocalStorage } from 'node:async_hooks';
import { safeCopy, safeJson } from './json.ts';
import { addPlugin, pluginRow, removePlugin } from './rows.ts';
import { SHIPPED, type ShippedDetails } from './shipped.ts';
import type { Json, JsonObject, Row } from './types.ts';

/** What a registry of codes says of each. */
export interface ErrorCodeDefinition {
  readonly http: number;
  readonly retryable: boolean;
  readonly hint: string;
}

const CORE: readonly Row[] = SHIPPED.filter((it) => it.registry === 'stagewright' && !it.code.includes('.'));

/** A code of Stagewright itself. */
export type ErrorCode = Exclude<keyof ShippedDetails['stagewright'], `${string}.${string}`>;
/** A code of Stagewright, or one of a plugin. */
export type ResponseCode = ErrorCode | (string & {});

/** The codes of Stagewright itself. */
export const ERROR_CODES = Object.fromEntries(CORE.map((it) => [it.code, definition(it)])) as { readonly [C in ErrorCode]: ErrorCodeDefinition };

export interface SimilarRef {
  readonly ref: string;
  readonly role?: string;
  readonly name?: string;
}

export interface ResponseMeta {
  readonly estimated_tokens: number;
  readonly elapsed_ms: number;
  readonly session_id?: string;
}

export interface ErrorResponse {
  readonly ok: false;
  readonly error: string;
  readonly code: ResponseCode;
  readonly hint: string;
  readonly retryable: boolean;
  readonly http: number;
  readonly _meta: ResponseMeta;
  readonly next_actions?: readonly string[];
  readonly similar_refs?: readonly SimilarRef[];
  readonly details?: JsonObject;
}

export type SuccessResponse<T extends object> = T & { readonly ok: true; readonly _meta: ResponseMeta };

export interface MakeErrorOptions {
  message?: string;
  hint?: string;
  next_actions?: readonly string[];
  similar_refs?: readonly SimilarRef[];
  details?: Record<string, unknown>;
  /** When the call began, in milliseconds since 1970. */
  startedAt?: number;
}

function definition({ http, retry, hint }: Row): ErrorCodeDefinition {
  return { http, retryable: retry.kind === 'now' || retry.kind === 'after_delay', hint };
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** An error of one of Stagewright's own codes. */
export function makeError(code: ErrorCode, options: MakeErrorOptions = {}): ErrorResponse {
  return response(code, options);
}

/** An error of a plugin's code, `namespace.CODE`. */
export function makePluginError(code: string, options: MakeErrorOptions = {}): ErrorResponse {
  return response(code, options);
}

function response(code: string, { message, hint, next_actions, similar_refs, details, startedAt }: MakeErrorOptions): ErrorResponse {
  const known = lookupErrorCodeDefinition(code);
  if (!known) throw new TypeError(`INVALID_ERROR_CODE: ${code} is not a registered code`);
  const told = hint ?? known.hint;
  const safe = safeJson(details);
  const head = { ok: false, error: message ?? told, code, hint: told, retryable: known.retryable, http: known.http } as const;
  const rest = {
    ...(next_actions && next_actions.length > 0 && { next_actions }),
    ...(similar_refs && similar_refs.length > 0 && { similar_refs }),
    ...(safe !== undefined && { details: safe as JsonObject }),
  };
  return { ...head, _meta: metaOf({ ...head, ...rest }, startedAt), ...rest };
}

/** The answer of a tool that worked: its data, then `ok` and `_meta`. */
export function makeSuccess<T extends object>(data: T, options: { startedAt?: number } = {}): SuccessResponse<T> {
  const { _meta: _, ...rest } = data as T & { _meta?: unknown };
  const whole = { ...rest, ok: true as const };
  return { ...whole, _meta: metaOf(whole, options.startedAt) } as unknown as SuccessResponse<T>;
}

function metaOf(answer: object, startedAt: number | undefined): ResponseMeta {
  const session_id = getSessionId();
  const elapsed_ms = startedAt === undefined ? 0 : Math.max(0, Date.now() - startedAt);
  return { estimated_tokens: estimateTokens(answer), elapsed_ms, ...(session_id !== undefined && { session_id }) };
}

/** A quarter of the characters, at least one; nothing costs nothing. A text is measured without quotes. Never throws. */
export function estimateTokens(payload: unknown): number {
  if (payload === undefined || payload === null || payload === '') return 0;
  const text = typeof payload === 'string' ? payload : (JSON.stringify(safeJson(payload)) ?? String(payload));
  return Math.max(1, Math.ceil(text.length / 4));
}

const SESSION = new AsyncLocalStorage<string>();

/** The session of the call that runs now. */
export function getSessionId(): string | undefined {
  return SESSION.getStore();
}

/** Runs a call inside a session. */
export function withSession<T>(session: string, call: () => T): T {
  return SESSION.run(session, call);
}

/** What is registered: how often, and as what. */
const PLUGINS = new Map<string, { count: number; definition: ErrorCodeDefinition }>();
const KEY = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const NAMESPACE = /^[a-z][a-z0-9-]*$/;

/** Registers the codes of a plugin, all or none. The same definition again is counted; another one is refused. */
export function registerPluginErrorCodes(namespace: string, codes: { readonly [key: string]: ErrorCodeDefinition }): void {
  if (!NAMESPACE.test(namespace)) throw new Error(`Plugin namespace "${namespace}" must be lower case.`);
  for (const [key, it] of Object.entries(codes)) {
    const code = `${namespace}.${key}`;
    if (!KEY.test(key)) throw new Error(`Plugin "${namespace}" error code "${key}" must be SCREAMING_SNAKE_CASE.`);
    if (!(Number.isInteger(it.http) && it.http >= 400 && it.http <= 599)) throw new Error(`The http status of "${code}" must be from 400 to 599.`);
    if (typeof it.hint !== 'string' || it.hint.trim() === '') throw new Error(`"${code}" must have a hint.`);
    const known = PLUGINS.get(code)?.definition;
    if (known && !(known.http === it.http && known.retryable === it.retryable && known.hint === it.hint)) throw new Error(`Duplicate error code registration for "${code}".`);
  }
  for (const [key, it] of Object.entries(codes)) {
    const code = `${namespace}.${key}`;
    PLUGINS.set(code, { count: (PLUGINS.get(code)?.count ?? 0) + 1, definition: { http: it.http, retryable: it.retryable, hint: it.hint } });
    addPlugin(rowFor(code, namespace, it));
  }
}

/** Takes a registration back. What is registered more than once stays until the last is gone. */
export function unregisterPluginErrorCodes(namespace: string, codes: { readonly [key: string]: unknown } | readonly string[]): void {
  for (const key of Array.isArray(codes) ? (codes as readonly string[]) : Object.keys(codes)) {
    const code = `${namespace}.${key}`;
    const known = PLUGINS.get(code);
    if (!known) continue;
    known.count -= 1;
    if (known.count > 0) continue;
    PLUGINS.delete(code);
    const row = pluginRow(code);
    if (row) removePlugin(row);
  }
}

/** What is known about a code: one of Stagewright, of a plugin that ships, or of a registered plugin. */
export function lookupErrorCodeDefinition(code: string): ErrorCodeDefinition | undefined {
  if (isErrorCode(code)) return ERROR_CODES[code];
  const shipped = SHIPPED.find((it) => it.registry === 'stagewright' && it.code === code);
  return PLUGINS.get(code)?.definition ?? (shipped && definition(shipped));
}

/** The row of a plugin's code, so that readers and writers know it, too. */
function rowFor(code: string, namespace: string, { http, retryable, hint }: ErrorCodeDefinition): Row {
  return {
    code,
    registry: `plugin:${namespace}`,
    domain: namespace,
    class: 'unknown',
    http,
    retry: { kind: retryable ? 'now' : 'never' },
    effect: 'unknown',
    severity: 'error',
    hint,
    said: hint,
    spelled: {},
    written: {},
    title: hint,
    message: hint,
    params: [],
  };
}

/** The result of a call: the answer as text and as structure; a long one as text only. */
export function toMcpResult(answer: ErrorResponse | SuccessResponse<object>): { content: { type: 'text'; text: string }[]; structuredContent?: JsonObject; isError: boolean } {
  const { value } = safeCopy(answer);
  const text = JSON.stringify(value);
  const structured: Json | undefined = text.length <= 50_000 ? value : undefined;
  return { content: [{ type: 'text', text }], ...(structured !== undefined && { structuredContent: structured as JsonObject }), isError: !answer.ok };
}
