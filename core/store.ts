// What a store of the core is to the snapshot, the state hash and the audit: a list of named columns.
// A section is state: it is hashed, saved and loaded, only as far as it is used. Everything else a store holds
// (hash tables, price levels, caches) is an index: rebuilt from the sections, never hashed, never iterated for a result.

export type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

/**
 * One column of state. `used()` is the count of leading elements that hold rows; it may depend only on
 * sections listed before it (a store lists its counters first, so a load knows how much follows).
 */
export type Section = { readonly name: string; readonly column: Column; used(): number };

/** A section whose every element is always in use (counters, settings). */
export function fixedSection(name: string, column: Column): Section {
  return { name, column, used: () => column.length };
}
