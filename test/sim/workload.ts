// Draws what happens next: orders of every kind around the marks, cancels, agents, tiers, index moves, gaps, time. Looks
// at the state only to aim (marks, open orders, listed contracts); whatever it draws may be right or wrong, and the
// expectation says which. All chance comes from the given generator.

import { BUY, CONTRACT, DAY, FOK, GTC, HOUR, IOC, MINUTE, SECOND, SELL, USDC } from '../../core/units.ts';
import { FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, FLAG_RFQ_ONLY, PERP } from '../../core/codec/commands.ts';
import { INVALID_SIDE, PRICE_FIGURES, SIZE_NOT_POSITIVE } from '../../core/errors.ts';
import { MAX_ORDER_AMOUNT } from '../../core/limits.ts';
import { defaultSettings } from '../../core/settings.ts';
import type { OrderFields } from '../support/records.ts';
import { accountTotal, clientIdIn, instrumentTotal, openOrders, type RawOrder } from '../support/raw.ts';
import type { TestVenue } from '../support/venue.ts';
import type { Random } from './random.ts';

type Head = { wallet: number; signer: number; nonce: number; source: number; block: number; subnet: number; code: number };
export type Signed =
  | Head & { kind: 'place'; order: OrderFields & { flags: number; clientId: string; tif: number } }
  | Head & { kind: 'cancel'; orderId: number }
  | Head & { kind: 'cancelByClientId'; clientId: string }
  | Head & { kind: 'approve' | 'revoke'; agent: number; expires: number; named: boolean }
  | Head & { kind: 'voidNonces'; upTo: number }
  | { kind: 'tier'; wallet: number; tier: number }
  | { kind: 'signedTier'; wallet: number; tier: number; signer: number; nonce: number };
export type Draw = Signed
  | { kind: 'index'; underlying: number; price: number; flags: number; volatility: number }
  | { kind: 'configure'; values: Float64Array }
  | { kind: 'wait'; ms: number }
  | { kind: 'due'; steps: number };

type Profile = { wallets: number; admins: readonly number[]; hot: number; agents: number };

const WEIGHTS = {
  place: 60, cancel: 9, cancelByClientId: 4, approve: 4, revoke: 2, voidNonces: 0.5, tier: 1, signedTier: 1, index: 8,
  configure: 0.7, wait: 6, due: 10,
};
const CLIENT_IDS = ['', '', '', 'a', 'b', 'quote-1', 'quote-2', 'ein-längerer-Name', 'x'.repeat(64)];

export class Workload {
  private readonly nonces = new Map<number, number>();
  private readonly venue: TestVenue;
  private readonly random: Random;
  private readonly profile: Profile;

  constructor(venue: TestVenue, random: Random, profile: Profile) {
    this.venue = venue;
    this.random = random;
    this.profile = profile;
  }

  next(): Draw {
    const { random } = this;
    const kind = random.weighted(WEIGHTS);
    switch (kind) {
      case 'place': return this.place();
      case 'cancel': return { ...this.head(), ...this.cancel() };
      case 'cancelByClientId': return this.cancelByClientId();
      case 'approve': case 'revoke': return this.agent(kind);
      case 'voidNonces': {
        const head = { ...this.head(), code: 0 };
        return { ...head, kind, upTo: random.between(0, head.nonce) };
      }
      case 'tier': return { kind, wallet: this.wallet(), tier: random.between(0, random.chance(0.05) ? 5 : 3) };
      case 'signedTier': {
        const signer = random.chance(0.8) ? random.pick(this.profile.admins) : this.wallet();
        return { kind, wallet: this.wallet(), tier: random.between(0, 4), signer, nonce: this.nonce(signer) };
      }
      case 'index': return this.index();
      case 'configure': return this.configure();
      case 'wait': return { kind, ms: this.pause() };
      // One step of work, or enough for a listing or an expiry to come to its end.
      case 'due': return { kind, steps: random.chance(0.5) ? 1 : random.between(2, 200) };
    }
  }

  private wallet(): number {
    return this.random.between(0, this.profile.wallets - 1);
  }

  private nonce(wallet: number): number {
    const { random } = this;
    const last = this.nonces.get(wallet) ?? 0;
    if (last > 0 && random.chance(0.03)) return random.between(1, last);
    const next = last + (random.chance(0.9) ? 1 : random.between(2, 40));
    this.nonces.set(wallet, next);
    return next;
  }

