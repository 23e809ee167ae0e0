// Electron Stagewright: its registry, its envelope, and plugin codes at run time.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { core, parse, readAs } from 'redress-runtime';
import { ERROR_CODES, estimateTokens, getSessionId, isErrorCode, lookupErrorCodeDefinition, makeError, makePluginError, makeSuccess, registerPluginErrorCodes, toMcpResult, unregisterPluginErrorCodes, withSession, type ErrorCode, type ErrorCodeDefinition, type ErrorResponse, type ResponseCode, type SimilarRef } from 'redress-runtime/stagewright';

// The types as the document declares them.
interface SampleDefinition {
  readonly http: number
  readonly retryable: boolean
  readonly hint: string
}
interface SampleErrorResponse {
  readonly ok: false
  readonly error: string // human-readable; may change between releases
  readonly code: ResponseCode // stable; agents branch on this
  readonly hint: string // registry default, possibly overridden
  readonly next_actions?: readonly string[]
  readonly similar_refs?: readonly SimilarRef[]
  readonly details?: Record<string, unknown> // structured diagnostics
  readonly retryable: boolean // mirrored from registry
  readonly http: number // mirrored from registry
  readonly _meta: SampleResponseMeta
}
type SampleSuccessResponse<T extends object> = T & {
  readonly ok: true
  readonly _meta: SampleResponseMeta
}
interface SampleResponseMeta {
  readonly estimated_tokens: number // char/4 heuristic v1; tiktoken-grade lands with the benchmark suite
  readonly elapsed_ms: number
  readonly session_id?: string // wired by the dispatcher once session lifecycle lands
}

test('seed_003_the_registry_of_the_document', () => {
  const SAMPLE = {
    NOT_RUNNING: { http: 409, retryable: false, hint: 'Call launch first.' },
    REF_NOT_FOUND: { http: 404, retryable: false, hint: 'Call snapshot first.' },
    ELEMENT_NOT_VISIBLE: {
      http: 409,
      retryable: true,
      hint: 'Wait for the element to become visible.',
    },
    // ...
  } as const satisfies Record<string, ErrorCodeDefinition>;
  for (const code of Object.keys(SAMPLE) as (keyof typeof SAMPLE)[]) {
    const definition: SampleDefinition = ERROR_CODES[code];
    assert.deepEqual(definition, SAMPLE[code]);
  }
  const code: ErrorCode = 'WAIT_TIMEOUT';
  assert.deepEqual([ERROR_CODES[code].http, ERROR_CODES[code].retryable], [408, true]);
  assert.equal(isErrorCode('signing.NOTARIZATION_FAILED') || isErrorCode(''), false);
});

test('seed_003_22_to_28_the_envelope_has_the_types_of_the_document', () => {
  const error: SampleErrorResponse = makeError('REF_NOT_FOUND', { message: 'No ref e5', details: { last_state: { visible: false } } });
  const success: SampleSuccessResponse<{ title: string }> = makeSuccess({ title: 'x' });
  assert.deepEqual([error.ok, error.details, success.ok, success.title], [false, { last_state: { visible: false } }, true, 'x']);
  // Agents branch on `ok`.
  const answer: SampleErrorResponse | SampleSuccessResponse<{ title: string }> = Math.random() > 2 ? success : error;
  assert.equal(answer.ok ? answer.title : answer.code, 'REF_NOT_FOUND');
});

test('seed_003_02_25_44_make_error_and_make_success', () => {
  const response: ErrorResponse = makeError('REF_NOT_FOUND', { message: 'No ref e5', next_actions: ['electron_snapshot()'], similar_refs: [{ ref: 'e6', role: 'button' }], details: { n: 1 } });
  assert.deepEqual(Object.keys(response), ['ok', 'error', 'code', 'hint', 'retryable', 'http', '_meta', 'next_actions', 'similar_refs', 'details']);
  assert.deepEqual([response.ok, response.error, response.hint, response.retryable, response.http], [false, 'No ref e5', 'Call snapshot first.', false, 404]);
  const { _meta, ...rest } = response;
  assert.equal(_meta.estimated_tokens, Math.ceil(JSON.stringify(rest).length / 4));
  assert.equal(makeError('NOT_RUNNING').error, 'Call launch first.');
  const success = makeSuccess({ windows: [1, 2] }, { startedAt: Date.now() + 1000 });
  assert.deepEqual([success.ok, success.windows, success._meta.elapsed_ms], [true, [1, 2], 0]);
  assert.deepEqual(Object.keys(makeSuccess({ ok: 'no', a: 1 })), ['ok', 'a', '_meta']);
  assert.equal(toMcpResult(response).isError, true);
  assert.equal('structuredContent' in toMcpResult(makeSuccess({ text: 'x'.repeat(60_000) })), false);
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  assert.equal(makeError('NOT_RUNNING', { details: cycle }).code, 'NOT_RUNNING', 'details that are no JSON cost neither the code nor the answer');
  // @ts-expect-error: there is no such code.
  assert.throws(() => makeError('NOPE'), /INVALID_ERROR_CODE/);
});

