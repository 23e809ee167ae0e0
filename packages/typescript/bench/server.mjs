// A server of the official SDK on stdio with the same tool bare and wrapped: node server.mjs 1|2
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { McpServer as McpServer2 } from '@modelcontextprotocol/server';
import { StdioServerTransport as Stdio2 } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { wrapHandler } from 'redress-runtime';

const rows = Array.from({ length: 20 }, (_, at) => ({ id: at, title: `Note ${at}`, tags: ['a', 'b'] }));
const read = ({ id }) => ({ content: [{ type: 'text', text: `note ${id}` }], structuredContent: { rows } });
const spent = () => {
  const { user, system } = process.cpuUsage();
  return { content: [{ type: 'text', text: String(user + system) }] };
};

const [, , generation] = process.argv;
const [server, transport, inputSchema] =
  generation === '2'
    ? [new McpServer2({ name: 's', version: '1' }), new Stdio2(), z.object({ id: z.number() })]
    : [new McpServer({ name: 's', version: '1' }), new StdioServerTransport(), { id: z.number() }];
server.registerTool('bare', { inputSchema }, read);
server.registerTool('wrapped', { inputSchema }, wrapHandler(read));
server.registerTool('spent', {}, spent);
await server.connect(transport);
