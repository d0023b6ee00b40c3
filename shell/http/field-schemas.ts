// JSON Schema for the fields of the route table, from the same rules that fields.ts checks.

import { EXPIRY_FORMS } from '../ipc/expiry-date.ts';
import { LABEL_PATTERN, type RequestField, type Schema } from './fields.ts';
import { oneOf, type Json } from './shapes/shape.ts';
import { ENUMS } from './shapes/enums.ts';

export function schemaOfFields(schema: Schema, items?: Json): Json {
  const fields = Object.entries(schema);
  const properties = Object.fromEntries(fields.map(([name, field]) => {
    const shape = schemaOfField(field, false);
    return [name, field.kind === 'list' && items !== undefined ? { ...shape, items } : shape];
  }));
  const required = fields.filter(([, field]) => isRequired(field)).map(([name]) => name);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export function isRequired(field: RequestField): boolean {
  return field.optional !== true && !('default' in field && field.default !== undefined);
}

export function schemaOfField(field: RequestField, isText: boolean): Json {
  const shape: Json = field.named === undefined ? shapeOf(field, isText) : ENUMS[field.named];
  const description = [field.doc, shape['description']].filter((part) => part !== undefined).join(' ');
  const standard = 'default' in field && field.default !== undefined ? { default: field.default } : {};
  return { ...shape, ...standard, ...(description !== '' && { description }) };
}

function shapeOf(field: RequestField, isText: boolean): Json {
  switch (field.kind) {
    case 'address': return { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
    case 'signature': return { type: 'string', pattern: '^0x[0-9a-fA-F]{130}$' };
    case 'uint64': {
      // A JSON maximum would be rounded up to a double.
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
    case 'switch': return { enum: [true, false, ...field.values] };
    case 'label': return { type: 'string', pattern: LABEL_PATTERN };
    case 'object': return { ...schemaOfFields(field.fields), additionalProperties: false };
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
