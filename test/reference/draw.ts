// Random commands for the reference model and the venue, by mix: orders near the marks and near each other's prices, with the size of a
// position, of a resting order or of the margin left, and one unit more or less. Reads only the model.

import type { Random } from '../sim/random.ts';
import { hasMargin } from './margin.ts';
import type { Mix } from './mixes.ts';
import type { Model } from './model.ts';
import { ABOVE, BELOW, BUY, BY_INDEX, BY_MARK, CALL, CANCEL_BOTH, CANCEL_MAKER, GTC, IOC, FOK, MARKET_MAKER, opposite, OPTS_OUT, PERP,
  positionIn, PUT, REDUCES_ONLY, SELL, SLIDES, type Command, type Draft, type Order, type Side, type Terms, type Trigger,
  type QuoteSide } from './terms.ts';

const HOUR = 3_600_000;
const SETS = ['m', 'set_2'];
const CLIENT_IDS = ['a', 'b', 'c', 'dd', 'x'.repeat(64)];
/** Bounds of an order: price · size and the size itself, 9e9 USDC and 1e9 contracts (decision 2.3). */
const MOST_AMOUNT = 9e15;
const MOST_SIZE = 1e15;

/** A price of at most five significant figures, 1 to 1e15 units. */
export function fiveFigures(price: number): bigint {
  const whole = Math.min(1e15, Math.max(1, Math.round(price)));
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(whole)) - 4);
  return BigInt(Math.round(whole / unit) * unit);
}

type Item = Extract<Command, { kind: 'place' | 'replace' | 'cancel' | 'cancelByClientId' }>;

export class Generator {
  private groups = 0;
  private readonly random: Random;
  private readonly mix: Mix;
  private readonly model: Model;
  private readonly wallets: number;
  /** The contracts that are traded at the moment. */
  private slots: number[] = [];

  constructor(random: Random, mix: Mix, model: Model, wallets: number) {
    this.random = random;
    this.mix = mix;
    this.model = model;
    this.wallets = wallets;
  }

  draw(): Command {
    const { mix, random } = this;
    const { now } = this.model.world.market;
    const hasExpired = this.slots.some((slot) => this.expiryOf(slot) <= now);
    if (this.slots.length === 0 || (hasExpired && random.chance(0.2))) this.slots = this.chooseSlots();
    const kind = random.weighted<Command['kind']>({
      place: 60, massQuote: mix.quotes, cancelQuotes: mix.quotes / 10,
      replace: mix.replaces, amend: mix.amends, cancel: 6, cancelByClientId: mix.hasClientId * 6, cancelAll: mix.cancelsAll,
      cancelAfter: mix.switches, setProtection: mix.protects, endProtection: mix.protects / 2, mode: mix.modes, tier: mix.tiers,
      halt: mix.controls, block: mix.controls, operatorCancel: mix.controls / 4, credit: mix.credits,
      index: mix.indexes, surface: mix.indexes / 3, configure: 0.3, wait: mix.waits,
    });
    const wallet = random.between(0, this.wallets - 1);
    const underlying = random.between(0, 1);
    switch (kind) {
      case 'place': return { kind, draft: this.drawOrder(wallet) };
      case 'replace': return this.drawReplace(wallet);
      case 'amend': return this.drawAmend(wallet);
      case 'cancel': return { kind, wallet, id: this.drawId(wallet) };
      case 'cancelByClientId': return { kind, wallet, clientId: this.drawClientId(wallet) };
      case 'cancelAll': return { kind, nonce: 0, wallet, ...this.drawCancelled(underlying) };
      case 'cancelQuotes': return { kind, nonce: 0, wallet, set: random.pick(['', ...SETS]), ...this.drawCancelled(underlying) };
      case 'massQuote': return this.drawPage(wallet);
      case 'cancelAfter': return { kind, wallet, timeout: random.pick([0, 1, 500, 3_000, 20_000]) };
      case 'setProtection': return { kind, wallet, underlying, limits: this.drawLimits() };
      case 'endProtection': return { kind, wallet, underlying, isDeleted: random.chance(0.4) };
      case 'mode': return { kind, wallet: this.drawFlat(wallet), mode: random.between(0, 1) };
      // The wallet after the last one never acts.
      case 'tier': return { kind, wallet: random.between(0, this.wallets), tier: random.between(0, MARKET_MAKER) };
      case 'halt': return { kind, mode: this.drawRestriction(), ...this.drawScope() };
      case 'block': return { kind, wallet, mode: this.drawRestriction() };
      case 'operatorCancel': return { kind, wallet };
      case 'credit': return { kind, wallet, amount: this.drawCredit(wallet), id: `${random.between(1, 400)}` };
      case 'index': return { kind, underlying, price: this.drawIndex(underlying), isStale: random.chance(0.02) };
      case 'surface': return { kind, underlying, volatility: random.between(300_000, 1_200_000) };
      case 'configure': return { kind, balance: random.pick(mix.balances), takerFee: mix.hasFees ? random.pick([333, 500, 1_000]) : 0 };
      case 'wait': return { kind, ms: this.drawTime() };
    }
  }

