// A notes server that fails in every way a server can: with a code of its contract, with prose, by silence, by dying.
import { createInterface } from 'node:readline';

const text = (text, isError = true) => ({ content: [{ type: 'text', text }], isError });

const tools = {
  read_note: ({ id }) => text(`NOTE_NOT_FOUND: There is no note "${id}".`),
  list_notes: () => text('n-1', false),
  slow: () => undefined,
  die: () => process.exit(7),
  blame: () => text('It just did not work.'),
};

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '0.1.0' } }),
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: args }) => tools[name]?.(args ?? {}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (members) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...members }) + '\n');
  const result = methods[method]?.(params);
  if (result) answer({ result });
  else if (method !== 'tools/call') answer({ error: { code: -32601, message: `Method not found: ${method}` } });
});
