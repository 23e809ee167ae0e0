// The card: what a model reads of a fault.
import { CARD_LINES, LIMITS } from './facts.ts';
import { isObject } from './json.ts';
import { rowOf } from './rows.ts';
import { cut, duration, gist, length, plain, strip } from './text.ts';
import type { Fault } from './types.ts';

/** The code whose wrong name is no argument, and what its card says instead. */
export const NO_TOOL = 'UNKNOWN_TOOL';
export const OTHER_ARGUMENTS = 'only with other arguments.';
export const ANOTHER_TOOL = 'only with another tool.';

/** The card of a fault. What matters least is cut first. */
export function card(fault: Fault): string {
  let text = `${fault.code}: ${cut(strip(fault.message), LIMITS.messageChars)}\n${retryLine(fault)}`;
  const add = (more: string) => {
    if (length(text) + length(more) <= LIMITS.cardChars) text += more;
  };
  const room = LIMITS.cardChars - length(text) - '\nFix: '.length;
  const hint = cut(strip(fault.hint), Math.min(Math.max(room, LIMITS.leastHintChars), LIMITS.hintChars));
  if (repeatsRetry(fault)) {
    const it = expected(fault);
    add(it === '' ? '' : `\nFix:${it}`);
  } else if (hint !== '') {
    text += `\nFix: ${hint}`;
    add(expected(fault));
    add(didYouMean(fault));
    add(attempts(fault));
  }
  for (const it of fault.next_actions.slice(0, LIMITS.next)) {
    add(`\nNext: ${typeof it === 'string' ? strip(it) : it.tool + (it.args ? ` ${JSON.stringify(it.args)}` : '')}`);
  }
  if (fault.server_text !== undefined && !namesAll(fault)) {
    const least = Math.min(LIMITS.serverLineChars, LIMITS.cardChars - length(text));
    text += serverLine(fault.server_text, Math.max(LIMITS.quotingCardChars - length(text), least));
  }
  return cut(text, LIMITS.cardChars);
}

/** Whether the row's hint says no more than the line before it: other arguments or another tool, or to wait. The server's own words, which follow, say which and why. */
function repeatsRetry(fault: Fault): boolean {
  const { kind } = fault.retry;
  const isChange = kind === 'after_change' && (fault.class === 'invalid_argument' || fault.code === NO_TOOL);
  const isDelay = kind === 'after_delay' && (fault.class === 'unavailable' || fault.class === 'resource_exhausted');
  return (
    (isChange || isDelay) &&
    fault.server_text !== undefined &&
    fault.similar_refs.length === 0 &&
    fault.hint === rowOf(fault.registry, fault.code)?.hint &&
    attempts(fault) === ''
  );
}

/** How often the gate made the call already, where that was more than once. */
function attempts({ details }: Fault): string {
  const count = isObject(details) ? details['attempts'] : undefined;
  return typeof count === 'number' && Number.isInteger(count) && count > 1 ? ` The gate tried it ${count} times.` : '';
}

/** Whether the lines of ours name each wrong argument and what is wrong with it, so that the server's words say nothing more. */
function namesAll({ violations }: Fault): boolean {
  const isNamed = ({ reason, expected }: Violation) =>
    reason === 'missing' || reason === 'unknown' || (reason === 'wrong_type' && typeof expected === 'string');
  return violations.length > 0 && violations.every(isNamed);
}

/** The line on what a repeat is good for, and what the call has done. */
function retryLine(fault: Fault): string {
  const { kind, after_ms } = fault.retry;
  const hasDelay = kind === 'after_delay' && after_ms !== undefined;
  const fits = CARD_LINES.filter((it) => it.retry === kind && it.effect === fault.effect && it.line.includes('{delay}') === hasDelay);
  const { line } = fits.find((it) => it.class === fault.class) ?? fits.find((it) => it.class === null) ?? { line: '' };
  const names = wrongArguments(fault).map((it) => strip(it.replace(/^\/+/, ''))).filter((it) => it !== '');
  const list = cut(names.slice(0, LIMITS.similarShown).join(', '), 60);
  const changed = fault.code === NO_TOOL ? line.replace(OTHER_ARGUMENTS, ANOTHER_TOOL) : line;
  const named = kind === 'after_change' && list !== '' ? changed.replace('arguments.', () => `arguments (${list}).`) : changed;
  return named.replace('{delay}', duration(after_ms ?? 0));
}