  private head(): Head {
    const { random } = this;
    const wallet = this.wallet();
    const signer = random.chance(0.88) ? wallet : random.chance(0.85) ? this.agentOf(wallet) : this.wallet();
    const code = random.chance(0.99) ? 0 : random.pick([INVALID_SIDE, PRICE_FIGURES, SIZE_NOT_POSITIVE]);
    // Loopback, an address of IPv4, and two sources in one /56 of a /48, one in another.
    const source = random.chance(0.7) ? 77 + wallet % 4 : 0;
    return { wallet, signer, nonce: this.nonce(wallet), source, block: source > 77 ? 5 : 0, subnet: source === 80 ? 1 : 0, code };
  }

  /** Agents are wallets of a range of their own, a few for each wallet. */
  private agentOf(wallet: number): number {
    return 1_000 + wallet * 100 + this.random.between(0, this.profile.agents - 1);
  }

  private agent(kind: 'approve' | 'revoke'): Draw {
    const { random, venue } = this;
    const head = this.head();
    // Strangers who only ever approve agents fill the table of approvals that wait.
    if (random.chance(0.25)) head.wallet = head.signer = this.profile.wallets + random.between(0, 9);
    const expires = random.chance(0.4) ? 0 : venue.now + random.between(-MINUTE, 2 * HOUR);
    return { ...head, kind, agent: this.agentOf(head.wallet), expires: Math.max(0, expires), named: random.chance(0.5) };
  }

  private place(): Draw {
    const { random } = this;
    const head = this.head();
    const contract = this.contract();
    const side = random.chance(0.5) ? BUY : SELL;
    const price = this.price(contract.slot, side);
    const size = Math.max(1, Math.min(this.size(contract.slot), Math.floor(MAX_ORDER_AMOUNT / price * CONTRACT)));
    const { slot: _slot, ...terms } = contract;
    const order = {
      ...terms, ...head, side, price, size, tif: random.pick([GTC, GTC, GTC, GTC, IOC, FOK]),
      clientId: random.pick(CLIENT_IDS), flags: random.chance(0.01) ? FLAG_RFQ_ONLY : 0,
    };
    return { ...head, kind: 'place', order };
  }

  /** Mostly one of a few hot contracts, so that orders meet; sometimes any, an expired one, one that is not listed. */
  private contract() {
    const { random, venue } = this;
    const total = instrumentTotal(venue.state);
    if (total === 0 || random.chance(0.03)) {
      const expiry = Math.ceil(venue.now / DAY) * DAY;
      return { slot: -1, underlying: random.pick(['BTC', 'ETH', 'SOL']), expiry, strike: 12_345, kind: random.between(0, 1) };
    }
    const any = random.chance(0.06) ? random.between(0, total - 1) : -1;
    const isOption = any >= 0 && venue.state.instruments.kind[any] !== PERP;
    const slot = isOption ? any : this.hotSlot(random.between(0, this.profile.hot - 1));
    return { slot, ...venue.contract(slot) };
  }

  /** The n-th contract near the money of the earliest active expiries. */
  private hotSlot(n: number): number {
    const { instruments, valuation } = this.venue.state;
    const total = instrumentTotal(this.venue.state);
    const underlying = n % 4 === 3 ? 1 : 0;
    let best = 0;
    let least = Infinity;
    for (let slot = 0; slot < total; slot++) {
      if (instruments.underlying[slot] !== underlying || instruments.status[slot] !== 1 || instruments.kind[slot] === PERP) continue;
      const spot = valuation.index[underlying]!;
      const days = (instruments.expiry[slot]! - this.venue.now) / DAY;
      const away = Math.abs(instruments.strike[slot]! / spot - (0.94 + 0.03 * n)) + days * 0.01
        + (instruments.kind[slot] === n % 2 ? 0 : 0.02);
      if (away < least) {
        least = away;
        best = slot;
      }
    }
    return best;
  }

  private price(slot: number, side: number): number {
    const { random, venue } = this;
    if (slot < 0 || random.chance(0.03)) return fiveFigures(random.pick([1, 7, 99_999, 123e3, 5e8, 1e12, 1e15]));
    const mark = Math.max(50, venue.mark(slot));
    if (random.chance(0.15)) {
      const facing = openOrders(venue.state).filter((order) => order.instrument === slot && order.side !== side);
      if (facing.length > 0) return random.pick(facing).price;
    }
    const spread = random.chance(0.1) ? 1.5 : 0.08;
    return fiveFigures(mark * Math.max(0.01, 1 + (random.fraction() - 0.5) * spread));
  }

