// Metrics and log lines about the bounded tables of the state: each has a gauge, and one that is nearly full gives a warning.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { TABLES } from '../../../../core/engine/tables.ts';
import { checked, PENDING_TIME, SMALL } from '../../../../core/limits.ts';
import { createMeters, Meters } from '../../../../shell/process/observability/meters.ts';
import { TableWatch } from '../../../../shell/process/observability/table-watch.ts';
import { liveRows, openOrders } from '../../../support/raw.ts';
import { Scene } from '../../../support/scene.ts';
import { FREE } from '../../../support/venue.ts';

test('each table has a gauge; one that reaches 80 % warns once, and again only after falling below 75 %', () => {
  const scene = new Scene({ limits: checked({ ...SMALL, instruments: 4_096, accounts: 40, pendingApprovals: 10 }), rules: FREE });
  const meters = new Meters(createMeters(['main']), 'main');
  const lines: string[] = [];
  const watch = new TableWatch(scene.state, meters, (level, event, text) => lines.push(`${level} ${event} ${text}`));
  const told = (): string[] => {
    watch.update();
    return lines.splice(0);
  };
  const gauge = (name: string): number[] => {
    const { used, capacity } = meters.table(TABLES.findIndex((table) => table.name === name));
    return [used, capacity];
  };
  assert.deepEqual(told(), []);
  for (let wallet = 0; wallet < 7; wallet++) scene.send(scene.write.agent('approve', 100 + wallet, 1, 200));
  assert.deepEqual(told(), []);
  scene.send(scene.write.agent('approve', 107, 1, 200));
  assert.deepEqual(told(), ['warn table the table pending_approvals is 80 % full: 8 of 10 rows']);
  scene.send(scene.write.agent('approve', 108, 1, 200));
  assert.deepEqual(told(), [], 'it is said once');
  for (let wallet = 0; wallet < 31; wallet++) scene.sell(wallet, 1_000, 0.01);
  assert.deepEqual(told(), []);
  scene.sell(31, 1_000, 0.01);
  assert.deepEqual(told(), ['warn table the table accounts is 80 % full: 32 of 40 rows']);
  scene.advance(PENDING_TIME);
  assert.deepEqual(told(), ['info table the table pending_approvals has room again: 0 of 10 rows']);
  assert.deepEqual(gauge('accounts'), [32, 40]);
  assert.deepEqual(gauge('orders'), [openOrders(scene.state).length, SMALL.orders - 1]);
  assert.deepEqual(gauge('holdings_small_tiers'), [liveRows(scene.state).length, Math.floor(SMALL.holdings * 0.7)]);
  assert.deepEqual(gauge('instruments'), [
    scene.state.instruments.counters[0]! - scene.state.instruments.status.filter((status) => status === 3).length, 4_096,
  ]);
  for (const { name } of TABLES) assert.ok(gauge(name)[0]! <= gauge(name)[1]!, name);
});
