// Reading the failure out of whatever a call was answered with.
import { readCard } from './read-card.ts';
import { CLASSES, FAULT_KEY, FULL_CODE, TOOL_FAILURE_KEY, type Class } from './facts.ts';
import { at, isCount, isObject, json } from './json.ts';
import { faultOf } from './make.ts';
import { fillNative, finished, read, readAs } from './read.ts';
import { SHIPPED_LOOKUP, type Lookup } from './rows.ts';
import { matching } from './taught.ts';
import { noAnswer } from './thrown.ts';
import type { Fault, Json, JsonObject } from './types.ts';

/** An answer inside another one is read up to this depth. */
const MAX_WRAPPINGS = 3;
/** A larger text without an error flag is content, whatever it looks like. */
const MAX_UNFLAGGED = 16384;

/**
 * Reads the failure out of whatever a call was answered with: a JSON-RPC response, a tool's result, a JSON-RPC error (also as
 * the error that an SDK throws), an envelope, or a text, in any dialect. `undefined` if nothing failed. Never throws.
 *
 * A failure that does not say what it is has the ground `guessed`. Of these, what an SDK or the runtime throws when a server does not
 * answer is `TIMEOUT`, `UPSTREAM_UNAVAILABLE` or `CANCELLED`; an error of the protocol is what its number says; and the rest is
 * `UNKNOWN_TOOL_FAILURE`. Before all these come the taught rows of the contract; those that are for one tool count if it is named.
 */
export function parse(answer: unknown, lookup: Lookup = SHIPPED_LOOKUP, tool = ''): Fault | undefined {
  const parser = new Parser(lookup, tool);
  try {
    return parser.any(answer);
  } catch {
    // An object that cannot be looked at is no success.
    return parser.guessed(undefined);
  }
}

/** Reads answers with the codes of a lookup. */
class Parser {
  private readonly lookup: Lookup;
  private readonly tool: string;

  constructor(lookup: Lookup, tool: string) {
    this.lookup = lookup;
    this.tool = tool;
  }

  any(answer: unknown): Fault | undefined {
    return this.parseAny(answer) ?? (answer instanceof Error ? (this.thrown(answer) ?? this.guessed(answer.message)) : undefined);
  }

  private parseAny(answer: unknown): Fault | undefined {
    if (typeof answer !== 'string') return isObject(answer) ? this.parseObject(answer) : undefined;
    const document = json(answer);
    if (isObject(document)) return this.parseObject(document);
    const broken = document === undefined ? this.parseBroken(answer) : undefined;
    return broken ?? unsure(this.parseText(typeof document === 'string' ? document : answer, false, 0));
  }

  /** An answer that is no JSON. A failure must not pass for a success because a part of it cannot be read. */
  private parseBroken(text: string): Fault | undefined {
    const { document, isCut } = mended(text, MAX_WRAPPINGS + 1);
    const { content, error, result } = document;
    const isResponse = 'jsonrpc' in document && !('method' in document);
    const isFlagged =
      [document['isError'], at(result, ['isError'])].includes(true) || Number.isInteger(document['code']) || isCount(document['v']) || (isResponse && (error ?? null) !== null);
    const fault = isFlagged || text.length <= MAX_UNFLAGGED ? unsure(this.parseObject(document)) : undefined;
    const isAnswer = isResponse || Array.isArray(content) || 'structuredContent' in document || 'isError' in document;
    return fault ?? (isCut && isAnswer ? this.guessed(text) : undefined);
  }

  private parseObject(answer: JsonObject): Fault | undefined {
    const { content, message, text } = answer;
    const isBlocks = Array.isArray(content) && content.every((it) => isObject(it) && typeof it['type'] === 'string');
    // Our own envelope has its version first, so that it is found without a look at what else it could be.
    const own = isCount(answer['v']) ? this.envelope(answer, false) : undefined;
    if (own) return own;
    if ('jsonrpc' in answer) return this.parseResponse(answer);
    if ('isError' in answer || 'structuredContent' in answer || isBlocks) return this.parseResult(answer, 0);
    if (Number.isInteger(answer['code']) && typeof message === 'string') return this.parseError(answer);
    if (answer['type'] === 'text' && typeof text === 'string') return unsure(this.parseText(text, false, 0));
    return this.parsePayload(answer, false, 0);
  }