  private expiryOf(slot: number): number {
    return this.model.world.market.contracts[slot]!.expiry || Infinity;
  }

  /** Both perps, then calls and puts at, in and out of the money, of near and far expiries; then any contract. */
  private chooseSlots(): number[] {
    const { contracts, index, now } = this.model.world.market;
    const slots = contracts.map((_, slot) => slot).filter((slot) => this.expiryOf(slot) > now);
    const option = (underlying: number, kind: number, nth: number, moneyness: number): number => {
      const listed = slots.filter((slot) => contracts[slot]!.kind === kind && contracts[slot]!.underlying === underlying);
      const expiries = [...new Set(listed.map((slot) => this.expiryOf(slot)))].sort((a, b) => a - b);
      const expiry = expiries[Math.min(nth, expiries.length - 1)]!;
      const away = (slot: number): number => Math.abs(Number(contracts[slot]!.strike) / Number(index[underlying]!) - moneyness);
      return listed.filter((slot) => this.expiryOf(slot) === expiry).reduce((best, slot) => (away(slot) < away(best) ? slot : best));
    };
    const perps = this.mix.hasPerps ? slots.filter((slot) => contracts[slot]!.kind === PERP) : [];
    const chosen = new Set([
      ...perps.slice(0, 1), option(0, CALL, 0, 1), ...perps.slice(1), option(0, PUT, 1, 1), option(0, CALL, 3, 1.3), option(1, PUT, 2, 1.2),
      option(1, CALL, 0, 1), option(0, PUT, 5, 0.6),
    ]);
    while (chosen.size < this.mix.contracts) chosen.add(this.random.pick(slots));
    return [...chosen].slice(0, this.mix.contracts);
  }

  private drawOrder(wallet: number): Draft {
    const { mix, random } = this;
    const slot = random.pick(this.slots);
    const side = random.between(0, 1) as Side;
    const ofSlot = this.model.orders.filter((order) => order.slot === slot);
    const facing = ofSlot.filter((order) => order.side !== side);
    const price = this.drawPrice(slot, side, facing, ofSlot.filter((order) => order.side === side));
    const size = this.drawSize(wallet, slot, price, facing);
    const tif = random.pick([GTC, GTC, GTC, IOC, FOK]);
    const draft: Draft = {
      wallet, slot, side, price, size, tif,
      clientId: random.chance(mix.hasClientId) ? random.pick(CLIENT_IDS) : '',
      flags: (random.chance(mix.reduces) ? REDUCES_ONLY : 0) + (mix.protects > 0 && random.chance(0.15) ? OPTS_OUT : 0),
      ...this.drawTerms(tif),
    };
    if (mix.triggers > 0 && random.chance(mix.triggers)) draft.trigger = this.drawTrigger(slot);
    return random.chance(mix.fits) ? { ...draft, size: this.largestThatFits(draft) } : draft;
  }

  private drawCancelled(underlying: number): { slot: number | null; underlying: number | null } {
    return this.random.pick([{ slot: null, underlying: null }, { slot: null, underlying },
      { slot: this.random.pick(this.slots), underlying: null }]);
  }

