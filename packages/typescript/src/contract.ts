// A contract: one registry, as `redress registry export` writes it, with the functions that know its codes.
import { FaultError } from './error.ts';
import type { Dialect } from './facts.ts';
import { raise } from './make.ts';
import { parse } from './parse.ts';
import { read, readAs } from './read.ts';
import { addRows, Lookup } from './rows.ts';
import { SHIPPED } from './shipped.ts';
import type { Fault, Row, Tool } from './types.ts';
import { fromUnknown, type UnknownOptions } from './unknown.ts';
import type { Match } from './taught.ts';
import { withLine, wrapServer, type ServerLike } from './server.ts';
import { wrapHandler, type WrapHandler, type WrapOptions } from './wrap.ts';

/** The parameters of a code; where it requires none, none need be given. */
export type Given<D> = {} extends D ? [params?: D, more?: More] : [params: D, more?: More];

/** Members of a fault that its author sets, and the error that it comes from. */
export type More = Partial<Omit<Fault, 'code' | 'registry' | 'dialect' | 'cause'>> & { cause?: unknown };

/** What an export says about a registry. */
export interface ContractData {
  registry: { readonly name: string; readonly version: string };
  /** The codes that it takes from each registry that ships; `null` for all of them. */
  taken: { readonly [registry: string]: readonly string[] | null };
  /** The spellings that mean another shipped row here than they do without it. */
  meanings: { readonly [dialect: string]: { readonly [spelling: string]: readonly [string, string] } };
  rows: { readonly [code: string]: Row };
  tools?: { readonly [tool: string]: Tool };
  /** What answers of the server mean, where neither they nor a code say so. */
  matches?: readonly Match[];
}

/** The functions of a contract. `D` has the details of each code. */
export interface Contract<D extends object> {
  readonly registry: { readonly name: string; readonly version: string };
  /** What is known about each code. */
  readonly codes: { readonly [code in keyof D]: Row };
  readonly lookup: Lookup;
  /** An error to throw: `throw fault("NOTE_NOT_FOUND", { id })`. */
  fault<C extends keyof D & string>(code: C, ...given: Given<D[C]>): FaultError<C>;
  /** A fault of a code. Set what else you know: `similar_refs`, `violations`, `effect`, `context`. */
  makeFault<C extends keyof D & string>(code: C, ...given: Given<D[C]>): Fault<C>;
  isCode(code: string): code is keyof D & string;
  /** Whether a fault has this code; then its details are those that the code declares. */
  is<C extends keyof D & string>(fault: Fault, code: C): fault is Fault<C> & { details?: Partial<D[C]> & Fault['details'] };
  /** Reads the failure out of an answer. With the name of the tool, rows that are for one tool count, too. */
  parse(answer: unknown, tool?: string): Fault | undefined;
  read(document: unknown): Fault | undefined;
  readAs(dialect: Dialect, document: unknown): Fault | undefined;
  fromUnknown(value: unknown, options?: UnknownOptions): Fault;
  /** A handler that answers every failure with the envelope. */
  readonly wrapHandler: WrapHandler;
  /** A server whose every tool answers failures with the envelope, those of the SDK included, and names its errors in its description. */
  wrapServer<S extends ServerLike>(server: S, options?: WrapOptions): S;
  /** A tool's description with a line on the codes that it may answer with: `Errors: NOTE_NOT_FOUND (change id).` */
  describe(description: string, ...codes: (keyof D & string)[]): string;
}

export function contract<D extends object>({ registry, taken, meanings, rows, tools = {}, matches = [] }: ContractData): Contract<D> {
  const own = Object.values(rows);
  addRows(own);
  const shipped = Object.entries(taken).flatMap(([name, codes]) => SHIPPED.filter((it) => it.registry === name && (codes === null || codes.includes(it.code))));
  const codes = Object.fromEntries([...own, ...shipped].map((it) => [it.code, it])) as { [code in keyof D]: Row };
  const lookup = new Lookup(own, meanings, matches);
  const line = (named: readonly string[]) => errorsLine(named.map((it) => codes[it as keyof D] ?? lookup.spelled('native', it)).filter((it) => it !== undefined));
  const known = (tool: string) => {
    const it = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
    return it && { line: line(it.may), readOnly: it.read_only };
  };
  const made = (code: string, params: unknown, { cause: _, ...more }: More = {}): Fault => {
    if (!Object.hasOwn(codes, code)) throw new UnregisteredCode(code, registry.name);
    const row = codes[code as keyof D];
    return { ...raise(row, params), ...more };
  };
  return {
    registry,
    codes,
    lookup,
    fault: (code, ...[params, more]) => new FaultError(made(code, params, more), more && 'cause' in more ? { cause: more.cause } : undefined) as FaultError<typeof code>,
    makeFault: (code, ...[params, more]) => made(code, params, more) as Fault<typeof code>,
    isCode: (code): code is keyof D & string => Object.hasOwn(codes, code),
    is: (fault, code): fault is Fault<typeof code> & { details?: never } => fault.code === code,
    parse: (answer, tool) => parse(answer, lookup, tool),
    read: (document) => read(document, lookup),
    readAs: (dialect, document) => readAs(dialect, document, lookup),
    fromUnknown: (value, options) => fromUnknown(value, { lookup, ...options }),
    wrapHandler: <A extends unknown[], R>(handler: (...args: A) => R, options?: WrapOptions) => wrapHandler(handler, { lookup, ...options }),
    wrapServer: (server, options) => wrapServer(server, { lookup, ...options }, known),
    describe: (description, ...named) => withLine(description, line(named)),
  };
}

/** More codes than this are counted, not named. */
const MAX_DESCRIBED = 8;

/** The line on the errors of a tool; empty without any. */
function errorsLine(rows: readonly Row[]): string {
  const named = rows.slice(0, MAX_DESCRIBED).map((it) => `${it.code} (${action(it)})`);
  const more = rows.length > MAX_DESCRIBED ? `, ${rows.length - MAX_DESCRIBED} more` : '';
  return named.length === 0 ? '' : `Errors: ${named.join(', ')}${more}.`;
}

/** What a caller does about a code, in two or three words. */
function action({ retry, similar = 'arguments', next }: Row): string {
  switch (retry.kind) {
    case 'now':
      return 'retry';
    case 'after_delay':
      return 'retry later';
    case 'after_change':
      return `change ${similar}`;
    case 'after_state':
      return next?.[0] ? `call ${next[0].tool} first` : 'change the state first';
    case 'after_human':
      return 'ask a person';
    case 'never':
      return 'do not retry';
  }
}

/** The error for a code that the registry does not have. */
export class UnregisteredCode extends TypeError {
  constructor(code: string, registry: string) {
    super(`INVALID_ERROR_CODE: ${code} is not a registered code of ${registry}`);
    this.name = 'UnregisteredCode';
  }
}
