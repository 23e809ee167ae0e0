// `wrapServer`: every tool of a server of the official SDK, and what the SDK refuses before a tool is asked.
import { RpcError } from './answer.ts';
import { wrongArgument } from './card.ts';
import { FAULT_KEY } from './facts.ts';
import { FaultError } from './error.ts';
import { at, isObject } from './json.ts';
import { raise } from './make.ts';
import { parse } from './parse.ts';
import { SHIPPED_LOOKUP, type Lookup } from './rows.ts';
import type { Fault, Json, Row } from './types.ts';
import { failed, wrapHandler, type WrapOptions } from './wrap.ts';

/** What `wrapServer` takes: the class `McpServer` of both generations. */
export interface ServerLike {
  registerTool: (...args: never[]) => unknown;
  readonly server: object;
}

/** What a contract says of a tool: the line on its errors, and whether it only reads. */
export type Known = (tool: string) => { line: string; readOnly: boolean } | undefined;

type Loose = { [member: string]: unknown };
type Handler = (...args: unknown[]) => unknown;

/** A tool as the SDK keeps it. */
interface Registered {
  inputSchema?: { '~standard'?: { validate?: (value: unknown) => unknown } };
  annotations?: { readOnlyHint?: boolean };
  update?: Handler;
}

/**
 * Makes every tool of a server answer with an envelope, whatever happens, and returns the server: what a handler throws, wrong arguments,
 * an unknown tool, a result that does not fit its schema. Call it before tools are registered. It takes `McpServer` of both generations
 * of the SDK.
 */
export function wrapServer<S extends ServerLike>(server: S, options: WrapOptions = {}, about: Known = () => undefined): S {
  const own = server as unknown as Loose;
  const inner = server.server as Loose;
  const setRequestHandler = (inner as Loose | undefined)?.['setRequestHandler'];
  if (typeof own['registerTool'] !== 'function' || typeof setRequestHandler !== 'function') {
    throw new TypeError('wrapServer takes an McpServer of the official SDK; use wrapHandler for the handlers of another server');
  }
  const tools = new Map<string, Registered>();
  const guarded = (handler: unknown): unknown => (typeof handler === 'function' ? withRefusals(handler as Handler, tools, options) : handler);
  inner['setRequestHandler'] = (method: unknown, ...rest: unknown[]) =>
    Reflect.apply(setRequestHandler, inner, isCall(method) ? [method, ...rest.slice(0, -1), guarded(rest.at(-1))] : [method, ...rest]) as unknown;
  // A server that declared its capabilities has its handlers already.
  const known = inner['_requestHandlers'];
  if (known instanceof Map && known.has('tools/call')) known.set('tools/call', guarded(known.get('tools/call')));
  for (const method of ['registerTool', 'tool']) {
    const register = own[method];
    if (typeof register !== 'function') continue;
    own[method] = (name: string, ...rest: unknown[]) => {
      const handler = rest.pop();
      const readsOnly = () => about(name)?.readOnly === true || tools.get(name)?.annotations?.readOnlyHint === true;
      const wrapped = (it: unknown): unknown => (typeof it === 'function' ? named(it as Handler, name, readsOnly, options) : it);
      const made = Reflect.apply(register, server, [name, ...described(method, rest, about(name)?.line ?? ''), wrapped(handler)]) as Registered;
      tools.set(name, made);
      const { update } = made;
      if (update) made.update = (changes) => update(isObject(changes) && 'callback' in changes ? { ...changes, callback: wrapped(changes['callback']) } : changes);
      return made;
    };
  }
  return server;
}

/** What a tool is registered with, the line on its errors in its description. The method `tool` has no place for one that is not given. */
function described(method: string, given: unknown[], line: string): unknown[] {
  const [first, ...rest] = given;
  if (typeof first === 'string') return [withLine(first, line), ...rest];
  if (method !== 'registerTool' || line === '') return given;
  const config = (first ?? {}) as { description?: string };
  return [{ ...config, description: withLine(config.description ?? '', line) }, ...rest];
}

/** A description with a line, unless it has it already. */
export function withLine(description: string, line: string): string {
  return line === '' || description.split('\n').includes(line) ? description : [description, line].filter((it) => it !== '').join('\n');
}

/** A tool's handler that knows the tool's name, and whether it only reads. */
function named(handler: Handler, tool: string, isReadOnly: () => boolean, options: WrapOptions): Handler {
  let wrapped: Handler | undefined;
  return (...args) => {
    // The SDK tells the tool's annotations only when it is registered.
    const dialect = options.dialect === 'rpc' || options.dialect === undefined ? 'native' : options.dialect;
    wrapped ??= wrapHandler(handler, { ...options, dialect, readOnly: options.readOnly ?? isReadOnly(), context: { ...options.context, tool } });
    return wrapped(...args);
  };
}

/** Whether a handler is registered for calls of tools: by the method, or by a schema that takes such a request. */
function isCall(method: unknown): boolean {
  if (typeof method === 'string') return method === 'tools/call';
  const { safeParse } = (method ?? {}) as { safeParse?: (value: unknown) => { success?: boolean } };
  const takes = (name: string) => safeParse?.call(method, { method: name, params: { name: 'x' } }).success === true;
  return typeof safeParse === 'function' && takes('tools/call') && !takes('tools/list');
}

