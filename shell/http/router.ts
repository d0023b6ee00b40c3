// The route table and how a request finds its row. Paths are compared exactly as sent. An unknown path is 400 unsupported_endpoint for a
// write with a body, else 404. Another method is 405 with Allow (decision 6.4). HEAD is GET without the body (RFC 9110 9.3.2).

import { refuse, sendError, sendRefusal, type Checked, type Envelope } from './errors.ts';
import { firstRefusal, readBody, readQuery, readTexts, type Schema, type FieldValues } from './fields.ts';
import type { JsonObject } from '../process/json-object.ts';
import { checkEncoding, parseJson } from './json.ts';
import type { HttpRequest, Responder } from './message.ts';
import { MIN_SEQ, type SeqWaits } from './min-seq.ts';
import { NAMED_WALLET } from './named-wallet.ts';
import { readStrictBody } from './unknown-fields.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type Row = {
  readonly method: Method;
  readonly path: string;
  /** `sig`: signature in the body. `wallet`: unverified wallet in the query. `admin`: bearer token. */
  readonly auth: 'sig' | 'wallet' | 'admin' | 'none';
  /** OpenAPI shows it; the charge follows from the command or the read. */
  readonly rate: 'order' | 'cancel' | 'quote' | 'api' | 'risk' | 'none';
  readonly envelope: Envelope;
  readonly compat?: 'jsonrpc' | 'api' | 'order';
  readonly command?: number;
  readonly doc: string;
};

export type Call<P extends Schema = Schema, Q extends Schema = Schema, B extends Schema = Schema> = {
  readonly request: HttpRequest;
  readonly params: FieldValues<P>;
  readonly query: FieldValues<Q>;
  readonly body: FieldValues<B>;
};

type Handler<P extends Schema, Q extends Schema, B extends Schema> = (call: Call<P, Q, B>, responder: Responder) => unknown;

export type TypedRow<P extends Schema, Q extends Schema, B extends Schema> = Row & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
};

type TypedRoute<P extends Schema, Q extends Schema, B extends Schema> = TypedRow<P, Q, B> & { readonly handler: Handler<P, Q, B> };

export type Route = Row & {
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly handler: (call: Call, responder: Responder) => unknown;
};

export type NoFields = Record<never, never>;

/** Adds the `wallet` parameter to signed routes, and `min_seq` to reads. */
export function route<
  const P extends Schema = NoFields, const Q extends Schema = NoFields, const B extends Schema = NoFields,
>(row: TypedRoute<P, Q, B>): Route {
  const common = row.auth === 'sig' ? NAMED_WALLET : isRead(row) ? MIN_SEQ : null;
  return (common === null ? row : { ...row, query: { ...common, ...row.query } }) as unknown as Route;
}

function isRead({ method, rate }: Row): boolean {
  return method === 'GET' && rate !== 'none';
}

type Methods = Map<string, Route>;
type Pattern = { readonly segments: readonly string[]; readonly methods: Methods };
type Params = ReadonlyMap<string, string>;
type Found = { readonly methods: Methods; readonly params: Params };

const NO_PARAMS: Params = new Map();
const NO_BODY: Checked<JsonObject> = { ok: true, value: {} };
export const COMPAT = '/compat';
const PARAMETER = /^\{(.+)\}$/;

