// Names that the interface uses for numbers in the core: a name's index in its list is its number.

import { SIGNED_COMMANDS } from '../../core/codec/signed-commands.ts';

export const SIDES = ['Buy', 'Sell'] as const;
export const TIFS = ['gtc', 'ioc', 'fok'] as const;
/** Words as they are signed; the first is the value without the word. */
export const POST_ONLYS = ['', 'reject', 'slide'] as const;
export const STPS = ['cancel_maker', 'cancel_taker', 'cancel_both'] as const;
export const TRIGGER_BYS = ['', 'index', 'theo', 'mark'] as const;
export const TRIGGER_DIRECTIONS = ['', 'above', 'below'] as const;
export const TIERS = SIGNED_COMMANDS.SET_TIER.fields[0].words;
export const MARGIN_MODES = SIGNED_COMMANDS.SET_MARGIN_MODE.fields[0].words;
export const LIQUIDATION_STATES = ['healthy', 'pre_liquidation', 'in_liquidation', 'liquidated'] as const;
export const INSTRUMENT_STATUSES = ['ACTIVE', 'EXPIRED_PENDING_PRICE', 'SETTLED'] as const;
export const INSTRUMENT_FILTERS = [...INSTRUMENT_STATUSES, 'all'] as const;
export const MARKET_MODES = ['open', 'cancel_only', 'halted'] as const;
export const TRADING_MODES = ['orderbook', 'cancel_only', 'halted'] as const;
export const WALLET_MODES = ['open', 'close_only', 'blocked'] as const;
export const ORDER_STATUSES = ['open', 'partially_filled', 'filled', 'canceled', 'rejected', 'untriggered'] as const;
/** `open`: in the book. `working`: also untriggered orders. */
export const ORDER_FILTERS = [...ORDER_STATUSES, 'cancelled', 'working'] as const;
export const DEFAULT_SERVICE_NAME = 'Strikebook';

export const FILL_KINDS = ['trade', 'takeover', 'deleveraging'] as const;
export const TRADE = 0;
export const TAKEOVER = 1;
export const DELEVERAGING = 2;
export const LIQUIDATION_KINDS = ['order', 'takeover', 'deleveraging'] as const;

/** In the order of core/ledger/movements. */
export const LEDGER_KINDS = [
  'opening', 'trade', 'fee', 'funding', 'settlement', 'settlement_fee', 'liquidation_fee', 'takeover', 'deleveraging', 'credit',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** Ms. */
export const INTERVALS = { '5m': 300_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
export type Interval = keyof typeof INTERVALS;
export const RESOLUTIONS = {
  '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000,
} as const;
export type Resolution = keyof typeof RESOLUTIONS;
export const CANDLE_PRICES = ['trade', 'mark'] as const;
export type CandlePrice = (typeof CANDLE_PRICES)[number];

export const COMPETITION_STATES = ['pre', 'active', 'post'] as const;
export const SORT_ORDERS = ['asc', 'desc'] as const;
export type CompetitionState = (typeof COMPETITION_STATES)[number];
