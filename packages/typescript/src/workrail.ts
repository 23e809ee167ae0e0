// WorkRail's constructors: errors as values, with a bounded suggestion and details that are validated before they are sent.
import { LIMITS } from './facts.ts';
import { safeCopy, textOf } from './json.ts';
import { redact } from './redact.ts';
import { SHIPPED, type ShippedDetails } from './shipped.ts';
import { cutBytes } from './text.ts';
import type { Json, JsonObject } from './types.ts';

/** JSON, and nothing else. */
export type JsonValue = Json;

export type ToolRetry = { kind: 'not_retryable' } | { kind: 'retryable_immediate' } | { kind: 'retryable_after_ms'; afterMs: number };

/** A code of WorkRail. */
export type ErrorCode = keyof ShippedDetails['workrail'];

/** An error inside the server. On the wire it has no `type`. */
export interface ToolError {
  type: 'error';
  code: ErrorCode;
  message: string;
  retry: ToolRetry;
  suggestion?: string;
  details?: unknown;
}

export interface ErrorOptions {
  suggestion?: string;
  details?: unknown;
}

/** The codes of WorkRail. */
export const ERROR_CODES: readonly string[] = SHIPPED.filter((it) => it.registry === 'workrail').map((it) => it.code);

function error(code: ErrorCode, message: string, retry: ToolRetry, { suggestion, details }: ErrorOptions = {}): ToolError {
  if (!ERROR_CODES.includes(code)) throw new TypeError(`INVALID_ERROR_CODE: ${code} is not a code of workrail`);
  const bounded = boundedSuggestion(suggestion);
  return { type: 'error', code, message, retry, ...(bounded !== undefined && { suggestion: bounded }), ...(details !== undefined && { details }) };
}

export function errNotRetryable(code: ErrorCode, message: string, options?: ErrorOptions): ToolError {
  return error(code, message, { kind: 'not_retryable' }, options);
}

export function errRetryImmediate(code: ErrorCode, message: string, options?: ErrorOptions): ToolError {
  return error(code, message, { kind: 'retryable_immediate' }, options);
}

export function errRetryAfterMs(code: ErrorCode, message: string, afterMs: number, options?: ErrorOptions): ToolError {
  return error(code, message, { kind: 'retryable_after_ms', afterMs: Number.isFinite(afterMs) ? Math.max(0, Math.ceil(afterMs)) : 1000 }, options);
}

/** At most 512 bytes; an empty suggestion is none. */
export function boundedSuggestion(suggestion: string | undefined): string | undefined {
  return suggestion ? cutBytes(suggestion, LIMITS.suggestionBytes) : undefined;
}

/** A schema failure: `issues` are those of Zod, or of anything with a path and a message. */
export function errValidation(issues: readonly { path: readonly PropertyKey[] | string; message: string }[], options: ErrorOptions = {}): ToolError {
  const validationIssues = issues.map(({ path, message }) => ({ path: typeof path === 'string' ? path : path.map(String).join('.'), message }));
  return errNotRetryable('VALIDATION_ERROR', 'Invalid input', { ...options, details: { validationIssues } });
}

/** The health of a session, as `SESSION_NOT_HEALTHY` tells it. */
export function errSessionNotHealthy(health: { kind: string; reason?: { code: string; message: string } }, options: ErrorOptions = {}): ToolError {
  const where = health.kind.replace(/^corrupt_/, '');
  const message = health.reason ? `Session corruption detected (${where}): ${health.reason.code}` : `Session is not healthy: ${health.kind}`;
  return errNotRetryable('SESSION_NOT_HEALTHY', message, { ...options, details: { health } });
}

/** Any thrown value. */
export function mapUnknownError(value: unknown): ToolError {
  if (isToolError(value)) return value;
  const said = typeof value === 'string' ? value : typeof value === 'object' && value !== null ? textOf(value, 'message') : undefined;
  return errNotRetryable('INTERNAL_ERROR', redact(said ?? '') || 'An unexpected error occurred');
}

export function isToolError(value: unknown): value is ToolError {
  return typeof value === 'object' && value !== null && textOf(value, 'type') === 'error' && ERROR_CODES.includes(textOf(value, 'code') ?? '');
}

/** The envelope: `retry` always; details that are no JSON make it INTERNAL_ERROR, with the reasons. */
export function toEnvelope({ code, message, retry, suggestion, details }: ToolError): JsonObject {
  const { value, problems } = safeCopy(details);
  if (problems.length > 0) {
    return { code: 'INTERNAL_ERROR', message: 'Error details validation failed', retry: { kind: 'not_retryable' }, details: { originalError: message, validationErrors: problems } };
  }
  const bounded = boundedSuggestion(suggestion);
  return { code, message, retry, ...(bounded !== undefined && { suggestion: bounded }), ...(value !== undefined && { details: value }) };
}

/** The result of a call: the data of a success, or the envelope of an error. Never throws. */
export function toMcpResult(result: ToolError | { type: 'success'; data: unknown }): { content: { type: 'text'; text: string }[]; isError?: true } {
  if (result.type === 'error') return { content: [{ type: 'text', text: JSON.stringify(toEnvelope(result)) }], isError: true };
  const { value, problems } = safeCopy(result.data);
  if (problems.length === 0) return { content: [{ type: 'text', text: JSON.stringify(value ?? null) }] };
  const envelope = toEnvelope(errNotRetryable('INTERNAL_ERROR', 'The result is not JSON', { details: { validationErrors: problems } }));
  return { content: [{ type: 'text', text: JSON.stringify(envelope) }], isError: true };
}