  private parseResponse(response: JsonObject): Fault | undefined {
    const { error, result } = response;
    if (error !== undefined && error !== null) return isObject(error) ? this.parseError(error) : this.guessed(error);
    if (isObject(result)) return this.parseResult(result, 0);
    return 'method' in response || 'result' in response ? undefined : this.guessed(undefined);
  }

  private parseError(error: JsonObject): Fault | undefined {
    const { code, message, data } = error;
    // The members of an error that an SDK throws need not be its own.
    const said: JsonObject = { code: code ?? 0, data: data ?? null, ...(message !== undefined && { message }) };
    // JSON-RPC's own numbers say too little.
    const isOwn = Number.isInteger(code) && (Number(code) > 0 || at(data, ['symbol']) !== undefined);
    const known = this.ours(at(data, [FAULT_KEY])) ?? this.envelope(data, true) ?? (isOwn ? readAs('rpc', { jsonrpc: '2.0', id: null, error: said }, this.lookup) : undefined);
    return known ?? this.taught(String(message ?? ''), true, [data], Number(code)) ?? this.thrown(error) ?? this.guessed(message, this.lookup.spelled('rpc', String(code)));
  }

  /** A failure of the way to the server. What became of the call is not known. */
  private thrown(error: object): Fault | undefined {
    const known = noAnswer(error);
    const row = known && this.lookup.spelled('native', known.code);
    return row && this.guessed(known.said, row);
  }

  private parseResult(result: JsonObject, depth: number): Fault | undefined {
    const { isError, structuredContent, content, _meta: meta } = result;
    const isFlagged = isError === true;
    const inMeta = isFlagged && (this.ours(at(meta, [FAULT_KEY])) ?? readAs('tool-failure', at(meta, [TOOL_FAILURE_KEY]), this.lookup));
    if (inMeta) return inMeta;
    const blocks = Array.isArray(content) ? content.map((it) => at(it, ['text'])) : [content];
    const texts = blocks.filter((it) => typeof it === 'string');
    const fault = structuredContent === undefined ? undefined : this.parsePayload(structuredContent, isFlagged, depth);
    const found = fault ?? firstOf(texts, (it) => this.parseText(it, isFlagged, depth));
    if (found && found.ground !== 'guessed') return isFlagged ? found : unsure(found);
    const taught = depth === 0 ? this.taught(texts.join('\n'), isFlagged, [structuredContent]) : undefined;
    return taught ?? (isFlagged ? (found ?? this.guessed(texts[0])) : unsure(found));
  }

  /** The failure that a taught row of the contract sees in an answer. */
  private taught(text: string, isFlagged: boolean, documents: (Json | undefined)[], rpcCode?: number): Fault | undefined {
    const match = matching(this.lookup.matches, { tool: this.tool, text, isFlagged, documents, ...(rpcCode !== undefined && { rpcCode }) });
    const row = match && this.lookup.spelled('native', match.code);
    if (!row) return undefined;
    const fault = this.guessed(text, row);
    return fault && { ...fault, effect: match?.effect ?? row.effect };
  }

