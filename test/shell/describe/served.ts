// A venue for the tests of the interface description: the operator's prices, and a clock that starts at the time of the examples.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { Http, type Answer } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import type { Example } from '../../../shell/describe/examples.ts';

export const TOKEN = 'token-of-the-openapi-test';
const START = '2026-01-05T12:00:00Z';

export type Operation = {
  readonly summary: string; readonly description: string; readonly deprecated?: true;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example?: object } } };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>;
  readonly security?: readonly object[];
  readonly 'x-signed-as'?: readonly { readonly name: string; readonly type: string }[];
};
type Parameter = {
  readonly name: string; readonly in: string; readonly required: boolean; readonly example?: unknown; readonly deprecated?: true;
  readonly schema: object;
};
type Schema = { readonly properties: Readonly<Record<string, object>>; readonly required?: readonly string[] };
export type Document = {
  readonly openapi: string; readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
  readonly info: { readonly title: string; readonly description: string };
};

const BY_HAND = ['--feed', 'manual', '--clock-start', START];

/** Has a venue run while the tests of a file do, after `prepare`; answers how to reach it, once the first of them runs. */
export function whileServed(prepare: (http: Http) => Promise<void> = async () => undefined, by: readonly string[] = BY_HAND): () => Http {
  const folder = mkdtempSync(join(tmpdir(), 'described-'));
  const flags = [...by, '--admin-token', TOKEN, '--workers', '1'];
  let venue: VenueProcess;
  let http: Http;
  before(async () => {
    venue = await VenueProcess.start({ data: join(folder, 'data'), flags });
    await venue.ready();
    http = new Http(venue.url);
    await prepare(http);
  });
  after(async () => {
    http?.close();
    await venue?.stop();
    rmSync(folder, { recursive: true });
  });
  return () => http;
}

export function operationsOf({ paths }: Document): [name: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) => (
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation])
  ));
}

/** Sends what the description shows: its examples of parameters and body, nothing of our own but the token. */
export function sendExample(
  http: Http, name: string, { parameters, requestBody, security }: Operation, example: Example,
): Promise<Answer> {
  const [method, path] = name.split(' ') as [string, string];
  const shown = (place: string): [string, string][] => parameters.flatMap(({ name: field, in: where, example: value }) => (
    where === place && value !== undefined ? [[field, String(value)] as [string, string]] : []
  ));
  const target = shown('path').reduce((whole, [field, text]) => whole.replace(`{${field}}`, encodeURIComponent(text)), path);
  const query = new URLSearchParams(shown('query')).toString();
  const body = requestBody?.content['application/json'].example;
  assert.equal(body === undefined, example.body === undefined, `${name}: the description shows its example`);
  return http.send({
    method, path: query === '' ? target : `${target}?${query}`,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: security === undefined ? {} : { authorization: `Bearer ${TOKEN}` },
  });
}
