// JSON: looking into a value, and making a safe copy of any value at all.
import type { Json, JsonObject } from './types.ts';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** The value below a path of keys. */
export function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** A text as the JSON that it is, if it is. */
export function json(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Values that nest deeper are left out of a safe copy. */
const MAX_NESTING = 64;
/** A safe copy holds so many values at most. */
const MAX_VALUES = 10_000;

/** A copy of a value that is JSON, and what had to be left out or written otherwise. */
export interface SafeCopy {
  /** `undefined` if nothing of the value is JSON. */
  value: Json | undefined;
  /** Why, one sentence for each place. */
  problems: string[];
}

/**
 * Copies any value as JSON. Never throws: a cycle, a BigInt, a function or a getter that throws is written as a text or left out, and
 * named in `problems`.
 */
export function safeCopy(value: unknown): SafeCopy {
  const copy: Copy = { problems: [], above: new Set(), left: MAX_VALUES };
  return { value: copied(value, '', copy), problems: copy.problems };
}

/** Any value as JSON, without a word about what was lost. */
export function safeJson(value: unknown): Json | undefined {
  return safeCopy(value).value;
}

/** A copy that is being made. */
interface Copy {
  problems: string[];
  /** The objects that the value stands in. */
  above: Set<object>;
  left: number;
}

function copied(value: unknown, path: string, copy: Copy): Json | undefined {
  const problem = (why: string): undefined => void copy.problems.push(`${path || '/'}: ${why}`);
  if ((copy.left -= 1) < 0) return problem('too many values');
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : (problem(`${value} is not JSON`) ?? null);
    case 'bigint':
      problem('a BigInt is not JSON');
      return String(value);
    case 'undefined':
      return path === '' ? undefined : problem('undefined is not JSON');
    case 'symbol':
    case 'function':
      return problem(`a ${typeof value} is not JSON`);
    default:
      return value === null ? null : object(value as object, path, copy, problem);
  }
}

function object(value: object, path: string, copy: Copy, problem: (why: string) => undefined): Json | undefined {
  if (copy.above.has(value)) {
    problem('a circular reference is not JSON');
    return '[circular]';
  }
  if (copy.above.size >= MAX_NESTING) return problem('nested too deeply');
  copy.above.add(value);
  try {
    return members(value, path, copy, problem);
  } catch {
    problem('cannot be read');
    return '[unreadable]';
  } finally {
    copy.above.delete(value);
  }
}

function members(value: object, path: string, copy: Copy, problem: (why: string) => undefined): Json | undefined {
  if (value instanceof Error) return { ...errorCopy(value) };
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return copied(toJSON.call(value) as unknown, path, copy);
  if (Array.isArray(value)) return value.map((it, at) => copied(it, `${path}/${at}`, copy) ?? null);
  if (value instanceof Map) return copied(Object.fromEntries([...value].map(([key, it]) => [String(key), it as unknown])), path, copy);
  if (value instanceof Set) return copied([...value], path, copy);
  const all: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const place = `${path}/${key}`;
    const it = read(value, key);
    if (it === UNREADABLE) copy.problems.push(`${place}: cannot be read`);
    const member = it === UNREADABLE ? '[unreadable]' : copied(it, place, copy);
    if (member !== undefined) all.push([key, member]);
  }
  if (all.length === 0 && Object.keys(value).length > 0) problem('holds nothing that is JSON');
  return Object.fromEntries(all);
}

const UNREADABLE = Symbol('unreadable');

/** A member, although its getter may throw. */
export function read(value: object, key: string): unknown {
  try {
    return (value as { [key: string]: unknown })[key];
  } catch {
    return UNREADABLE;
  }
}

/** A text member, if it is there, is a text, and can be read. */
export function textOf(value: object, key: string): string | undefined {
  const text = read(value, key);
  return typeof text === 'string' ? text : undefined;
}

/** An error as the plain object that stands in a cause. */
export function errorCopy(error: Error): { message: string; code: string | number | null; name: string } {
  const code = read(error, 'code');
  return { message: textOf(error, 'message') ?? '', code: typeof code === 'string' || typeof code === 'number' ? code : null, name: textOf(error, 'name') ?? 'Error' };
}
