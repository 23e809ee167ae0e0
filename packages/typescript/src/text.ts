// Texts: cutting, quoting, and stripping of what changes how a text reads.
import { LAST_TELLS, LIMITS, MARKS } from './facts.ts';
import type { Json } from './types.ts';

const ESCAPES = /\x1b(?:\[[^@-~]*[@-~]?|\][^\x07\x1b]*\x07?|[^])?/gu;
const SPACES = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
/** Characters that change how a text reads without being seen. */
const INVISIBLE = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Foreign text made harmless: no control, bidi, invisible or escape-sequence characters, white space folded. */
export function strip(text: string): string {
  return text.replace(ESCAPES, '').replace(INVISIBLE, '').replace(SPACES, ' ').replace(/^ | $/g, '');
}

/** At most so many characters; a cut text ends in `…`. */
export function cut(text: string, most: number): string {
  return text.length <= most || length(text) <= most ? text : `${[...text].slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** At most so many bytes in UTF-8; a cut text ends in three dots. */
export function cutBytes(text: string, most: number): string {
  if (bytes(text) <= most) return text;
  const room = most - 3;
  let kept = '';
  let size = 0;
  for (const it of text) {
    size += bytes(it);
    if (size > room) break;
    kept += it;
  }
  return `${kept}...`;
}

/** Foreign text for a sentence of ours: stripped, cut and put in quotes. */
export function quote(text: string, most: number): string {
  return JSON.stringify(cut(strip(text), most));
}

/** A value in a sentence. */
export function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How many characters a text has. */
export function length(text: string): number {
  return [...text].length;
}

/** How many bytes a text has in UTF-8. */
export function bytes(text: string): number {
  let all = 0;
  for (const it of text) {
    const point = it.codePointAt(0) ?? 0;
    all += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return all;
}

/** A time to wait, for people. */
export function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${Math.floor(ms / 1000)}.${Math.floor((ms % 1000) / 100)} s`;
}

/** At most so many characters, chosen for what they tell: the start and, after `…`, the place further on that tells of a failure, else the end. */
export function gist(text: string, most: number): string {
  const chars = [...text];
  const count = chars.length;
  if (count <= most || most < LIMITS.leastGistChars) return cut(text, most);
  const slice = (from: number, to: number) => chars.slice(from, to).join('').replace(/^ +| +$/g, '');
  const wholeWords = (from: number, to: number) => {
    const space = chars.slice(Math.max(from, to - LIMITS.wordChars), to).lastIndexOf(' ');
    return to >= count || chars[to] === ' ' || space < 0 ? to : Math.max(from, to - LIMITS.wordChars) + space;
  };
  const room = most - 3;
  const told = telling(text, chars, Math.floor(most / 3));
  const tail = told === undefined ? Math.floor((room * 2) / 5) : Math.min(count - told, Math.floor((room * 3) / 5));
  const head = room - tail;
  let start = told ?? count - tail;
  if (start <= head) return `${slice(0, wholeWords(0, most - 1))}…`;
  const end = start + tail < count ? wholeWords(start, start + tail - 1) : count;
  const space = chars.slice(start, Math.min(end, start + LIMITS.wordChars)).indexOf(' ');
  if (told === undefined && chars[start - 1] !== ' ' && space >= 0) start += space;
  return `${slice(0, wholeWords(0, head))} … ${slice(start, end)}${end < count ? '…' : ''}`;
}

/** Where the words start that tell most, from a character on. */
function telling(text: string, chars: string[], from: number): number | undefined {
  const lower = text.replace(/[A-Z]+/g, (it) => it.toLowerCase());
  const begin = chars.slice(0, from).join('').length;
  const isLast = lower.includes(LAST_TELLS);
  for (const marks of MARKS) {
    const places = marks.map((it) => (isLast ? lower.lastIndexOf(it) : lower.indexOf(it, begin))).filter((it) => it >= begin);
    if (places.length === 0) continue;
    const at = isLast ? Math.max(...places) : Math.min(...places);
    const word = text.slice(0, at).lastIndexOf(' ') + 1;
    const isShort = length(text.slice(word, at)) <= LIMITS.wordChars;
    return length(text.slice(0, isShort ? word : at));
  }
  return undefined;
}
