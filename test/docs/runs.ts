// Examples that take time: each row of a table is one moment of a venue, or one run of it. Prices in USDC, sizes in contracts.

import assert from 'node:assert/strict';
import { CONTRACT, DAY, HOUR, MINUTE, SECOND, USDC } from '../../core/units.ts';
import { OK } from '../../core/errors.ts';
import { CALL, FLAG_INDEX_AGELESS } from '../../core/codec/commands.ts';
import { DELEVERAGED, DELEVERAGED_AGAINST, DELEVERAGED_PRICE, DELEVERAGED_SIZE, FUND_POSTED, FUNDING_HOURLY, FUNDING_RATE,
  POSITION_SETTLED, POSTED_AMOUNT, POSTED_COVER, POSTED_WHY, SETTLED_POSITION, SETTLED_PRICE,
  SETTLED_VALUE } from '../../core/codec/events.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PORTFOLIO, PRE_LIQUIDATION } from '../../core/accounts/accounts.ts';
import { addInstrument } from '../../core/instruments/instruments.ts';
import { markNew } from '../../core/valuation/marks.ts';
import { deltaOf, isSurfaceStale } from '../../core/valuation/valuation.ts';
import { optionPrice } from '../../core/pricing/black76.ts';
import { impliedVolatility } from '../../core/pricing/implied.ts';
import { premiumOf } from '../../core/lifecycle/funding-rate.ts';
import { RANK, RANK_ACCOUNT, RANK_NUMBERS } from '../../core/lifecycle/liquidation-state.ts';
import { collateralOf, equityOf, freshen, maintenanceOf } from '../../core/margin/account-margin.ts';
import { gridOf, MAX_ROWS, type Grid } from '../../core/margin/presets.ts';
import { portfolioOf } from '../../core/margin/portfolio-sums.ts';
import { entryOf, exactGain } from '../../core/margin/scenarios.ts';
import { uncountedValue } from '../../core/margin/standard.ts';
import { DEFAULT_BALANCE, defaultSettings, DENSE, MARK_INTERVAL, VENUE17 } from '../../core/settings.ts';
import { LiquidationScene } from '../core/liquidation/liquidation-scene.ts';
import { Scene } from '../support/scene.ts';
import { START } from '../support/venue.ts';
import { Book, type World } from './book.ts';
import { numberOf, type Row } from './tables.ts';

const STATES: { readonly [state: number]: string } = {
  [HEALTHY]: 'healthy', [PRE_LIQUIDATION]: 'pre_liquidation', [IN_LIQUIDATION]: 'in_liquidation', [LIQUIDATED]: 'liquidated',
};

/** The row of a grid with these shocks, given in per cent. */
function rowOf(grid: Grid, spot: number, volatility: number): number {
  const found = Array.from({ length: grid.rows }, (_, at) => at)
    .filter((at) => grid.spot[at] === Math.round(spot * 1e4) && grid.volatility[at] === Math.round(volatility * 1e4));
  assert.equal(found.length, 1, `one row for ${spot} %, ${volatility} %`);
  return found[0]!;
}

/** Rows of one portfolio's scenarios; the portfolio stands in the first row of the table. */
export function checkScenarios(world: World, rows: readonly Row[], grids: readonly [Grid, Grid]): void {
  const book = new Book(world);
  book.setMode('portfolio');
  book.hold(rows[0]!.read('Position'));
  freshen(book.state, book.me);
  const { portfolios } = book.state.cache;
  const from = portfolioOf(portfolios, book.me, 0) * MAX_ROWS;
  for (const row of rows) {
    row.read('Position');
    const at = rowOf(grids[DENSE], numberOf(row.read('Spot')), numberOf(row.read('Volatility')));
    row.number('Weight', grids[DENSE].weight[at]! / 1e6);
    row.number('Weighted gain', portfolios.gains[from + at]! / USDC);
  }
}