export function createRouter(
  routes: readonly Route[], waits: SeqWaits | null = null,
): (request: HttpRequest, responder: Responder) => unknown {
  const exact = new Map<string, Methods>();
  const patterns: Pattern[] = [];
  const numbers = new Map(routes.map((row, at) => [row, at + 1]));
  for (const row of routes) {
    let methods = exact.get(row.path);
    if (methods === undefined) {
      methods = new Map();
      exact.set(row.path, methods);
      if (row.path.includes('{')) patterns.push({ segments: row.path.split('/'), methods });
    }
    if (methods.has(row.method)) throw new Error(`router: two routes ${row.method} ${row.path}`);
    methods.set(row.method, row);
  }
  for (const { segments } of patterns) exact.delete(segments.join('/'));

  return (request, responder) => {
    if (request.refuse !== undefined) return request.refuse();
    const found = find(exact, patterns, request.path);
    if (found === null) return sendUnknown(request, responder);
    const row = found.methods.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (row === undefined) return sendNotAllowed(request, responder, [...found.methods.keys()]);
    responder.route = numbers.get(row)!;
    const call = readCall(row, found.params, request);
    if (!call.ok) return sendRefusal(responder, row.envelope, call);
    const { min_seq: seq } = call.value.query as { readonly min_seq?: number };
    if (seq === undefined || waits === null) return row.handler(call.value, responder);
    return waits.when(seq, responder, row.envelope, () => row.handler(call.value, responder));
  };
}

function find(exact: ReadonlyMap<string, Methods>, patterns: readonly Pattern[], path: string): Found | null {
  const methods = exact.get(path);
  if (methods !== undefined) return { methods, params: NO_PARAMS };
  if (patterns.length === 0) return null;
  const segments = path.split('/');
  for (const pattern of patterns) {
    const params = match(pattern.segments, segments);
    if (params !== null) return { methods: pattern.methods, params };
  }
  return null;
}

function match(pattern: readonly string[], segments: readonly string[]): Params | null {
  if (pattern.length !== segments.length) return null;
  const params = new Map<string, string>();
  for (let i = 0; i < pattern.length; i++) {
    const name = PARAMETER.exec(pattern[i]!)?.[1];
    if (name === undefined ? pattern[i] !== segments[i] : segments[i] === '') return null;
    if (name !== undefined) params.set(name, segments[i]!);
  }
  return params;
}

/** HEAD and OPTIONS are added. */
export function sendNotAllowed({ method, path }: HttpRequest, responder: Responder, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  sendError(responder, 'bare', 'method_not_allowed', `${method} is not allowed for ${path}`, { headers: { allow } });
}

function sendUnknown(request: HttpRequest, responder: Responder): void {
  const isWrite = request.method === 'POST' || request.method === 'PUT' || request.method === 'DELETE';
  if (isWrite && request.body !== null) {
    return sendError(responder, 'bare', 'unsupported_endpoint', `Unsupported endpoint: ${request.path}`);
  }
  return sendError(responder, 'bare', 'not_found', `Not found: ${request.path}`);
}

/** A route without a body schema ignores the body. */
function readCall(row: Route, texts: Params, request: HttpRequest): Checked<Call> {
  const sent = row.body === undefined ? NO_BODY : parseBody(request);
  if (!sent.ok) return sent;
  const params = readPath(row.params ?? {}, texts);
  const query = readQuery(row.query ?? {}, request.query);
  const readFields = isStrict(row) ? readStrictBody : readBody;
  const body = readFields(row.body ?? {}, sent.value);
  if (params.ok && query.ok && body.ok) return { ok: true, value: { request, params: params.value, query: query.value, body: body.value } };
  return firstRefusal([params, query, body])!;
}

function isStrict({ auth, body, path }: Route): boolean {
  return (auth === 'sig' || (auth === 'admin' && body?.['signature'] !== undefined)) && !isCompat(path);
}

export function isCompat(path: string): boolean {
  return path.startsWith(`${COMPAT}/`);
}

function parseBody({ headers, body }: HttpRequest): Checked<JsonObject> {
  const encoding = checkEncoding(headers['content-encoding'], headers['content-type']);
  return encoding.ok ? parseJson(body) : encoding;
}

function readPath(schema: Schema, texts: Params): Checked<FieldValues<Schema>> {
  let decoded = texts;
  try {
    if (texts.size > 0) decoded = new Map([...texts].map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return refuse('invalid_parameter', 'Path has an invalid percent escape');
  }
  return readTexts(schema, decoded);
}
