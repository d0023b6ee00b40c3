// A venue for the tests of the interface description: prices by hand, a clock that starts at the time of the examples.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Http } from '../../scripts/client.ts';
import { VenueProcess } from '../../scripts/venue-process.ts';

export const TOKEN = 'token-of-the-openapi-test';
const START = '2026-01-05T12:00:00Z';

export type Operation = {
  readonly summary: string; readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example?: object } } };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>;
  readonly security?: readonly object[];
  readonly 'x-signed-as'?: readonly { readonly name: string; readonly type: string }[];
};
type Schema = { readonly properties: Readonly<Record<string, object>>; readonly required?: readonly string[] };
export type Document = {
  readonly openapi: string; readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
  readonly info: { readonly title: string; readonly description: string };
};

/** Has a venue run while the tests of a file do, after `prepare`; answers how to reach it, once the first of them runs. */
export function whileServed(prepare: (http: Http) => Promise<void> = async () => undefined): () => Http {
  const folder = mkdtempSync(join(tmpdir(), 'described-'));
  const flags = ['--feed', 'manual', '--clock-start', START, '--admin-token', TOKEN, '--workers', '1'];
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
