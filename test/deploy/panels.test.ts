// The dashboard and the alerts of docs/deploy without Grafana and Prometheus: what they name is in /metrics, with its labels, so that no
// `or vector(0)` hides a wrong name; and the dashboard is one that Grafana can show.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWallet, signerFor } from '../../scripts/client.ts';
import { runningVenue } from '../support/running.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { deployed, yamlOf } from './folder.ts';

type Target = { readonly refId: string; readonly expr: string; readonly legendFormat: string };
type Place = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
type Panel = {
  readonly id: number; readonly type: string; readonly title: string; readonly gridPos: Place; readonly targets: readonly Target[];
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
};
type Dashboard = {
  readonly panels: readonly Panel[]; readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
};
type Rules = { readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[] };

/** Labels that Prometheus adds. */
const ADDED = ['instance', 'job'];
/** Ids of units in Grafana. */
const UNITS = ['bytes', 'currencyUSD', 'ops', 'percentunit', 'reqps', 's', 'short'];
const COLUMNS = 24;

const { panels, templating } = JSON.parse(deployed('grafana/dashboard.json')) as Dashboard;
const targets = panels.flatMap((panel) => panel.targets);
const rules = (yamlOf('rules.yml') as Rules).groups.flatMap((group) => group.rules);

/** Names of metrics as they stand in a query, each with the labels that are selected of it. */
function metricsIn(expr: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expr.matchAll(/\b((?:strikebook|process)_[a-z_]+)(?:\{([^}]*)\})?/g)].map(([, name, selected = '']) => (
    { name: name!, labels: [...selected.matchAll(/([a-z_]+)\s*(?:=~|!=|=|!~)/g)].map(([, label]) => label!) }
  ));
}

/** Labels that a query groups or joins by; null: it keeps all. */
function grouping(expr: string): readonly string[] | null {
  const lists = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map(([, list]) => list!.split(',').map((label) => label.trim()));
  return lists.length === 0 ? null : lists.flat();
}

/** Labels by metric; a histogram has those of its buckets. */
async function labelsOf(url: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const labels = new Map<string, Set<string>>();
  for (const [, name] of text.matchAll(/^# TYPE (\S+) /gm)) labels.set(name!, new Set());
  for (const [, name, list = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const own = labels.get(name!) ?? labels.get(familyOf(name!));
    assert.ok(own !== undefined, `${name} has no type`);
    for (const [, label] of list.matchAll(/([a-z_]+)="/g)) own.add(label!);
  }
  return labels;
}

function familyOf(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '');
}

const { venue, http } = await runningVenue({ after }, { data: join(temporaryFolder({ after }), 'data'), flags: ['--workers', '1'] });

test('every metric and label that the dashboard or an alert names is in /metrics', async () => {
  const order = { symbol: 'BTC-PERP', side: 'Buy', size: '0.01', price: '1', client_id: `0x${'1'.repeat(32)}` } as const;
  const [signer, wallet] = [await signerFor(http), createWallet()];
  // The second one is refused, which has a reason.
  for (let i = 0; i < 2; i++) assert.equal((await http.send(signer.placeOrder(wallet, order))).status, 200);
  let known = await labelsOf(venue.url);
  // What the reader tells of each underlying comes soon after the start.
  const isComplete = (): boolean => known.get('strikebook_index_source')?.has('underlying') === true;
  for (const until = performance.now() + 60_000; !isComplete() && performance.now() < until; await sleep(100)) {
    known = await labelsOf(venue.url);
  }
  const faults = [...targets, ...rules].flatMap((one) => {
    const metrics = metricsIn(one.expr);
    const legend = 'legendFormat' in one ? [...one.legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!) : [];
    const kept = grouping(one.expr);
    const unknown = metrics.flatMap(({ labels, name }) => {
      const own = known.get(name) ?? known.get(familyOf(name));
      if (own === undefined) return [`${name} is no metric`];
      return [...labels, ...legend, ...kept ?? []].filter((label) => !own.has(label) && !ADDED.includes(label))
        .map((label) => `${name} has no label ${label}`);
    });
    const lost = legend.filter((label) => kept !== null && !kept.includes(label)).map((label) => `the result has no label ${label}`);
    const isEmpty = metrics.length === 0 && one.expr !== 'up{job="strikebook"} == 0';
    return [...unknown, ...lost, ...isEmpty ? ['it names no metric'] : []].map((fault) => `${one.expr}: ${fault}`);
  });
  assert.deepEqual(faults, []);
});

test('the panels have ids of their own, do not overlap, ask the chosen source, and have units that Grafana knows', () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
  const cells = new Set<string>();
  for (const { datasource, fieldConfig, gridPos: { h, w, x, y }, targets: asked, title, type } of panels) {
    assert.equal(type, 'timeseries', title);
    assert.ok(x >= 0 && w > 0 && x + w <= COLUMNS && y >= 0 && h > 0, title);
    for (let at = 0; at < w * h; at++) cells.add(`${x + at % w},${y + Math.floor(at / w)}`);
    const source = /^\$\{(\w+)\}$/.exec(datasource.uid)?.[1];
    assert.ok(templating.list.some(({ name, type: kind }) => name === source && kind === 'datasource'), `${title}: ${datasource.uid}`);
    assert.equal(datasource.type, 'prometheus', title);
    assert.ok(UNITS.includes(fieldConfig.defaults.unit), `${title}: ${fieldConfig.defaults.unit}`);
    assert.ok(asked.length > 0 && new Set(asked.map(({ refId }) => refId)).size === asked.length, title);
    assert.equal(new Set(asked.map(({ legendFormat }) => legendFormat)).size, asked.length, `${title}: lines of one name`);
    assert.ok(asked.every(({ legendFormat }) => legendFormat !== ''), `${title}: a line without a name`);
  }
  assert.equal(cells.size, panels.reduce((sum, { gridPos: { h, w } }) => sum + h * w, 0), 'two panels overlap');
});
