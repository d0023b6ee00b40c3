// The conformance command: our own venue keeps to every row that a stranger can ask, and a venue that departs from one is told of that row.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { ERRORS } from '../../../client/conformance/law/errors.ts';
import { LIMIT_PROBES } from '../../../client/conformance/probes/limits.ts';
import { OPERATOR_PROBES } from '../../../client/conformance/probes/operator.ts';
import { ORDER_PROBES } from '../../../client/conformance/probes/orders.ts';
import { REQUEST_PROBES } from '../../../client/conformance/probes/requests.ts';
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

test('every probe is of a row of the law', () => {
  const rows = ERRORS.map(({ when }) => when);
  const probes = [REQUEST_PROBES, ORDER_PROBES, OPERATOR_PROBES, LIMIT_PROBES].flatMap((some) => Object.keys(some));
  assert.deepEqual(probes.filter((when) => !rows.includes(when)), []);
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
  ['no way to halt a market', (path, reply) => (path === 'POST /admin/halt' ? { status: 404, body: '{"error":"not_found"}' } : reply),
    /^FAILED error: an order in a halted market: cannot be asked: POST \/admin\/halt: 404 /],
];

test('given a venue that departs from six rows, when it is asked, then each is named', async () => {
  const url = await departing((path, reply) => DEPARTURES.reduce((changed, [, depart]) => depart(path, changed), reply));
  const lines: string[] = [];
  await runConformance(url, { token: TOKEN }, (text) => lines.push(text));
  for (const [what, , line] of DEPARTURES) assert.ok(lines.some((text) => line.test(text)), `${what}: ${lines.join('\n')}`);
});

test('the command tells the count and its exit code the outcome', () => {
  const run = (...args: string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } => (
    spawnSync(process.execPath, [START, 'conformance', ...args], { encoding: 'utf8' })
  );
  const good = run(venue.url, '--all');
  assert.equal(good.status, 0, good.stdout + good.stderr);
  assert.match(good.stdout, /^not asked error: an order in a halted market: needs --token$/m);
  assert.match(good.stdout, /: \d+ asked, 0 failed, \d+ not asked$/m);
  const nobody = run('http://127.0.0.1:1');
  assert.equal(nobody.status, 2);
  assert.match(nobody.stderr, /^conformance: /);
  assert.equal(run().status, 2);
  assert.match(run('--help').stdout, /^usage: strikebook conformance URL/);
});

/** Rows that need a fault of the venue, an expiry, another feed, or a market that nobody else is in. */
const NOT_ASKED = [
  'GET /gas-provider/{chain_id}',
  ...[
    'an internal fault', 'payouts of another wallet', 'the 21st new wallet of a source in an hour', 'no spot price',
    'the wallet\'s own order, ended and forgotten', 'a bid above the price band', 'an opening order in liquidation',
    'more pending approvals than there is room for', 'main is full for an item', 'an item is not durable in time', 'main is full',
    'the disk is low', 'no room for another protection', 'no room for another competition', 'not durable in time',
    'a read without an answer in time', 'not ready', 'candles of a source that fails', 'another chain than the configured one',
    'fees of a node that fails', 'margin of an underlying without an index price', 'a surface out of range',
    'a surface of an unlisted expiry',
  ].map((when) => `error: ${when}`),
];
/** Shown in the hours after an expiry. */
const OF_AN_HOUR = 'error: an order on an expired instrument';

// Last, because it spends budgets.
test('given our own venue, its token and leave to spend budgets, then every row holds, and all but what no client can show is asked',
  async () => {
    const lines: string[] = [];
    const { outcomes } = await runConformance(venue.url, { token: TOKEN, limits: true }, (line) => lines.push(line));
    assert.deepEqual(lines, []);
    const skipped = outcomes.filter(({ isSkipped, name }) => isSkipped && name !== OF_AN_HOUR).map(({ name }) => name);
    assert.deepEqual(skipped.sort(), NOT_ASKED.toSorted());
  });
