// One simulated run: from a seed it draws limits, rules and commands, sends them through admission and the sequencer,
// and after each step compares the answer with the expectation, the events with the shadow, the state with the auditor.
// Prints nothing; keeps a histogram of what it reached. Deterministic: a seed is a run.

import assert from 'node:assert/strict';
import * as errors from '../../core/errors.ts';
import { ACCOUNT_CLOSED, OPENED_ADDRESS, FILL, FILL_MAKER_REST, ORDER_DONE, ORDER_REASON, ORDER_RESTED } from '../../core/codec/events.ts';
import { FLAG_WALLET_NAMED } from '../../core/codec/signed-commands.ts';
import type { Views } from '../../core/codec/record.ts';
import { checked, type Limits } from '../../core/limits.ts';
import type { State } from '../../core/engine/state.ts';
import { runDue } from '../../core/sequencer/sequencer.ts';
import type { TierLimits } from '../../core/tiers.ts';
import { walletWords } from '../support/records.ts';
import { walletOf } from '../support/raw.ts';
import { TestVenue, WIDE } from '../support/venue.ts';
import { audit } from './auditor.ts';
import { Expectation, NEW_WALLETS } from './expect.ts';
import { Random } from './random.ts';
import { Shadow } from './shadow.ts';
import { Workload, type Signed } from './workload.ts';

const TABLE: readonly TierLimits[] = [
  { orders: 14, cancels: 6, requests: 4, openOrders: 8, positions: 10 },
  { orders: 12, cancels: 6, requests: 4, openOrders: 4, positions: 4 },
  { orders: 25, cancels: 12, requests: 6, openOrders: 30, positions: 16 },
  { orders: 200, cancels: 99, requests: 60, openOrders: 120, positions: -1 },
];
const TIGHT: Limits = checked({ ...WIDE, orders: 128, holdings: 4_096, accounts: 20, agents: 80, pendingApprovals: 4 });

const CODE_NAMES = new Map(Object.entries(errors).filter(([name]) => !name.startsWith('DONE_')).map(([name, code]) => [code, name]));
const DONE_NAMES = new Map(Object.entries(errors).filter(([name]) => name.startsWith('DONE_')).map(([name, code]) => [code, name]));

export class Simulation {
  readonly venue: TestVenue;
  readonly histogram = new Map<string, number>();
  private readonly expectation: Expectation;
  private readonly shadow: Shadow;
  private readonly workload: Workload;
  private events = 0;

  /** `prepare` may set counters of the empty state before the first command. */
  constructor(seed: number, prepare: (state: State) => void = () => {}) {
    const random = new Random(seed);
    const isTight = random.chance(0.35);
    const wallets = isTight ? 26 : random.between(5, 36);
    const admins = [0, 1];
    const rules = { rated: random.chance(0.6), table: TABLE, newWallets: NEW_WALLETS };
    const adminWallets = new Uint32Array(admins.length * 5);
    admins.forEach((wallet, i) => adminWallets.set(walletWords(wallet), i * 5));
    this.venue = new TestVenue({ limits: isTight ? TIGHT : WIDE, prepare, rules: { ...rules, adminWallets } });
    this.expectation = new Expectation({ ...rules, admins });
    this.shadow = new Shadow(this.venue.state);
    this.venue.state.events.listener = (kind, slots) => this.witness(kind, slots);
    this.venue.open();
    this.workload = new Workload(this.venue, random, { wallets, admins, hot: random.between(2, 8), agents: random.chance(0.2) ? 90 : 3 });
  }

  get state(): State {
    return this.venue.state;
  }

  run(steps: number): this {
    for (let i = 0; i < steps; i++) this.step();
    return this;
  }

  step(): void {
    const draw = this.workload.next();
    this.count(`command ${draw.kind}`);
    if (draw.kind === 'wait') this.venue.now += draw.ms;
    else if (draw.kind === 'due') this.due(draw.steps);
    else if (draw.kind === 'index') this.venue.venue(this.venue.write.index(draw.underlying, draw.price, draw.flags, draw.volatility));
    else if (draw.kind === 'configure') this.venue.venue(this.venue.write.configure(draw.values));
    else this.send(draw);
    this.check();
  }

  /** Up to `steps` steps of what is due. */
  private due(steps: number): void {
    for (let step = 0, more = true; step < steps && more; step++) {
      more = runDue(this.venue.sequencer, this.venue.now);
      this.count(`due ${more}`);
    }
  }

  check(): void {
    audit(this.state);
    this.shadow.check(this.state);
  }

  private send(draw: Signed): void {
    const { venue } = this;
    const expected = this.expectation.answer(this.state, draw, Math.max(venue.now, this.state.clock[1]!));
    const seq = venue.seq();
    const code = venue.send(this.record(draw));
    const name = CODE_NAMES.get(code) ?? String(code);
    this.count(`code ${name}`);
    if (code !== expected.code) assert.equal(name, CODE_NAMES.get(expected.code), `answer to ${JSON.stringify(draw)}`);
    expected.numbers?.forEach((number, i) => assert.equal(venue.number(i), number, `number ${i} of ${name}`));
    assert.equal(venue.seq() - seq, expected.seqs, `records of ${name}`);
  }

  private record(draw: Signed): Views {
    const { write } = this.venue;
    switch (draw.kind) {
      case 'place': return write.place(draw.order);
      case 'cancel': write.cancel(draw.wallet, draw.nonce, draw.orderId); return write.amend(draw);
      case 'cancelByClientId': write.cancelByClientId(draw.wallet, draw.nonce, draw.clientId); return write.amend(draw);
      case 'approve': case 'revoke':
        write.agent(draw.kind, draw.wallet, draw.nonce, draw.agent, draw.expires, draw.named ? FLAG_WALLET_NAMED : 0);
        return write.amend(draw);
      case 'voidNonces': write.voidNonces(draw.wallet, draw.nonce, draw.upTo); return write.amend(draw);
      case 'tier': return write.tier(draw.wallet, draw.tier);
      case 'signedTier': return write.signedTier(draw.wallet, draw.tier, draw.signer, draw.nonce);
    }
  }

  private witness(kind: number, slots: Float64Array): void {
    this.events++;
    this.count(`event ${kind}`);
    if (kind === ORDER_DONE) this.count(`done ${DONE_NAMES.get(slots[ORDER_REASON]!)}`);
    if (kind === FILL) this.count(slots[FILL_MAKER_REST] === 0 ? 'fill of a whole maker' : 'fill of a part of a maker');
    if (kind === ORDER_RESTED && slots[9]! > 0) this.count('rest of a partial fill');
    if (kind === ACCOUNT_CLOSED) this.expectation.close(walletOf(slots, OPENED_ADDRESS));
    this.shadow.apply(kind, slots);
  }

  private count(bucket: string): void {
    this.histogram.set(bucket, (this.histogram.get(bucket) ?? 0) + 1);
  }
}
