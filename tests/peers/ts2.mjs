// The TypeScript SDK of the second generation (`@modelcontextprotocol/client`), which knows both eras.
import { createRequire } from 'node:module';
import { answers, era, peers, run } from './steps.mjs';

const require = createRequire(`${peers}/`);
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

const mode = era === 'stateless' ? { pin: '2026-07-28' } : 'legacy';
const client = new Client(
  { name: 'ts2', version: '1' },
  { capabilities: { sampling: {}, elicitation: {} }, versionNegotiation: { mode } },
);
client.setRequestHandler('sampling/createMessage', answers.sampling);
client.setRequestHandler('elicitation/create', answers.elicitation);
const transports = { StdioClientTransport, StreamableHTTPClientTransport };
await run(client, transports, (params, options) => client.callTool(params, options));
