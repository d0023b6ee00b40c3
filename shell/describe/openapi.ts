// The OpenAPI 3.1 description, from the route table; answers, signatures and examples are looked up by method and path.

import { signedCommand } from '../../core/codec/commands.ts';
import { createHasher, type Hasher } from '../api/auth/eip712.ts';
import { STRUCTURES, type StructureName } from '../../core/codec/signed-commands.ts';
import type { Config } from '../process/config.ts';
import type { Schema } from '../http/fields.ts';
import type { Route } from '../http/router.ts';
import { isRequired, schemaOfField, schemaOfFields } from '../http/field-schemas.ts';
import { ANSWERS, type RouteAnswer } from '../http/shapes/answers.ts';
import { STATUS } from '../http/shapes/error-codes.ts';
import { ERRORS } from '../http/shapes/error-bodies.ts';
import { READY } from '../http/shapes/service.ts';
import { definitionsIn, named, schemaOf, type Json, type JsonSchema } from '../http/shapes/shape.ts';
import { examplesOf, type Example, type VenueFacts } from './examples.ts';
import { signed, signedFields, type Body } from './signing.ts';
import { description } from './openapi-intro.ts';
import { VERSION } from '../ipc/version.ts';

/** Statuses that occur before a route is found, always without envelope. */
const BEFORE_ROUTES: readonly number[] = [400, 429, 500, 503];
const RATED: Readonly<Record<Route['rate'], string>> = {
  order: 'Counted as an order.', cancel: 'Counted as a cancel.', quote: 'Each side that it names counts as a quote.',
  api: 'Counted as a request.', none: '',
  risk: 'Counted as a risk simulation: at most 60 a minute per source, 600 a minute in all, and 4 at once.',
};

type Parts = { readonly hasher: Hasher; readonly examples: readonly Example[] };

export function openApi(rows: readonly Route[], config: Config, facts: VenueFacts): Json {
  const parts: Parts = { hasher: createHasher(config.serviceName, config.chainId), examples: examplesOf(facts) };
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) (paths[row.path] ??= {})[row.method.toLowerCase()] = operation(row, parts);
  const structures = [...new Set(rows.flatMap(signedAs))];
  return {
    openapi: '3.1.0',
    info: {
      title: config.serviceName, version: VERSION, description: description(config, structures),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(rows.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: definitionsIn(paths),
      securitySchemes: { admin: { type: 'http', scheme: 'bearer', description: 'The admin token.' } },
    },
  };
}

function exampleOf(row: Route, { hasher, examples }: Parts): Example | undefined {
  const example = examples.find((one) => one.row === nameOf(row));
  if (example?.signed === undefined || example.body === undefined) return example;
  return { ...example, body: signedBody(hasher, example.signed, example.body) };
}

function nameOf(row: Route): string {
  return `${row.method} ${row.path}`;
}

function signedAs({ command }: Route): readonly StructureName[] {
  return command === undefined ? [] : signedCommand(command)!.signed;
}

function answerOf(row: Route): RouteAnswer | undefined {
  return (ANSWERS as Readonly<Record<string, RouteAnswer>>)[nameOf(row)];
}

export function signedBody(hasher: Hasher, structure: StructureName, body: Body): Body {
  const [name, items] = Object.entries(body)[0]!;
  const isBulk = Object.keys(body).length === 1 && Array.isArray(items);
  return isBulk ? { [name]: items.map((item: Body) => signed(hasher, structure, item)) } : signed(hasher, structure, body);
}

function operation(row: Route, parts: Parts): Json {
  const answer = answerOf(row);
  const example = exampleOf(row, parts);
  const security = row.auth === 'admin' ? [{ admin: [] }] : answer?.security;
  return {
    operationId: `${row.method.toLowerCase()}${row.path.replace(/[{}]/g, '').replaceAll('/', '_')}`,
    summary: row.doc, ...(answer?.isOld === true && { deprecated: true }),
    description: [RATED[row.rate], ...signatureTexts(row)].filter((text) => text !== '').join('\n\n'),
    tags: [tagOf(row)],
    parameters: [...parameters('path', row.params, example?.params), ...parameters('query', row.query, example?.query)],
    ...(row.body !== undefined && { requestBody: requestBody(row.body, answer, example) }),
    responses: responses(row, answer),
    ...(security !== undefined && { security }),
    ...(row.command !== undefined && { 'x-signed-as': signedAs(row).map((name) => ({ name, type: STRUCTURES[name] })) }),
  };
}

function tagOf({ path }: Route): string {
  return path.split('/')[1]!;
}

