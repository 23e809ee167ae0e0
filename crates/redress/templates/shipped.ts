// The registries that ship with Redress: the types of their details, and their rows.
// Written by `cargo xtask codegen`; not to be edited.
import type { Json, JsonObject, Row } from './types.ts';

/** The members of `details` that each code declares, by registry. */
export interface ShippedDetails {
// @@shipped_details@@
}

/** The codes of ATLAS-GATE. */
export type AtlasCode = @@atlas_codes@@;

/** Every row that ships, `core` first. */
export const SHIPPED: readonly Row[] = [
// @@shipped@@
];