/** Shocked volatilities, read off the scenario rows of a contract at the money. */
export function checkShockedVolatility(world: World, row: Row): void {
  const days = numberOf(row.read('Days'));
  const sigma = numberOf(row.read('IV')) / 100;
  const { index } = world['BTC']!;
  for (const [column, preset, spot, shock] of [['Up', DENSE, 0, 45], ['Down', DENSE, 0, -25], ['Up venue17', VENUE17, 0, 35]] as const) {
    const book = new Book({ ...world, BTC: { index, volatility: sigma } }, { preset });
    const slot = book.list(`call ${index} ${days} d`);
    const { scenarios } = book.state.cache.portfolios;
    const at = rowOf(gridOf(book.state.settings, 0), spot, shock);
    const change = exactGain(scenarios, entryOf(book.state, scenarios, slot), at, CONTRACT) / USDC;
    row.number(column, impliedVolatility(true, index, index, days / 365, book.worth(slot) + change, 1));
  }
}

/** One set of quotes around a contract: the mark it makes. `Stood` is how long they have. */
export function checkQuotes(world: World, row: Row): void {
  const book = new Book(world);
  const stood = numberOf(row.read('Stood')) * SECOND;
  const expiry = book.now + stood + 30 * DAY;
  const { instruments, settings, valuation } = book.state;
  const slot = addInstrument(instruments, 0, expiry, world['BTC']!.index * USDC, CALL, book.now);
  markNew(valuation, settings, slot, book.now);
  const size = numberOf(row.read('Size'));
  const asker = row.read('Wallets') === '1' ? 1 : 2;
  assert.equal(book.buy(1, numberOf(row.read('Bid')), size, { slot }), OK);
  assert.equal(book.sell(asker, numberOf(row.read('Ask')), size, { slot }), OK);
  book.now += stood;
  book.remark();
  row.number('Theo', valuation.theo[slot]! / USDC);
  row.number('Mark', book.worth(slot));
  for (const [column, sign] of [['Counted long', 1], ['Counted short', -1]] as const) {
    const value = sign * valuation.mark[slot]!;
    row.number(column, (value - uncountedValue(book.state, PORTFOLIO, slot, sign * CONTRACT, value)) / USDC);
  }
}

/** Ticks of one feed in their order. */
export function checkTicks(rows: readonly Row[]): void {
  const venue = new Scene();
  for (const row of rows) {
    venue.now = START + HOUR + numberOf(row.read('Second')) * SECOND;
    const price = numberOf(row.read('Tick')) * USDC;
    const before = venue.state.valuation.indexAt[0];
    venue.venue(venue.write.index(0, price));
    venue.settle();
    row.text('Used', venue.state.valuation.indexAt[0] === before ? 'no' : 'yes');
    row.number('Index', venue.state.valuation.index[0]! / USDC);
  }
}

/** What is left of a surface so long after its last input, while the index goes on. */
export function checkSurfaceAge(world: World, row: Row): void {
  const book = new Book(world);
  const age = numberOf(row.read('Age')) * SECOND;
  book.setMode('portfolio');
  book.now += SECOND;
  // Its expiry is there when the input comes, which so is its own.
  book.now += age;
  const slot = book.list(`call ${world['BTC']!.index} 30 d`);
  book.now -= age;
  book.venue(book.write.surface(0, 0, Math.round(numberOf(row.read('Last input')) * 1e4)));
  book.now += age;
  book.venue(book.write.index(0, world['BTC']!.index * USDC));
  book.settle();
  const { sigma, mark } = book.state.valuation;
  row.number('IV in force', sigma[slot]! / 1e6);
  row.text('Stale', isSurfaceStale(book.state.valuation, slot) ? 'yes' : 'no');
  book.hold(`+1 call ${world['BTC']!.index} 30 d`);
  book.setCash(0);
  freshen(book.state, book.me);
  row.number('Counted', collateralOf(book.state, book.me) / mark[slot]!);
}