  /** The text of a block. Without a flag it must be a failure as a whole. */
  private parseText(text: string, isFlagged: boolean, depth: number): Fault | undefined {
    const trimmed = text.trim();
    if (!isFlagged && trimmed.length > MAX_UNFLAGGED) return undefined;
    const document = /^[{"]/.test(trimmed) ? json(trimmed) : undefined;
    return document === undefined ? readCard(trimmed, isFlagged, this.lookup) : this.parsePayload(document, isFlagged, depth);
  }

  /** JSON that a tool answered with, as structure or as text. */
  private parsePayload(payload: Json, isFlagged: boolean, depth: number): Fault | undefined {
    if (typeof payload === 'string' && depth < MAX_WRAPPINGS) return this.parseText(payload, isFlagged, depth + 1);
    if (!isObject(payload)) return undefined;
    const fault = this.envelope(payload, isFlagged);
    if (fault) return fault;
    const { result } = payload;
    if (result !== undefined && Object.keys(payload).length === 1 && depth < MAX_WRAPPINGS) return this.parsePayload(result, isFlagged, depth + 1);
    if ('isError' in payload && depth < MAX_WRAPPINGS) return this.parseResult(payload, depth + 1);
    return isFlagged || !hasError(payload) ? undefined : this.guessed(JSON.stringify(payload['error']));
  }

  /** An envelope. Without a flag, its dialect must leave no doubt: any answer can have a member `code`. */
  private envelope(document: Json | undefined, isFlagged: boolean): Fault | undefined {
    if (!isObject(document)) return undefined;
    if (document['v'] === 1) return this.ours(document);
    const fault = read(document, this.lookup);
    return isFlagged || (fault?.dialect !== 'native' && fault?.dialect !== 'rpc') ? fault : undefined;
  }

  /** Our own envelope, also with a code that no registry here has: then its class is all that is known. */
  private ours(document: Json | undefined): Fault | undefined {
    const known = readAs('native', document, this.lookup);
    if (known || !isObject(document) || typeof document['code'] !== 'string') return known;
    const unknown = this.lookup.spelled('native', UNKNOWN);
    if (!unknown || !FULL_CODE.test(document['code'])) return undefined;
    const name = String(document['class']);
    const kind = (Object.hasOwn(CLASSES, name) ? name : 'unknown') as Class;
    const { http, retry } = CLASSES[kind];
    const { number: _, ...row } = unknown;
    const stranger = { ...row, registry: '', code: document['code'], class: kind, http, retry: { kind: retry }, effect: 'unknown' as const };
    const fault = faultOf(stranger, 'native');
    return fillNative(fault, document) ? finished(fault) : undefined;
  }

  /** A failure that does not say what it is. */
  guessed(text: Json | undefined, row = this.lookup.spelled('native', UNKNOWN)): Fault | undefined {
    if (!row) return undefined;
    const fault: Fault = { ...faultOf(row, 'native'), ground: 'guessed', effect: row.effect === 'none' ? 'unknown' : row.effect };
    if (typeof text === 'string' && text !== '') fault.server_text = [...text.slice(0, 2 * MAX_SAID)].slice(0, MAX_SAID).join('');
    return fault;
  }
}

/** A failure in an answer without an error flag: the call may have succeeded, and this may be what it was asked for. */
function unsure(fault: Fault | undefined): Fault | undefined {
  return fault && { ...fault, ground: 'guessed' };
}

/** The members of a broken object that can be told, and whether it never ends. */
function mended(text: string, levels: number): { document: JsonObject; isCut: boolean } {
  const document: JsonObject = {};
  let place = /^\s*\{/.exec(text)?.[0].length;
  let isCut = true;
  while (place !== undefined) {
    const key = /^\s*("(?:[^"\\]|\\[^])*")\s*:\s*/.exec(text.slice(place, place + 1024));
    if (!key?.[1]) break;
    const start = place + key[0].length;
    const end = endOf(text, start);
    const name = json(key[1]);
    if (typeof name === 'string' && name !== '__proto__' && !Object.hasOwn(document, name)) document[name] = mendedValue(text.slice(start, end), levels);
    isCut = end === undefined || text[end] !== '}';
    place = end !== undefined && text[end] === ',' ? end + 1 : undefined;
  }
  return { document, isCut };
}

function mendedValue(text: string, levels: number): Json {
  const value = json(text);
  if (value !== undefined) return value;
  if (text.startsWith('{')) return levels > 0 ? mended(text, levels - 1).document : {};
  return text.startsWith('[') ? [] : text.startsWith('"') ? '' : null;
}

/** Where the value that starts there ends, if it does. */
function endOf(text: string, start: number): number | undefined {
  const tokens = /"(?:[^"\\]|\\[^])*"?|[[\]{},]/g;
  tokens.lastIndex = start;
  for (let depth = 0, token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [it] = token;
    if (it === '{' || it === '[') depth += 1;
    else if (depth === 0 && !it.startsWith('"')) return token.index;
    else if (it === '}' || it === ']') depth -= 1;
  }
  return undefined;
}

function firstOf<T, U>(all: readonly T[], look: (it: T) => U | undefined): U | undefined {
  for (const it of all) {
    const found = look(it);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An `error` is a failure, unless it says nothing. */
function hasError({ error }: JsonObject): boolean {
  return typeof error === 'string' ? error.trim() !== '' : isObject(error) && ('message' in error || 'code' in error);
}

const UNKNOWN = 'UNKNOWN_TOOL_FAILURE';
/** How much of a foreign text is kept. */
const MAX_SAID = 500;
