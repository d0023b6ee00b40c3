// Runs in which every reply is computed before the command is sent (expect.ts). Requests are signed by owners, agents and other keys, come
// from a few networks, and meet the limits of tiers, budgets and tables. Such a run has only commands that expect.ts covers.

import assert from 'node:assert/strict';
import { FLAG_RFQ_ONLY } from '../../core/codec/commands.ts';
import { FLAG_WALLET_NAMED } from '../../core/codec/signed-commands.ts';
import { ACCOUNT_CLOSED, OPENED_ADDRESS } from '../../core/codec/events.ts';
import type { Views } from '../../core/codec/record.ts';
import { INVALID_SIDE, PRICE_FIGURES, SIZE_NOT_POSITIVE } from '../../core/errors.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import { checked } from '../../core/limits.ts';
import { DEFAULT_BALANCE, MAX_POSITION, PRICE_BAND, PRICE_BAND_VOL, SHORT_OPTION_INITIAL } from '../../core/settings.ts';
import type { TierLimits } from '../../core/tiers.ts';
import { DAY, HOUR, MINUTE, USDC } from '../../core/units.ts';
import { walletWords, type OrderFields } from '../support/records.ts';
import { walletOf } from '../support/raw.ts';
import type { TestVenue } from '../support/venue.ts';
import { CLIENT_IDS, type Draw, type RunContext } from './draw.ts';
import { Controls } from './controls.ts';
import { Expectation, NEW_WALLETS } from './expect.ts';
import { CODES } from './names.ts';
import { FEW, type Action, type Options } from './options.ts';
import type { Random } from './random.ts';

type Head = { wallet: number; signer: number; nonce: number; source: number; block: number; subnet: number; code: number };
export type Request =
  | Head & { kind: 'place'; order: OrderFields & { flags: number; clientId: string; tif: number } }
  | Head & { kind: 'cancel'; orderId: number }
  | Head & { kind: 'cancelByClientId'; clientId: string }
  | Head & { kind: 'approve' | 'revoke'; agent: number; expires: number; named: boolean }
  | Head & { kind: 'voidNonces'; upTo: number }
  | { kind: 'tier'; wallet: number; tier: number }
  | { kind: 'signedTier'; wallet: number; tier: number; signer: number; nonce: number };

const TABLE: readonly TierLimits[] = [
  { orders: 14, cancels: 6, requests: 4, quotes: 60, openOrders: 5, positions: 7 },
  { orders: 12, cancels: 6, requests: 4, quotes: 40, openOrders: 4, positions: 3 },
  { orders: 25, cancels: 12, requests: 6, quotes: 100, openOrders: 30, positions: 16 },
  { orders: 200, cancels: 99, requests: 60, quotes: 1_000, openOrders: 120, positions: -1 },
];
const TIGHT = checked({ ...FEW, orders: 128, accounts: 20, agents: 80, pendingApprovals: 4 });
const ADMINS = [0, 1];
/** Weight of each action; expect.ts does not cover the missing ones. */
const WEIGHTS: Partial<Record<Action, number>> = {
  place: 60, cancel: 9, cancelByClientId: 4, agent: 8, voidNonces: 0.5, tier: 2, index: 8, stale: 0.4, surface: 0.5,
  configure: 0.7, control: 0.7,
  wait: 6, note: 1, due: 10, hour: 0.08, expiry: 0.04, stall: 0.3, commit: 7, snapshot: 0.3, crash: 0.15,
};

export class Requests {
  readonly rules: { rated: boolean; table: readonly TierLimits[]; newWallets: number[]; adminWallets: Uint32Array };
  readonly expectation: Expectation;
  private readonly random: Random;
  private readonly isTight: boolean;
  private readonly wallets: number;
  private readonly agents: number;
  private readonly nonces = new Map<number, number>();
  private settings: Float64Array = new Float64Array(0);

  constructor(random: Random) {
    this.random = random;
    this.isTight = random.chance(0.35);
    this.wallets = this.isTight ? 26 : random.between(5, 36);
    this.agents = random.chance(0.2) ? 90 : 3;
    const rules = { rated: random.chance(0.6), table: TABLE, newWallets: NEW_WALLETS };
    const adminWallets = new Uint32Array(ADMINS.flatMap((wallet) => [...walletWords(wallet)]));
    this.rules = { ...rules, adminWallets };
    this.expectation = new Expectation({ ...rules, admins: ADMINS });
  }

