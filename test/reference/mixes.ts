// Kinds of runs for the reference model: each makes rare cases of the rules frequent. The common parameters come first. Chances are
// fractions, balances USDC, moves of the index fractions.

/** Sizes of orders: powers of ten of 1e-6 contracts, from and to; more than one pair are drawn from evenly. */
type Sizes = readonly (readonly [from: number, to: number])[];
const TINY: Sizes = [[0, 3.5]];
const NORMAL: Sizes = [[3, 7]];
const BIG: Sizes = [[6, 10]];
const ANY: Sizes = [...TINY, ...NORMAL, ...NORMAL, ...BIG];

const USUAL = {
  /** Contracts that are traded, the perps among them, and what a wallet opens with. */
  contracts: 3, hasPerps: true, balances: [10_000_000] as readonly number[], sizes: NORMAL,
  /** How often an order takes a price of the other side, or keeps to its own; reduces only; has a client id; takes all margin. */
  crosses: 0.4, rests: 0, reduces: 0.1, hasClientId: 0.2, fits: 0,
  /** Weights of commands beside placing (60); the largest move of the index, and how often marks stay behind it.
   * How often a wait is of hours (sleeps), or up to the last half hour before an expiry (windows). */
  replaces: 3, amends: 3, cancelsAll: 0.8, protects: 0, waits: 0, sleeps: 0, windows: 0, switches: 0, modes: 0.2, tiers: 0, moves: 0.06,
  indexes: 2, lags: 0,
  controls: 0,
  /** How often an order is an extended one, and such an order has a link. */
  extended: 0, links: 0.5,
  /** How often an order has a trigger; the weight of mass quotes beside placing (60). */
  triggers: 0, quotes: 0,
  /** How often an order comes with others in a batch. */
  batches: 0,
  /** The weight of credits and debits of the operator. */
  credits: 0,
  /** Fees, wallets that begin with portfolio margin, the preset, prices to start from, the position limit in USDC. */
  hasFees: true, hasPortfolios: false, preset: 'dense' as 'dense' | 'venue17', btc: 100_000, eth: 3_000,
  positionLimit: 100_000_000,
  /** Price band in millionths of the mark, 0: off. */
  band: 0,
  /** Wallets with hundreds of orders, and money that decides nothing: what a trigger ends may wait to be cancelled. */
  isCrowded: false,
  /** Wallets (0: two to seven, by the seed), and how much longer than others a run is. */
  wallets: 0, length: 1,
};

export type Mix = typeof USUAL;

const CROWD: Partial<Mix> = {
  balances: [900_000_000], sizes: TINY, crosses: 0.08, reduces: 0, protects: 1.2, waits: 3, switches: 1.5, hasFees: false, isCrowded: true,
  hasClientId: 0.35, replaces: 10, amends: 10, cancelsAll: 2, indexes: 0, wallets: 3, length: 3,
};

