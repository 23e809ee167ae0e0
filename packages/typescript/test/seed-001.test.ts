// WorkRail: the envelopes of its document, made by its constructors.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { boundedSuggestion, errNotRetryable, errRetryAfterMs, errRetryImmediate, errSessionNotHealthy, errValidation, mapUnknownError, toEnvelope, toMcpResult } from 'redress-runtime/workrail';

/** The envelopes of the document, as it prints them. */
const PRINTED = [
  `{
  "code": "VALIDATION_ERROR",
  "message": "Invalid input",
  "retry": { "kind": "not_retryable" },
  "suggestion": "Check your input format",
  "details": {
    "validationIssues": [
      { "path": "stateToken", "message": "Required" }
    ]
  }
}`,
  `{
  "code": "SESSION_NOT_HEALTHY",
  "message": "Session corruption detected (head): STORE_INVARIANT_VIOLATION",
  "retry": { "kind": "not_retryable" },
  "suggestion": "Export a salvage/read-only view, then recreate the run.",
  "details": {
    "health": {
      "kind": "corrupt_head",
      "reason": {
        "code": "STORE_INVARIANT_VIOLATION",
        "message": "Event log index mismatch"
      }
    }
  }
}`,
  `{
  "code": "TOKEN_SESSION_LOCKED",
  "message": "Session is locked by another process",
  "retry": {
    "kind": "retryable_after_ms",
    "afterMs": 2000
  },
  "suggestion": "Retry in a few seconds..."
}`,
];

test('seed_001_09_12_the_three_envelopes_of_the_document', () => {
  const health = { kind: 'corrupt_head', reason: { code: 'STORE_INVARIANT_VIOLATION', message: 'Event log index mismatch' } };
  const made = [
    errValidation([{ path: ['stateToken'], message: 'Required' }], { suggestion: 'Check your input format' }),
    errSessionNotHealthy(health, { suggestion: 'Export a salvage/read-only view, then recreate the run.' }),
    errRetryAfterMs('TOKEN_SESSION_LOCKED', 'Session is locked by another process', 2000, { suggestion: 'Retry in a few seconds...' }),
  ];
  for (const [at, error] of made.entries()) {
    const { content, isError } = toMcpResult(error);
    // The same members in the same order: on the wire there is no white space.
    assert.equal(content[0]?.text, JSON.stringify(JSON.parse(PRINTED[at] ?? '')));
    assert.equal(isError, true);
  }
  assert.deepEqual(errRetryImmediate('TIMEOUT', 'Late').retry, { kind: 'retryable_immediate' });
});

test('seed_001_07_details_are_validated_at_the_boundary_and_never_throw', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const details of [cycle, { n: 1n }, { f: () => 1 }, { x: undefined }, { get y(): string { throw new Error('no'); } }]) {
    const { content, isError } = toMcpResult(errNotRetryable('NOT_FOUND', 'No run', { details }));
    const envelope = JSON.parse(content[0]?.text ?? '') as { code: string; message: string; retry: unknown; details: { originalError: string; validationErrors: string[] } };
    assert.equal(isError, true);
    assert.deepEqual([envelope.code, envelope.message, envelope.retry, envelope.details.originalError], ['INTERNAL_ERROR', 'Error details validation failed', { kind: 'not_retryable' }, 'No run']);
    assert.ok(envelope.details.validationErrors.length > 0);
  }
  assert.deepEqual(toEnvelope(errNotRetryable('NOT_FOUND', 'No run', { details: null })).details, null);
  assert.equal(toMcpResult({ type: 'success', data: cycle }).isError, true, 'a success that is no JSON is no success');
});

test('seed_001_suggestions_are_bounded_by_bytes', () => {
  const long = boundedSuggestion('ä'.repeat(400)) ?? '';
  assert.ok(Buffer.byteLength(long) <= 512 && long.endsWith('...') && !long.includes('\ufffd'));
  assert.equal(boundedSuggestion(''), undefined);
  assert.equal('suggestion' in toEnvelope(errNotRetryable('NOT_FOUND', 'x', { suggestion: '' })), false);
});

test('seed_001_any_thrown_value_is_an_envelope', () => {
  for (const thrown of [undefined, null, 'x', new Error('x'), { get message(): string { throw new Error('no'); } }]) {
    assert.equal(toEnvelope(mapUnknownError(thrown)).code, 'INTERNAL_ERROR');
  }
  // @ts-expect-error: there is no such code.
  assert.throws(() => errNotRetryable('TOKEN_NOPE', 'x'), /INVALID_ERROR_CODE/);
});
