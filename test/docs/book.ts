// A venue for one row of an example: the contracts that the row names are listed at exactly their time to expiry, positions come
// about by trades, open orders are placed, and then the account has the cash that the row says. Wallet 1 is the example's.
// Grammar of the cells, parts divided by `; `:
//   position  `−1 call 100,000 30 d`, `+2 perp from 98,000`, `−30 ETH perp from 3,000`
//   order     `bid 1 call 100,000 30 d at 7,000`, `ask 1 perp at mark`

import assert from 'node:assert/strict';
import { BUY, DAY, HOUR, MINUTE, SELL, USDC } from '../../core/units.ts';
import { OK } from '../../core/errors.ts';
import { CALL, FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, FLAG_SURFACE_AGELESS, PERP, PUT } from '../../core/codec/commands.ts';
import { PORTFOLIO, STANDARD } from '../../core/accounts/accounts.ts';
import { SMALL } from '../../core/limits.ts';
import { addInstrument } from '../../core/instruments/instruments.ts';
import { markNew } from '../../core/valuation/marks.ts';
import { DEFAULT_BALANCE, defaultSettings, DENSE, MARK_MIN_SIZE, MAX_POSITION, PRESET, TAKER_FEE, VENUE17 } from '../../core/settings.ts';
import { collateralOf, equityOf, forgetAccount, freshen, initialOf, maintenanceOf, orderInitialOf, positionInitialOf,
  reservedOf } from '../../core/margin/account-margin.ts';
import { closingDistance } from '../../core/margin/order-check.ts';
import { createRiskSums, sumRisk } from '../../core/margin/portfolio-requirement.ts';
import { ALL } from '../../core/margin/portfolio-sums.ts';
import { numberFacts, outcomeText } from '../../shell/http/outcome-texts.ts';
import { Scene } from '../support/scene.ts';
import { FREE } from '../support/venue.ts';
import { numberOf, type Row } from './tables.ts';

/** What the examples start from, per underlying: index in USDC, volatility as a fraction. */
export type World = { readonly [underlying: string]: { readonly index: number; readonly volatility: number } };

const CONTRACT_TEXT = String.raw`(?:(BTC|ETH) )?(?:(perp)|(call|put) ([\d,]+) (\d+) (d|h|min))`;
const LEG = new RegExp(String.raw`^([+−])([\d.,]+) (${CONTRACT_TEXT})(?: from ([\d,.]+))?$`);
const ORDER = new RegExp(String.raw`^(bid|ask) ([\d.,]+) (${CONTRACT_TEXT}) at (mark|[\d,.]+)$`);
const SPANS: { readonly [unit: string]: number } = { d: DAY, h: HOUR, min: MINUTE };
const NAMES = ['BTC', 'ETH'];

/** Room beside what the venue lists by itself. */
const LIMITS = { ...SMALL, instruments: 2 * SMALL.instruments };
const ME = 1;
const OTHER = 2;
const RICH = 1_000_000_000 * USDC;

function partsOf(cell: string): string[] {
  return cell === '' || cell === 'none' ? [] : cell.split('; ');
}

export class Book extends Scene {
  private readonly world: World;

  constructor(world: World, { preset = DENSE, takerFee = 0 } = {}) {
    const settings = defaultSettings();
    settings[DEFAULT_BALANCE] = RICH;
    settings[MAX_POSITION] = RICH;
    settings[TAKER_FEE] = takerFee;
    settings.fill(preset, PRESET, MARK_MIN_SIZE);
    super({ settings, limits: LIMITS, rules: FREE });
    this.world = world;
    NAMES.forEach((name, underlying) => {
      this.venue(this.write.surface(underlying, 0, Math.round(world[name]!.volatility * 1e6), 0, 0, FLAG_SURFACE_AGELESS));
    });
    this.remark();
  }

  /** New marks at the index of the examples. */
  remark(): void {
    this.settle();
    NAMES.forEach((name, underlying) => this.venue(this.write.index(underlying, this.world[name]!.index * USDC, FLAG_INDEX_AGELESS)));
    this.settle();
  }

  /** Slot of the contract, listed now if it is not; its time to expiry counts from `this.now`. */
  list(text: string): number {
    const parts = new RegExp(`^${CONTRACT_TEXT}$`).exec(text) ?? assert.fail(`no contract: ${text}`);
    const [, name = 'BTC', perp, kind, strike, time, unit] = parts;
    const underlying = NAMES.indexOf(name);
    const { instruments } = this.state;
    if (perp !== undefined) return instruments.perpOf[underlying]!;
    const expiry = this.now + Number(time) * SPANS[unit!]!;
    const contract = { underlying: name, expiry, strike: numberOf(strike!) * USDC, kind: kind === 'call' ? CALL : PUT };
    const [known] = this.slots((one) => Object.entries(contract).every(([key, value]) => one[key as keyof typeof one] === value));
    if (known !== undefined) return known;
    const slot = addInstrument(instruments, underlying, expiry, contract.strike, contract.kind, this.now);
    markNew(this.state.valuation, this.state.settings, slot, this.now);
    return slot;
  }

