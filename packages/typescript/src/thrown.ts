// What Node, HTTP clients and the official SDKs throw, and the code of `core` that means the same.
import { isObject, read, textOf } from './json.ts';

/** Codes of the operating system. */
const SYSTEM: { readonly [code: string]: string } = {
  ENOENT: 'FILE_NOT_FOUND',
  EEXIST: 'FILE_ALREADY_EXISTS',
  EACCES: 'INSUFFICIENT_PERMISSIONS',
  EPERM: 'INSUFFICIENT_PERMISSIONS',
  ENOTDIR: 'INVALID_PATH',
  EISDIR: 'INVALID_PATH',
  ENAMETOOLONG: 'INVALID_PATH',
  ELOOP: 'INVALID_PATH',
  EROFS: 'FILE_WRITE_FAILED',
  ENOSPC: 'FILE_WRITE_FAILED',
  EMFILE: 'LIMIT_EXCEEDED',
  ENFILE: 'LIMIT_EXCEEDED',
  MODULE_NOT_FOUND: 'NOT_INSTALLED',
  ERR_MODULE_NOT_FOUND: 'NOT_INSTALLED',
};

/** The answer of a service, by its HTTP status. */
const STATUSES: { readonly [status: number]: string } = {
  400: 'INVALID_INPUT_VALUE',
  401: 'AUTH_REQUIRED',
  403: 'INSUFFICIENT_PERMISSIONS',
  404: 'NOT_FOUND',
  408: 'TIMEOUT',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  413: 'INPUT_TOO_LARGE',
  422: 'INVALID_INPUT_VALUE',
  429: 'RATE_LIMITED',
  501: 'UNSUPPORTED',
  502: 'UPSTREAM_UNAVAILABLE',
  503: 'UPSTREAM_UNAVAILABLE',
  504: 'TIMEOUT',
};

/** What is thrown when a server or a service does not answer: by name or code, or by the words of the message. */
const NO_ANSWER: readonly { readonly code: string; readonly names: readonly string[]; readonly said: RegExp }[] = [
  { code: 'CANCELLED', names: ['AbortError', 'ABORT_ERR'], said: /^(?:AbortError: |Error: )?(?:request was cancelled|this operation was aborted)/i },
  {
    code: 'TIMEOUT',
    names: ['TimeoutError', 'REQUEST_TIMEOUT', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
    said: /^(?:request(?: '[^']*')? timed out|maximum total timeout exceeded|timed out while waiting for response|TimeoutError\b)/i,
  },
  {
    code: 'UPSTREAM_UNAVAILABLE',
    names: ['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED', 'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET'],
    said: /^(?:connection closed|not connected|fetch failed|failed to fetch|load failed|networkerror when attempting to fetch)/i,
  },
];

/** The code of a failure of the way to a server or a service, and what was said of it. With `isDeep`, its cause alone can tell. */
export function noAnswer(error: object, isDeep = true): { code: string; said: string } | undefined {
  const said = (textOf(error, 'message') ?? '').replace(/^MCP error -?[0-9]+: /, '');
  const cause = read(error, 'cause');
  const named = (it: object) => NO_ANSWER.find(({ names }) => namesOf(it).some((name) => names.includes(name)));
  const own = named(error) ?? NO_ANSWER.find((it) => it.said.test(said));
  // What is below it says more than `fetch failed`.
  const below = isObject(cause) && (own || isDeep) ? named(cause) : undefined;
  const known = below ?? own;
  return known && { code: known.code, said };
}

function namesOf(error: object): string[] {
  return ['code', 'name'].map((key) => textOf(error, key)).filter((it) => it !== undefined);
}

/** The code of an error of the operating system. */
export function systemCode(error: object): string | undefined {
  const code = textOf(error, 'code');
  return code !== undefined && Object.hasOwn(SYSTEM, code) ? SYSTEM[code] : undefined;
}

/** The code of the answer of a service, as clients of HTTP throw it; with the status, and the time to wait that the service asks for. */
export function httpCode(error: object): { code: string; status: number; retry_after_ms?: number } | undefined {
  const answers = [read(error, 'response'), error].filter((it): it is object => typeof it === 'object' && it !== null);
  for (const answer of answers) {
    for (const key of ['status', 'statusCode']) {
      const status = read(answer, key);
      const code = typeof status === 'number' && Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
      if (code === undefined) continue;
      const wait = answers.map(retryAfter).find((it) => it !== undefined);
      return { code, status: status as number, ...(wait !== undefined && { retry_after_ms: wait }) };
    }
  }
  return undefined;
}

/** How long a service asks to wait, by its header `Retry-After`: seconds or a date. */
function retryAfter(answer: object): number | undefined {
  const headers = read(answer, 'headers');
  if (typeof headers !== 'object' || headers === null) return undefined;
  const get = read(headers, 'get');
  const asked = typeof get === 'function' ? asText(() => Reflect.apply(get, headers, ['retry-after']) as unknown) : (textOf(headers, 'retry-after') ?? textOf(headers, 'Retry-After'));
  if (asked === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(asked.trim()) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function asText(get: () => unknown): string | undefined {
  try {
    const text = get();
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