/** Quotes of a perp that stand for an hour, and what the hour costs. */
export function checkFunding(row: Row): void {
  const settings = defaultSettings();
  settings[MARK_INTERVAL] = DAY;
  settings[DEFAULT_BALANCE] = 1e8 * USDC;
  const venue = new Scene({ settings });
  const slot = venue.state.instruments.perpOf[0]!;
  const position = numberOf(row.read('Position'));
  venue.now = START + HOUR;
  const [buyer, seller] = position > 0 ? [1, 2] : [2, 1];
  assert.equal(venue.sell(seller, 100_000, Math.abs(position), { slot }), OK);
  assert.equal(venue.buy(buyer, 100_000, Math.abs(position), { slot }), OK);
  const bid = row.read('Impact bid');
  const ask = row.read('Impact ask');
  if (bid !== '') assert.equal(venue.buy(3, numberOf(bid), 1, { slot }), OK);
  if (ask !== '') assert.equal(venue.sell(3, numberOf(ask), 1, { slot }), OK);
  const account = venue.account(1);
  const { state } = venue;
  let rate = 0;
  venue.state.events.listener = (kind, slots) => { if (kind === FUNDING_RATE) rate = slots[FUNDING_HOURLY]!; };
  for (let sample = 0; sample < 720; sample++) venue.advance(5 * SECOND);
  const index = state.valuation.index[0]!;
  const priceOf = (cell: string): number => (cell === '' ? 0 : numberOf(cell) * USDC);
  row.number('Premium', premiumOf(state.settings, index, priceOf(bid), priceOf(ask)) / 1e9);
  row.number('Hourly rate', rate / 1e9);
  // What the hour took is what equity lacks at the marks from before it: the mark is made once a day here.
  freshen(state, account);
  row.number('Account pays', 1e8 - equityOf(state, account) / USDC);
  venue.venue(venue.write.index(0, index, FLAG_INDEX_AGELESS));
  venue.settle();
  row.number('Mark', state.valuation.mark[slot]! / USDC);
}

/** One account from its fall on, second by second. */
export function checkLiquidation(rows: readonly Row[]): void {
  const scene = new LiquidationScene();
  scene.trade(1, 2, 100_000, 1);
  scene.seconds(1);
  let second = 0;
  for (const row of rows) {
    const next = numberOf(row.read('Second'));
    scene.seconds(next - second);
    second = next;
    const index = row.read('Index');
    if (index !== '') scene.index(numberOf(index));
    const bid = /^([\d.]+) at ([\d,]+)$/.exec(row.read('Bid comes'));
    if (bid !== null) assert.equal(scene.buy(3, numberOf(bid[2]!), Number(bid[1]), { slot: scene.perp }), OK);
    const account = scene.account(1);
    freshen(scene.state, account);
    row.text('State', STATES[scene.status(1)]!);
    row.number('Position', scene.position(1));
    row.number('Cash', scene.dollars(1));
    row.number('Equity', equityOf(scene.state, account) / USDC);
    row.number('MM', maintenanceOf(scene.state, account) / USDC);
    if (scene.fund() < 0) row.text('Fund', '');
    else row.number('Fund', scene.fundDollars());
  }
}

/** A takeover of one perp from 100,000 with 10,000 of cash; a single holder is short against it. */
export function checkTakeover(row: Row): void {
  const seed = numberOf(row.read('Fund before'));
  const scene = new LiquidationScene({ seed });
  scene.trade(1, 2, 100_000, 1);
  scene.seconds(1);
  scene.index(numberOf(row.read('Index')));
  scene.kept = [];
  row.number('Equity', scene.equity(scene.account(1)));
  scene.seconds(4);
  assert.equal(scene.status(1), LIQUIDATED);
  const paid = scene.seen(FUND_POSTED).filter((slots) => slots[POSTED_WHY] === POSTED_COVER);
  row.number('Fund pays', paid.reduce((sum, slots) => sum - slots[POSTED_AMOUNT]! / USDC, 0));
  const [deal] = scene.seen(DELEVERAGED);
  if (deal === undefined) row.text('Holder closed at', '');
  else row.number('Holder closed at', deal[DELEVERAGED_PRICE]! / USDC);
  row.number('Fund after', scene.fundDollars());
  row.number('Fund holds', scene.positionOf(scene.fund()));
}

