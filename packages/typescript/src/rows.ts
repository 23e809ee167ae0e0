// Rows: what is known about each code, and which row a spelling means.
import { DIALECTS, type Dialect } from './facts.ts';
import { SHIPPED } from './shipped.ts';
import type { Match } from './taught.ts';
import type { Row } from './types.ts';

type Meanings = ReadonlyMap<string, Row>;
type Index = { readonly [dialect in Dialect]: Map<string, Row> };

/** Every row that was ever looked up from: a fault names its own by registry and code. */
const ROWS = new Map<string, Row>();

const key = (registry: string, code: string): string => `${registry} ${code}`;

/** The row of a code in a registry that ships or that a contract brought. */
export function rowOf(registry: string, code: string): Row | undefined {
  return ROWS.get(key(registry, code));
}

/** Makes rows known, so that the faults of their codes can be written. */
export function addRows(rows: Iterable<Row>): void {
  for (const row of rows) ROWS.set(key(row.registry, row.code), row);
}

/** Forgets a row. */
export function removeRow({ registry, code }: Row): void {
  ROWS.delete(key(registry, code));
}

function indexed(rows: Iterable<Row>): Index {
  const index = Object.fromEntries(DIALECTS.map((it) => [it, new Map<string, Row>()])) as Index;
  for (const row of rows) {
    for (const dialect of DIALECTS) for (const spelling of row.spelled[dialect] ?? []) index[dialect].set(spelling, row);
  }
  return index;
}

addRows(SHIPPED);
const SHIPPED_INDEX = indexed(SHIPPED);

/** The rows of plugins, which come and go while the program runs. */
const PLUGINS = new Map<string, Row>();

/** Adds the row of a plugin's code: every lookup knows it from now on. */
export function addPlugin(row: Row): void {
  PLUGINS.set(row.code, row);
  addRows([row]);
}

/** Removes the row of a plugin's code. */
export function removePlugin(row: Row): void {
  PLUGINS.delete(row.code);
  removeRow(row);
}

/** The row of a plugin's code. */
export function pluginRow(code: string): Row | undefined {
  return PLUGINS.get(code);
}

/** Which row a spelling means: in the contract, then in all that ships, then in the plugins. */
export class Lookup {
  private readonly own: Index;
  /** What answers of the server mean, where nothing else says so. */
  readonly matches: readonly Match[];

  constructor(rows: Iterable<Row> = [], meanings: { readonly [dialect: string]: { readonly [spelling: string]: readonly [string, string] } } = {}, matches: readonly Match[] = []) {
    this.matches = matches;
    this.own = indexed(rows);
    for (const dialect of DIALECTS) {
      for (const [spelling, [registry, code]] of Object.entries(meanings[dialect] ?? {})) {
        const row = rowOf(registry, code);
        if (row) this.own[dialect].set(spelling, row);
      }
    }
  }

  /** The row that a dialect means by `spelling`. */
  spelled(dialect: Dialect, spelling: string): Row | undefined {
    const shipped: Meanings = SHIPPED_INDEX[dialect];
    return this.own[dialect].get(spelling) ?? shipped.get(spelling) ?? plugin(dialect, spelling);
  }
}

/** The row of a plugin whose code a dialect writes so. */
function plugin(dialect: Dialect, spelling: string): Row | undefined {
  const row = PLUGINS.get(spelling) ?? (spelling.includes('.') ? PLUGINS.get(spelling.replace(/[^.]*$/, (it) => it.toUpperCase())) : undefined);
  return row && (row.written[dialect] ?? row.code) === spelling ? row : undefined;
}

/** The registries that ship, and nothing else. */
export const SHIPPED_LOOKUP = new Lookup();
