// JSON Schema (draft 2020-12, as OpenAPI 3.1 uses it) from small parts, and from the fields of the route table: bounds,
// defaults and enumerations are those that the checks of shell/http/fields.ts go by.

import { EXPIRY_FORMS } from '../ipc/expiry-date.ts';
import { ORDER_STATUSES } from '../ipc/enum-names.ts';
import type { Field, Schema } from './fields.ts';

export type Json = { readonly [key: string]: unknown };

export const TEXT: Json = { type: 'string' };
export const BOOL: Json = { type: 'boolean' };
export const NUMBER: Json = { type: 'number' };
export const INTEGER: Json = { type: 'integer' };
export const ID: Json = { type: 'integer', minimum: 1 };
export const DECIMAL: Json = { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$', description: 'Plain decimal text.' };
export const ADDRESS: Json = { type: 'string', pattern: '^0x[0-9a-f]{40}$', description: 'Lower case.' };
export const MILLIS: Json = { type: 'integer', description: 'Milliseconds since the epoch.' };
export const SECONDS: Json = { type: 'integer', description: 'Seconds since the epoch.' };
export const ISO: Json = { type: 'string', format: 'date-time' };
/** Beside a refusal whose text does not say what would be right. */
export const HINT: Json = { type: 'string', description: 'What is accepted.' };
export const ANY_OBJECT: Json = { type: 'object' };

export function nullable(schema: Json): Json {
  return 'type' in schema && !('enum' in schema) && typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

export function list(items: Json): Json {
  return { type: 'array', items };
}

export function oneOf(...values: readonly (string | number)[]): Json {
  return { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values };
}

/** An object: every property is there, but those of `optional`, which may be absent. */
export function record(properties: Json, optional: Json = {}): Json {
  const required = Object.keys(properties);
  return { type: 'object', properties: { ...properties, ...optional }, ...(required.length > 0 && { required }) };
}

/** How an order stands (decision 3.1): in a row about it. */
export const ORDER_STANDING: Json = {
  order_status: oneOf(...ORDER_STATUSES),
  end_reason: { ...nullable(TEXT), description: 'Why the order is over: null while it is open.' },
};
/** The same in the answer to a request. */
export const NAMED_STANDING: Json = {
  order_status: {
    ...nullable(oneOf(...ORDER_STATUSES)),
    description: 'How the order stood when it was answered: that of the request, or the one that a cancel names (null: not known).',
  },
  end_reason: { ...nullable(TEXT), description: 'Why that order is over: null while it is open.' },
};
export const UPDATE_REASON: Json = {
  ...nullable(TEXT), description: 'Why a request was rejected, or that an accepted order triggered market-maker protection.',
};
export const MMP_TRIGGERED: Json = {
  ...BOOL,
  description: 'The fills of this order breached the limits of its own wallet: what was left of it is cancelled. A trigger of the '
    + 'counterparty’s protection is not told here.',
};

/** A schema of components.schemas. */
export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object with the fields of the table; `items`: what its list holds. */
export function schemaOfFields(schema: Schema, items?: Json): Json {
  const fields = Object.entries(schema);
  const properties = Object.fromEntries(fields.map(([name, field]) => {
    const shape = schemaOfField(field, false);
    return [name, field.kind === 'list' && items !== undefined ? { ...shape, items } : shape];
  }));
  const required = fields.filter(([, field]) => isRequired(field)).map(([name]) => name);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export function isRequired(field: Field): boolean {
  return field.optional !== true && !('default' in field && field.default !== undefined);
}

/** What a field of the table takes, as a JSON value or as the text of a query. */
export function schemaOfField(field: Field, isText: boolean): Json {
  const shape = field.named === undefined ? shapeOf(field, isText) : ref(field.named);
  const description = [field.doc, shape['description']].filter((part) => part !== undefined).join(' ');
  const standard = 'default' in field && field.default !== undefined ? { default: field.default } : {};
  return { ...shape, ...standard, ...(description !== '' && { description }) };
}

function shapeOf(field: Field, isText: boolean): Json {
  switch (field.kind) {
    case 'address': return { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
    case 'signature': return { type: 'string', pattern: '^0x[0-9a-fA-F]{130}$' };
    case 'uint64': {
      // In words: a maximum would be a double, and above the one that is meant.
      const description = 'At most 18446744073709551615.';
      const integer = { type: 'integer', format: 'uint64', minimum: 0, description };
      return field.text === true ? { anyOf: [integer, { type: 'string', pattern: '^[0-9]{1,20}$', description }] } : integer;
    }
    case 'decimalText': return { type: 'string', format: 'decimal', maxLength: 64 };
    case 'decimal': return { type: ['string', 'number'], format: 'decimal' };
    case 'number': return { type: 'number', ...range(field.min, field.max) };
    case 'text': return field.values !== undefined ? oneOf(...field.values)
      : { type: 'string', ...(field.minBytes !== undefined && { minLength: field.minBytes }), maxLength: field.maxBytes };
    case 'choice': return { type: 'string', enum: field.values };
    // Above the maximum of a listing counts as the maximum, so the schema must not forbid it.
    case 'integer': return field.clamp === true
      ? { type: 'integer', minimum: field.min, 'x-clamped-to': field.max } : { type: 'integer', ...range(field.min, field.max) };
    case 'int64': return { type: 'integer', format: 'int64', minimum: field.min, description: 'At most 9223372036854775807.' };
    case 'millis': return { type: 'integer', format: 'int64', ...range(field.min, undefined) };
    case 'choices': return { type: 'array', items: { type: 'string', enum: field.values }, minItems: 1 };
    case 'expiry': return {
      type: ['string', 'integer'], description: `A date (${EXPIRY_FORMS}), or ${field.unit === 'ms' ? 'milliseconds' : field.unit}.`,
      examples: ['2026-12-25', '25DEC26'],
    };
    case 'boolean': return { type: 'boolean' };
    case 'list': {
      const minItems = field.mayBeEmpty === true ? 0 : 1;
      return isText ? { type: 'string', contentMediaType: 'application/json' } : { type: 'array', minItems, maxItems: field.max };
    }
    case 'ids': return { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 1, maxItems: field.max };
    case 'ignored': return isText ? { type: 'string' } : {};
    case 'gone': return { type: 'string' };
  }
}

function range(min: number | undefined, max: number | undefined): Json {
  return { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
}
