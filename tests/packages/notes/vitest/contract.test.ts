// Whether a server really answers with each code that notes 0.1.0 declares.
// Written by `redress registry export --format vitest`; not to be edited. The calls are yours: `contract.calls.json`, or the
// file that CONTRACT_CALLS names.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { CODES, isCode, parse, type Code, type JsonObject } from './index.ts';

/** The codes that the registry declares itself. */
const DECLARED: readonly Code[] = [
  "NOTE_NOT_FOUND",
];

/** A call that fails with a code, with those to make before it; or why there is none. */
type Provocation = { tool: string; arguments?: JsonObject; first?: { tool: string; arguments?: JsonObject }[] } | { skip: string };

interface Calls {
  server: { command: string[] } | { url: string };
  calls: { [code: string]: Provocation };
}

const path = process.env['CONTRACT_CALLS'] ?? fileURLToPath(new URL('contract.calls.json', import.meta.url));
const { server, calls } = JSON.parse(readFileSync(path, 'utf8')) as Calls;
const client = new Client({ name: 'contract-test', version: '1' });

/** The answer to a call; an error that the client throws is an answer, too. */
async function call(tool: string, args: JsonObject = {}): Promise<unknown> {
  return client.callTool({ name: tool, arguments: args }).catch((error: unknown) => error);
}

beforeAll(async () => {
  const [command = '', ...args] = 'command' in server ? server.command : [];
  await client.connect('url' in server ? new StreamableHTTPClientTransport(new URL(server.url)) : new StdioClientTransport({ command, args }));
});

afterAll(() => client.close());

for (const code of new Set([...DECLARED, ...Object.keys(calls)])) {
  const provocation = calls[code];
  if (provocation && 'skip' in provocation) {
    test.skip(`${code} (${provocation.skip})`);
    continue;
  }
  test(code, async () => {
    if (!isCode(code)) throw new Error(`${code} is no code of the registry: correct its name in ${path}`);
    if (!provocation) throw new Error(`no call provokes ${code}: add one to ${path}, or {"skip": "why"}`);
    for (const { tool, arguments: args } of provocation.first ?? []) await call(tool, args);
    const answer = await call(provocation.tool, provocation.arguments);
    const fault = parse(answer);
    const said = answer instanceof Error ? String(answer) : JSON.stringify(answer);
    expect(fault, `${provocation.tool} did not fail: ${said}`).toBeDefined();
    const { class: kind, http } = CODES[code];
    expect({ code: fault?.code, class: fault?.class, http: fault?.http }, `${provocation.tool} answered: ${said}`).toEqual({ code, class: kind, http });
  });
}
