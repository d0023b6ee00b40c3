// docs/dashboard.json against a real Prometheus that scrapes a venue as docs/OPERATIONS.md shows: every query has data.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWallet, signerFor } from '../../../../scripts/client.ts';
import { freePort } from '../../../../scripts/venue-process.ts';
import { runningVenue } from '../../../support/running.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const PROMETHEUS = '/usr/bin/prometheus';
/** Two scrapes, and that Prometheus starts. */
const WITHIN_MS = 150_000;

type Sample = { readonly metric: Record<string, string>; readonly value: readonly [number, string] };
type Answer = { readonly status: string; readonly error?: string; readonly data?: { readonly result: readonly Sample[] } };

/** The configuration that the page shows, for this venue. */
function configOf(url: string, token: string): string {
  const shown = /^```yaml\n(scrape_configs:[^]*?)^```$/m.exec(readFileSync('docs/OPERATIONS.md', 'utf8'))?.[1] ?? '';
  assert.match(shown, /scrape_interval: \d+s/);
  const config = shown.replace('127.0.0.1:8080', new URL(url).host).replace('/srv/strikebook-data/admin-token', token);
  assert.ok(config.includes(token) && config.includes(new URL(url).host), config);
  return config;
}

/** Scrapes the venue until the test ends; answers a query with its samples. */
async function prometheusOf(t: TestContext, config: string): Promise<(query: string) => Promise<readonly Sample[]>> {
  const folder = temporaryFolder(t);
  const [file, address] = [join(folder, 'prometheus.yml'), `127.0.0.1:${await freePort()}`];
  writeFileSync(file, config);
  const flags = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=${address}`];
  const child = spawn(PROMETHEUS, [...flags, '--log.level=error'], { stdio: ['ignore', 'inherit', 'inherit'] });
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const ready = async (): Promise<boolean> => (await fetch(`http://${address}/-/ready`).catch(() => null))?.status === 200;
  while (!await ready()) {
    assert.equal(child.exitCode, null, 'Prometheus has ended');
    await sleep(100);
  }
  return async (query) => {
    const answer = await (await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(query)}`)).json() as Answer;
    assert.equal(answer.status, 'success', `${query}: ${answer.error}`);
    return answer.data!.result;
  };
}

test('a Prometheus set up as documented has data for every query of the dashboard', {
  skip: !existsSync(PROMETHEUS) && `no ${PROMETHEUS}`,
}, async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const { venue, http } = await runningVenue(t, { data, flags: ['--workers', '1'] });
  const ask = await prometheusOf(t, configOf(venue.url, join(data, 'admin-token')));
  const signer = await signerFor(http);
  const order = { symbol: 'BTC-PERP', side: 'Buy', size: '0.01', price: '1', client_id: `0x${'1'.repeat(32)}` } as const;
  const { panels } = JSON.parse(readFileSync('docs/dashboard.json', 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const missing = new Set(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
  assert.ok(missing.size >= 30, `${missing.size} queries`);
  for (const end = performance.now() + WITHIN_MS; missing.size > 0; await sleep(1_000)) {
    assert.ok(performance.now() < end, `no data: ${[...missing].join('\n')}`);
    // The first of an id is accepted, the other one refused: both have a rate.
    const wallet = createWallet();
    for (let i = 0; i < 2; i++) assert.equal((await http.send(signer.placeOrder(wallet, order))).status, 200);
    for (const query of missing) {
      const samples = await ask(query);
      if (samples.length > 0 && samples.some(({ value: [, text] }) => Number.isFinite(Number(text)))) missing.delete(query);
    }
  }
  const [up] = await ask('up');
  assert.equal(up!.value[1], '1');
  const ready = await ask('strikebook_component_state');
  assert.deepEqual(ready.map(({ metric }) => metric['component']).sort(), [
    'clock', 'contracts', 'disk', 'edge', 'engine', 'expiries', 'feed', 'fund', 'history', 'journal', 'reader', 'recovery', 'surfaces',
  ]);
  const reasons = await ask('sum by (reason) (rate(strikebook_rejects_total[2m]))');
  assert.ok(reasons.some(({ metric }) => metric['reason'] === 'duplicate_client_id'), JSON.stringify(reasons));
});
