// ATLAS-GATE: the code samples of its document, with only the import changed, and its rows of the gap list.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parse, wrapHandler } from 'redress-runtime';
import { SystemError, SYSTEM_ERROR_CODES, toEnvelope } from 'redress-runtime/atlas';

const SESSION_ID = '550e8400-e29b-41d4-a716-446655440000';
const SESSION_STATE = { workspaceRoot: '/home/user/project' };
const rawErr = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
const originalError = new Error('../ in path');
const bootstrapError = new Error('no disk');
const err = new Error('no such file');

/** The envelope, as the document declares it. */
interface Envelope {
  error_code: string; // Stable uppercase error code (see codes section)
  human_message: string; // Plain English message for non-coders
  role: string | null; // "ANTIGRAVITY" | "WINDSURF" | null
  session_id: string | null; // Session UUID or null if pre-session
  workspace_root: string | null; // Absolute path or null if pre-session
  tool_name: string; // Name of the tool being executed
  invariant_id: string | null; // Invariant ID if violation, null otherwise
  phase_id: string | null; // Phase ID from caller or null
  plan_hash: string | null; // SHA256 plan hash or null
  cause: string | object | null; // Original error (normalized for JSON)
  timestamp: string; // ISO 8601 timestamp (server-generated)
  stack_trace?: string; // Optional: only if DEBUG_STACK=true
}
const KEYS = ['error_code', 'human_message', 'role', 'session_id', 'workspace_root', 'tool_name', 'invariant_id', 'phase_id', 'plan_hash', 'cause', 'timestamp'];

test('seed_000_41_from_unknown', () => {
  const systemErr = SystemError.fromUnknown(rawErr, {
    error_code: SYSTEM_ERROR_CODES.FILE_READ_FAILED,
    tool_name: "read_file",
    session_id: SESSION_ID,
    workspace_root: SESSION_STATE.workspaceRoot,
  });
  const whole: Envelope = systemErr.toEnvelope();
  const { timestamp, ...envelope } = whole;
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(envelope, {
    error_code: 'FILE_READ_FAILED',
    human_message: 'EACCES: permission denied',
    role: null,
    session_id: SESSION_ID,
    workspace_root: '/home/user/project',
    tool_name: 'read_file',
    invariant_id: null,
    phase_id: null,
    plan_hash: null,
    cause: { message: 'EACCES: permission denied', code: 'EACCES', name: 'Error' },
  });
  assert.equal(SystemError.fromUnknown(systemErr), systemErr, 'a SystemError is returned as it is');
  assert.equal(toEnvelope('boom').cause, 'boom');
  assert.equal(toEnvelope('boom').error_code, 'INTERNAL_ERROR');
  assert.equal(toEnvelope(new Error('')).human_message, 'An unexpected error occurred');
  assert.equal(toEnvelope(Object.assign(new Error('no'), { code: 'SESSION_LOCKED' })).error_code, 'SESSION_LOCKED', 'the code of an error counts');
  assert.deepEqual(toEnvelope({ message: 'x', code: 7 }).cause, { message: 'x', code: 7 });
});

test('seed_000_42_invariant_violation', () => {
  const systemErr = SystemError.invariantViolation(
    "MANDATORY_DIAGNOSTICS",
    {
      human_message: "Session was not initialized",
      tool_name: "write_file",
    }
  );
  const { error_code, invariant_id, human_message, cause } = systemErr.toEnvelope();
  assert.deepEqual([error_code, invariant_id, human_message, cause], ['INVARIANT_VIOLATION', 'MANDATORY_DIAGNOSTICS', 'Session was not initialized', null]);
  assert.equal(SystemError.invariantViolation('X').human_message, 'Invariant X was violated');
});

test('seed_000_43_tool_failure', () => {
  const systemErr = SystemError.toolFailure(
    SYSTEM_ERROR_CODES.INVALID_PATH,
    {
      human_message: "Invalid file path: contains ../ traversal",
      tool_name: "write_file",
      cause: originalError,
    }
  );
  assert.deepEqual(systemErr.toEnvelope().cause, { message: '../ in path', code: null, name: 'Error' });
  assert.equal(systemErr.message, '[INVALID_PATH] Invalid file path: contains ../ traversal');
  assert.throws(() => {
    throw SystemError.toolFailure(SYSTEM_ERROR_CODES.INVALID_PATH, {
      human_message: `Invalid path: ${err.message}`,
      tool_name: "read_file",
      cause: err,
    });
  }, { error_code: 'INVALID_PATH', human_message: 'Invalid path: no such file' });
});

