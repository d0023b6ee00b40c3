// The golden journal: records of one simulated run and of commands that it does not draw, committed with the results of applying
// them. If a change of the core gives an old command another result, the test fails: raise BEHAVIOUR and write the journal anew:
//   node test/sim/golden.ts --write
// The records themselves are kept, so a change of the generator does not change this test.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  CALL, DELETE_MARKET, DISCONNECTED, LIST_MARKET, PUT, RECONNECTED, REQUEST_USERNAME, SET_USERNAME,
} from '../../core/codec/commands.ts';
import { FLAG_WALLET_NAMED } from '../../core/codec/signed-commands.ts';
import { findAccount, PORTFOLIO, STANDARD } from '../../core/accounts/accounts.ts';
import { apply } from '../../core/engine/apply.ts';
import { createState } from '../../core/engine/state.ts';
import { viewsOf } from '../../core/codec/record.ts';
import type { Limits } from '../../core/limits.ts';
import { BUY, DAY } from '../../core/units.ts';
import { BEHAVIOUR } from '../../core/version.ts';
import { walletWords } from '../support/records.ts';
import { hashOf, type TestVenue } from '../support/venue.ts';
import { World } from './world.ts';

const JOURNAL = new URL('golden.journal.gz', import.meta.url);
const RESULTS = new URL('golden.json', import.meta.url);
/** A run with takeovers, deleveraging, settlement, funding and most replies. */
const SEED = 43;
const STEPS = 1_200;

/**
 * Limits: of the state that it is applied to. Answers: code and numbers of every command. Balances: cash and positions at the end.
 * Events, state: their digests.
 */
type Results = {
  limits: Limits; behaviour: number; records: number; answers: string; balances: string; events: string; state: string;
};

export function readJournal(): Buffer {
  return gunzipSync(readFileSync(JOURNAL));
}

export function readResults(): Results {
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
}

/** Applies the journal to a fresh state with these limits. */
export function replay(journal: Buffer, limits: Limits): Results {
  const state = createState(limits);
  const views = viewsOf(new Uint8Array(journal).buffer);
  const answers = createHash('sha256');
  let records = 0;
  for (let at = 0; at < journal.length; at += views.u32[at >>> 2]!) {
    apply(state, views, at);
    answers.update(`${state.result.code},${state.result.numbers.join()};`);
    records++;
  }
  const { accounts, holdings } = state;
  const cash = accounts.cash.subarray(0, accounts.counters[0]);
  const rows = Array.from({ length: holdings.counters[0]! }, (_, row) => row);
  const held = rows.map((row) => `${holdings.account[row]}/${holdings.instrument[row]}/${holdings.position[row]}`);
  const balances = createHash('sha256').update(`${cash.join()};${held.join()}`);
  return {
    limits, behaviour: BEHAVIOUR, records, answers: answers.digest('hex'), balances: balances.digest('hex'),
    events: Buffer.from(state.events.digest.slice().buffer).toString('hex'), state: hashOf(state),
  };
}

/** Commands that the run draws seldom or never: the registry, pending approvals, many orders at once, the operator. */
function appendOthers(venue: TestVenue): void {
  const { state, write } = venue;
  const { instruments, payouts } = state;
  const ids = Array.from({ length: payouts.counters[0]! }, (_, at) => at + 1);
  const ownerOf = (id: number): number => state.accounts.address[payouts.account[id - 1]! * 5]! - 1;
  let nonce = 2 ** 40;
  const slot = venue.slots(({ kind, expiry }) => kind === CALL && expiry > venue.now).find((one) => instruments.openInterest[one] === 0)!;
  const { expiry, strike } = venue.contract(slot);
  const underlying = instruments.underlying[slot]!;
  for (let wallet = 0; wallet < 5; wallet++) {
    const name = `Wallet_${wallet % 3}`;
    venue.send(write.username(wallet % 2 === 0 ? SET_USERNAME : REQUEST_USERNAME, wallet, ++nonce, name));
    venue.send(write.seePayouts(wallet, ++nonce, wallet === 0 ? [1, 2, 3] : ids.filter((id) => ownerOf(id) === wallet).slice(0, 9)));
    const scopes = [{}, { underlying: 'BTC' }, { contract: venue.contract(slot) }];
    venue.send(write.cancelAll(wallet, ++nonce, scopes[wallet % 3]));
    venue.send(write.revokeAll(wallet, ++nonce));
    for (const act of ['approve', 'revoke', 'approve'] as const) {
      for (const named of [0, FLAG_WALLET_NAMED]) venue.send(write.agent(act, 90 + wallet, ++nonce, 900 + wallet % 3, 0, named));
    }
    venue.send(write.signedTier(90 + wallet, wallet, 0, ++nonce));
    for (const mode of [STANDARD, PORTFOLIO]) venue.send(write.marginMode(wallet, ++nonce, mode));
  }
  venue.venue(write.market(DELETE_MARKET, underlying, expiry, strike, CALL));
  venue.venue(write.market(LIST_MARKET, underlying, expiry, strike + 1_000_000, PUT));
  venue.settle();
  venue.venue(write.market(LIST_MARKET, underlying, expiry, strike, CALL));
  venue.venue(write.competition(venue.now, venue.now + DAY, 0b011, 1, ['Cup', 'First', '', 'None']));
  venue.settle();
  fallSilent(venue);
}

/** Wallets with an order each, whose deadlines fire, are moved or are turned off. */
function fallSilent(venue: TestVenue): void {
  const { state, write } = venue;
  const contract = venue.contract(state.instruments.perpOf[0]!);
  const accountOf = (wallet: number): number => findAccount(state.accounts, walletWords(wallet), 0);
  let nonce = 2 ** 41;
  for (let wallet = 0; wallet < 6; wallet++) {
    const connection = wallet % 2 === 0 ? [0, 0] : [1, wallet];
    venue.send(write.place({ ...contract, wallet, nonce: ++nonce, side: BUY, price: 1_000_000_000, size: 1_000 }));
    venue.send(write.cancelAfter(wallet, ++nonce, 1_000 * wallet));
    venue.send(write.cancelOnDisconnect(wallet, ++nonce, wallet < 5, 2_500, connection));
    venue.venue(write.presence(DISCONNECTED, accountOf(wallet), connection));
  }
  for (let second = 0; second < 6; second++) {
    venue.advance(1_000);
    venue.send(write.cancelAfter(3, ++nonce, 2_000));
    if (second === 1) venue.venue(write.presence(RECONNECTED, accountOf(4)));
  }
}

if (process.argv.includes('--write')) {
  const world = new World(SEED, { crashes: false });
  for (let step = 0; step < STEPS; step++) world.step();
  // The checks of the run do not cover the following commands.
  world.state.events.listener = () => {};
  appendOthers(world.venue);
  const journal = Buffer.concat([...world.records, ...world.venue.log.kept]);
  writeFileSync(JOURNAL, gzipSync(journal, { level: 9 }));
  writeFileSync(RESULTS, `${JSON.stringify(replay(journal, world.options.limits), null, 2)}\n`);
}