  /** Contracts of one underlying; often the price or the size that a quote has. Nonces below 0: so much less than the next one. */
  private drawPage(wallet: number): Command {
    const { model, random } = this;
    const set = random.pick(SETS);
    const { contracts, now } = model.world.market;
    const { underlying } = contracts[random.pick(this.slots)]!;
    const slots = this.slots.filter((slot) => contracts[slot]!.underlying === underlying && random.chance(0.8));
    const drawSide = (slot: number, side: Side): QuoteSide => {
      const old = model.ownOrders(wallet).find((one) => one.quoteSet === set && one.slot === slot && one.side === side);
      if (random.chance(0.2)) return { size: null, price: null, code: null };
      if (random.chance(0.1)) return { size: 0n, price: null, code: null };
      const facing = model.orders.filter((order) => order.slot === slot && order.side !== side);
      const price = old !== undefined && random.chance(0.4) ? old.price : this.drawPrice(slot, side, facing, []);
      const drawn = this.drawSize(wallet, slot, price, facing);
      const size = old !== undefined && random.chance(0.5) ? old.left * BigInt(random.pick([5, 10, 10, 10, 15])) / 10n : drawn;
      return {
        size: BigInt(Math.max(1, Math.min(Number(size), mostSize(price)))), price: random.chance(0.1) ? null : price,
        code: random.chance(0.02) ? 'PRICE_FIGURES' : null,
      };
    };
    const lines = (slots.length === 0 ? [random.pick(this.slots.filter((slot) => contracts[slot]!.underlying === underlying))] : slots)
      .map((slot) => ({ slot, sides: [drawSide(slot, BUY), drawSide(slot, SELL)] as const }));
    return {
      kind: 'massQuote', nonce: random.chance(0.1) ? -random.between(1, 40) : 0, wallet, set, underlying, lines,
      until: now + random.pick([1, 5_000, 60_000, 60_000, 60_000, random.between(-1, 0)]), crossing: random.between(1, SLIDES),
    };
  }

  /** Often all that a wallet has free, or a unit more. */
  private drawCredit(wallet: number): bigint {
    const { model, random } = this;
    const account = model.accounts.get(wallet);
    const free = account === undefined ? 0n : model.freeOf(account);
    if (random.chance(0.5) && free > 0n) return -free - BigInt(random.between(-1, 1)) || 1n;
    return BigInt(random.pick([1, -1]) * Math.ceil(10 ** (random.fraction() * (random.chance(0.05) ? 16 : 11))));
  }

  /** Of an extended order (extensions 1); only a gtc can be post-only. */
  private drawTerms(tif: number): Terms {
    const { mix, model, random } = this;
    const terms = { postOnly: 0, stp: CANCEL_MAKER, expiresAt: 0, validUntil: 0, linkId: '', trigger: null };
    if (mix.extended === 0 || !random.chance(mix.extended)) return terms;
    const { now } = model.world.market;
    return {
      postOnly: tif === GTC && random.chance(0.3) ? random.between(1, SLIDES) : 0, stp: random.between(CANCEL_MAKER, CANCEL_BOTH),
      expiresAt: random.chance(0.4) ? now + random.pick([1, 1, 300, 1_000, 4_000, 5_000, 30_000, random.between(-1, 0)]) : 0,
      validUntil: random.chance(0.3) ? now + random.pick([1, 1, 10_000, random.between(-1, 0)]) : 0,
      linkId: random.chance(mix.links) ? random.pick(['a', 'a', 'b', 'L'.repeat(32)]) : '',
      trigger: null,
    };
  }

  /** Mostly a little away from its value, or at the price of another one. */
  private drawTrigger(slot: number): Trigger {
    const { model: { waiting, world: { market } }, random } = this;
    const by = random.between(BY_INDEX, BY_MARK);
    const value = [market.index[market.contracts[slot]!.underlying]!, market.theo[slot]!, market.mark[slot]!][by - 1]!;
    const others = waiting.filter((order) => order.slot === slot && order.trigger!.by === by);
    const near = fiveFigures(Number(value) * (1 + (random.fraction() - 0.5) * random.pick([0, 0.01, 0.05, 0.2])));
    return {
      by, direction: random.between(ABOVE, BELOW),
      price: others.length > 0 && random.chance(0.3) ? random.pick(others).trigger!.price : near,
    };
  }

