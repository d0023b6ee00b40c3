// The heat map of the risk panel: it places the venue's scenarios, keeps their figures, and shades them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { heatMapOf, type UnderlyingRisk } from '../../../../client/terminal/panels/risk/heat.ts';

type Row = { readonly spot: number; readonly volatility: number; readonly pnl: number; readonly isTail: boolean };

function riskOf(rows: readonly Row[]): UnderlyingRisk {
  const scenarios = rows.map(({ isTail, pnl, spot, volatility }, at) => ({
    id: `S${at + 1}`, spot_shock_pct: String(spot / 100), vol_shock_pct: String(volatility / 100), pnl_weight: '1', is_tail: isTail,
    total_pnl: String(pnl),
  }));
  const worst = rows.reduce((best, { pnl }, at) => (pnl < rows[best]!.pnl ? at : best), 0);
  return {
    underlying: 'BTC', vintage: 1, marked_at: 0, index_price: '100000', scenarios,
    extended_risk_matrix: {
      scenarios, instruments: [], total_pnls: scenarios.map(({ total_pnl: pnl }) => pnl), worst_scenario_index: worst,
      worst_scenario_pnl: String(rows[worst]!.pnl),
    },
  };
}

const anyRows = fc.uniqueArray(fc.record({
  spot: fc.integer({ min: -60, max: 60 }), volatility: fc.integer({ min: -40, max: 90 }),
  pnl: fc.integer({ min: -1_000_000, max: 1_000_000 }), isTail: fc.boolean(),
}), { minLength: 1, maxLength: 40, selector: ({ spot, volatility }) => `${spot} ${volatility}` });

test('every scenario is shown exactly once, at its own shocks, in the grid or among the tails', () => {
  fc.assert(fc.property(anyRows, (rows) => {
    const { cells, spots, tails, volatilities } = heatMapOf(riskOf(rows));
    cells.forEach((row, down) => row.forEach((cell, across) => {
      assert.ok(cell === null || (cell.spot_shock_pct === spots[across] && cell.vol_shock_pct === volatilities[down]));
    }));
    const shown = [...cells.flat().filter((cell) => cell !== null), ...tails];
    assert.deepEqual(shown.map(({ id }) => id).sort(), rows.map((_, at) => `S${at + 1}`).sort());
    assert.deepEqual([tails.every((one) => one.is_tail), cells.flat().every((one) => one?.is_tail !== true)], [true, true]);
  }));
});

test('the shade has the sign of the result, grows with it, and is strongest for the largest', () => {
  fc.assert(fc.property(anyRows, (rows) => {
    const { cells, tails } = heatMapOf(riskOf(rows));
    const shown = [...cells.flat().filter((cell) => cell !== null), ...tails]
      .map(({ heat, total_pnl: pnl }) => ({ heat, pnl: Number(pnl) })).sort((one, other) => Math.abs(one.pnl) - Math.abs(other.pnl));
    for (const { heat, pnl } of shown) assert.equal(Math.sign(heat), Math.sign(pnl));
    shown.slice(1).forEach(({ heat }, at) => assert.ok(Math.abs(heat) >= Math.abs(shown[at]!.heat)));
    assert.equal(Math.abs(shown.at(-1)!.heat), shown.at(-1)!.pnl === 0 ? 0 : 5);
  }));
});

test('the scenario that loses most is the binding one, and none is where nothing loses', () => {
  const rows = [{ spot: -10, volatility: 0, pnl: 5 }, { spot: 0, volatility: 0, pnl: 0 }, { spot: 10, volatility: 45, pnl: -7 }];
  const losing = heatMapOf(riskOf(rows.map((row) => ({ ...row, isTail: row.spot === 10 }))));
  assert.deepEqual([losing.worst?.id, losing.tails.map(({ isWorst }) => isWorst)], ['S3', [true]]);
  const gaining = heatMapOf(riskOf(rows.slice(0, 2).map((row) => ({ ...row, isTail: false }))));
  assert.deepEqual([gaining.worst, gaining.cells.flat().some((cell) => cell?.isWorst)], [null, false]);
});
