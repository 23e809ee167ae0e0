// The taxonomy's helpers: errors with numbers, domains, and the counters of `sys/errorStats`.
import { safeFault } from './bound.ts';
import { isObject, read, safeJson, textOf } from './json.ts';
import { redact } from './redact.ts';
import { SHIPPED_LOOKUP } from './rows.ts';
import { SHIPPED } from './shipped.ts';
import type { Json, JsonObject } from './types.ts';
import { isFault } from './unknown.ts';
import { rpcError } from './write.ts';

/** An error with a number, as the harness reads it. */
export interface AppError extends Error {
  appCode: number;
  symbol?: string | undefined;
  domain?: string | undefined;
  details?: unknown;
  retryable?: boolean | undefined;
}

export interface Extra {
  symbol?: string;
  domain?: string;
  details?: unknown;
  retryable?: boolean;
}

/** An error with a number. */
export function appError(code: number, message: string, extra: Extra = {}): AppError {
  return Object.assign(new Error(message), { appCode: code, symbol: extra.symbol, domain: extra.domain, details: extra.details, retryable: extra.retryable });
}

/** What a domain says of one of its errors. `symbol` is what is sent; its own key, if absent. */
export interface Definition {
  code: number;
  message: string;
  retryable?: boolean;
  symbol?: string;
}

export interface Overrides {
  message?: string;
  details?: unknown;
  retryable?: boolean;
}

/** A domain: its definitions, and what makes an error of them. */
export interface Domain<D extends { readonly [symbol: string]: Definition }> {
  defs: D;
  error(symbol: keyof D & string, overrides?: Overrides): AppError;
}

/** A domain of errors. An unknown symbol is refused. */
export function defineDomain<const D extends { readonly [symbol: string]: Definition }>(domain: string, defs: D): Domain<D> {
  const map: D = { ...defs };
  return {
    defs: map,
    error(symbol, overrides = {}) {
      const def = Object.hasOwn(map, symbol) ? map[symbol] : undefined;
      if (!def) throw new Error(`Unknown error symbol ${symbol} for domain ${domain}`);
      const retryable = overrides.retryable ?? def.retryable;
      return appError(def.code, overrides.message || def.message, {
        symbol: def.symbol ?? symbol,
        domain,
        ...(overrides.details ? { details: overrides.details } : {}),
        ...(retryable !== undefined && { retryable }),
      });
    },
  };
}

/** The definitions of a domain that ships with the taxonomy, by their short names. */
function shipped(domain: string, prefix: string, short: { readonly [symbol: string]: string }): { [kind: string]: Definition } {
  const rows = SHIPPED.filter((it) => it.registry === 'rpc-taxonomy' && it.domain === domain);
  return Object.fromEntries(
    rows.map((it) => {
      const symbol = it.written.rpc ?? `E_${it.code}`;
      const kind = short[symbol] ?? symbol.replace(`E_${prefix}_`, '');
      return [kind, { code: it.number ?? 0, message: it.said.replace(/\.$/, ''), symbol, retryable: it.retry.kind === 'now' || it.retry.kind === 'after_delay' }];
    }),
  );
}

const INVALID_PARAMS: Definition = { code: 1000, message: 'Invalid parameters', symbol: 'E_INVALID_PARAMS' };

const FILESYSTEM: { readonly [kind: string]: Definition } = { ...shipped('filesystem', 'FS', {}), INVALID_PARAMS };

export const filesystem = defineDomain('filesystem', FILESYSTEM);
export const memoryBank = defineDomain('memory-bank', shipped('memory-bank', 'MB', { E_MB_READ: 'READ_FAILED' }));
export const kgMemory = defineDomain('kg-memory', shipped('kg-memory', 'KG', {}));

export const fsError = filesystem.error;
export const mbError = memoryBank.error;
export const kgError = kgMemory.error;

/** The error object of JSON-RPC. */
export interface SafeError extends JsonObject {
  code: number;
  message: string;
}

/** The variables that the harness reads. */
export interface Environment {
  [name: string]: string | undefined;
}

/** Frames of the harness itself say nothing about the failure. */
const HARNESS = /redress-runtime|packages\/typescript\/(?:src|dist)/;

/** A thrown value as the error object of JSON-RPC. Never throws. The stack is shown as `MCP_ERRORS_VERBOSE` says. */
export function safeError(err: unknown, env: Environment = process.env): SafeError {
  if (typeof err === 'string') return { code: FALLBACK, message: redact(err) || 'Unknown error' };
  if (typeof err !== 'object' || err === null) return { code: FALLBACK, message: err === undefined || err === null || err === false ? 'Unknown error' : String(err) };
  const fault = read(err, 'fault');
  if (isFault(fault)) return rpcError(safeFault(fault)) as SafeError;
  const given = safeJson(read(err, 'data'));
  const data: JsonObject = isObject(given) ? given : {};
  const code = number(err);
  const usual = usualNames(code);
  for (const key of ['domain', 'symbol'] as const) {
    const text = textOf(err, key) ?? data[key] ?? usual[key];
    if (text !== undefined) data[key] = text;
  }
  const details = safeJson(read(err, 'details'));
  if (details) data['details'] = typeof details === 'string' ? details : JSON.stringify(details);
  const retryable = read(err, 'retryable');
  if (typeof retryable === 'boolean') data['retryable'] = retryable;
  const stack = frames(textOf(err, 'stack'), env['MCP_ERRORS_VERBOSE']);
  if (stack !== undefined) data['stack'] = stack;
  const message = redact(textOf(err, 'message') ?? '');
  return { code, message: message || 'Error', ...(Object.keys(data).length > 0 && { data }) };
}