const OWN: Readonly<Record<string, Partial<Mix>>> = {
  'reduce-only orders': { contracts: 2, hasPerps: false, reduces: 0.35, sizes: ANY, hasFees: false, indexes: 0 },
  'many reduce-only orders': {
    contracts: 1, sizes: [[0, 2], [6, 7]], reduces: 0.6, crosses: 0.03, rests: 0.99, hasClientId: 0, cancelsAll: 0,
    hasFees: false, indexes: 0, amends: 0, wallets: 2, length: 3,
  },
  'standard margin': { contracts: 4, hasPerps: false, balances: [0, 500, 3_000, 30_000, 100_000, 1_000_000], sizes: ANY, hasFees: false },
  'fees and tiers': { hasPerps: false, balances: [30_000, 1_000_000], sizes: ANY, tiers: 0.5 },
  'deadlines and funding': {
    contracts: 5, balances: [0, 1_000, 30_000, 300_000, 1_000_000], sizes: ANY, reduces: 0.2, tiers: 0.5, waits: 3, switches: 1.5,
  },
  'protection': { contracts: 2, balances: [300_000, 1_000_000], protects: 4, waits: 3, length: 3 },
  'all the margin there is': { balances: [0, 20, 300, 3_000, 50_000], crosses: 0.5, fits: 0.5, moves: 0.3, indexes: 6 },
  'all the portfolio margin there is': {
    contracts: 4, balances: [0, 20, 300, 3_000, 50_000], crosses: 0.5, fits: 0.4, moves: 0.3, indexes: 6, modes: 4,
    hasPortfolios: true,
  },
  'everything': {
    contracts: 5, balances: [50, 300, 3_000, 50_000], crosses: 0.5, fits: 0.3, moves: 0.2, indexes: 6, waits: 3, switches: 1.5,
    protects: 1.2, tiers: 0.5, hasPortfolios: true,
  },
  'prices of next to nothing': {
    contracts: 6, balances: [3_000, 50_000, 1e9], sizes: BIG, crosses: 0.5, fits: 0.2, btc: 1, eth: 0.05, positionLimit: 9e9,
  },
  'the end of the exact range': {
    contracts: 2, balances: [8.9e9], sizes: [[13, 15]], crosses: 0.6, btc: 0.5, eth: 0.0005, positionLimit: 9e9,
    hasPortfolios: true, length: 2,
  },
  'crowded books': CROWD,
  'caps of positions': {
    contracts: 40, balances: [900_000_000], sizes: TINY, crosses: 0.25, reduces: 0.02, tiers: 2, hasFees: false, indexes: 0,
    hasClientId: 0.05, amends: 0, wallets: 3, length: 2,
  },
  'caps of orders': {
    contracts: 40, balances: [900_000_000], sizes: TINY, crosses: 0, rests: 0.95, tiers: 2, cancelsAll: 0, indexes: 0, amends: 0,
    wallets: 2,
    length: 3,
  },
  'switches of mode': {
    contracts: 2, balances: [3_000, 50_000], crosses: 0.02, rests: 0.9, fits: 0.5, modes: 15, indexes: 0, hasPortfolios: true, wallets: 4,
  },
  'expiry': {
    contracts: 4, balances: [900_000, 30_000, 3_000], sizes: ANY, crosses: 0.5, waits: 4, sleeps: 0.4, switches: 0.5, moves: 0.1,
    indexes: 6, hasPortfolios: true, length: 2,
  },
  'the last half hour': {
    contracts: 6, hasPerps: false, balances: [30_000, 300_000, 1_000_000], sizes: ANY, crosses: 0.5, fits: 0.2, waits: 6, windows: 0.2,
    protects: 0.8, moves: 0.02, indexes: 6, hasPortfolios: true, length: 2,
  },
  'marks behind the index': {
    contracts: 4, balances: [900_000, 30_000, 3_000], sizes: ANY, crosses: 0.5, fits: 0.1, lags: 0.7, moves: 0.08, indexes: 6,
    hasPortfolios: true,
  },
  'the other preset': {
    contracts: 6, balances: [30_000, 300_000, 1_000_000], sizes: ANY, crosses: 0.5, fits: 0.2, moves: 0.05, indexes: 6, waits: 3,
    hasPortfolios: true, preset: 'venue17',
  },
  'quotes that move marks': {
    hasPerps: false, balances: [300_000, 3_000_000], sizes: BIG, crosses: 0.15, fits: 0.1, waits: 3, hasPortfolios: true,
  },
  'halts and blocked wallets': {
    contracts: 3, balances: [30_000, 300_000, 1_000_000], sizes: ANY, reduces: 0.2, crosses: 0.5, fits: 0.1, hasClientId: 0.3, controls: 4,
    tiers: 0.5, replaces: 6, amends: 6, band: 120_000, length: 3,
  },
  'extended orders': {
    contracts: 2, balances: [300_000, 1_000_000], sizes: ANY, crosses: 0.5, extended: 0.7, hasClientId: 0.3, replaces: 16, amends: 16,
    waits: 12, cancelsAll: 3, switches: 1, reduces: 0.15, protects: 0.8, length: 6,
  },
  'extended orders with all the margin there is': {
    balances: [300, 3_000, 50_000], crosses: 0.5, fits: 0.3, moves: 0.1, indexes: 4, extended: 0.6, waits: 3, switches: 0.3, tiers: 0.3,
    hasPortfolios: true, band: 120_000, length: 2,
  },
  'many linked orders': {
    contracts: 1, sizes: [[0, 2], [6, 7]], reduces: 0.1, crosses: 0.08, rests: 0.9, extended: 0.8, links: 0.9, hasClientId: 0,
    cancelsAll: 0, waits: 0.5, hasFees: false, indexes: 0, wallets: 3, length: 3,
  },
  'trigger orders': {
    contracts: 3, balances: [0, 30_000, 300_000, 1_000_000], sizes: ANY, crosses: 0.5, extended: 0.3, triggers: 0.4, reduces: 0.3,
    hasClientId: 0.2, replaces: 8, amends: 8, cancelsAll: 1, indexes: 10, moves: 0.05, waits: 4, switches: 0.7, protects: 0.8, tiers: 0.4,
    length: 6,
  },
  'trigger orders with all the margin there is': {
    balances: [300, 3_000, 50_000], crosses: 0.5, fits: 0.3, moves: 0.1, indexes: 8, extended: 0.3, triggers: 0.4, waits: 2, tiers: 0.3,
    reduces: 0.2, hasPortfolios: true, band: 120_000, controls: 1, length: 4,
  },
  'many trigger orders': {
    contracts: 2, balances: [900_000_000], sizes: TINY, crosses: 0.5, triggers: 0.8, cancelsAll: 0.05, tiers: 3, indexes: 0.5,
    moves: 0.3, hasFees: false, wallets: 3, length: 6,
  },
  'mass quotes': {
    contracts: 4, balances: [30_000, 300_000, 1_000_000], sizes: ANY, crosses: 0.3, quotes: 40, extended: 0.2, replaces: 8, amends: 8,
    cancelsAll: 1, indexes: 4, waits: 4, switches: 0.7, protects: 1.2, tiers: 0.4, length: 4,
  },
  'mass quotes with all the margin there is': {
    contracts: 4, balances: [300, 3_000, 50_000], crosses: 0.3, fits: 0.2, quotes: 40, extended: 0.2, triggers: 0.1, moves: 0.1, indexes: 4,
    waits: 2, tiers: 0.3, hasPortfolios: true, band: 120_000, controls: 1, length: 2,
  },
  'batches': {
    contracts: 4, balances: [300, 30_000, 300_000], sizes: ANY, crosses: 0.4, extended: 0.3, triggers: 0.1, replaces: 8, amends: 4,
    cancelsAll: 1, indexes: 3, waits: 3, switches: 0.7, protects: 1.2, tiers: 0.4, hasPortfolios: true, batches: 0.5, length: 3,
  },
  'credits and debits': {
    contracts: 4, balances: [0, 300, 3_000, 50_000, 8_999_999_999], crosses: 0.5, fits: 0.3, credits: 12, moves: 0.1, indexes: 4, waits: 4,
    sleeps: 0.05, reduces: 0.1, hasPortfolios: true, length: 2,
  },
  'caps of quotes': {
    contracts: 40, balances: [900_000_000], sizes: TINY, crosses: 0.2, rests: 0.5, tiers: 2, quotes: 20, cancelsAll: 0, indexes: 0,
    hasFees: false, wallets: 2, length: 2,
  },
  'extended prices of next to nothing': {
    contracts: 2, balances: [3_000, 50_000, 1e9], sizes: BIG, crosses: 0.6, extended: 0.8, btc: 1, eth: 0.05, positionLimit: 9e9, waits: 2,
  },
  'extended orders in crowded books': { ...CROWD, extended: 0.5 },
};

export const MIXES: Readonly<Record<string, Mix>> =
  Object.fromEntries(Object.entries(OWN).map(([name, own]) => [name, { ...USUAL, ...own }]));
