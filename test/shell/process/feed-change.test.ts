// A start with another feed than before: a price or surface that the operator had set without an age gets the age it really has.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DOUBLE_INDEX_PRICE, DOUBLE_SURFACE_ATM, INDEX_PRICE, SET_SURFACE } from '../../../core/codec/commands.ts';
import { recordKind, viewsOf } from '../../../core/codec/record.ts';
import { HOUR } from '../../../core/units.ts';
import { createWallet, signerFor, type Http, type OrderUpdate } from '../../../scripts/client.ts';
import { readFrames } from '../../../shell/storage/journal/read.ts';
import { recoveredVenue, runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** A port of this machine where nobody listens. */
const NOBODY = '127.0.0.1:1';
const WITHIN_MS = 60_000;
const FLAGS = ['--workers', '1', '--rate-limits', 'off'];
const OUTSIDE = ['--feed', 'hyperliquid', '--hyperliquid-ws', `ws://${NOBODY}`, '--hyperliquid-info', `http://${NOBODY}`];

type Markets = { readonly data: readonly { readonly underlying: string; readonly atm_vol: string }[] };

/** Prices and surfaces of the journal that set nothing, only how what was set ages. */
function agings(data: string): { prices: number; surfaces: number } {
  const count = { prices: 0, surfaces: 0 };
  for (const { bytes } of readFrames(data, 1)) {
    const views = viewsOf(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += views.u32[at >>> 2]!) {
      const kind = recordKind(views, at);
      if (kind === INDEX_PRICE && views.f64[(at >>> 3) + DOUBLE_INDEX_PRICE] === 0) count.prices++;
      if (kind === SET_SURFACE && views.f64[(at >>> 3) + DOUBLE_SURFACE_ATM] === 0) count.surfaces++;
    }
  }
  return count;
}

test('after a change of feed the operator\'s prices and surfaces are aged once; later starts write nothing', async (t) => {
  const folder = temporaryFolder(t);
  const data = join(folder, 'data');
  const buy = async (http: Http, symbol: string): Promise<string | null> => {
    const order = (await signerFor(http)).placeOrder(createWallet(), { symbol, side: 'Buy', size: '0.1', price: '1', tif: 'gtc' });
    return ((await http.send(order)).body as OrderUpdate).reason;
  };
  const volatilities = async (http: Http): Promise<string[]> => {
    const { data: markets } = (await http.get('/markets')).body as Markets;
    return markets.filter(({ underlying }) => underlying === 'BTC').map((market) => market.atm_vol);
  };
  // By a clock that is an hour behind: the next start finds what was set to be an hour old.
  const clock = ['--clock-start', new Date(Date.now() - HOUR).toISOString()];
  const byHand = await runningVenue(t, { data, flags: [...FLAGS, '--feed', 'manual', ...clock] });
  const headers = { authorization: `Bearer ${readFileSync(join(data, 'admin-token'), 'utf8').trim()}` };
  for (const [path, body] of [['index-price', { price: '100000' }], ['vol-surface', { atm_vol: 0.9 }]] as const) {
    const { status, text } = await byHand.http.post(`/admin/${path}`, { underlying: 'BTC', ...body }, headers);
    assert.equal(status, 200, text);
  }
  const { body: listed } = await byHand.http.get('/instruments?currency=BTC') as { body: { instrument_name: string }[] };
  const symbol = listed.map((row) => row.instrument_name).filter((name) => name.endsWith('-C')).at(-1)!;
  assert.equal(await buy(byHand.http, symbol), null);
  assert.deepEqual(new Set(await volatilities(byHand.http)), new Set(['0.9']));
  assert.equal((await byHand.venue.stop()).code, 0);

  // Old as it is, the surface goes to the configured curve by half a vol point with each mark.
  let last = 0.9;
  for (let start = 0; start < 2; start++) {
    const { venue, http } = await recoveredVenue(t, { data, flags: [...FLAGS, ...OUTSIDE] });
    assert.match((await buy(http, symbol)) ?? '', /No spot price available for underlying: BTC/);
    const before = last;
    for (const end = performance.now() + WITHIN_MS; last >= before - 0.004 && performance.now() < end; await sleep(20)) {
      // Of the last expiry: where one has come within the hour, another is listed, which follows those beside it.
      last = Number((await volatilities(http)).at(-1));
    }
    assert.ok(last < before - 0.004 && last >= 0.6, `from ${before} to ${last}`);
    assert.equal((await venue.stop()).code, 0);
    assert.deepEqual(agings(data), { prices: 1, surfaces: 1 });
  }
});