/** Holders of the short side in the order in which they came, all against one long that goes bankrupt without a fund. */
export function checkRanking(rows: readonly Row[]): void {
  const scene = new LiquidationScene({ seed: 0 });
  const wallets = rows.map((_, at) => at + 2);
  rows.forEach((row, at) => {
    const entry = numberOf(row.read('Entry'));
    scene.index(entry);
    scene.trade(1, wallets[at]!, entry, -numberOf(row.read('Position')));
  });
  scene.seconds(1);
  scene.index(numberOf(rows[0]!.read('Index')));
  scene.kept = [];
  const equities = wallets.map((wallet) => scene.equity(scene.account(wallet)));
  scene.seconds(4);
  assert.equal(scene.status(1), LIQUIDATED);
  const deals = scene.seen(DELEVERAGED);
  const { ranked } = scene.state.risk;
  const places = rows.map((_, place) => place * RANK_NUMBERS);
  rows.forEach((row, at) => {
    row.read('Index');
    row.number('Equity', equities[at]!);
    const account = scene.account(wallets[at]!);
    const place = places.find((one) => ranked[one + RANK_ACCOUNT] === account)!;
    row.number('Rank', ranked[place + RANK]! / 1e6);
    const [deal] = deals.filter((slots) => slots[DELEVERAGED_AGAINST] === account);
    row.text('Asked', String(deals.findIndex((slots) => slots[DELEVERAGED_AGAINST] === account) + 1));
    row.number('Closed', deal![DELEVERAGED_SIZE]! / CONTRACT);
    row.number('Price', deal![DELEVERAGED_PRICE]! / USDC);
    row.number('Profit paid', (deal![DELEVERAGED_PRICE]! / USDC - numberOf(row.read('Entry'))) * -deal![DELEVERAGED_SIZE]! / CONTRACT);
  });
}

/** The last half hour of a call, and what its two holders are paid. */
export function checkWindow(moments: readonly Row[], payouts: readonly Row[]): void {
  const venue = new Scene();
  const slot = venue.atm;
  const { expiry, strike } = venue.contract(slot);
  assert.equal(strike, 100_000 * USDC);
  assert.equal(venue.sell(2, 100, 1.5, { slot }), OK);
  assert.equal(venue.buy(1, 100, 1.5, { slot }), OK);
  const { valuation } = venue.state;
  for (const row of moments) {
    const left = numberOf(row.read('Minutes left'));
    venue.now = expiry - left * MINUTE;
    venue.venue(venue.write.index(0, numberOf(row.read('Index')) * USDC, FLAG_INDEX_AGELESS));
    venue.settle();
    const average = valuation.average[0]! / USDC;
    const spot = valuation.markIndex[0]! / USDC;
    if (average === 0) row.text('Average', '');
    else row.number('Average', average);
    const weight = Math.min(1, left / 30);
    const rest = (strike / USDC - (1 - weight) * average) / weight;
    row.number('w', weight);
    row.number('Strike of the rest', rest);
    row.number('Mark', valuation.mark[slot]! / USDC);
    row.number('Delta', deltaOf(valuation, slot) / 1e6);
    const blend = weight * optionPrice(true, spot, rest, left * MINUTE / (365 * DAY), valuation.sigma[slot]! / 1e6, 1);
    assert.ok(Math.abs(blend - valuation.mark[slot]! / USDC) < 1e-5, 'the mark is the blend');
  }
  const settled: number[][] = [];
  venue.state.events.listener = (kind, slots) => { if (kind === POSITION_SETTLED) settled.push([...slots]); };
  venue.now = expiry;
  venue.settle();
  venue.advance(SECOND);
  assert.equal(settled.length, payouts.length);
  for (const row of payouts) {
    const position = numberOf(row.read('Position'));
    const payout = settled.find((slots) => slots[SETTLED_POSITION] === position * CONTRACT)!;
    row.number('Settlement price', payout[SETTLED_PRICE]! / USDC);
    row.number('Payout', payout[SETTLED_VALUE]! / USDC);
  }
}