/** The domain and the symbol that the taxonomy gives to a number: an error of an application always has both. */
function usualNames(code: number): { domain?: string; symbol?: string } {
  const row = code > 0 ? SHIPPED_LOOKUP.spelled('rpc', String(code)) : undefined;
  return row ? { domain: row.rpc?.domain ?? row.domain, symbol: row.written.rpc ?? `E_${row.code}` } : {};
}

/** The number of a failure that has none. */
const FALLBACK = -32000;

function number(err: object): number {
  const numbers = [read(err, 'appCode'), read(err, 'code')];
  return (numbers.find((it) => Number.isInteger(it)) as number | undefined) ?? FALLBACK;
}

/** So many frames of a stack, without those of the harness; `full` for all of them. */
function frames(stack: string | undefined, verbose: string | undefined): string | undefined {
  if (stack === undefined || !verbose) return undefined;
  const most = verbose === 'full' ? Infinity : Number(verbose);
  if (!(most > 0)) return undefined;
  const lines = stack.split('\n').filter((it) => /^\s+at /.test(it) && !HARNESS.test(it));
  return redact(lines.slice(0, most).map((it) => it.trim()).join('\n'));
}

/** What `sys/errorStats` answers. */
export interface ErrorStats extends JsonObject {
  total: number;
  byCode: { [code: string]: number };
  byDomain: { [domain: string]: number };
  bySymbol: { [symbol: string]: number };
}

/** Whether a variable is set to something other than no. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());
}

/** Counters of errors. They are on where `MCP_ERROR_METRICS` is set; `MCP_ERROR_METRICS_SAMPLE=N` counts every Nth of each symbol. */
export class ErrorMetrics {
  readonly isOn: boolean;
  private readonly sample: number;
  private readonly seen = new Map<string, number>();
  private readonly stats: ErrorStats = { total: 0, byCode: {}, byDomain: {}, bySymbol: {} };

  constructor(env: Environment = process.env) {
    this.isOn = isOn(env['MCP_ERROR_METRICS']);
    const sample = Number(env['MCP_ERROR_METRICS_SAMPLE']);
    this.sample = Number.isInteger(sample) && sample > 1 ? sample : 1;
  }

  /** Counts an error object. */
  count({ code, data }: { code: number; data?: Json }): void {
    if (!this.isOn) return;
    const symbol = isObject(data) && typeof data['symbol'] === 'string' ? data['symbol'] : undefined;
    const name = symbol ?? String(code);
    const seen = (this.seen.get(name) ?? 0) + 1;
    this.seen.set(name, seen);
    if (seen % this.sample !== 0) return;
    this.stats.total += 1;
    const add = (counters: { [name: string]: number }, name: string) => void (counters[name] = (counters[name] ?? 0) + 1);
    add(this.stats.byCode, String(code));
    if (isObject(data) && typeof data['domain'] === 'string') add(this.stats.byDomain, data['domain']);
    if (symbol !== undefined) add(this.stats.bySymbol, symbol);
  }

  /** The counters as they are now. */
  snapshot(): ErrorStats {
    return { ...structuredClone(this.stats), ...(this.sample > 1 && { sampled: this.sample }) };
  }
}

/** A method of the harness. */
export type Method = (params: unknown) => unknown;

/** The methods of a server, called so that every failure is an error object and is counted. `sys/errorStats` is there if metrics are on. */
export function harness(methods: { readonly [name: string]: Method }, env: Environment = process.env): (request: unknown) => Promise<JsonObject> {
  const metrics = new ErrorMetrics(env);
  const all: { [name: string]: Method } = Object.assign(Object.create(null) as object, methods, metrics.isOn ? { 'sys/errorStats': () => metrics.snapshot() } : {});
  return async (request) => {
    const id = (isObject(request) ? request['id'] : undefined) ?? null;
    const answer = (error: SafeError): JsonObject => {
      metrics.count(error as { code: number; data?: Json });
      return { jsonrpc: '2.0', id, error };
    };
    const method = isObject(request) ? all[String(request['method'])] : undefined;
    if (!isObject(request) || !method) return answer({ code: -32601, message: 'Method not found' });
    try {
      return { jsonrpc: '2.0', id, result: (safeJson(await method(request['params'])) ?? null) as Json };
    } catch (thrown) {
      return answer(safeError(thrown, env));
    }
  };
}