  private drawPrice(slot: number, side: Side, facing: readonly Order[], beside: readonly Order[]): bigint {
    const { mix, random } = this;
    if (facing.length > 0 && random.chance(mix.crosses)) return random.pick(facing).price;
    if (beside.length > 0 && random.chance(0.1)) return random.pick(beside).price;
    if (random.chance(0.02)) return fiveFigures(random.pick([1, 2, 7, 99_999, 1e5, 1e12, 1e15]));
    const mark = Math.max(mix.sizes[0]![1] > 10 ? 1 : 50, Number(this.model.world.market.mark[slot]!));
    if (random.chance(mix.rests)) return fiveFigures(mark * (1 + random.fraction() * (side === BUY ? -0.1 : 0.1)));
    return fiveFigures(mark * Math.max(0.001, 1 + (random.fraction() - 0.5) * random.pick([0.01, 0.05, 0.3, 1.9])));
  }

  private drawSize(wallet: number, slot: number, price: bigint, facing: readonly Order[]): bigint {
    const { mix, random } = this;
    const account = this.model.accounts.get(wallet);
    const held = account === undefined ? 0 : Math.abs(Number(positionIn(account, slot)));
    const [from, to] = random.pick(mix.sizes);
    let size = Math.ceil(10 ** (from + random.fraction() * (to - from)));
    if (held !== 0 && random.chance(0.2)) size = held + random.pick([0, 0, 0, 1, -1, 1_000]);
    else if (facing.length > 0 && random.chance(0.15)) size = Number(random.pick(facing).left) + random.pick([0, 0, 1]);
    return BigInt(Math.max(1, Math.min(size, mostSize(price))));
  }