/** Whoever carries the request could change the fields that the signature does not cover. */
function signatureTexts(row: Route): readonly string[] {
  const structures = signedAs(row);
  if (structures.length === 0 || row.body === undefined) return [];
  const as = structures.map((name) => `\`${STRUCTURES[name]}\``).join(', or ');
  const covered = new Set([...structures.flatMap(signedFields), 'signature']);
  const open = Object.keys(row.body).filter((name) => !covered.has(name));
  if (!('signature' in row.body)) return [`Each item has the fields of the single request and is signed by itself, as ${as}.`];
  const some = structures.length > 1 ? ' Fields of one form are unsigned in the others.' : '';
  return [`Signed as ${as}.`, `Not signed: ${open.length === 0 ? 'nothing' : open.map((name) => `\`${name}\``).join(', ')}.${some}`];
}

function parameters(place: 'path' | 'query', schema: Schema | undefined, example: Readonly<Record<string, unknown>> = {}): readonly Json[] {
  return Object.entries(schema ?? {}).map(([name, field]) => ({
    name, in: place, required: place === 'path' || isRequired(field), schema: schemaOfField(field, true),
    ...(field.kind === 'gone' && { deprecated: true }), ...(field.kind === 'choices' && { style: 'form', explode: false }),
    ...(field.doc !== undefined && { description: field.doc }),
    ...(name in example && { example: example[name] }),
  }));
}

function requestBody(fields: Schema, answer: RouteAnswer | undefined, example: Example | undefined): Json {
  const schema = schemaOfFields(fields, itemsOf(answer));
  const shown = answer?.request === undefined ? schema : named(answer.request, schemaOf(schema));
  return { required: true, content: { 'application/json': { schema: shown, ...(example?.body && { example: example.body }) } } };
}

function itemsOf(answer: RouteAnswer | undefined): Json {
  if (typeof answer?.items !== 'string') return answer?.items ?? {};
  return { $ref: `#/components/schemas/${ANSWERS[answer.items].request}` };
}

function responses(row: Route, answer: RouteAnswer | undefined): Json {
  const all: Record<string, Json> = { 200: success(answer) };
  for (const status of statusesOf(row, answer)) {
    const codes = Object.entries(STATUS).filter(([, of]) => of === status).map(([code]) => `\`${code}\``);
    const forms = errorsOf(row, status, answer);
    const schema = forms.length === 1 ? forms[0]! : { anyOf: forms };
    all[status] = { description: codes.join(', '), content: { 'application/json': { schema } } };
  }
  return all;
}

function errorsOf({ path, envelope, command }: Route, status: number, answer: RouteAnswer | undefined): readonly JsonSchema[] {
  if (path === '/ready') return [READY];
  if (path === '/gas-provider/{chain_id}' && (status === 404 || status === 500)) return [ERRORS.GasProviderError];
  const isWrapped = envelope === 'api' || answer?.wrapped?.includes(status) === true;
  const isSigned = command !== undefined && (status === 400 || status === 401);
  const bare = status === 429 ? 'RateLimitError' : status === 503 ? 'UnavailableError' : 'Error';
  const names = isSigned ? [bare, 'SignatureError'] as const : [bare] as const;
  if (!isWrapped) return names.map((name) => ERRORS[name]);
  const wrapped = names.map((name) => ERRORS[`Api${name}`]);
  return BEFORE_ROUTES.includes(status) ? [...wrapped, ERRORS[bare]] : wrapped;
}

function success(answer: RouteAnswer | undefined): Json {
  if (answer === undefined) return { description: 'Done.', content: { 'application/json': { schema: {} } } };
  if (answer.body === null) return { description: 'Done; the body is empty.' };
  const media = answer.media ?? 'application/json';
  const text = { schema: { type: 'string' } };
  const exports = answer.exports === true ? { 'text/csv': text, 'application/x-ndjson': text } : {};
  return { description: 'Done.', content: { [media]: { schema: answer.body }, ...exports } };
}

function statusesOf(row: Route, answer: RouteAnswer | undefined): readonly number[] {
  if (row.path === '/health') return [];
  if (row.path === '/ready') return [503];
  const isOwn = row.body?.['wallet']?.optional === true;
  const authority = (row.auth === 'sig' && !isOwn) || row.auth === 'admin' ? [401] : [];
  // 403: the body names another wallet. A bulk reports this per item.
  const forbidden = row.body !== undefined && 'signature' in row.body ? [403] : [];
  const statuses = new Set([400, 429, 500, 503, ...authority, ...forbidden, ...answer?.also ?? []]);
  return [...statuses].sort((a, b) => a - b);
}
