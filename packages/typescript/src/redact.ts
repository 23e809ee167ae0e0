// Takes credentials out of what an error says, before a model reads it.
import type { Json } from './types.ts';

const MASK = '[REDACTED]';
/** Keys of providers, tokens and certificates, by how they start. */
const KEYS =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|\beyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]*|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[\w-]{16,}|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|pypi-|AKIA|ASIA|AIza|ya29\.|hf_)[\w.-]{12,}/gs;
/** A password in an address. */
const LOGIN = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*:)[^\s/]+@/gi;
const SCHEME = /\b(Bearer|Basic|Token)\s+[\w.~+/=-]{8,}/gi;
/** A name that says that its value is a secret, and the value. */
const NAMED = /((?:password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential)s?["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&"']+)/gi;
/** Longer texts are cut first. */
const MAX_CHARS = 65_536;

/** The text with a mask in place of each credential that its form or its name gives away. */
export function redact(text: string): string {
  const short = text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text;
  return short.replace(KEYS, MASK).replace(LOGIN, `$1${MASK}@`).replace(SCHEME, `$1 ${MASK}`).replace(NAMED, `$1${MASK}`);
}

/** The same for every text in a JSON value. */
export function redactJson(value: Json): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, redactJson(it)]));
}
