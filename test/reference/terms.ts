// The types of the reference model: order, position, account, market and rules. Written from the specification (interface, decisions,
// margin) and never from the core, of which the model imports nothing.
// Prices and money 1e-6 USDC, sizes 1e-6 contracts, rates millionths, times ms.

export const BUY = 0;
export const SELL = 1;
export type Side = typeof BUY | typeof SELL;

export const GTC = 0;
export const IOC = 1;
export const FOK = 2;

export const PUT = 0;
export const CALL = 1;
export const PERP = 2;

/** Flags of an order: opts out of market-maker protection (decision 5.8), reduces only (decision 3.10). */
export const OPTS_OUT = 2;
export const REDUCES_ONLY = 4;

/** Extensions 1: what an order does that would take liquidity, and what ends when a wallet would trade with itself. */
export const REJECTS = 1;
export const SLIDES = 2;
export const CANCEL_MAKER = 0;
export const CANCEL_TAKER = 1;
export const CANCEL_BOTH = 2;
/** The highest amount of an order, 9e9 USDC (decision 2.3). */
export const MOST_AMOUNT = 9n * 10n ** 15n;
/** Orders of one wallet, contract and link that may rest or wait. */
export const LINKED = 8;

/** Extensions 2: what a trigger looks at (2: theo), and where its value has to be. */
export const BY_INDEX = 1;
export const BY_MARK = 3;
export const ABOVE = 1;
export const BELOW = 2;
/** Orders of a wallet that may wait, by tier. */
export const TRIGGERS: readonly number[] = [20, 10, 100, 200];

export const STANDARD = 0;
export const PORTFOLIO = 1;

/** Tiers by number, and the caps of the law's table; Infinity: none. Only tier1 is long-only (decision 5.1). */
export const TIER1 = 1;
export const MARKET_MAKER = 3;
export const CAPS: readonly { readonly openOrders: number; readonly positions: number }[] = [
  { openOrders: 100, positions: 50 }, { openOrders: 50, positions: 20 }, { openOrders: 500, positions: 200 },
  { openOrders: 2_000, positions: Infinity },
];

export type Contract = { readonly underlying: number; readonly kind: number; readonly strike: bigint; readonly expiry: number };

/** Of an extended order; 0 or empty: without it. */
export type Terms = { postOnly: number; stp: number; expiresAt: number; validUntil: number; linkId: string; trigger: Trigger | null };

export type Trigger = { readonly by: number; readonly direction: number; readonly price: bigint };

/** What a wallet asks for; `price` per contract. `entryOf`: the link whose members are for the position that it opens. */
export type Draft = Terms & {
  wallet: number; slot: number; side: Side; price: bigint; size: bigint; tif: number; clientId: string; flags: number;
  entryOf?: string | undefined;
};

/**
 * An open order; `size` as placed or amended. `waits`: why it only waits to be cancelled, and trades no more (decision 7.3).
 * `mayOpen`: of one with a trigger, the cap on positions as when it was placed; `awaits`: the entry of its link is open and has no fill.
 * `quoteSet`: of a quote.
 */
export type Order = Draft & {
  id: number; left: bigint; filled: bigint; waits: Reason | null; mayOpen?: number; awaits?: boolean; quoteSet?: string;
};

/** Why an order is done; the reasons of the socket and of the history. */
export type Reason = 'FILLED' | 'CANCELLED' | 'IOC_REST' | 'FOK_KILLED' | 'SELF_TRADE' | 'MMP' | 'MMP_SELF' | 'NOTHING_TO_REDUCE'
  | 'AMENDED' | 'REPLACED' | 'MARGIN' | 'CANCEL_AFTER' | 'EXPIRED' | 'BALANCE_RANGE' | 'BLOCKED' | 'OPERATOR' | 'ORDER_EXPIRED'
  | 'LINKED' | 'NO_ENTRY' | 'QUOTE_REMOVED' | Refusal;
/** Of an order that fires: the code of its refusal (extensions 2). */
type Refusal = `refused: ${string}`;

/** A limit of a protection below 0 means no limit. */
export type Limits = { interval: number; frozen: number; quantity: number; delta: number; vega: number };

/** `size` null: the side is left alone; `price` null: it stays. `code`: the value check that failed. */
export type QuoteSide = { size: bigint | null; price: bigint | null; code: string | null };
/** By side. */
type QuoteLine = { slot: number; sides: readonly [QuoteSide, QuoteSide] };

/** Commands of the generator: those of wallets, and those of the venue. */
export type Command =
  | { kind: 'place'; draft: Draft }
  | { kind: 'replace'; draft: Draft; id: number }
  | { kind: 'amend'; wallet: number; id: number; price: bigint; size: bigint; triggerPrice: bigint }
  | { kind: 'cancel'; wallet: number; id: number }
  | { kind: 'cancelByClientId'; wallet: number; clientId: string }
  | { kind: 'cancelAll'; nonce: number; wallet: number; slot: number | null; underlying: number | null }
  | {
    kind: 'massQuote'; nonce: number; wallet: number; set: string; underlying: number; until: number; crossing: number; lines: QuoteLine[];
  }
  | { kind: 'cancelQuotes'; nonce: number; wallet: number; set: string; slot: number | null; underlying: number | null }
  | { kind: 'cancelAfter'; wallet: number; timeout: number }
  | { kind: 'setProtection'; wallet: number; underlying: number; limits: Limits }
  | { kind: 'endProtection'; wallet: number; underlying: number; isDeleted: boolean }
  | { kind: 'mode'; wallet: number; mode: number }
  | { kind: 'tier'; wallet: number; tier: number }
  /** The operator's. Modes: of a market open, cancel-only, halted; of a wallet open, close-only, blocked. */
  | { kind: 'halt'; underlying: number | null; slot: number | null; mode: number }
  | { kind: 'block'; wallet: number; mode: number }
  | { kind: 'operatorCancel'; wallet: number }
  | { kind: 'credit'; wallet: number; amount: bigint; id: string }
  | { kind: 'index'; underlying: number; price: bigint; isStale: boolean }
  | { kind: 'surface'; underlying: number; volatility: number }
  | { kind: 'configure'; balance: number; takerFee: number }
  | { kind: 'wait'; ms: number };

