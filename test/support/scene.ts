// A venue that is open for trading, with shorthands for tests with a few wallets and one contract: nonces count by themselves, an
// order is a price, a size and a side.

import { BUY, CONTRACT, SELL, USDC } from '../../core/units.ts';
import { CALL } from '../../core/codec/commands.ts';
import type { OrderFields } from './records.ts';
import { liveRows, openOrders, type RawHolding, type RawOrder } from './raw.ts';
import { TestVenue, type VenueOptions } from './venue.ts';

export class Scene extends TestVenue {
  /** The BTC call of the first expiry whose strike is nearest to the index. */
  readonly atm: number;
  private nonce = 0;

  constructor(options: VenueOptions = {}, btc = 100_000) {
    super(options);
    this.open(btc);
    this.atm = this.nearest(CALL);
  }

  /** Slot of the BTC option of the first expiry nearest to the index. */
  nearest(kind: number, underlying = 'BTC'): number {
    const spot = this.state.valuation.index[underlying === 'BTC' ? 0 : 1]!;
    const away = (slot: number): number => Math.abs(this.contract(slot).strike - spot);
    const slots = this.slots((one) => one.kind === kind && one.underlying === underlying);
    const first = Math.min(...slots.map((slot) => this.contract(slot).expiry));
    return slots.filter((slot) => this.contract(slot).expiry === first).reduce((best, slot) => (away(slot) < away(best) ? slot : best));
  }

  next(): number {
    return ++this.nonce;
  }

  /** Sends an order for the contract in `slot`: price in USDC, size in contracts; answers the code. */
  place(wallet: number, side: number, price: number, size: number, more: Partial<OrderFields> & { slot?: number } = {}): number {
    const { slot = this.atm, ...fields } = more;
    return this.send(this.write.place({
      ...this.contract(slot), wallet, nonce: this.next(), side, price: Math.round(price * USDC), size: Math.round(size * CONTRACT),
      ...fields,
    }));
  }

  buy(wallet: number, price: number, size: number, more: Partial<OrderFields> & { slot?: number } = {}): number {
    return this.place(wallet, BUY, price, size, more);
  }

  sell(wallet: number, price: number, size: number, more: Partial<OrderFields> & { slot?: number } = {}): number {
    return this.place(wallet, SELL, price, size, more);
  }

  cancel(wallet: number, orderId: number, signer = wallet): number {
    return this.send(this.write.cancel(wallet, this.next(), orderId, signer));
  }

  account(wallet: number): number {
    const { accounts } = this.state;
    for (let account = 0; account < accounts.counters[0]!; account++) if (accounts.address[account * 5] === wallet + 1) return account;
    return -1;
  }

  cash(wallet: number): number {
    return this.state.accounts.cash[this.account(wallet)]!;
  }

  status(wallet: number): number {
    return this.state.accounts.status[this.account(wallet)]!;
  }

  held(wallet: number, slot = this.atm): RawHolding | undefined {
    return liveRows(this.state).find((row) => row.account === this.account(wallet) && row.instrument === slot);
  }

  orders(wallet?: number): RawOrder[] {
    return openOrders(this.state).filter((order) => wallet === undefined || order.account === this.account(wallet));
  }

  /** The values of one field of every event of a kind that the last command emitted. */
  emitted(kind: number, slot: number): number[] {
    return this.events.filter((event) => event.kind === kind).map((event) => event.slots[slot]!);
  }
}
