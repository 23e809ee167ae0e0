// Taught rows: what answers of a server mean, as `[[match]]` of its registry says. The first row that fits wins.
import type { Effect } from './facts.ts';
import { at, isObject, json } from './json.ts';
import type { Json } from './types.ts';

/** One row. Rows with a regular expression stay with the gate: it matches in linear time, and this language does not. */
export interface Match {
  /** A glob over the name of the tool. */
  tool?: string;
  /** A glob over the whole text. */
  text?: string;
  /** JSON pointers into the answer, and the values that stand there. */
  json?: { readonly [pointer: string]: Json };
  /** The number of the JSON-RPC error. */
  rpc_code?: number;
  /** The HTTP status. */
  status?: number;
  /** The code that such an answer means. */
  code: string;
  /** What the failed call may have changed, where the row of the code says another thing. */
  effect?: Effect;
  /** It counts although the server flagged nothing. */
  silent?: boolean;
}

/** An answer that rows are held against. */
export interface Sample {
  tool: string;
  text: string;
  isFlagged: boolean;
  rpcCode?: number;
  /** The JSON that came with it. */
  documents?: readonly (Json | undefined)[];
}

/** How much of a text is looked at. */
const LOOKED_AT = 32768;

/** The first row that fits an answer; of one that flags nothing, the first that counts there. */
export function matching(rows: readonly Match[], { tool, text: whole, isFlagged, rpcCode, documents = [] }: Sample): Match | undefined {
  if (rows.length === 0) return undefined;
  const text = whole.slice(0, LOOKED_AT);
  const [said, called] = [text, tool].map((it) => [...it.trimEnd()]) as [string[], string[]];
  const inner = /^\s*[{[]/.test(text) ? json(text.trim()) : undefined;
  const has = (pointer: string, value: Json) => [inner, ...documents].some((it) => it !== undefined && behind(it, pointer) === value);
  return rows.find(
    (row) =>
      (isFlagged || row.silent === true) &&
      (row.tool === undefined || covers(row.tool, called)) &&
      (row.text === undefined || covers(row.text, said)) &&
      (row.rpc_code === undefined || row.rpc_code === rpcCode) &&
      row.status === undefined &&
      Object.entries(row.json ?? {}).every(([pointer, value]) => has(pointer, value)),
  );
}

/** Whether a glob covers a whole text: `*` is anything, `?` one character. Linear in the text for each `*`. */
function covers(glob: string, chars: readonly string[]): boolean {
  const pattern = [...glob];
  let from = 0;
  let to = 0;
  let star: [number, number] | undefined;
  while (to < chars.length) {
    const it = pattern[from];
    if (it === '*') star = [from++, to];
    else if (it !== undefined && (it === '?' || it === chars[to])) [from, to] = [from + 1, to + 1];
    else if (star) {
      star = [star[0], star[1] + 1];
      [from, to] = [star[0] + 1, star[1]];
    } else return false;
  }
  return pattern.slice(from).every((it) => it === '*');
}

/** The value behind a JSON pointer. */
function behind(value: Json, pointer: string): Json | undefined {
  if (pointer === '') return value;
  const steps = pointer.slice(1).split('/').map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<Json | undefined>((inner, step) => (Array.isArray(inner) ? inner[Number(step)] : isObject(inner) ? at(inner, [step]) : undefined), value);
}