test('seed_000_44_startup_failure', () => {
  const systemErr = SystemError.startupFailure(
    SYSTEM_ERROR_CODES.BOOTSTRAP_FAILURE,
    {
      human_message: "Failed to bootstrap MCP server",
      cause: bootstrapError,
    }
  );
  const { tool_name, session_id, cause } = systemErr.toEnvelope();
  assert.deepEqual([tool_name, session_id, (cause as { message: string }).message], ['startup', null, 'no disk']);
});

test('seed_000_45_the_constructor_refuses_an_unregistered_code', () => {
  const direct = new SystemError({
    error_code: SYSTEM_ERROR_CODES.INTERNAL_ERROR,
    human_message: "Something went wrong",
    tool_name: "my_tool",
    role: "WINDSURF",
    session_id: "...",
    workspace_root: "/path",
  });
  assert.deepEqual(Object.keys(direct.toEnvelope()), KEYS);
  assert.equal(Object.keys(SYSTEM_ERROR_CODES).length, 35);
  for (const code of ['NOPE', 'internal_error', '__proto__']) {
    assert.throws(() => new SystemError({ error_code: code }), { message: `INVALID_ERROR_CODE: ${code} is not a registered SYSTEM_ERROR_CODE` });
  }
  assert.equal(new SystemError().toEnvelope().error_code, 'UNKNOWN_TOOL_FAILURE');
});

test('seed_000_32_every_envelope_is_json_whatever_was_thrown', async () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const trap = { get message(): string { throw new Error('no'); } };
  for (const thrown of [undefined, null, 'text', 42, 10n, Symbol('q'), cycle, { big: 1n }, trap, () => 1, new Error('x', { cause: cycle })]) {
    const text = JSON.stringify(toEnvelope(thrown, { tool_name: 't' }));
    assert.deepEqual(Object.keys(JSON.parse(text) as object), KEYS);
    const answer = await wrapHandler(() => { throw thrown; }, { dialect: 'atlas-gate' })();
    assert.equal(parse(JSON.parse(JSON.stringify(answer)))?.registry !== undefined, true);
  }
});

test('seed_000_what_the_document_forbids_is_answered_with_an_envelope', async () => {
  const forbidden = [
    () => {
      throw new Error(`INVALID_PATH: ${err.message}`);
    },
    () => {
      throw new Error("Something failed");
    },
    () => {
      try { /* ... */ } catch (e) { /* silently ignore */ }
    },
  ];
  const codes = [];
  for (const handler of forbidden) {
    const answer = (await wrapHandler(handler as () => unknown, { dialect: 'atlas-gate', onFault: () => {} })()) as { content: { text: string }[] };
    const envelope = JSON.parse(answer.content[0]?.text ?? '') as Envelope;
    assert.deepEqual(Object.keys(envelope), KEYS);
    codes.push(envelope.error_code);
  }
  assert.deepEqual(codes, ['INTERNAL_ERROR', 'INTERNAL_ERROR', 'INTERNAL_ERROR']);
});

test('seed_000_12_a_cause_tells_no_credentials', () => {
  const { human_message, cause } = toEnvelope(new Error('postgres://app:s3cr3t@db/x refused'));
  assert.ok(!`${human_message}${JSON.stringify(cause)}`.includes('s3cr3t'));
});

test('seed_000_14_the_stack_is_shown_only_if_DEBUG_STACK_is_true', () => {
  for (const [value, isShown] of [['true', true], ['1', false], ['', false]] as const) {
    process.env['DEBUG_STACK'] = value;
    assert.equal('stack_trace' in SystemError.toolFailure('INTERNAL_ERROR').toEnvelope(), isShown);
  }
  delete process.env['DEBUG_STACK'];
});

test('seed_000_38_a_thrown_system_error_reaches_the_client_unmodified', async () => {
  const thrown = SystemError.toolFailure('PLAN_NOT_APPROVED', { role: 'WINDSURF', session_id: 's', phase_id: 'PHASE_5A', plan_hash: 'abc', tool_name: 'write_file' });
  const { content } = (await wrapHandler(() => { throw thrown; }, { dialect: 'atlas-gate' })()) as { content: { text: string }[] };
  assert.deepEqual(JSON.parse(content[0]?.text ?? ''), thrown.toEnvelope());
});
