// `wrapHandler` with the official SDKs of both generations: whatever is thrown or returned, the client gets an envelope.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client as Client2, InMemoryTransport as Memory2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, UrlElicitationRequiredError as UrlElicitation1 } from '@modelcontextprotocol/sdk/types.js';
import { McpServer as McpServer2, UrlElicitationRequiredError as UrlElicitation2 } from '@modelcontextprotocol/server';
import * as z from 'zod';

import { decide, Budget, fault, parse, wrapHandler, type Dialect, type Fault, type WrapOptions } from 'redress-runtime';

type Answer = { isError?: boolean; content?: { text?: string }[]; structuredContent?: unknown; _meta?: unknown };
type Call = (name: string, args?: Record<string, unknown>) => Promise<Answer>;
type Handler = (args: { id: number }) => unknown;

/** What a handler is tried with: a tool without and one with an output schema. */
const output = { title: z.string() };

async function first(handler: Handler, given?: WrapOptions): Promise<Call> {
  const options = { onFault: () => {}, ...given };
  const server = new McpServer1({ name: 's', version: '1' });
  server.registerTool('plain', { inputSchema: { id: z.number() } }, wrapHandler(handler as (args: { id: number }) => { content: [] }, options));
  server.registerTool('typed', { inputSchema: { id: z.number() }, outputSchema: output }, wrapHandler(handler as (args: { id: number }) => { content: []; structuredContent: { title: string } }, options));
  const client = new Client1({ name: 'c', version: '1' });
  const [one, other] = Memory1.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  return (name, args = { id: 7 }) => client.callTool({ name, arguments: args }) as Promise<Answer>;
}

async function second(handler: Handler, given?: WrapOptions): Promise<Call> {
  const options = { onFault: () => {}, ...given };
  const server = new McpServer2({ name: 's', version: '1' });
  server.registerTool('plain', { inputSchema: z.object({ id: z.number() }) }, wrapHandler(handler as (args: { id: number }) => { content: [] }, options));
  server.registerTool('typed', { inputSchema: z.object({ id: z.number() }), outputSchema: z.object(output) }, wrapHandler(handler as (args: { id: number }) => { content: []; structuredContent: { title: string } }, options));
  const client = new Client2({ name: 'c', version: '1' });
  const [one, other] = Memory2.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  return (name, args = { id: 7 }) => client.callTool({ name, arguments: args }) as Promise<Answer>;
}

const SDKS = { 'SDK 1.x': first, 'SDK 2.x': second };

const cycle: { self?: unknown; code?: unknown } = { code: 5 };
cycle.self = cycle;
const hostile = new Proxy({}, { get() { throw new Error('get'); }, has() { throw new Error('has'); }, ownKeys() { throw new Error('keys'); } });

/** Every thrown value, with the code that the client must read. */
const THROWN: [name: string, value: unknown, code: string][] = [
  ['a fault', fault('FILE_NOT_FOUND', { path: 'a.txt' }), 'FILE_NOT_FOUND'],
  ['a fault with details that are a cycle', fault('FILE_NOT_FOUND', { path: 'a' }, { details: cycle as never }), 'FILE_NOT_FOUND'],
  ['a fault that its author broke', fault('FILE_NOT_FOUND', { path: 'a' }, { message: undefined, retry: 7 } as never), 'INTERNAL_ERROR'],
  ['an error with a code of the contract', Object.assign(new Error('Locked by pid 7'), { code: 'SESSION_LOCKED' }), 'SESSION_LOCKED'],
  ['an error of the system', Object.assign(new Error("ENOENT: no such file, open 'x'"), { code: 'ENOENT', path: 'x' }), 'FILE_NOT_FOUND'],
  ['an error', new Error('boom'), 'INTERNAL_ERROR'],
  ['an error without a message', new Error(), 'INTERNAL_ERROR'],
  ['a text', 'boom', 'INTERNAL_ERROR'],
  ['an envelope as text', '{"error_code":"PLAN_NOT_FOUND","human_message":"No plan."}', 'PLAN_NOT_FOUND'],
  ['an envelope as object', { ok: false, error: 'Not running', code: 'NOT_RUNNING', hint: 'x', retryable: false, http: 409 }, 'NOT_RUNNING'],
  ['an object', { message: 'boom', more: [1] }, 'INTERNAL_ERROR'],
  ['undefined', undefined, 'INTERNAL_ERROR'],
  ['null', null, 'INTERNAL_ERROR'],
  ['a number', 42, 'INTERNAL_ERROR'],
  ['a BigInt', 10n, 'INTERNAL_ERROR'],
  ['a symbol', Symbol('q'), 'INTERNAL_ERROR'],
  ['a function', () => 1, 'INTERNAL_ERROR'],
  ['a cycle', cycle, 'INTERNAL_ERROR'],
  ['an object with a BigInt', { n: 1n }, 'INTERNAL_ERROR'],
  ['getters that throw', { get message(): string { throw new Error('no'); }, get code(): string { throw new Error('no'); } }, 'INTERNAL_ERROR'],
  ['a proxy that throws', hostile, 'INTERNAL_ERROR'],
  ['an object without a prototype', Object.assign(Object.create(null) as object, { message: 'bare' }), 'INTERNAL_ERROR'],
  ['an error whose cause is a cycle', new Error('x', { cause: cycle }), 'INTERNAL_ERROR'],
  ['a code that no registry has', Object.assign(new Error('x'), { code: 'MADE_UP' }), 'INTERNAL_ERROR'],
];

