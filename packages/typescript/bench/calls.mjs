// What `wrapHandler` costs a server of the official SDK on stdio, beside the same tool without it: node calls.mjs [ROUNDS] [CALLS]
//
// One server has both tools, and rounds alternate, so that both meet the same machine. The cost is that of the server's processor time:
// calls a second on a shared machine say more about its other programs. Each round is set against the one beside it, and the median of
// all pairs counts.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [rounds = 1000, calls = 80] = process.argv.slice(2).map(Number);
/** The most that the wrapper may cost. */
const LIMIT = 0.05;
/** The rounds are split into so many parts, each of which gives one figure of the cost. */
const PARTS = 5;
/** So many calls are on their way at once. */
const AT_ONCE = 8;

/** One round: calls a second, and a second of the server's processor time. */
async function round(client, name) {
  const spent = async () => Number((await client.callTool({ name: 'spent', arguments: {} })).content[0].text) / 1e6;
  const [start, before] = [performance.now(), await spent()];
  for (let id = 0; id < calls; id += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => client.callTool({ name, arguments: { id: id + at } })));
  }
  return { wall: calls / ((performance.now() - start) / 1000), cpu: calls / ((await spent()) - before) };
}

const median = (all) => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)];
const range = (all, show) => `${show(median(all))} (${show(Math.min(...all))} to ${show(Math.max(...all))})`;
const whole = (it) => `${Math.round(it)}`;
const percent = (it) => `${(it * 100).toFixed(1)} %`;

let isWithin = true;
for (const generation of ['1', '2']) {
  const client = new Client({ name: 'c', version: '1' });
  const server = fileURLToPath(new URL('server.mjs', import.meta.url));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, generation] }));
  for (const name of ['bare', 'wrapped', 'bare', 'wrapped']) await round(client, name);
  const seen = { bare: [], wrapped: [] };
  for (let at = 0; at < rounds; at += 1) {
    // Which one goes first changes, too.
    for (const name of at % 2 === 0 ? ['bare', 'wrapped'] : ['wrapped', 'bare']) seen[name].push(await round(client, name));
  }
  for (const [name, all] of Object.entries(seen)) {
    console.log(`SDK ${generation}.x, ${name}: ${range(all.map((it) => it.wall), whole)} calls/s; ${range(all.map((it) => it.cpu), whole)} calls a second of processor time`);
  }
  const pairs = seen.bare.map((it, at) => 1 - seen.wrapped[at].cpu / it.cpu);
  const cost = (from, to) => median(pairs.slice(from, to));
  const parts = Array.from({ length: PARTS }, (_, at) => cost((at * rounds) / PARTS, ((at + 1) * rounds) / PARTS));
  console.log(`SDK ${generation}.x: wrapHandler costs ${percent(cost(0, rounds))}; in ${PARTS} parts ${range(parts, percent)}`);
  isWithin &&= cost(0, rounds) <= LIMIT;
  await client.close();
}
process.exitCode = isWithin ? 0 : 1;
