// Schemas of the interface descriptions as strict validators: a field that is not described is an error.

import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export type Validate = ReturnType<Ajv2020['compile']>;

export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  for (const name of ['uint64', 'int64', 'decimal']) ajv.addFormat(name, true);
  return ajv;
}

/** The schema with the records it refers to, closed. */
export function closed(schema: object, components: object): object {
  return closeAll({ ...structuredClone(schema), components: structuredClone(components) });
}

function closeAll<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closeAll) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, closeAll(inner)] as const);
  const isRecord = 'properties' in value && (value as { type?: unknown }).type === 'object';
  return Object.fromEntries(isRecord ? [...entries, ['additionalProperties', false]] : entries) as T;
}
