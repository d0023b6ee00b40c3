// Query fields that several routes share, so that each has one description and one bound.

export const TEXT_BYTES = 256;

/** Ms. */
export const moment = { kind: 'millis', min: 0, optional: true } as const;

export const wallet = { kind: 'address' } as const;
export const offset = { kind: 'int64', min: 0, default: 0 } as const;
export const text = { kind: 'text', maxBytes: TEXT_BYTES, optional: true } as const;

/** A value above the maximum counts as the maximum (decision 6.5). */
export const limit = <const D extends number, const M extends number>(standard: D, max: M) => (
  { kind: 'integer', min: 0, max, default: standard, clamp: true } as const
);

type Given<T> = { [N in keyof T]: Exclude<T[N], undefined> };

export function given<T extends object>(query: T): Given<T> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Given<T>;
}