test('seed_003_44_estimate_tokens_and_session_ids', async () => {
  const tokens = [null, undefined, '', {}, 'a', 'abcd', 'abcdefgh', 'x'.repeat(400), 'éééé', '😀😀'].map(estimateTokens);
  assert.deepEqual(tokens, [0, 0, 0, 1, 1, 1, 2, 100, 1, 1]);
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const odd of [cycle, 10n, Symbol('s')]) assert.ok(estimateTokens(odd) > 0);
  assert.equal(getSessionId(), undefined);
  const [one, other] = await Promise.all(['s1', 's2'].map((it) => withSession(it, async () => { await null; return makeError('NOT_RUNNING')._meta.session_id; })));
  assert.deepEqual([one, other, 'session_id' in makeError('NOT_RUNNING')._meta], ['s1', 's2', false]);
});

const CODES = { NOTARIZATION_FAILED: { http: 502, retryable: true, hint: 'Check the notary log.' } };

test('seed_003_40_plugin_codes_are_registered_looked_up_and_unregistered', () => {
  registerPluginErrorCodes('signing', CODES);
  registerPluginErrorCodes('signing', CODES);
  assert.deepEqual(lookupErrorCodeDefinition('signing.NOTARIZATION_FAILED'), CODES.NOTARIZATION_FAILED);
  assert.throws(() => registerPluginErrorCodes('signing', { NOTARIZATION_FAILED: { ...CODES.NOTARIZATION_FAILED, http: 500 } }), /Duplicate error code registration for "signing.NOTARIZATION_FAILED"/);
  assert.throws(() => registerPluginErrorCodes('signing', { GOOD: CODES.NOTARIZATION_FAILED, 'bad-key': CODES.NOTARIZATION_FAILED }), /SCREAMING_SNAKE_CASE/);
  assert.equal(lookupErrorCodeDefinition('signing.GOOD'), undefined, 'all or none');
  unregisterPluginErrorCodes('signing', CODES);
  assert.ok(lookupErrorCodeDefinition('signing.NOTARIZATION_FAILED'), 'registered twice, taken back once');
  unregisterPluginErrorCodes('signing', ['NOTARIZATION_FAILED', 'UNKNOWN']);
  assert.equal(lookupErrorCodeDefinition('signing.NOTARIZATION_FAILED'), undefined);
});

test('seed_003_42_43_a_plugin_error_is_made_and_read', () => {
  registerPluginErrorCodes('signing', CODES);
  const code: ResponseCode = 'signing.NOTARIZATION_FAILED';
  const response = makePluginError(code, { message: 'Apple said no' });
  assert.deepEqual([response.code, response.http, response.retryable, response.hint], [code, 502, true, 'Check the notary log.']);
  const read = readAs('stagewright', JSON.parse(JSON.stringify(response)));
  assert.deepEqual([read?.code, read?.message, read?.http, read?.retryable], [code, 'Apple said no', 502, true]);
  assert.equal(parse(toMcpResult(response))?.code, code);
  unregisterPluginErrorCodes('signing', CODES);
  assert.throws(() => makePluginError(code), /INVALID_ERROR_CODE/);
});

test('seed_003_01_a_description_embeds_the_codes', () => {
  const line = 'Errors: FILE_NOT_FOUND (change path), TIMEOUT (retry later), SESSION_NOT_INITIALIZED (call begin_session first), INTERNAL_ERROR (do not retry).';
  assert.equal(core.describe('Reads a file.', 'FILE_NOT_FOUND', 'TIMEOUT', 'SESSION_NOT_INITIALIZED', 'INTERNAL_ERROR'), `Reads a file.\n${line}`);
  assert.equal(core.describe('Lists files.'), 'Lists files.');
  const many = Object.keys(core.codes).slice(0, 11) as (keyof typeof core.codes)[];
  assert.ok(core.describe('', ...many).endsWith(', 3 more.'));
});
