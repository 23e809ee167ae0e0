// The TypeScript SDK of the second generation (`@modelcontextprotocol/client`), which knows both eras.
import { createRequire } from 'node:module';
import { answers, era, peers, run, target, transport } from './steps.mjs';

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
await client.connect(
  transport === 'http'
    ? new StreamableHTTPClientTransport(new URL(target[0]))
    : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: 'inherit' }),
);
await client.listTools();
await run({
  serverName: () => client.getServerVersion().name,
  capabilities: () => client.getServerCapabilities(),
  tools: () => client.listTools(),
  call: (name, args, options) => client.callTool({ name, arguments: args }, options),
  read: (uri) => client.readResource({ uri }),
  prompt: (name, args) => client.getPrompt({ name, arguments: args }),
});
await client.close();
process.exit(0);