/**
 * A code of core/errors by its name, and the numbers of its text that are the law's; `mmp`: the action triggered protection; `end`: why
 * the order that was placed is over already, null: it rests.
 */
export type Answer = { code: string; numbers?: readonly bigint[]; mmp?: boolean; end?: Reason | null };

/**
 * `size` signed; `cost`: basis of what is held; `funded`, `hours`: the funding index and the hours up to which funding has been paid;
 * `changed`: time of the last fill.
 */
export type Position = { size: bigint; cost: bigint; realized: bigint; funded: bigint; hours: number; changed: number };

/** An hour of a perp: its end and its rate in 1e-9. */
export type Hour = { readonly until: number; readonly rate: bigint };

/**
 * A charge of funding as the history tells it (extensions 5); `from`: the end of the last hour that was paid, or the start of the hour in
 * which the position was changed; `rates`: their sum; `amount`: what the account pays.
 */
export type Payment = {
  readonly slot: number; readonly from: number; readonly until: number; readonly hours: number; readonly rates: bigint;
  readonly size: bigint; readonly amount: bigint;
};

/** State of the protection of one underlying; a limit below 0 means no limit, `until` Infinity a freeze until a reset. */
export type Protection = {
  interval: number; frozen: number; quantity: bigint; delta: bigint; vega: bigint; until: number; isOn: boolean;
  fills: { readonly at: number; readonly quantity: bigint; readonly delta: bigint; readonly vega: bigint }[];
};

/** A row of the account ledger (extensions 5a), told as text with its causes. `slot` -1, `order` and `trade` 0: none. */
export type Row = { kind: string; amount: bigint; balance: bigint; slot: number; order: number; trade: number };

/** A movement of 0 has no row. */
export function move(account: Account, kind: string, amount: bigint, cause: Partial<Row> = {}): void {
  account.cash += amount;
  if (amount !== 0n) account.rows.push({ slot: -1, order: 0, trade: 0, ...cause, kind, amount, balance: account.cash });
}

/**
 * `deadline`: of the dead man's switch, 0: none. Positions by contract, protections by underlying, and so the highest nonce of a mass
 * quote or a cancel that touched it.
 */
export type Account = {
  wallet: number; cash: bigint; tier: number; mode: number; deadline: number; restriction: number;
  positions: Map<number, Position>; protections: Map<number, Protection>; newest: Map<number, number>;
  rows: Row[]; payments: Payment[];
};

/**
 * What the model takes as given: contracts, marks, theoretical prices, volatilities the funding index and hours by contract; by
 * underlying the index of the marks and its mean in the window before an expiry (0: none), when they were made, whether the index
 * is stale and whether it has run away from them.
 */
export type Market = {
  now: number;
  readonly contracts: readonly Contract[]; readonly mark: readonly bigint[]; readonly theo: readonly bigint[];
  readonly sigma: readonly number[]; readonly hasStaleSurface: readonly boolean[]; readonly fundingIndex: readonly bigint[];
  readonly hours: readonly (readonly Hour[])[];
  readonly index: readonly bigint[]; readonly markedAt: readonly number[]; readonly average: readonly number[];
  readonly isStale: boolean[]; readonly hasRun: boolean[];
};

/** The constants of the method in force. */
export type Rules = {
  readonly balance: bigint; readonly positionLimit: bigint;
  readonly makerFee: bigint; readonly takerFee: bigint; readonly settlementFee: bigint; readonly feePart: bigint;
  readonly shortOption: bigint; readonly shortOptionLeast: bigint; readonly shortPutLeast: bigint; readonly perp: bigint;
  readonly closingMark: bigint; readonly closingIndex: bigint; readonly closingPerp: bigint;
  /** Price band, a part of the mark; 0: off. */
  readonly band: bigint;
  readonly optionFloor: bigint; readonly gammaOverlay: bigint; readonly preset: 'dense' | 'venue17';
};

export type World = { market: Market; rules: Rules };

export function positionIn(account: Account, slot: number): bigint {
  return account.positions.get(slot)?.size ?? 0n;
}

/** How much an order of this side could close of a position. */
export function closable(position: bigint, side: Side): bigint {
  const opposite = side === BUY ? -position : position;
  return opposite > 0n ? opposite : 0n;
}

export const opposite = (side: Side): Side => (side === BUY ? SELL : BUY);

/** Open bids and asks of one contract. */
export function openSizes(orders: readonly Order[], slot: number): { bids: bigint; asks: bigint } {
  const sizes = { bids: 0n, asks: 0n };
  for (const order of orders) if (order.slot === slot) sizes[order.side === BUY ? 'bids' : 'asks'] += order.left;
  return sizes;
}

export function copyAccount(account: Account): Account {
  return {
    ...account, rows: [], payments: [],
    positions: new Map([...account.positions].map(([slot, position]) => [slot, { ...position }])),
    protections: new Map([...account.protections].map(([underlying, one]) => [underlying, { ...one, fills: [...one.fills] }])),
  };
}