  private size(slot: number): number {
    const { random, venue } = this;
    if (random.chance(0.08)) return random.between(1, 999);
    if (random.chance(0.25)) return Math.floor(random.fraction() * random.pick([200, 1_100]) * CONTRACT);
    const mine = random.chance(0.1) ? openOrders(venue.state).filter((order) => order.instrument === slot) : [];
    if (mine.length > 0) return random.pick(mine).remaining;
    const rows = venue.state.holdings;
    const row = random.between(0, Math.max(0, rows.counters[0]! - 1));
    if (random.chance(0.2) && rows.position[row] !== 0) return Math.abs(rows.position[row]!);
    return Math.ceil(10 ** (3 + random.fraction() * 4.5));
  }

  private cancel(): { kind: 'cancel'; orderId: number } & Partial<Head> {
    const { random, venue } = this;
    const open = openOrders(venue.state);
    const issued = venue.state.orders.counters[0]!;
    if (open.length > 0 && random.chance(0.7)) {
      const order = random.pick(open);
      const owner = random.chance(0.9) ? this.walletOf(order.account) : -1;
      return { kind: 'cancel', orderId: order.id, ...(owner < 0 ? {} : { wallet: owner, signer: owner, nonce: this.nonce(owner) }) };
    }
    return { kind: 'cancel', orderId: random.pick([0, issued, issued + 1, random.between(1, issued + 5), 2 ** 40, 2 ** 32 + issued]) };
  }

  private cancelByClientId(): Draw {
    const { random, venue } = this;
    const named: RawOrder[] = openOrders(venue.state).filter((order) => clientIdIn(venue.state, order.slot) !== '');
    if (named.length === 0 || random.chance(0.3)) return { ...this.head(), kind: 'cancelByClientId', clientId: random.pick(CLIENT_IDS) };
    const order = random.pick(named);
    const wallet = this.walletOf(order.account);
    const head = { ...this.head(), wallet, signer: wallet, nonce: this.nonce(wallet) };
    return { ...head, kind: 'cancelByClientId', clientId: clientIdIn(venue.state, order.slot) };
  }

  private walletOf(account: number): number {
    return this.venue.state.accounts.address[account * 5]! - 1;
  }

  private index(): Draw {
    const { random, venue } = this;
    const underlying = random.chance(0.02) ? 7 : random.between(0, 1);
    const now = venue.state.valuation.index[underlying] || [100_000, 3_000][underlying]! * USDC;
    const move = random.chance(0.9) ? 0.01 : 0.3;
    const price = random.chance(0.1) ? 0 : Math.min(9e14, Math.max(USDC, Math.round(now * (1 + (random.fraction() - 0.5) * move))));
    const flags = random.chance(0.05) ? FLAG_INDEX_STALE : random.chance(0.15) ? 0 : FLAG_INDEX_AGELESS;
    return { kind: 'index', underlying, price, flags, volatility: random.chance(0.2) ? random.between(100_000, 2_000_000) : 0 };
  }

  /** The balance of new wallets, and a factor of margin, change now and then; the last draw puts them back. */
  private configure(): Draw {
    const values = defaultSettings();
    values[0] = this.random.pick([0, USDC, 30_000 * USDC, 300_000 * USDC, 10_000_000 * USDC, 10_000_000 * USDC, 10_000_000 * USDC]);
    values[1] = this.random.pick([100_000_000 * USDC, 100_000_000 * USDC, 3_000_000 * USDC]);
    values[3] = this.random.pick([150_000, 150_000, 200_001]);
    return { kind: 'configure', values };
  }

  private pause(): number {
    const { random, venue } = this;
    // Long enough for accounts to be unused: decision 1.6.
    if (random.chance(0.002)) return 31 * DAY;
    if (accountTotal(venue.state) > 0 && random.chance(0.03)) return Math.max(1, Math.ceil(venue.now / DAY) * DAY + 8 * HOUR - venue.now);
    return random.chance(0.7) ? random.between(0, 900) : random.between(SECOND, 30 * SECOND);
  }
}

/** The nearest price of at most five significant figures, 1 or more. */
export function fiveFigures(price: number): number {
  const whole = Math.max(1, Math.round(price));
  let unit = 1;
  while (whole / unit >= 100_000) unit *= 10;
  return Math.min(1e15, Math.round(whole / unit) * unit);
}