  /** Has wallet 1 trade into the positions of a cell; an option's price is of no consequence, the cash is set later. */
  hold(cell: string): void {
    for (const part of partsOf(cell)) {
      const [, sign, size, contract, ...rest] = LEG.exec(part) ?? assert.fail(`no position: ${part}`);
      const slot = this.list(contract!);
      const from = rest.at(-1);
      assert.equal(from !== undefined, this.contract(slot).kind === PERP, `${part}: a perp has an entry price, an option does not`);
      const [buyer, seller] = sign === '+' ? [ME, OTHER] : [OTHER, ME];
      const price = from === undefined ? 1 : numberOf(from);
      assert.equal(this.sell(seller, price, numberOf(size!), { slot }), OK, part);
      assert.equal(this.buy(buyer, price, numberOf(size!), { slot }), OK, part);
    }
  }

  /** Sends the orders of a cell for wallet 1; answers the code of the last. */
  order(cell: string): number {
    let code = OK;
    for (const part of partsOf(cell)) {
      const [, side, size, contract, ...rest] = ORDER.exec(part) ?? assert.fail(`no order: ${part}`);
      const slot = this.list(contract!);
      const limit = rest.at(-1)!;
      const price = limit === 'mark' ? this.worth(slot) : numberOf(limit);
      code = this.place(ME, side === 'bid' ? BUY : SELL, price, numberOf(size!), { slot });
    }
    return code;
  }

  /** USDC. */
  worth(slot: number): number {
    return this.state.valuation.mark[slot]! / USDC;
  }

  get me(): number {
    return this.account(ME);
  }

  setMode(mode: string): void {
    assert.ok(mode === 'standard' || mode === 'portfolio', `no mode: ${mode}`);
    assert.equal(this.send(this.write.marginMode(ME, this.next(), mode === 'portfolio' ? PORTFOLIO : STANDARD)), OK);
  }

  setCash(usdc: number): void {
    this.state.accounts.cash[this.me] = Math.round(usdc * USDC);
    forgetAccount(this.state, this.me);
  }

  /** An index that marks have not followed yet. */
  moveIndex(usdc: number, isStale: boolean): void {
    this.venue(this.write.index(0, Math.round(usdc * USDC), FLAG_INDEX_AGELESS | (isStale ? FLAG_INDEX_STALE : 0)));
  }

  /** What the venue says to an order of this code. */
  answer(code: number): string {
    if (code === OK) return 'accepted';
    return outcomeText(code, { underlying: 'BTC', ...numberFacts([...this.state.result.numbers]) }).text;
  }

  /** The account's numbers by the names of the columns, micros. */
  numbers(): { [column: string]: number } {
    const { state, me } = this;
    freshen(state, me);
    const risk = createRiskSums();
    if (state.accounts.mode[me] === PORTFOLIO) sumRisk(state, state.cache.portfolios, me, ALL, -1, risk);
    const initial = initialOf(state, me);
    const reserved = reservedOf(state, me);
    return {
      Equity: equityOf(state, me), Collateral: collateralOf(state, me), IM: initial, MM: maintenanceOf(state, me),
      'Position IM': positionInitialOf(state, me), 'Order IM': orderInitialOf(state, me), Reserved: reserved, 'Order loss': reserved,
      Required: initial + reserved, Free: collateralOf(state, me) - initial - reserved, Scan: risk.scanning, Floor: risk.floor,
      Overlay: risk.overlay,
    };
  }
}

/** A book as the row says, ready to be asked. */
function bookOf(world: World, row: Row, mode: string, preset: number): Book {
  const book = new Book(world, { preset, takerFee: row.has('Taker fee') ? numberOf(row.read('Taker fee')) * 10_000 : 0 });
  book.setMode(row.has('Mode') ? row.read('Mode') : mode);
  book.hold(row.read('Position'));
  assert.equal(book.order(row.read('Open orders')), OK);
  book.setCash(row.has('Cash') ? numberOf(row.read('Cash')) : 10_000_000);
  return book;
}

/** Checks one row of an example of one account: everything it has a column for. `mode` is what a table without one is about. */
export function checkAccount(world: World, row: Row, mode: string): void {
  const books = [bookOf(world, row, mode, DENSE)];
  const [book] = books as [Book];
  const contract = row.read('Contract');
  if (contract !== '') {
    const slot = book.list(contract);
    row.number('Mark', book.worth(slot));
    if (row.has('Distance')) row.number('Distance', closingDistance(book.state, slot) / USDC);
  }
  for (const column of row.left()) {
    const [, name, preset] = /^(.*?)(?: (dense|venue17))?$/.exec(column)!;
    if (preset === 'venue17') books[1] ??= bookOf(world, row, mode, VENUE17);
    const value = books[preset === 'venue17' ? 1 : 0]!.numbers()[name!];
    if (value !== undefined) row.number(column, value / USDC);
  }
  if (!row.has('Answer')) return;
  if (row.has('Index now')) {
    const [, price, stale] = /^([\d,]+)(, stale)?$/.exec(row.read('Index now'))!;
    book.moveIndex(numberOf(price!), stale !== undefined);
  }
  row.text('Answer', book.answer(book.order(row.read('Order'))));
}
