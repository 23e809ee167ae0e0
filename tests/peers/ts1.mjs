// The TypeScript SDK of the first generation (`@modelcontextprotocol/sdk`), which knows sessions only.
import { createRequire } from 'node:module';
import { answers, peers, run, target, transport } from './steps.mjs';

const require = createRequire(`${peers}/`);
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const types = require('@modelcontextprotocol/sdk/types.js');

const client = new Client({ name: 'ts1', version: '1' }, { capabilities: { sampling: {}, elicitation: {} } });
client.setRequestHandler(types.CreateMessageRequestSchema, answers.sampling);
client.setRequestHandler(types.ElicitRequestSchema, answers.elicitation);
await client.connect(
  transport === 'http'
    ? new StreamableHTTPClientTransport(new URL(target[0]))
    : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: 'inherit' }),
);
// Without this list the client would not check results against output schemas.
await client.listTools();
await run({
  serverName: () => client.getServerVersion().name,
  capabilities: () => client.getServerCapabilities(),
  tools: () => client.listTools(),
  call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
  read: (uri) => client.readResource({ uri }),
  prompt: (name, args) => client.getPrompt({ name, arguments: args }),
});
await client.close();
process.exit(0);
