// What the Rust library says and no registry: the closed sets, the bounds, the decision table, where each dialect keeps what.
// Written by `cargo xtask codegen`; not to be edited.
import type { Context, Rule } from './types.ts';

/** What a client does with a code that it does not know. */
export type Class = @@classes@@;

/** When the same call may be made again. */
export type RetryKind = @@retry_kinds@@;

/** Whether the failed call may have changed something. */
export type Effect = @@effects@@;

/** How bad it is for the operator. */
export type Severity = @@severities@@;

/** Who failed. */
export type Origin = @@origins@@;

/** By what evidence it is known. */
export type Basis = @@bases@@;

/** A shape of envelope. */
export type Dialect = @@dialects@@;

/** Why a call is given up. */
export type StopReason = @@stop_reasons@@;

/** Where a failure happened. */
export interface ContextMembers {
// @@context_members@@
}

/** Where the native envelope stands, in `_meta` of a result and in `data` of an error. */
export const FAULT_KEY = @@fault_key@@;
/** Where the open proposal puts its envelope. */
export const TOOL_FAILURE_KEY = @@tool_failure_key@@;
/** What can be a code, or a code in a plugin's namespace. */
export const FULL_CODE = new RegExp(@@full_code@@);

/** How long every part of an answer may be. */
export const LIMITS = {
  cardChars: @@max_card_chars@@,
  messageChars: @@max_message_chars@@,
  hintChars: @@max_hint_chars@@,
  leastHintChars: @@min_hint_chars@@,
  suggestionBytes: @@max_suggestion_bytes@@,
  detailsBytes: @@max_details_bytes@@,
  similar: @@max_similar@@,
  similarShown: @@max_similar_shown@@,
  next: @@max_next@@,
  violations: @@max_violations@@,
  partBytes: @@max_part_bytes@@,
  contextChars: @@max_context_chars@@,
  serverTextChars: @@max_server_text_chars@@,
  leastServerTextChars: @@min_server_text_chars@@,
  quotingCardChars: @@max_quoting_card_chars@@,
  serverLineChars: @@server_line_chars@@,
  leastGistChars: @@min_gist_chars@@,
  wordChars: @@longest_word@@,
  shownChars: @@max_shown_chars@@,
} as const;

/** What tells of a failure in a long text, most of all first. */
export const MARKS: readonly (readonly string[])[] = @@marks@@;
/** Of whose marks the last one tells. */
export const LAST_TELLS = @@last_tells@@;

/** How a client repeats calls by default. */
export const DEFAULT_POLICY = { attempts: @@attempts@@, firstPauseMs: @@first_pause_ms@@, longestWaitMs: @@longest_wait_ms@@ } as const;
/** How many repeats a client saves by default, in thousandths. */
export const DEFAULT_BUDGET = { capacity: @@capacity@@, perSuccess: @@per_success@@, perSecond: @@per_second@@ } as const;

/** The decision table. The first row that fits decides. */
export const DECISIONS: readonly Rule[] = [
// @@decisions@@
];

/** What is known about a code of which only the class is known. */
export const CLASSES: { readonly [name in Class]: { readonly http: number; readonly retry: RetryKind } } = {
// @@by_class@@
};

/** The second line of a card, for each rule and effect. */
export const CARD_LINES: readonly { readonly line: string; readonly retry: RetryKind; readonly effect: Effect; readonly class: Class | null }[] = [
// @@card_lines@@
];

/** Where each dialect keeps what, as keys from the document down. */
export const PLACES: { readonly [dialect in Dialect]: { readonly [member: string]: readonly string[] } } = {
// @@places@@
};

/** The classes of the open proposal: which of ours they are, and which stands for the rest. */
export const GROUPS: { readonly [group: string]: { readonly class: Class; readonly classes: readonly Class[] } } = {
// @@groups@@
};

export const DIALECTS: readonly Dialect[] = @@dialects_list@@;
/** The order in which an unknown document is tried. */
export const DETECTED: readonly Dialect[] = @@detected_list@@;
export const RETRY_KINDS: readonly RetryKind[] = @@retry_kinds_list@@;
export const EFFECTS: readonly Effect[] = @@effects_list@@;
export const ORIGINS: readonly Origin[] = @@origins_list@@;
export const BASES: readonly Basis[] = @@bases_list@@;
export const SEVERITIES: readonly Severity[] = @@severities_list@@;
/** The members of the native envelope after its code, in their order. */
export const ENVELOPE: readonly string[] = @@envelope_list@@;
export const CONTEXT: readonly (keyof Context)[] = @@context_list@@;
