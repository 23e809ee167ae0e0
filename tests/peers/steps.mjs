// What every TypeScript client does, in the order it was asked for; prints what came of it as one JSON object.
//
// node CLIENT.mjs PEERS sessions|stateless STEP,… stdio COMMAND ARGS… | http URL [TOKEN]

const [, , peers, era, names, transport, ...target] = process.argv;

export { peers, era };

/** How a client answers when a server asks it something. */
export const answers = {
  sampling: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Paris' } }),
  elicitation: () => ({ action: 'accept', content: { name: 'Ada', username: 'Ada', email: 'ada@example.com' } }),
};

/** Which tool asks the client, in each era. */
const asking = {
  sessions: { sampling: ['test_sampling', { prompt: 'Capital?' }], elicitation: ['test_elicitation', { message: 'Who?' }] },
  stateless: { sampling: ['test_input_required_result_sampling', {}], elicitation: ['test_input_required_result_elicitation', {}] },
}[era];

const steps = {
  server: async (client) => ({ name: client.serverName(), capabilities: client.capabilities() }),
  tools: async (client) => client.tools(),
  ok: async (client) => client.call('test_simple_text', {}),
  mixed: async (client) => client.call('test_multiple_content_types', {}),
  sum: async (client) => client.call('sum', { a: 1, b: 2 }),
  resource: async (client) => client.read('test://static-text'),
  prompt: async (client) => client.prompt('test_prompt_with_arguments', { arg1: 'a', arg2: 'b' }),
  progress: async (client) => {
    const seen = [];
    const result = await client.call('test_tool_with_progress', {}, { onprogress: (it) => seen.push(it.progress) });
    return { seen, result };
  },
  sampling: async (client) => client.call(...asking.sampling),
  elicitation: async (client) => client.call(...asking.elicitation),
  large: async (client) => (await client.call('large', { bytes: 1 << 19 })).content[0].text.length,
  file: async (client) => client.call('read_file', { path: 'a.txt' }),
  no_file: async (client) => client.call('read_file', { path: 'b.txt' }),
  failed: async (client) => client.call('test_error_handling', {}),
  failed_typed: async (client) => client.call('sum', { a: 1, b: 2, fail: true }),
  protocol_error: async (client) => client.call('protocol_error', {}),
  unknown_tool: async (client) => client.call('no_such_tool', {}),
  missing_resource: async (client) => client.read('test://missing'),
  timeout: async (client) => client.call('hang', {}),
  cancel: async (client) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort('enough'), 300);
    const ended = await client.call('hang', {}, { signal: stop.signal }).then(() => 'answered', () => 'stopped');
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { ended, heard: (await client.call('cancelled_calls', {})).content[0].text };
  },
  crash: async (client) => client.call('exit', { code: 7 }),
  again: async (client) => client.call('test_simple_text', {}),
};

/**
 * Connects a client of either generation, runs the steps and ends. A step that throws is told as an error; the others go on.
 * `call` makes a call of a tool, for which the generations have different arguments.
 */
export async function run(client, { StdioClientTransport, StreamableHTTPClientTransport }, call) {
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(target[0]), {
          requestInit: { headers: target[1] ? { Authorization: `Bearer ${target[1]}` } : {} },
        })
      : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: 'inherit' }),
  );
  // Without this list a client would not check results against output schemas.
  await client.listTools();
  const asks = {
    serverName: () => client.getServerVersion().name,
    capabilities: () => client.getServerCapabilities(),
    tools: () => client.listTools(),
    call: (name, args, options) => call({ name, arguments: args }, options),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  };
  const report = {};
  for (const name of names.split(',')) {
    try {
      report[name] = { ok: await steps[name](asks) };
    } catch (error) {
      report[name] = { error: { code: error.code, message: error.message, data: error.data } };
    }
  }
  process.stdout.write(JSON.stringify(report) + '\n');
  await client.close();
  process.exit(0);
}
