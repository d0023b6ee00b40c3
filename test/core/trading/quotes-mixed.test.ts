// Mass quotes, their cancels, orders and takers of several wallets in one random sequence: a wallet has at most one quote for each set,
// contract and side, the books balance, no page trades, and a state saved and loaded half-way ends in the same state.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { BUY, CONTRACT, GTC, IOC, SELL } from '../../../core/units.ts';
import { POST_ONLY_REJECT, POST_ONLY_SLIDE } from '../../../core/codec/commands.ts';
import { FILL } from '../../../core/codec/events.ts';
import { OK } from '../../../core/errors.ts';
import { createState, type State } from '../../../core/engine/state.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { hashOf } from '../../support/venue.ts';
import { nameIn } from '../../support/raw.ts';
import { QuoteDesk } from './quotes.ts';
import { check } from './support.ts';

type Side = readonly [size: number | null, tick: number | null];
type Step = {
  kind: 'page' | 'order' | 'cancel' | 'cancelQuotes' | 'cancelAll' | 'protect' | 'mode'; wallet: number; set: string; bid: Side; ask: Side;
  other: Side; slides: boolean; sells: boolean; tick: number; takes: boolean; isStale: boolean; wait: number;
};

const side: fc.Arbitrary<Side> = fc.oneof(
  fc.constant([null, null] as const), fc.constant([0, null] as const),
  fc.tuple(fc.constantFrom(0.5, 1, 3, 40), fc.option(fc.integer({ min: -3, max: 6 }), { freq: 5 })),
);
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('page', 'page', 'page', 'page', 'order', 'order', 'cancel', 'cancelQuotes', 'cancelAll', 'protect', 'mode'),
  wallet: fc.nat(2), set: fc.constantFrom('main', 'wing'), bid: side, ask: side, other: side, slides: fc.boolean(), sells: fc.boolean(),
  tick: fc.integer({ min: -3, max: 6 }), takes: fc.boolean(), isStale: fc.constantFrom(false, false, false, true),
  wait: fc.constantFrom(0, 0, 0, 300, 6_000),
});

const priced = ([size, tick]: Side, base: number): Side => [size, tick === null ? null : base + tick * 10];

function act(desk: QuoteDesk, one: Step): void {
  const { wallet, set } = one;
  switch (one.kind) {
    case 'page': {
      const nonce = one.isStale ? { nonce: desk.next() - 1 } : {};
      const lines = [{ bid: priced(one.bid, 1_970), ask: priced(one.ask, 2_000) }, { slot: desk.perp, ask: priced(one.other, 100_000) }];
      const code = desk.quote(wallet, lines, { set, crossing: one.slides ? POST_ONLY_SLIDE : POST_ONLY_REJECT, ...nonce });
      assert.deepEqual(desk.emitted(FILL, 1), [], 'a page trades');
      const named = [one.bid, one.ask, one.other].filter(([size]) => size !== null).length;
      if (code === OK) assert.equal(desk.answers().length, named, 'each side that is named has an answer');
      return;
    }
    case 'order':
      desk.place(wallet, one.sells ? SELL : BUY, 1_990 + one.tick * 10, 1, { size: CONTRACT, tif: one.takes ? IOC : GTC });
      return;
    case 'cancel': desk.cancel(wallet, desk.orders(wallet)[0]?.id ?? 0); return;
    case 'cancelQuotes': desk.cancelQuotes(wallet, one.sells ? set : ''); return;
    case 'cancelAll': desk.send(desk.write.cancelAll(wallet, desk.next())); return;
    case 'protect': desk.protect(wallet, { quantity: 4, interval: 2_000, frozen: 500 }); return;
    case 'mode': desk.send(desk.write.marginMode(wallet, desk.next(), one.sells ? 1 : 0));
  }
}

test('quotes: after any sequence a wallet has one quote a side, sums are right, and a snapshot load changes nothing', () => {
  fc.assert(fc.property(fc.array(step, { minLength: 40, maxLength: 120 }), (steps) => {
    const desk = new QuoteDesk();
    desk.trade(0, 1, 100_000, 1);
    let saved: State | undefined;
    for (const [i, one] of steps.entries()) {
      desk.advance(one.wait);
      act(desk, one);
      check(desk.state);
      const places = desk.quotes().map((one) => [one.account, one.instrument, one.side, nameIn(desk.state, one.slot)].join());
      assert.equal(new Set(places).size, places.length, 'two quotes of one wallet, set, contract and side');
      assert.ok(desk.orders().every(({ entry }) => entry > 0), 'an order is left out of its book');
      if (i === steps.length >> 1) {
        saved = createState(desk.state.limits);
        restoreState(saved, copyOf(desk.state));
      }
    }
    assert.equal(hashOf(desk.replay()), hashOf(desk.state));
    assert.equal(hashOf(desk.replay(saved)), hashOf(desk.state));
  }), { numRuns: 25 });
});
