// Every operator request to main is answered, and its row in the api thread freed, whatever happens to the request: main looks once a
// millisecond, and much may have changed since. A real core; the test makes the looks.

import { performance } from 'node:perf_hooks';
import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { CALL, DELETE_MARKET, LIST_MARKET } from '../../../../core/codec/commands.ts';
import type { Views } from '../../../../core/codec/record.ts';
import { SEQ, TIME } from '../../../../core/engine/state.ts';
import { ENGINE_BUSY, INVALID_MARKET, OK } from '../../../../core/errors.ts';
import { optionRoom } from '../../../../core/lifecycle/listing.ts';
import { HOUR, USDC } from '../../../../core/units.ts';
import { BOUNDS } from '../../../../shell/http/limits.ts';
import { serveOperator } from '../../../../shell/process/operator.ts';
import type { MainLoop } from '../../../../shell/process/threads/main-loop.ts';
import type { Thread } from '../../../../shell/process/threads/thread.ts';
import { START, TestVenue, WIDE } from '../../../support/venue.ts';

const EXPIRY = START + 8 * HOUR;
const MARKET = { underlying: 'BTC', expiry: EXPIRY, strike: 98_765 * USDC, kind: CALL };

/** Main with one api thread, in whose stead the test asks and is answered. */
class Main {
  readonly venue = new TestVenue({ limits: WIDE }).open();
  /** Ids and codes. */
  readonly answers: [number, number][] = [];
  isDurable = true;
  #list: (request: object) => void = () => undefined;
  #asked = 0;
  #steady = 0;

  constructor(t: TestContext) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    t.mock.method(performance, 'now', () => this.#steady);
    const { venue } = this;
    const loop = {
      state: venue.state, isDurable: () => this.isDurable, whenIdle: (act: () => void) => act(),
      get seq() { return venue.state.clock[SEQ]; },
      get time() { return venue.state.clock[TIME]; },
      send: (record: Views) => {
        venue.venue(record);
        return true;
      },
    };
    const api = {
      on: (type: string, handler: (request: object) => void) => { if (type === 'list-market') this.#list = handler; },
      post: ({ id, code }: { id: number; code: number }) => void this.answers.push([id, code]),
    };
    serveOperator(api as unknown as Thread, loop as unknown as MainLoop, { feed: 'manual' });
    this.look = (ms = 1) => {
      this.#steady += ms;
      t.mock.timers.tick(1);
    };
  }

  /** Main's next look, so many ms later. */
  readonly look: (ms?: number) => void;

  list(market: typeof MARKET = MARKET): void {
    this.#list({ type: 'list-market', id: ++this.#asked, ...market });
  }

  /** By somebody else. */
  change(kind: number, { expiry, strike, kind: type }: typeof MARKET): void {
    this.venue.venue(this.venue.write.market(kind, 0, expiry, strike, type));
    assert.equal(this.venue.state.result.code, OK);
    this.venue.settle();
  }
}

test('a market request is answered once its listing is done and durable', (t) => {
  const main = new Main(t);
  main.isDurable = false;
  main.list();
  main.list({ ...MARKET, strike: 98_766 * USDC });
  main.look();
  assert.deepEqual(main.answers, [], 'they wait in the work queue');
  main.venue.settle();
  main.look();
  assert.deepEqual(main.answers, [], 'they are not on the disk');
  main.isDurable = true;
  main.look();
  assert.deepEqual(main.answers, [[1, OK], [2, OK]]);
  main.list();
  assert.equal(main.answers.length, 3, 'a refusal is answered at once');
});

test('a market that is listed and deleted before the next look is answered as listed', (t) => {
  const main = new Main(t);
  main.list();
  main.venue.settle();
  main.change(DELETE_MARKET, MARKET);
  main.look();
  assert.deepEqual(main.answers, [[1, OK]]);
});

test('a market whose expiry passes before its turn is answered INVALID_MARKET', (t) => {
  const main = new Main(t);
  main.venue.now = EXPIRY - 1;
  main.list();
  main.venue.now = EXPIRY;
  main.venue.settle();
  main.look();
  assert.deepEqual(main.answers, [[1, INVALID_MARKET]]);
});

test('a market whose row is taken before its turn is answered ENGINE_BUSY', (t) => {
  const main = new Main(t);
  const odd = (strike: number): typeof MARKET => ({ ...MARKET, strike: strike * USDC + 1 });
  for (let strike = 1; optionRoom(main.venue.state) > 1; strike++) main.change(LIST_MARKET, odd(strike));
  main.list(odd(1_000_000));
  main.list(odd(1_000_001));
  main.venue.settle();
  main.look();
  assert.deepEqual(main.answers, [[1, OK], [2, ENGINE_BUSY]]);
});

test('a request that stays unfinished is dropped only after the client\'s own time limit', (t) => {
  const main = new Main(t);
  main.isDurable = false;
  main.list();
  main.venue.settle();
  main.look(BOUNDS.answerMs);
  assert.deepEqual(main.answers, []);
  main.look(BOUNDS.answerMs);
  assert.equal(main.answers.length, 1);
});