/** A proxy of which nothing at all can be asked. */
const revoked = Proxy.revocable({}, {});
revoked.revoke();
THROWN.push(['a revoked proxy', revoked.proxy, 'INTERNAL_ERROR'], ['a proxy without a prototype', new Proxy({}, { getPrototypeOf() { throw new Error('prototype'); } }), 'INTERNAL_ERROR']);

for (const [sdk, start] of Object.entries(SDKS)) {
  for (const [name, value, code] of THROWN) {
    test(`seed_000_41_${sdk}: ${name} is thrown`, async () => {
      for (const throws of [() => { throw value; }, async () => { await null; throw value; }, () => ({ then: (_: unknown, fail: (it: unknown) => void) => fail(value) })]) {
        const call = await start(throws);
        for (const tool of ['plain', 'typed']) {
          const answer = await call(tool);
          assert.equal(answer.isError, true);
          assert.ok(answer.content?.[0]?.text?.startsWith(`${code}: `), JSON.stringify(answer));
          assert.equal(parse(answer)?.code, code);
        }
      }
    });
  }

  test(`${sdk}: the question for an address is no failure`, async () => {
    const elicitations = [{ mode: 'url' as const, message: 'Sign in', elicitationId: 'e1', url: 'https://example.com' }];
    const call = await start(() => { throw sdk === 'SDK 1.x' ? new UrlElicitation1(elicitations) : new UrlElicitation2(elicitations); });
    const thrown = (await call('plain').catch((it: unknown) => it)) as { code: number };
    assert.equal(thrown.code, -32042);
  });

  test(`${sdk}: typed returns and output schemas stay`, async () => {
    const answer = { content: [{ type: 'text', text: 'x' }], structuredContent: { title: 'x' } };
    const call = await start(() => answer);
    const { content, structuredContent } = await call('typed');
    assert.deepEqual({ content, structuredContent }, answer);
    assert.equal(await wrapHandler(() => answer)(), answer, 'the same object');
  });

  test(`${sdk}: what is returned in place of an answer is a failure`, async () => {
    const big = { content: [], structuredContent: { n: 1n } };
    const self: { content: unknown[]; self?: unknown } = { content: [] };
    self.self = self;
    for (const [returned, code] of [
      [undefined, 'OUTPUT_INVALID'],
      [null, 'OUTPUT_INVALID'],
      ['text', 'OUTPUT_INVALID'],
      [big, 'OUTPUT_INVALID'],
      [self, 'OUTPUT_INVALID'],
      [{ content: [], get x(): number { throw new Error('no'); } }, 'INTERNAL_ERROR'],
      [new Error('boom'), 'INTERNAL_ERROR'],
      [fault('TIMEOUT').fault, 'TIMEOUT'],
      [fault('TIMEOUT'), 'TIMEOUT'],
      [revoked.proxy, 'INTERNAL_ERROR'],
      [{ content: [], structuredContent: { toJSON: 5, n: 1n } }, 'OUTPUT_INVALID'],
      [{ content: [], structuredContent: hostile }, 'INTERNAL_ERROR'],
      [{ content: [], structuredContent: new Proxy({}, { get() { throw new Error('get'); } }) }, 'INTERNAL_ERROR'],
    ] as const) {
      assert.equal(parse(await (await start(() => returned))('plain'))?.code, code, String(code));
    }
  });

  for (const dialect of ['native', 'atlas-gate', 'workrail', 'stagewright', 'mailvault', 'tool-failure'] satisfies Dialect[]) {
    test(`${sdk}: the envelope in ${dialect}`, async () => {
      const call = await start(() => { throw fault('RATE_LIMITED', {}); }, { dialect });
      const read = parse(await call('plain'));
      assert.deepEqual([read?.code, read?.ground], ['RATE_LIMITED', 'stated']);
      assert.equal(decide(read as Fault, { trusted: true, readOnly: true }, { made: 1 }, new Budget()).do, 'retry_after');
    });
  }
}

test('SDK 1.x: the dialect rpc is an error of JSON-RPC', async () => {
  const server = new Server1({ name: 's', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, wrapHandler((): { content: [] } => { throw fault('TIMEOUT', {}); }, { dialect: 'rpc' }));
  const client = new Client1({ name: 'c', version: '1' });
  const [one, other] = Memory1.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  const thrown = await client.callTool({ name: 'x' }).catch((it: unknown) => it);
  assert.equal((thrown as { code: number }).code, 1001);
  assert.equal(parse(thrown)?.code, 'TIMEOUT');
});

test('onFault hears of every failure, with what was thrown', async () => {
  const seen: [string, unknown][] = [];
  const boom = new Error('boom');
  const call = wrapHandler(() => { throw boom; }, { context: { tool: 't' }, onFault: (it, thrown) => { seen.push([`${it.code} ${it.context.tool}`, thrown]); throw new Error('a log that fails'); } });
  assert.equal(((await call()) as Answer).isError, true);
  assert.deepEqual(seen, [['INTERNAL_ERROR t', boom]]);
});
