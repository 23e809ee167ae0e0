// The decision after a failure.
import { wrongArguments } from './card.ts';
import { DECISIONS, DEFAULT_BUDGET, DEFAULT_POLICY, type StopReason } from './facts.ts';
import { rowCalls } from './make.ts';
import { rowOf } from './rows.ts';
import type { Fault, NextAction, Rule } from './types.ts';

/** What a tool is known to be. */
export interface Traits {
  /** It changes nothing. */
  readOnly?: boolean;
  /** Calling it twice is calling it once. */
  idempotent?: boolean;
  /** Whether the source of these statements is trusted. */
  trusted?: boolean;
}

/** What is known about a call that failed. */
export interface Attempt {
  /** How often the call was made so far. */
  made: number;
  /** How it is known what failed: the server never had the call, says so itself, or it is a guess. As the fault says, if absent. */
  ground?: 'not_sent' | 'stated' | 'guessed';
  /** Whether there is another way that was not tried yet. */
  fallback?: boolean;
  /** Now, in milliseconds since 1970. */
  nowMs?: number;
  /** How long the caller still waits, if that has an end. */
  timeLeftMs?: number;
  /** Chance: a whole number from 0 up to, not including, 2^32. */
  random?: number;
}

/** How a client repeats calls. */
export interface Policy {
  /** How often a call is made at most. */
  attempts: number;
  /** The longest first pause; it doubles with each further one. */
  firstPauseMs: number;
  /** The longest pause of our own, and the longest that a server may ask for. */
  longestWaitMs: number;
}

export const POLICY: Policy = DEFAULT_POLICY;

/** What to do about a fault, and the row of the table that says so. */
export type Decision = { row: string } & (
  | { do: 'retry_now' }
  | { do: 'retry_after'; after_ms: number }
  | { do: 'change_arguments'; pointers: string[] }
  | { do: 'call_first'; next: NextAction[] }
  | { do: 'ask_human'; what: string }
  | { do: 'fall_back' }
  | { do: 'stop'; why: StopReason }
);

/** The repeats that are left, in thousandths. Share one among all calls to a server. */
export class Budget {
  private saved: number;
  private countedMs: number | undefined;
  private parts = 0;
  private readonly capacity: number;
  private readonly perSuccess: number;
  private readonly perSecond: number;

  constructor(rule: { capacity?: number; perSuccess?: number; perSecond?: number; saved?: number } = {}) {
    this.capacity = rule.capacity ?? DEFAULT_BUDGET.capacity;
    this.perSuccess = rule.perSuccess ?? DEFAULT_BUDGET.perSuccess;
    this.perSecond = rule.perSecond ?? DEFAULT_BUDGET.perSecond;
    this.saved = Math.min(rule.saved ?? this.capacity, this.capacity);
  }

  /** A call succeeded. */
  succeeded(): void {
    this.put(this.perSuccess);
  }

  /** It is so late now. A clock that goes back puts nothing in. */
  pass(nowMs: number): void {
    const since = Math.max(0, nowMs - (this.countedMs ?? nowMs));
    const parts = this.parts + since * this.perSecond;
    this.put(Math.floor(parts / 1000));
    this.parts = parts % 1000;
    this.countedMs = Math.max(this.countedMs ?? nowMs, nowMs);
  }

  /** Whether there is one repeat left. */
  hasOne(): boolean {
    return this.saved >= 1000;
  }

  /** Takes one repeat, if there is one. */
  spend(): void {
    this.saved = Math.max(0, this.saved - 1000);
  }

  /** What it holds, in thousandths of a repeat. */
  left(): number {
    return this.saved;
  }

  private put(more: number): void {
    this.saved = Math.min(this.saved + more, this.capacity);
  }
}

/** What to do about a fault: the first row of the table that fits. A repeat is taken from the budget. */
export function decide(fault: Fault, traits: Traits, attempt: Attempt, budget: Budget, policy: Policy = POLICY): Decision {
  const { made, ground = fault.ground, fallback = false, nowMs = Date.now(), random = Math.random() * 2 ** 32 } = attempt;
  budget.pass(nowMs);
  const asked = Math.max(fault.retry.after_ms ?? 0, (fault.retry.not_before ?? 0) - nowMs, 0);
  const retry = fault.retry.kind === 'now' && (asked > 0 || made > 1) ? 'after_delay' : fault.retry.kind;
  const wait = retry === 'after_delay' ? waitMs(made, asked, random, policy) : 0;
  const most = Math.min(policy.attempts, (fault.retry.max ?? Infinity) + 1);
  const isLate = asked > policy.longestWaitMs || (attempt.timeLeftMs ?? Infinity) <= wait;
  const facts: { readonly [column: string]: string | boolean } = {
    retry,
    code: fault.code,
    class: fault.class,
    repeat: repeat(fault, traits, ground),
    room: made >= most ? 'attempts_used' : isLate ? 'wait_too_long' : budget.hasOne() ? 'left' : 'budget_spent',
    next: fault.next_actions.length > 0,
    fallback,
  };
  const fits = ({ when }: Rule) =>
    Object.entries(when).every(([column, fit]) => {
      const fact = facts[column];
      return typeof fit === 'boolean' ? fit === fact : fit.includes(String(fact));
    });
  const { id: row, do: what, why, what: question } = DECISIONS.find(fits) ?? LAST;
  const advice = fault.hint || fault.message;
  switch (what) {
    case 'retry_now':
      budget.spend();
      return { row, do: what };
    case 'retry_after':
      budget.spend();
      return { row, do: what, after_ms: wait };
    case 'change_arguments':
      return { row, do: what, pointers: wrongArguments(fault) };
    case 'call_first':
      return { row, do: what, next: first(fault, advice) };
    case 'ask_human':
      return { row, do: what, what: question ?? advice };
    case 'fall_back':
      return { row, do: what };
    default:
      return { row, do: 'stop', why: why ?? 'cannot_succeed' };
  }
}

/** What to do first. Most dialects have no place for next calls; then the row knows them. */
function first({ registry, code, details, next_actions }: Fault, advice: string): NextAction[] {
  if (next_actions.length > 0) return next_actions;
  const row = rowOf(registry, code);
  const calls = row ? rowCalls(row, details) : [];
  return calls.length > 0 ? calls : [advice];
}

/** What making the call again would do, whether or not it helps. */
function repeat(fault: Fault, traits: Traits, ground: string): 'safe' | 'doubtful' | 'double' {
  if (ground === 'not_sent') return 'safe';
  if (fault.effect === 'done') return 'double';
  if (fault.effect === 'partial') return 'doubtful';
  if (traits.trusted && (traits.readOnly || traits.idempotent)) return 'safe';
  return ground === 'stated' && fault.effect === 'none' ? 'safe' : 'doubtful';
}

/** At least as long as is asked for, and some part of a pause that grows, so that many clients do not come back at once. */
function waitMs(made: number, asked: number, random: number, policy: Policy): number {
  const pause = Math.min(policy.firstPauseMs * 2 ** Math.min(Math.max(made - 1, 0), 32), policy.longestWaitMs);
  return asked + Math.floor((pause + 1) * (Math.floor(random) / 2 ** 32));
}

const LAST: Rule = { id: 'cannot_succeed', when: {}, do: 'stop', why: 'cannot_succeed', because: '' };
