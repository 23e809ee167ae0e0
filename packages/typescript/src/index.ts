// Redress for TypeScript and JavaScript: faults to throw, answers of the official SDKs, readers and writers of seven dialects, and the
// decision after a failure.
import { contract } from './contract.ts';
import type { ShippedDetails } from './shipped.ts';

export { resultOf, RpcError, toolResult, type AnswerOptions, type ToolResult } from './answer.ts';
export { bounded } from './bound.ts';
export { card, wrongArguments } from './card.ts';
export { contract, UnregisteredCode, type Contract, type ContractData, type Given, type More } from './contract.ts';
export { FaultError } from './error.ts';
export { CLASSES, DECISIONS, DIALECTS, type Basis, type Class, type Dialect, type Effect, type Origin, type RetryKind, type Severity, type StopReason } from './facts.ts';
export { FallbackChain, isNothing, type ChainOptions, type Ended, type Try, type Way } from './fallback.ts';
export { safeCopy, safeJson, type SafeCopy } from './json.ts';
export { Lookup } from './rows.ts';
export { Budget, decide, POLICY, type Attempt, type Decision, type Policy, type Traits } from './recover.ts';
export type { ServerLike } from './server.ts';
export type { ShippedDetails } from './shipped.ts';
export type { AnyCode, Context, Fault, Json, JsonObject, NextAction, Param, Retry, Row, Rule, Tool } from './types.ts';
export type { Match } from './taught.ts';
export { causeOf, type UnknownOptions } from './unknown.ts';
export type { Returned, WrapHandler, WrapOptions } from './wrap.ts';
export { write, type Stamp } from './write.ts';

/** The codes of `core`. */
export type CoreCode = keyof ShippedDetails['core'];

/** The contract `core`, which every other one can extend. */
export const core = contract<ShippedDetails['core']>({ registry: { name: 'core', version: '' }, taken: { core: null }, meanings: {}, rows: {} });

export const { fault, makeFault, isCode, is, parse, read, readAs, fromUnknown, wrapHandler, wrapServer, describe } = core;
