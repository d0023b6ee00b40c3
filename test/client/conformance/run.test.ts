// The conformance command: our own venue keeps to every row that a stranger can ask, and a venue that departs from one is told of that row.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { runConformance } from '../../../client/conformance/run.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { runningVenue } from '../../support/running.ts';

const TOKEN = 'token-of-the-conformance-run';
const START = fileURLToPath(new URL('../../../shell/process/start.js', import.meta.url));

const { venue } = await runningVenue({ after }, { data: temporaryFolder({ after }), flags: ['--workers', '1', '--admin-token', TOKEN] });

type Reply = { status: number; body: string };

/** Hands requests on, and lets `depart` change what the venue says. */
async function departing(depart: (path: string, reply: Reply) => Reply): Promise<string> {
  const read = async (request: IncomingMessage): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    return Buffer.concat(parts);
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { headers: { host: _, connection: _c, 'content-length': _l, 'transfer-encoding': _t, ...headers }, method, url } = request;
      const body = await read(request);
      const sent = body.length > 0 ? { body } : {};
      const answer = await fetch(venue.url + url!, { method: method!, headers: headers as Record<string, string>, ...sent });
      const { body: told, status } = depart(`${method} ${url}`, { status: answer.status, body: await answer.text() });
      response.writeHead(status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(told);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('our own venue keeps to every row that a stranger can ask, with and without the admin token', async () => {
  for (const token of [null, TOKEN]) {
    const lines: string[] = [];
    const { failed, outcomes, skipped } = await runConformance(venue.url, token, (line) => lines.push(line));
    assert.deepEqual([failed, lines], [0, []]);
    assert.ok(outcomes.length - skipped > 250, `${outcomes.length - skipped} were asked`);
  }
});

const DEPARTURES: readonly (readonly [what: string, depart: (path: string, reply: Reply) => Reply, line: RegExp])[] = [
  ['a surplus field', (path, reply) => (path.startsWith('GET /health') ? { ...reply, body: '{"status":"ok","more":1}' } : reply),
    /^FAILED GET \/health: \$\.more is not in the list$/],
  ['another status', (path, reply) => (path.startsWith('GET /nowhere') ? { ...reply, status: 400 } : reply),
    /^FAILED error: a read of an unknown path: 400 /],
  ['another text', (_, reply) => ({ ...reply, body: reply.body.replace('significant figures', 'digits') }),
    /^FAILED error: price has more than 5 significant figures: 400 .*, not 400 invalid_parameter /],
  ['a number for a decimal text', (path, reply) => (
    path.startsWith('GET /fills') ? { ...reply, body: reply.body.replace(/"size":"([0-9.]+)"/g, '"size":$1') } : reply
  ), /^FAILED GET \/fills: \$\.data\[0\]\.size: 0\.1 is no dec$/],
  ['a page that is not clamped', (path, reply) => (
    path.includes('limit=1001') ? { ...reply, body: reply.body.replace('"limit":1000', '"limit":1001') } : reply
  ), /^FAILED GET \/(trades|fills): limit above its maximum: 1001, not 1000$/],
];

for (const [what, depart, line] of DEPARTURES) {
  test(`given a venue with ${what}, when it is asked, then the row is named`, async () => {
    const lines: string[] = [];
    const { failed } = await runConformance(await departing(depart), null, (text) => lines.push(text));
    assert.ok(failed >= 1);
    assert.ok(lines.some((text) => line.test(text)), lines.join('\n'));
  });
}

test('the command tells the count and its exit code the outcome', () => {
  const run = (...args: string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } => (
    spawnSync(process.execPath, [START, 'conformance', ...args], { encoding: 'utf8' })
  );
  const good = run(venue.url, '--all');
  assert.equal(good.status, 0, good.stdout + good.stderr);
  assert.match(good.stdout, /^not asked error: main is full: a stranger cannot bring it about$/m);
  assert.match(good.stdout, /: \d+ asked, 0 failed, \d+ not asked$/m);
  const nobody = run('http://127.0.0.1:1');
  assert.equal(nobody.status, 2);
  assert.match(nobody.stderr, /^conformance: /);
  assert.equal(run().status, 2);
  assert.match(run('--help').stdout, /^usage: strikebook conformance URL/);
});