  /** The largest size that margin allows, found by bisection, or one unit more or less. */
  private largestThatFits(draft: Draft): bigint {
    const { model, random } = this;
    const account = model.accounts.get(draft.wallet);
    if (account === undefined) return draft.size;
    const own = model.ownOrders(draft.wallet);
    const fits = (size: number): boolean =>
      hasMargin(model.world, account, [...own, { ...draft, id: 0, left: BigInt(size), filled: 0n, waits: null }]);
    let [low, high] = [0, mostSize(draft.price) + 1];
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      if (fits(middle)) low = middle;
      else high = middle;
    }
    return low === 0 ? draft.size : BigInt(Math.max(1, low + random.pick([0, 0, 0, 1, -1, -Math.floor(low / 2)])));
  }

  /** Orders, replaces and cancels of a wallet that may come in one batch. */
  drawItems(wallet: number): Item[] {
    const { random } = this;
    return Array.from({ length: random.between(0, 5) }, () => {
      const kind = random.weighted({ place: 5, replace: 2, cancel: 2, cancelByClientId: 1 });
      if (kind === 'place') return { kind, draft: this.drawOrder(wallet) };
      if (kind === 'cancel') return { kind, wallet, id: this.drawId(wallet) };
      return kind === 'replace' ? this.drawReplace(wallet) as Item : { kind, wallet, clientId: this.drawClientId(wallet) };
    });
  }

  /** An entry and orders that wait for triggers to close what it opens (extensions 1). */
  drawGroup(wallet: number): Item[] {
    const { random } = this;
    const link = `g${++this.groups}`;
    const { linkId: _, ...entry } = this.drawOrder(wallet);
    const exits = Array.from({ length: random.between(1, 2) }, (): Item => {
      const drawn = this.drawOrder(wallet);
      const { slot, side, size } = random.chance(0.9) ? entry : drawn;
      return {
        kind: 'place',
        draft: {
          ...drawn, slot, side: opposite(side), size: BigInt(Math.min(Number(size), mostSize(drawn.price))), linkId: link, postOnly: 0,
          flags: random.chance(0.9) ? drawn.flags | REDUCES_ONLY : drawn.flags, trigger: this.drawTrigger(slot),
        },
      };
    });
    return [{ kind: 'place', draft: { ...entry, linkId: '', entryOf: link } }, ...exits];
  }

  private drawReplace(wallet: number): Command {
    const { model, random } = this;
    const id = this.drawId(wallet);
    const old = [...model.orders, ...model.waiting].find((order) => order.id === id);
    const draft = this.drawOrder(wallet);
    if (old !== undefined && random.chance(0.3)) draft.clientId = old.clientId;
    if (old !== undefined && random.chance(0.4)) Object.assign(draft, { slot: old.slot, side: old.side, size: old.left });
    draft.size = BigInt(Math.min(Number(draft.size), mostSize(draft.price)));
    return { kind: 'replace', draft, id };
  }

  /** The price of another order for its contract, or its own; often a smaller size. */
  private drawAmend(wallet: number): Command {
    const { mix, model, random } = this;
    const id = this.drawId(wallet);
    const old = [...model.orders, ...model.waiting].find((order) => order.id === id);
    const { price: other, size: drawn } = this.drawOrder(wallet);
    if (old === undefined) return { kind: 'amend', wallet, id, price: other, size: drawn, triggerPrice: 0n };
    const near = [old, ...model.orders.filter((order) => order.slot === old.slot)];
    const price = random.chance(0.4) ? old.price : random.pick(near).price;
    const size = random.chance(0.6) ? old.size * BigInt(random.between(1, 12)) / 10n : drawn;
    const triggers = old.trigger !== null ? random.chance(0.5) : mix.triggers > 0 && random.chance(0.05);
    const triggerPrice = triggers ? this.drawTrigger(old.slot).price : 0n;
    return { kind: 'amend', wallet, id, price, size: BigInt(Math.max(1, Math.min(Number(size), mostSize(price)))), triggerPrice };
  }

  /** Mostly an open order of the wallet, gladly one past its time, else any id, issued or not. */
  private drawId(wallet: number): number {
    const own = this.model.allOrders(wallet);
    const past = own.filter((order) => this.model.isPast(order));
    if (past.length > 0 && this.random.chance(0.5)) return this.random.pick(past).id;
    return own.length > 0 && this.random.chance(0.8) ? this.random.pick(own).id : this.random.between(1, this.model.lastId + 2);
  }

  private drawClientId(wallet: number): string {
    const named = this.model.allOrders(wallet).filter(({ clientId }) => clientId !== '');
    return named.length > 0 && this.random.chance(0.5) ? this.random.pick(named).clientId : this.random.pick(CLIENT_IDS);
  }

  /** One with open orders and no position, if there is one and chance will: only its switch of mode is judged by its orders. */
  private drawFlat(wallet: number): number {
    const { model, random } = this;
    const flat = [...model.accounts.values()].filter((one) => one.positions.size === 0 && model.ownOrders(one.wallet).length > 0);
    return flat.length > 0 && random.chance(0.7) ? random.pick(flat).wallet : wallet;
  }

  private drawLimits(): Extract<Command, { kind: 'setProtection' }>['limits'] {
    const { random } = this;
    return {
      interval: random.pick([1, 1_000, 5_000, 60_000]), frozen: random.pick([0, 1, 1_000, 5_000]),
      quantity: random.pick([-1, 0, 300, 1_000_000, 5_000_000]), delta: random.pick([-1, -1, 500_000, 3_000_000]),
      vega: random.pick([-1, -1, 100_000_000]),
    };
  }

  private drawRestriction(): number {
    return this.random.pick([0, 0, 0, 1, 1, 2]);
  }

  private drawScope(): { underlying: number | null; slot: number | null } {
    const { random } = this;
    const slot = random.pick(this.slots);
    const { underlying } = this.model.world.market.contracts[slot]!;
    return random.pick([{ underlying: null, slot: null }, { underlying, slot: null }, { underlying, slot }, { underlying, slot }]);
  }

  private drawIndex(underlying: number): bigint {
    const { mix, random } = this;
    const move = (random.fraction() - 0.5) * random.pick([mix.moves / 50, mix.moves, mix.moves]);
    return BigInt(Math.max(1, Math.round(Number(this.model.world.market.index[underlying]!) * (1 + move))));
  }

  private drawTime(): number {
    const { mix, random } = this;
    if (mix.windows > 0 && random.chance(mix.windows)) {
      const { now } = this.model.world.market;
      const expiry = Math.min(...this.slots.map((slot) => this.expiryOf(slot)).filter((at) => at > now));
      if (expiry < Infinity) return Math.max(1, expiry - now - random.between(0, HOUR / 2));
    }
    if (random.chance(mix.sleeps)) return random.pick([2 * HOUR, 8 * HOUR, 24 * HOUR]) + random.between(0, 3);
    return random.pick([0, 1, 300, 1_000, 1_000, 4_000, 30_000, random.chance(0.1) ? HOUR : 5, random.chance(0.02) ? 24 * HOUR : 1]);
  }
}

function mostSize(price: bigint): number {
  return Math.max(1, Math.min(Math.floor(MOST_AMOUNT / Number(price) * 1e6), MOST_SIZE));
}