  /** The options of an ordinary run, changed for this kind of run. */
  options(ordinary: Options): Options {
    this.settings = ordinary.settings;
    // The expectation knows no vega.
    ordinary.settings[PRICE_BAND_VOL] = 0;
    const weights = Object.fromEntries(Object.keys(ordinary.weights).map((action) => [action, WEIGHTS[action as Action] ?? 0]));
    return { ...ordinary, weights: weights as Options['weights'], limits: this.isTight ? TIGHT : FEW, wallets: this.wallets };
  }

  /** An event, after it happened. */
  hear(kind: number, slots: Float64Array): void {
    if (kind === ACCOUNT_CLOSED) this.expectation.close(walletOf(slots, OPENED_ADDRESS));
  }

  /** Sends a request of this action, or changes the settings; false when the action is none of these. */
  act(action: Action, means: RunContext): boolean {
    if (action === 'configure') means.command(means.venue.write.configure(this.configured()));
    else if (action === 'control') new Controls(means.venue.state).act(means, null);
    // Long enough for accounts to be unused: decision 1.6.
    else if (action === 'stall' && this.random.chance(0.1)) means.venue.now += 31 * DAY;
    else {
      const request = this.next(action, means);
      if (request === null) return false;
      this.send(request, means);
    }
    return true;
  }

  private next(action: Action, { draw, venue }: RunContext): Request | null {
    const { random } = this;
    switch (action) {
      case 'place': return this.place(draw, venue);
      case 'cancel': return this.cancel(draw, venue.state);
      case 'cancelByClientId': {
        const { clientId, wallet } = draw.openOrder(venue.state);
        if (clientId === '' || random.chance(0.3)) return { ...this.head(), kind: action, clientId: random.pick(CLIENT_IDS) };
        return { ...this.head(wallet), kind: action, clientId };
      }
      case 'agent': return this.agent(venue.now);
      case 'voidNonces': {
        const head = { ...this.head(), code: 0 };
        return { ...head, kind: action, upTo: random.between(0, head.nonce) };
      }
      case 'tier': {
        const wallet = this.wallet();
        if (random.chance(0.5)) return { kind: 'tier', wallet, tier: random.between(0, random.chance(0.05) ? 5 : 3) };
        const signer = random.chance(0.8) ? random.pick(ADMINS) : this.wallet();
        return { kind: 'signedTier', wallet, tier: random.between(0, 4), signer, nonce: this.nonce(signer) };
      }
      default: return null;
    }
  }

  /** Checks code, numbers and records of a request against the expected ones. */
  private send(request: Request, { venue, send, count }: RunContext): void {
    count(`request ${request.kind}`);
    const time = Math.max(venue.now, venue.state.clock[TIME]!);
    const expected = this.expectation.answer(venue.state, request, time);
    const seq = venue.seq();
    const code = send(this.record(request, venue));
    const name = CODES.get(code) ?? String(code);
    count(`expected ${name}`);
    if (code !== expected.code) assert.equal(name, CODES.get(expected.code), `answer to ${JSON.stringify(request)}`);
    expected.numbers?.forEach((number, i) => assert.equal(venue.number(i), number, `number ${i} of ${name}`));
    assert.equal(venue.seq() - seq, expected.seqs, `records of ${name}`);
  }

  private record(request: Request, { write }: TestVenue): Views {
    switch (request.kind) {
      case 'place': return write.place(request.order);
      case 'cancel': write.cancel(request.wallet, request.nonce, request.orderId); return write.amend(request);
      case 'cancelByClientId': write.cancelByClientId(request.wallet, request.nonce, request.clientId); return write.amend(request);
      case 'approve': case 'revoke': {
        const { agent, expires, kind, named, nonce, wallet } = request;
        write.agent(kind, wallet, nonce, agent, expires, named ? FLAG_WALLET_NAMED : 0);
        return write.amend(request);
      }
      case 'voidNonces': write.voidNonces(request.wallet, request.nonce, request.upTo); return write.amend(request);
      case 'tier': return write.tier(request.wallet, request.tier);
      case 'signedTier': return write.signedTier(request.wallet, request.tier, request.signer, request.nonce);
    }
  }

