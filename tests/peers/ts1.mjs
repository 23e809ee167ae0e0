// The TypeScript SDK of the first generation (`@modelcontextprotocol/sdk`), which knows sessions only.
import { createRequire } from 'node:module';
import { answers, peers, run } from './steps.mjs';

const require = createRequire(`${peers}/`);
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const types = require('@modelcontextprotocol/sdk/types.js');

const client = new Client({ name: 'ts1', version: '1' }, { capabilities: { sampling: {}, elicitation: {} } });
client.setRequestHandler(types.CreateMessageRequestSchema, answers.sampling);
client.setRequestHandler(types.ElicitRequestSchema, answers.elicitation);
const transports = { StdioClientTransport, StreamableHTTPClientTransport };
await run(client, transports, (params, options) => client.callTool(params, undefined, options));
