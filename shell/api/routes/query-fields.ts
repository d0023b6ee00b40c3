// The fields that listings share and the bound of texts, so that each has one description and one set of bounds.

/** Of free texts in a query or a body: symbols, sides, names of statuses. Those of a body are judged after its signature. */
export const TEXT_BYTES = 256;

export const wallet = { kind: 'address' } as const;
export const offset = { kind: 'int64', min: 0, default: 0 } as const;
export const text = { kind: 'text', maxBytes: TEXT_BYTES, optional: true } as const;

/** A limit above its maximum counts as the maximum (decision 6.5). */
export const limit = <const D extends number, const M extends number>(standard: D, max: M) => (
  { kind: 'integer', min: 0, max, default: standard, clamp: true } as const
);

type Given<T> = { [N in keyof T]: Exclude<T[N], undefined> };

/** The same without the fields that are undefined. */
export function given<T extends object>(query: T): Given<T> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Given<T>;
}