/** The handler of all calls, whose refusals are envelopes, too. */
function withRefusals(handler: Handler, tools: ReadonlyMap<string, Registered>, options: WrapOptions): Handler {
  const refused = async (said: string | undefined, request: unknown): Promise<unknown> => {
    const name = String(at(request as Json, ['params', 'name']));
    const fault = said === undefined ? undefined : await faultOfRefusal(said, name, at(request as Json, ['params', 'arguments']), tools.get(name), options.lookup);
    return fault && failed(new FaultError(fault), { ...options, context: { ...options.context, tool: name } });
  };
  const failing = async (result: unknown, request: unknown): Promise<unknown> => {
    const answer = (await refused(refusal(result), request)) ?? result;
    // The SDK makes a text of what a tool throws, so that the error of JSON-RPC is made here.
    const fault = options.dialect === 'rpc' && at(answer as Json, ['_meta', FAULT_KEY]) !== undefined ? parse(answer, options.lookup) : undefined;
    if (fault) throw new RpcError(fault);
    return answer;
  };
  const thrown = async (error: unknown, request: unknown): Promise<unknown> => {
    const answer = await refused(error instanceof Error ? error.message : undefined, request);
    if (answer !== undefined) return answer;
    throw error;
  };
  // What succeeded is passed on without a further turn.
  return (request, ...rest) =>
    Promise.resolve(handler(request, ...rest)).then(
      (result) => (isObject(result) && result['isError'] === true ? failing(result, request) : result),
      (error: unknown) => thrown(error, request),
    );
}

/** What the SDK says of a call that failed, where no handler has answered with an envelope. */
function refusal(result: unknown): string | undefined {
  if (!isObject(result) || at(result, ['_meta', FAULT_KEY]) !== undefined) return undefined;
  const text = Array.isArray(result['content']) ? at(result['content'][0], ['text']) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** The forms in which the SDK refuses, without the number that one generation puts before them. */
const NUMBERED = /^MCP error -32602: /;
const NO_TOOL = /^Tool .* (?:not found|disabled)$/s;
const BAD_INPUT = /^(?:Input validation error: )?Invalid arguments for tool /;
const BAD_OUTPUT = /^Output validation error: /;

async function faultOfRefusal(text: string, name: string, args: Json | undefined, tool: Registered | undefined, lookup: Lookup = SHIPPED_LOOKUP): Promise<Fault | undefined> {
  const said = text.replace(NUMBERED, '');
  const fault = (code: string, params: object) => raise(lookup.spelled('native', code) as Row, params);
  if (NO_TOOL.test(said)) return fault('UNKNOWN_TOOL', { tool: name });
  if (BAD_OUTPUT.test(said)) return fault('OUTPUT_INVALID', { reason: said.replace(BAD_OUTPUT, '') });
  if (!BAD_INPUT.test(said)) return undefined;
  const violations = await violationsOf(args, tool);
  const [first] = violations;
  if (!first) return { ...fault('INVALID_INPUT_VALUE', {}), server_text: said };
  const code = { missing: 'MISSING_REQUIRED_FIELD', wrong_type: 'INVALID_INPUT_TYPE' }[String(first['reason'])] ?? 'INVALID_INPUT_VALUE';
  return { ...fault(code, { field: first.pointer }), message: wrongArgument(first), violations };
}

/** What the schema of a tool says of the arguments. */
async function violationsOf(args: Json | undefined, tool: Registered | undefined): Promise<Fault['violations']> {
  try {
    const checked = await tool?.inputSchema?.['~standard']?.validate?.(args ?? {});
    const issues = isObject(checked) && Array.isArray(checked['issues']) ? (checked['issues'] as unknown[]) : [];
    return issues.slice(0, MAX_ISSUES).flatMap((it) => (isObject(it) ? violation(it, args) : []));
  } catch {
    // A schema can hold functions of the author.
    return [];
  }
}

const MAX_ISSUES = 20;

function violation(issue: { [member: string]: unknown }, args: Json | undefined): Fault['violations'] {
  const { path, message, expected, code, keys } = issue;
  const steps = (Array.isArray(path) ? (path as unknown[]) : []).map((it) => String(isObject(it) ? it['key'] : it));
  const pointer = (all: string[]) => all.map((it) => `/${it.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  if (code === 'unrecognized_keys' && Array.isArray(keys)) return keys.map((it) => ({ pointer: pointer([...steps, String(it)]), reason: 'unknown' }));
  const given = steps.reduce<Json | undefined>((it, step) => (Array.isArray(it) ? it[Number(step)] : at(it, [step])), args ?? {});
  if (given === undefined && steps.length > 0) return [{ pointer: pointer(steps), reason: 'missing' }];
  if (code === 'invalid_type' && typeof expected === 'string') return [{ pointer: pointer(steps), reason: 'wrong_type', expected }];
  const [, asked] = /\bexpected (.+)$/s.exec(String(message)) ?? [];
  return [{ pointer: pointer(steps), ...(asked === undefined ? { reason: String(message ?? 'not_allowed') } : { reason: 'not_allowed', expected: asked }) }];
}
