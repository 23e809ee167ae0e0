// What a document says of a fault whose row it has no word for: the code, status and retry rule of the row that it names instead.
import type { Dialect } from './facts.ts';
import { isRetryable } from './make.ts';
import { rowOf, SHIPPED_LOOKUP } from './rows.ts';
import { UNSAID, type Fault, type Retry, type Row } from './types.ts';

/** What a dialect writes for the code of a fault. */
export function spelling(fault: Fault, dialect: Dialect): string {
  return rowOf(fault.registry, fault.code)?.written[dialect] ?? fault.code;
}

/** The HTTP status that a document tells: that of the row that it names. */
export function toldHttp(fault: Fault, dialect: Dialect): number {
  return standIn(fault, dialect)?.http ?? fault.http;
}

/** The retry rule that a document tells. No document says that a repeat helps against what its row calls final. */
export function toldRetry(fault: Fault, dialect: Dialect): Retry {
  const row = isRetryable(fault.retry) ? standIn(fault, dialect) : undefined;
  return row && !isRetryable(row.retry) ? { kind: 'never' } : fault.retry;
}

/** Whether the hint or the retry rule of a fault was given, and is not merely the row's. */
export function says(fault: Fault, member: 'hint' | 'retry'): boolean {
  const unsaid = fault[UNSAID]?.[member];
  return unsaid === undefined || JSON.stringify(unsaid) !== JSON.stringify(fault[member]);
}

/** The general codes of the dialects without a retry rule. */
const GENERAL: { readonly [dialect in Dialect]?: string } = { 'atlas-gate': 'INTERNAL_ERROR', mailvault: 'internal_error' };

/**
 * A fault under the dialect's general code, where its word would allow a repeat that the server forbids: a reader of a dialect without
 * a retry rule goes by the code. What the gate itself refuses keeps the word that means it, and so does a row that is never retryable:
 * its registry chose that word.
 */
export function withoutRepeat(fault: Fault, dialect: Dialect): Fault {
  const word = GENERAL[dialect];
  const row = rowOf(fault.registry, fault.code);
  const isStricter = row !== undefined && isRetryable(row.retry) && !isRetryable(fault.retry);
  if (word === undefined || !isStricter || fault.origin === 'gate') return fault;
  const named = SHIPPED_LOOKUP.spelled(dialect, spelling(fault, dialect));
  const general = SHIPPED_LOOKUP.spelled(dialect, word);
  if (!named || !isRetryable(named.retry) || !general) return fault;
  return { ...fault, registry: general.registry, code: general.code, class: general.class };
}

/** The row that a document names for a fault, if it is not the fault's own. */
function standIn(fault: Fault, dialect: Dialect): Row | undefined {
  const row = rowOf(fault.registry, fault.code);
  const word = spelling(fault, dialect);
  const named = row && !isOwnWord(row, dialect, word) ? SHIPPED_LOOKUP.spelled(dialect, word) : undefined;
  return named?.registry === row?.registry && named?.code === row?.code ? undefined : named;
}

/** Whether a dialect makes a word of the row's own code. */
function isOwnWord({ registry, code, number }: Row, dialect: Dialect, word: string): boolean {
  if (dialect === 'rpc') return number !== undefined && word === `E_${code}`;
  return word === code && (registry === dialect || code.includes('.'));
}
