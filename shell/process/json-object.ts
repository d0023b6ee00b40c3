// What parsed JSON from outside is taken for: nothing is known of it before its shape is looked at.

export type JsonObject = { readonly [key: string]: unknown };

/** An object with fields, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
