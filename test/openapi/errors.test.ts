// Refusals of a running venue against the description of the route that gives them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer, Request } from '../../scripts/client.ts';
import { RestVenue } from '../rest/venue.ts';
import { closed, createAjv } from './closed.ts';
import type { Document } from './served.ts';

const ajv = createAjv();
let venue: RestVenue;
let document: Document;

before(async () => {
  venue = await RestVenue.start(null, ['--trust-proxy', 'on', '--workers', '1']);
  document = (await venue.get('/openapi.json')).body as unknown as Document;
});
after(() => venue.stop());

async function refused(request: Request, status: number, isWrapped: boolean): Promise<void> {
  const answer: Answer = await venue.send(request);
  const name = `${request.method} ${request.path.split('?')[0]!}`;
  assert.equal(answer.status, status, `${name}: ${answer.text}`);
  assert.equal('success' in (answer.body as object), isWrapped, `${name}: ${answer.text}`);
  const described = document.paths[request.path.split('?')[0]!]![request.method.toLowerCase()]!.responses[status]?.content;
  assert.ok(described, `${name} has no ${status}`);
  const validate = ajv.compile(closed(described['application/json']!.schema, document.components));
  assert.ok(validate(answer.body), `${name}: ${ajv.errorsText(validate.errors)} in ${answer.text}`);
}

test('metrics for another than loopback need the admin token', async () => {
  await refused({ method: 'GET', path: '/metrics', headers: { 'x-forwarded-for': '203.0.113.8' } }, 401, false);
  assert.deepEqual(document.paths['/metrics']!['get']!.security, [{}, { admin: [] }]);
});
