// The error codes of @@name@@ @@version@@: types and data on the runtime package.
// Written by `redress registry export --format typescript`; not to be edited.
import * as redress from @@runtime_text@@;

export * from @@runtime_text@@;

/** The registry that this file was written from. */
export const REGISTRY = { name: @@name_text@@, version: @@version_text@@ } as const;

/** The members of `details` that each code declares. A server may leave them out, or say more. */
export type Details = {
// @@details@@
}@@taken_details@@;

/** The codes of the registry. */
export type Code = keyof Details;

/** A code of the registry, or one that a server or a plugin brings along. */
export type AnyCode = Code | (string & {});

/** The tools that the registry knows. */
export const TOOLS: { readonly [tool: string]: redress.Tool<Code> } = {
// @@tools@@
};

/** The contract: its rows, the codes that it takes from registries of the runtime, and the spellings that mean another row here. */
export const CONTRACT = redress.contract<Details>({
  registry: REGISTRY,
  taken: @@taken@@,
  meanings: @@meanings@@,
  rows: {
// @@rows@@
  },
  tools: TOOLS,
  matches: [
// @@matches@@
  ],
});

/** What is known about each code of the registry. */
export const CODES = CONTRACT.codes;

export const { fault, makeFault, isCode, is, parse, read, readAs, fromUnknown, wrapHandler, wrapServer, describe } = CONTRACT;
