// Builders for schemas: a JSON Schema (draft 2020-12, as in OpenAPI 3.1) that also carries the TypeScript type of its
// values. Must not need Node, since the client imports it.

export type Json = { readonly [key: string]: unknown };

declare const VALUE: unique symbol;
export type JsonSchema<T = unknown> = Json & { readonly [VALUE]: T };
export type Shape<S extends JsonSchema> = S[typeof VALUE];

export type Decimal = string;

export function schemaOf<T>(schema: Json): JsonSchema<T> {
  return schema as JsonSchema<T>;
}

export const TEXT = schemaOf<string>({ type: 'string' });
export const BOOL = schemaOf<boolean>({ type: 'boolean' });
export const NULL = schemaOf<null>({ type: 'null' });
export const NUMBER = schemaOf<number>({ type: 'number' });
export const INTEGER = schemaOf<number>({ type: 'integer' });
export const COUNT = schemaOf<number>({ type: 'integer', minimum: 0 });
export const ID = schemaOf<number>({ type: 'integer', minimum: 1 });
export const DECIMAL = schemaOf<Decimal>({ type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$', description: 'Plain decimal text.' });
export const ADDRESS = schemaOf<string>({ type: 'string', pattern: '^0x[0-9a-f]{40}$', description: 'Lower case.' });
export const MILLIS = schemaOf<number>({ type: 'integer', description: 'Milliseconds since the epoch.' });
export const SECONDS = schemaOf<number>({ type: 'integer', description: 'Seconds since the epoch.' });
export const ISO = schemaOf<string>({ type: 'string', format: 'date-time' });
export const ANY_OBJECT = schemaOf<object>({ type: 'object' });

export function described<T>(schema: JsonSchema<T>, description: string): JsonSchema<T> {
  return schemaOf({ ...schema, description });
}

export function nullable<T>(schema: JsonSchema<T>): JsonSchema<T | null> {
  return schemaOf('type' in schema && !('enum' in schema) && typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] } : { anyOf: [schema, NULL] });
}

export function list<T>(items: JsonSchema<T>): JsonSchema<readonly T[]> {
  return schemaOf({ type: 'array', items });
}

export function only<const V extends string | boolean>(value: V): JsonSchema<V> {
  return schemaOf({ const: value });
}

export function oneOf<const V extends string | number>(...values: readonly V[]): JsonSchema<V> {
  return schemaOf({ type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values });
}

export function either<S extends readonly JsonSchema[]>(...forms: S): JsonSchema<Shape<S[number]>> {
  return schemaOf({ oneOf: forms });
}

export type ObjectFields = { readonly [name: string]: JsonSchema };
type Values<F extends ObjectFields> = { readonly [N in keyof F]: Shape<F[N]> };
type Both<R extends ObjectFields, O extends ObjectFields> = Values<R> & Partial<Values<O>>;

export function record<R extends ObjectFields, O extends ObjectFields = {}>(
  fields: R, optional?: O,
): JsonSchema<{ readonly [N in keyof Both<R, O>]: Both<R, O>[N] }> {
  const required = Object.keys(fields);
  return schemaOf({ type: 'object', properties: { ...fields, ...optional }, ...(required.length > 0 && { required }) });
}

const DEFINITION = Symbol('definition');

export function named<T>(name: string, schema: JsonSchema<T>): JsonSchema<T> {
  return schemaOf({ $ref: `#/components/schemas/${name}`, [DEFINITION]: schema });
}

export function definitionsIn(description: unknown): Readonly<Record<string, Json>> {
  const found: Record<string, Json> = {};
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (DEFINITION in value && '$ref' in value) {
      const name = String(value.$ref).split('/').at(-1)!;
      if (name in found) return;
      found[name] = value[DEFINITION] as Json;
      look(found[name]);
    }
    for (const inner of Object.values(value)) look(inner);
  };
  look(description);
  return found;
}

export type Api<T> = Shape<ReturnType<typeof api<T>>>;
export function api<T>(data: JsonSchema<T>) {
  return record({ success: only(true), data, error: NULL });
}

export function refusable<T>(data: JsonSchema<T>) {
  return record({ success: BOOL, data: nullable(data), error: nullable(TEXT) });
}

export type One<T> = Shape<ReturnType<typeof one<T>>>;
export function one<T>(data: JsonSchema<T>) {
  return record({ success: BOOL, data }, { error: nullable(TEXT) });
}

export type List<T> = Shape<ReturnType<typeof listed<T>>>;
export function listed<T>(item: JsonSchema<T>) {
  return record({ success: BOOL, data: list(item) });
}

export const PAGINATION = named('Pagination', record({
  limit: described(COUNT, 'The limit that was applied.'), offset: COUNT, count: described(COUNT, 'Number of rows on this page.'),
}));

export type Paged<T> = Shape<ReturnType<typeof paged<T>>>;
export function paged<T>(item: JsonSchema<T>) {
  return record({ success: BOOL, data: list(item), pagination: PAGINATION });
}
