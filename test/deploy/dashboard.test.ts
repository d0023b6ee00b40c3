// The dashboard of docs/deploy against a real Prometheus that is started and scrapes as docs/deploy says: every query draws a line.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWallet, signerFor } from '../../scripts/client.ts';
import { freePort } from '../../scripts/venue-process.ts';
import { runningVenue } from '../support/running.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { deployed, replaced, started, until, yamlOf } from './folder.ts';

const PROMETHEUS = '/usr/bin/prometheus';
/** What the page promises. */
const WITHIN_MS = 180_000;

type Series = { readonly metric: Record<string, string>; readonly values: readonly (readonly [number, string])[] };
type Answer = { readonly status: string; readonly error?: string; readonly data?: { readonly result: readonly Series[] } };
type Compose = { services: { prometheus: { command: string[] } } };
type Scrape = { scrape_configs: [{ scrape_interval: string }] };

const [{ scrape_interval: INTERVAL }] = (yamlOf('prometheus.yml') as Scrape).scrape_configs;

/** Scrapes the venue until the test ends; answers a query with its series, a point an interval, as a panel asks. */
async function prometheusOf(t: TestContext, venue: { url: string; data: string }): Promise<(query: string) => Promise<readonly Series[]>> {
  const folder = temporaryFolder(t);
  const [file, address] = [join(folder, 'prometheus.yml'), `127.0.0.1:${await freePort()}`];
  writeFileSync(file, replaced(deployed('prometheus.yml'), [
    ['venue:8080', new URL(venue.url).host], ['/run/secrets/admin-token', join(venue.data, 'admin-token')],
  ]));
  writeFileSync(join(folder, 'rules.yml'), deployed('rules.yml'));
  const checked = spawnSync('/usr/bin/promtool', ['check', 'config', file], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
  const { command } = (yamlOf('compose.yaml') as Compose).services.prometheus;
  const flags = replaced(command.join('\n'), [['/etc/prometheus/prometheus.yml', file], ['=/prometheus', `=${join(folder, 'data')}`]]);
  const prometheus = started(t, [PROMETHEUS, ...flags.split('\n'), `--web.listen-address=${address}`, '--log.level=error'], {});
  await until(prometheus, async () => (await fetch(`http://${address}/-/ready`)).status === 200);
  const from = Date.now() / 1_000;
  return async (query) => {
    const range = new URLSearchParams({ query, start: String(from), end: String(Date.now() / 1_000), step: INTERVAL });
    const answer = await (await fetch(`http://${address}/api/v1/query_range?${range}`)).json() as Answer;
    assert.equal(answer.status, 'success', `${query}: ${answer.error}`);
    return answer.data!.result;
  };
}

/** Two points in a row make a line. */
function isLine({ values }: Series): boolean {
  return values.filter(([, text]) => Number.isFinite(Number(text))).length >= 2;
}

test('a Prometheus set up as documented draws a line for every query of the dashboard within three minutes', {
  skip: !existsSync(PROMETHEUS) && `no ${PROMETHEUS}`,
}, async (t) => {
  const data = join(temporaryFolder(t), 'data');
  // As behind a proxy: a scrape that nobody has forwarded shows the token all the same.
  const { venue, http } = await runningVenue(t, { data, flags: ['--workers', '1', '--trust-proxy', 'on'] });
  const ask = await prometheusOf(t, { url: venue.url, data });
  const signer = await signerFor(http);
  const order = { symbol: 'BTC-PERP', side: 'Buy', size: '0.01', price: '1', client_id: `0x${'1'.repeat(32)}` } as const;
  const { panels } = JSON.parse(deployed('grafana/dashboard.json')) as { panels: { title: string; targets: { expr: string }[] }[] };
  const missing = new Set(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
  assert.ok(missing.size >= 30, `${missing.size} queries`);
  for (const end = performance.now() + WITHIN_MS; missing.size > 0; await sleep(1_000)) {
    assert.ok(performance.now() < end, `no data: ${[...missing].join('\n')}`);
    // The first of an id is accepted, the other one refused: both have a rate.
    const wallet = createWallet();
    for (let i = 0; i < 2; i++) assert.equal((await http.send(signer.placeOrder(wallet, order))).status, 200);
    for (const query of missing) if ((await ask(query)).some(isLine)) missing.delete(query);
  }
  const [up] = await ask('up');
  assert.equal(up!.values.at(-1)![1], '1');
  const components = await ask('strikebook_component_state');
  assert.deepEqual(components.map(({ metric }) => metric['component']).sort(), [
    'clock', 'contracts', 'disk', 'edge', 'engine', 'expiries', 'feed', 'fund', 'history', 'journal', 'reader', 'recovery', 'surfaces',
  ]);
  const reasons = await ask('sum by (reason) (rate(strikebook_rejects_total[2m]))');
  assert.ok(reasons.some(({ metric }) => metric['reason'] === 'duplicate_client_id'), JSON.stringify(reasons));
});
