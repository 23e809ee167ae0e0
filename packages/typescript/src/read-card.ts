// Reading a card: the text of a fault, where nothing but the text is left of it.
import { ANOTHER_TOOL, OTHER_ARGUMENTS } from './card.ts';
import { CARD_LINES } from './facts.ts';
import { isObject, json } from './json.ts';
import { faultOf, nextCalls } from './make.ts';
import { finished } from './read.ts';
import type { Lookup } from './rows.ts';
import type { Fault } from './types.ts';

/** Reads a card: `CODE: message`, or `[CODE] message`. Without a flag, it must have a card's second line, too. */
export function readCard(text: string, isFlagged: boolean, lookup: Lookup): Fault | undefined {
  const [first = '', ...lines] = text.split(/\r?\n/);
  const [, code, message = ''] = /^\[(.*?)\] (.*)$/.exec(first) ?? /^([^[].*?): (.*)$/.exec(first) ?? [];
  const row = code === undefined ? undefined : lookup.spelled('native', code);
  if (!row || row.code !== code) return undefined;
  const fault = faultOf(row, 'native');
  fault.message = message.trim();
  let isCard = false;
  for (const line of lines) isCard = cardLine(fault, line) || isCard;
  // A first line alone has no room for them.
  if (fault.next_actions.length === 0) fault.next_actions = nextCalls(row, new Map());
  return isCard || isFlagged ? finished(fault) : undefined;
}

/** Takes what one line of a card says. Whether it was the line that only cards have. */
function cardLine(fault: Fault, line: string): boolean {
  const [, label, rest = ''] = /^(Retry|Fix|Next|Server said): (.*)$/.exec(line) ?? [];
  const hint = ` ${rest}`.replace(/^(.*) Did you mean .*$/, '$1').replace(/^(.*) Expected .*$/, '$1').trimStart();
  if (label === 'Retry') return readRetryLine(fault, line);
  if (label === 'Fix' && hint !== '') fault.hint = hint;
  if (label === 'Server said') fault.server_text = rest.replace(/^"+|"+$/g, '');
  if (label === 'Next') {
    const [, tool = rest, args] = /^(\S*) (.*)$/.exec(rest) ?? [];
    const parsed = args === undefined ? undefined : json(args);
    fault.next_actions.push(args === undefined ? { tool } : isObject(parsed) ? { tool, args: parsed } : rest);
  }
  return false;
}

function readRetryLine(fault: Fault, line: string): boolean {
  const [, names] = / \((.*?)\)/.exec(line) ?? [];
  const plain = line.replace(ANOTHER_TOOL, OTHER_ARGUMENTS).replace(/ \(.*?\)/, '').replace(/after ([0-9.]+) (ms|s)\b/, 'after {delay}');
  const known = CARD_LINES.find((it) => it.line === plain);
  if (!known) return false;
  const { max } = fault.retry;
  fault.retry = { kind: known.retry, ...(max !== undefined && { max }) };
  fault.effect = known.effect;
  const [, number = '', unit] = /after ([0-9.]+) (ms|s)\b/.exec(line) ?? [];
  if (unit === 'ms') fault.retry.after_ms = Number(number);
  // What was cut to tenths of a second is taken for the longest that it can mean.
  if (unit === 's') fault.retry.after_ms = Math.round(Number(number) * 1000) + (number.includes('.') ? 99 : 0);
  fault.violations = names === undefined ? [] : names.split(', ').map((it) => ({ pointer: `/${it}`, reason: 'wrong' }));
  return true;
}
