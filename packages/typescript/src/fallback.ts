// The fallback chain: one call, several ways to make it. A way that answers with nothing has not succeeded.
import { isObject, json } from './json.ts';
import { faultOf } from './make.ts';
import { parse } from './parse.ts';
import { Budget, decide, POLICY, type Decision, type Policy, type Traits } from './recover.ts';
import { SHIPPED_LOOKUP } from './rows.ts';
import type { Fault, Row } from './types.ts';

/** One way to make a call. */
export interface Way<T> {
  name: string;
  call: () => T | Promise<T>;
  /** What the tool that it calls is known to be. Unless it is trusted to only read or to be idempotent, a call is not made twice. */
  traits?: Traits;
}

/** One try: its fault and what was decided about it, if it failed. */
export interface Try {
  way: string;
  /** The how manieth time the way was tried. */
  made: number;
  fault?: Fault;
  decision?: Decision;
}

/** How a chain ended: with an answer, or with the last failure and what the caller is to do about it. */
export type Ended<T> = { ok: true; value: T; tries: Try[] } | { ok: false; fault: Fault; decision: Decision; tries: Try[] };

export interface ChainOptions {
  /** Reads the failure out of an answer: `parse` of your export, which knows your codes. */
  parse?: (answer: unknown) => Fault | undefined;
  policy?: Policy;
  budget?: Budget;
  /** When the caller stops waiting, in milliseconds since 1970. */
  untilMs?: number;
  /** Is told of each try, for a log. What it throws is ignored. */
  onTry?: (it: Try) => void;
}

/**
 * Ways to make one call, in the order in which they are tried. A way is repeated, and the next one is tried, only if the decision table
 * says so: never what may have had an effect. A way fails if it throws or if its answer is a failure in any dialect. Nothing at all
 * (`undefined`, `null`, an empty text, `{}`) is a failure, too; so is a result without content, unless it is that of the first way:
 * there the server says itself that the call succeeded.
 */
export class FallbackChain<T> {
  private readonly ways: readonly Way<T>[];
  private readonly options: ChainOptions;
  private readonly budget: Budget;

  constructor(ways: readonly Way<T>[], options: ChainOptions = {}) {
    this.ways = ways;
    this.options = options;
    this.budget = options.budget ?? new Budget();
  }

  /** Tries until a way answers, or until nothing is left that a program may do by itself. */
  async run(): Promise<Ended<T>> {
    const tries: Try[] = [];
    let last = this.noWay();
    for (const [at, { name, call, traits = {} }] of this.ways.entries()) {
      for (let made = 1, isOver = false; !isOver; made += 1) {
        const { value, fault } = await this.attempt(call, at === 0);
        if (!fault) {
          this.budget.succeeded();
          this.record(tries, { way: name, made });
          return { ok: true, value: value as T, tries };
        }
        last = { fault, decision: this.decide(fault, traits, made, at + 1 < this.ways.length) };
        this.record(tries, { way: name, made, ...last });
        const { decision } = last;
        if (decision.do === 'retry_after') await new Promise((resolve) => setTimeout(resolve, decision.after_ms));
        else if (decision.do === 'fall_back') isOver = true;
        else if (decision.do !== 'retry_now') return { ok: false, ...last, tries };
      }
    }
    return { ok: false, ...last, tries };
  }

  private decide(fault: Fault, traits: Traits, made: number, fallback: boolean): Decision {
    const nowMs = Date.now();
    const { untilMs, policy = POLICY } = this.options;
    const left = untilMs === undefined ? {} : { timeLeftMs: Math.max(0, untilMs - nowMs) };
    return decide(fault, traits, { made, fallback, nowMs, ...left }, this.budget, policy);
  }

  private async attempt(call: () => T | Promise<T>, isFirst: boolean): Promise<{ value?: T; fault?: Fault }> {
    const { parse: read = parse } = this.options;
    try {
      const value = await call();
      const isEmpty = isNothing(value) && !(isFirst && hasContent(value));
      const fault = read(value) ?? (isEmpty ? nothingCame(isFirst) : undefined);
      return fault ? { fault } : { value };
    } catch (thrown) {
      return { fault: read(thrown) ?? parse(new Error('')) ?? nothingCame(isFirst) };
    }
  }

  private record(tries: Try[], one: Try): void {
    tries.push(one);
    try {
      this.options.onTry?.(one);
    } catch {
      // A log that fails must not change what the caller gets.
    }
  }

  /** A chain without ways fails like a tool that is not there. */
  private noWay(): { fault: Fault; decision: Decision } {
    const fault: Fault = { ...faultOf(coreRow('UNSUPPORTED'), 'native'), message: 'There is no way to make this call.', origin: 'client', ground: 'not_sent' };
    return { fault, decision: this.decide(fault, {}, 1, false) };
  }
}

function coreRow(code: string): Row {
  return SHIPPED_LOOKUP.spelled('native', code) as Row;
}

/** What it did besides is not known. */
function nothingCame(isFirst: boolean): Fault {
  const message = `The ${isFirst ? 'call' : 'fallback'} answered with nothing, which is no success.`;
  return { ...faultOf(coreRow('UNKNOWN_TOOL_FAILURE'), 'native'), message, origin: 'client', ground: 'guessed' };
}

/** Whether an answer says nothing at all. An empty list is an answer: there are none. */
export function isNothing(answer: unknown): boolean {
  const document = opened(answer);
  const content = isObject(document) ? document['content'] : undefined;
  if (!isObject(document) || !Array.isArray(content)) return isBlank(document);
  return isBlank(document['structuredContent']) && content.every(isEmptyBlock);
}

/** Whether it is the result of a call, which says by itself that it succeeded. */
function hasContent(answer: unknown): boolean {
  const document = opened(answer);
  return isObject(document) && Array.isArray(document['content']);
}

/** An answer without what is around it: the text of a document, the response of a request. */
function opened(answer: unknown): unknown {
  const document = typeof answer === 'string' ? meant(answer) : answer;
  return isObject(document) && 'jsonrpc' in document && 'result' in document ? document['result'] : document;
}

function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === undefined || value === null || (isObject(value) && isPlainEmpty(value));
}

/** `{}`, and not an object that keeps what it holds elsewhere. */
function isPlainEmpty(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.keys(value).length === 0;
}

function isEmptyBlock(block: unknown): boolean {
  if (!isObject(block) || block['type'] !== 'text') return false;
  const text = block['text'];
  return typeof text !== 'string' || isBlank(meant(text));
}

/** A text as the JSON that it is, or itself. */
function meant(text: string): unknown {
  const document = json(text);
  return document === undefined ? text : document;
}