  private wallet(): number {
    return this.random.between(0, this.wallets - 1);
  }

  /** Mostly the next one; sometimes one that was drawn before, or one further on. */
  private nonce(wallet: number): number {
    const { random } = this;
    const last = this.nonces.get(wallet) ?? 0;
    if (last > 0 && random.chance(0.03)) return random.between(1, last);
    const next = last + (random.chance(0.9) ? 1 : random.between(2, 40));
    this.nonces.set(wallet, next);
    return next;
  }

  /** A request of this wallet signed by itself, or, without one, of any wallet signed by it, an agent or a stranger. */
  private head(owner = -1): Head {
    const { random } = this;
    const wallet = owner >= 0 ? owner : this.wallet();
    const isOwn = owner >= 0 || random.chance(0.88);
    const signer = isOwn ? wallet : random.chance(0.85) ? this.agentOf(wallet) : this.wallet();
    const code = random.chance(0.99) ? 0 : random.pick([INVALID_SIDE, PRICE_FIGURES, SIZE_NOT_POSITIVE]);
    // Loopback, an address of IPv4, and two sources in one /56 of a /48, one in another.
    const source = random.chance(0.7) ? 77 + wallet % 4 : 0;
    return { wallet, signer, nonce: this.nonce(wallet), source, block: source > 77 ? 5 : 0, subnet: source === 80 ? 1 : 0, code };
  }

  /** Agents are wallets of a range of their own, a few for each wallet. */
  private agentOf(wallet: number): number {
    return 1_000 + wallet * 100 + this.random.between(0, this.agents - 1);
  }

  private agent(now: number): Request {
    const { random } = this;
    // Wallets that only approve agents fill the table of pending approvals.
    const head = random.chance(0.25) ? this.head(this.wallets + random.between(0, 9)) : this.head();
    const expires = random.chance(0.4) ? 0 : now + random.between(-MINUTE, 2 * HOUR);
    const kind = random.chance(0.67) ? 'approve' : 'revoke';
    return { ...head, kind, agent: this.agentOf(head.wallet), expires: Math.max(0, expires), named: random.chance(0.5) };
  }

  private place(draw: Draw, { now, state }: TestVenue): Request {
    const { random } = this;
    const head = this.head();
    const order = draw.order(state, head.wallet, random.chance(0.2));
    if (random.chance(0.03)) {
      const expiry = Math.ceil(now / DAY) * DAY + random.between(-1, 1) * DAY;
      Object.assign(order, { underlying: random.pick(['BTC', 'ETH', 'SOL']), expiry, strike: 12_345, kind: random.between(0, 1) });
    }
    const { clientId = '', tif = 0 } = order;
    return { ...head, kind: 'place', order: { ...order, ...head, clientId, tif, flags: random.chance(0.01) ? FLAG_RFQ_ONLY : 0 } };
  }

  private cancel(draw: Draw, state: State): Request {
    const { random } = this;
    const issued = state.orders.counters[0]!;
    if (random.chance(0.3)) {
      const orderId = random.pick([0, issued, issued + 1, random.between(1, issued + 5), 2 ** 40, 2 ** 32 + issued]);
      return { ...this.head(), kind: 'cancel', orderId };
    }
    const { id, wallet } = draw.openOrder(state);
    return { ...this.head(random.chance(0.9) ? wallet : -1), kind: 'cancel', orderId: id };
  }

  /** The balance of new wallets, the largest position and a factor of margin change now and then. */
  private configured(): Float64Array {
    const { random } = this;
    const values = this.settings.slice();
    const usual = 10_000_000 * USDC;
    values[DEFAULT_BALANCE] = random.pick([0, USDC, 30_000 * USDC, 300_000 * USDC, usual, usual, usual]);
    values[MAX_POSITION] = random.pick([100_000_000 * USDC, 100_000_000 * USDC, 3_000_000 * USDC]);
    values[PRICE_BAND] = random.pick([0, 0, 300_000]);
    values[PRICE_BAND_VOL] = 0;
    values[SHORT_OPTION_INITIAL] = random.pick([150_000, 150_000, 200_001]);
    return values;
  }
}