/** Where the arguments stand that are to be changed: those of the violations, else the parameter that was looked up. */
export function wrongArguments(fault: Fault): string[] {
  const pointers = [...new Set(fault.violations.map((it) => it.pointer))].filter((it) => it !== '');
  const looked = rowOf(fault.registry, fault.code)?.similar;
  const isGiven = looked !== undefined && isObject(fault.details) && Object.keys(fault.details).includes(looked);
  return pointers.length === 0 && isGiven && fault.code !== NO_TOOL ? [`/${looked}`] : pointers;
}

/** What the wrong arguments should have been, where that is known and the message does not say it. */
function expected({ message, violations }: Fault): string {
  const what = (it: Violation) => cut(strip(String(it['expected'])), 60);
  const known = violations.filter((it) => typeof it['expected'] === 'string' && !message.includes(what(it))).slice(0, LIMITS.similarShown);
  const all = known.map((it) => {
    const name = strip(it.pointer.replace(/^\/+/, ''));
    return name === '' ? what(it) : `${name}: ${what(it)}`;
  });
  return all.length === 0 ? '' : ` Expected ${all.join('; ')}.`;
}

/** What may have been meant, as a sentence after another one. */
function didYouMean({ similar_refs }: Fault): string {
  const names = similar_refs.slice(0, LIMITS.similarShown).map((it) => cut(strip(plain(it.ref)), 60));
  const last = names.pop();
  if (last === undefined) return '';
  return names.length === 0 ? ` Did you mean ${last}?` : ` Did you mean ${names.join(', ')} or ${last}?`;
}

/** What a foreign server wrote, in quotes, as far as there is room. */
function serverLine(text: string, left: number): string {
  const label = '\nServer said: ';
  const room = Math.max(0, left - label.length - 2);
  if (room < LIMITS.leastServerTextChars) return '';
  let most = room;
  for (;;) {
    const quoted = JSON.stringify(gist(strip(text), most));
    const over = length(quoted) - (room + 2);
    if (over <= 0) return label + quoted;
    most = Math.max(0, most - over);
  }
}

type Violation = Fault['violations'][number];

/** The most characters of a name, of what was expected, or of a reason. */
const PART_CHARS = 60;
/** The types of JSON, with their articles. */
const TYPES = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'an integer'],
  ['boolean', 'a boolean'],
  ['object', 'an object'],
  ['array', 'an array'],
  ['null', 'null'],
]);
/** How an expectation begins that can follow "must be". */
const AFTER_MUST_BE = /^(?:an? |one of |at most |at least |less than |more than )/;

/** The argument's name; the steps of a longer place are joined by dots. */
export function argumentName({ pointer }: Violation): string {
  const steps = pointer.replace(/^\//, '').split('/');
  return short(steps.map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~')).join('.'));
}

/** What is wrong, as a sentence of its own: `Required`, `Must be a string`. */
export function sentenceOf({ reason, expected }: Violation): string {
  if (typeof reason !== 'string') return '';
  const told = (predicate(reason, typeof expected === 'string' ? short(expected) : '') ?? reason).replace(/^is /, '');
  return told.replace(/^[a-z]/, (it) => it.toUpperCase());
}

/** What is wrong, as a sentence with the argument's name: `id must be a string.` */
export function wrongArgument(violation: Violation): string {
  const { reason, expected } = violation;
  const told = typeof reason === 'string' ? predicate(reason, typeof expected === 'string' ? short(expected) : '') : undefined;
  return `${argumentName(violation)} ${told ?? 'is wrong'}.`;
}

/** What is wrong, to be said after the name; `undefined` where the reason is a word that no sentence is known for. */
function predicate(reason: string, expected: string): string | undefined {
  const or = (plain: string) => (AFTER_MUST_BE.test(expected) ? `must be ${expected}` : expected === '' ? plain : `${plain}: expected ${expected}`);
  switch (reason) {
    case 'missing':
      return 'is required';
    case 'unknown':
      return 'is not an argument of the tool';
    case 'not_found':
      return 'names nothing that exists';
    case 'wrong_type':
      return expected === '' ? 'has the wrong type' : `must be ${withArticle(expected)}`;
    case 'malformed':
      return or('is malformed');
    case 'not_allowed':
      return or('has a value that is not accepted');
    default:
      return reason.includes(' ') ? `(${short(reason)})` : undefined;
  }
}

/** `string or null` as `a string or null`; what is no type of JSON stays as it is. */
function withArticle(expected: string): string {
  const types = expected.split(' or ').map((it) => TYPES.get(it));
  return types.includes(undefined) ? expected : types.join(' or ');
}

function short(text: string): string {
  return cut(strip(text), PART_CHARS);
}
