// Bounds: how much of a fault an answer holds.
import { card } from './card.ts';
import { LIMITS } from './facts.ts';
import { isObject, safeJson } from './json.ts';
import { bytes, cut, gist, length, strip } from './text.ts';
import { UNSAID, type Context, type Fault, type Json, type JsonObject, type NextAction } from './types.ts';

/** Makes JSON of every part, cuts it to its bound, and notes what the card costs. */
export function bounded(given: Fault): Fault {
  const fault = safeFault(given);
  const isSmall = (it: Json) => bytes(JSON.stringify(it)) <= LIMITS.partBytes;
  const isShort = (it: NextAction) => bytes(typeof it === 'string' ? it : it.tool + (it.args ? JSON.stringify(it.args) : '')) <= LIMITS.partBytes;
  const context = Object.entries(fault.context).map(([name, it]) => [name, cut(String(it), LIMITS.contextChars)]);
  const short: Fault = {
    ...fault,
    message: cut(fault.message, LIMITS.messageChars),
    hint: cut(fault.hint, LIMITS.hintChars),
    similar_refs: fault.similar_refs.filter(isSmall).slice(0, LIMITS.similar),
    next_actions: fault.next_actions.filter(isShort).slice(0, LIMITS.next),
    violations: fault.violations.filter(isSmall).slice(0, LIMITS.violations),
    context: Object.fromEntries(context) as Context,
  };
  if (fault.server_text !== undefined) short.server_text = gist(strip(fault.server_text), LIMITS.serverTextChars);
  if (fault.timestamp !== undefined) short.timestamp = cut(fault.timestamp, LIMITS.contextChars);
  if (fault.details !== undefined && bytes(JSON.stringify(fault.details)) > LIMITS.detailsBytes) short.details = boundedDetails(fault.details);
  short.estimated_tokens = Math.ceil((length(card(short)) * 10) / 32);
  return short;
}

/** A copy of a fault that is JSON, whatever its author put into it. */
export function safeFault(fault: Fault): Fault {
  const empty: Partial<Fault> = { next_actions: [], similar_refs: [], violations: [], context: {} };
  const unsaid = fault[UNSAID];
  return { ...empty, ...(safeJson(fault) as unknown as Fault), ...(unsaid !== undefined && { [UNSAID]: unsaid }) };
}

/** As many members as fit, in order, and a note that some are missing. */
function boundedDetails(details: Json): Json {
  const kept: [string, Json][] = [];
  let size = 1;
  for (const [key, value] of isObject(details) ? Object.entries(details) : []) {
    size += bytes(JSON.stringify(key)) + bytes(JSON.stringify(value)) + 2;
    if (size + ',"truncated":true}'.length > LIMITS.detailsBytes) break;
    kept.push([key, value]);
  }
  return Object.fromEntries([...kept, ['truncated', true]]) as JsonObject;
}
