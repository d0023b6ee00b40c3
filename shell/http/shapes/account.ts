// Schemas of accounts (positions, margin, risk, payouts, protection) and owners (names, tiers, profiles, competitions).

import {
  ADDRESS, api, BOOL, COUNT, DECIMAL, described, ID, INTEGER, ISO, list, MILLIS, named, NUMBER, nullable, oneOf, one, record, schemaOf,
  SECONDS, TEXT, type JsonSchema, type Shape,
} from './shape.ts';
import { SUMMED_GREEKS } from './markets.ts';
import {
  ENUMS, INSTRUMENT_STATUS, INSTRUMENT_TYPE, LEDGER_KIND, LIQUIDATION_STATE, MARGIN_MODE, SIDE, TIER, TRADING_MODE, WALLET_MODE,
} from './enums.ts';

/** Amounts in a stream (`told`) are null beyond the exact range. */
function positionOf<T>(told: JsonSchema<T>) {
  return record({
    wallet_address: ADDRESS, symbol: TEXT, amount: DECIMAL, entry_price: DECIMAL, margin_posted: told, realized_pnl: DECIMAL,
    unrealized_pnl: told, updated_at: ISO, instrument_type: INSTRUMENT_TYPE, notional_value: told, maintenance_margin: told,
    liquidation_price: described(
      nullable(DECIMAL), 'The index price, nearest to the current one, at which equity equals the maintenance margin if nothing else '
      + 'changes. For an account already below its maintenance margin, the price at which it recovers. Null if there is no such price '
      + 'between 0.01 and 10 times the index. Always null in a PositionUpdate: read it from GET /portfolio.',
    ),
    margin_ratio: described(nullable(DECIMAL), 'Maintenance margin divided by equity, at most 9007199254.740991. Null without equity.'),
  });
}
export const OUT_OF_RANGE = 'Null if an amount of the account exceeds 2^53 millionths.';
export const STREAM_AMOUNT = described(nullable(DECIMAL), OUT_OF_RANGE);
const POSITION = named('Position', positionOf(DECIMAL));
export type Position = Shape<typeof POSITION>;
export const STREAMED_POSITION = named('StreamedPosition', positionOf(STREAM_AMOUNT));
export type StreamedPosition = Shape<typeof STREAMED_POSITION>;

export const SPAN_MARGIN = named('SpanMargin', record({
  equity: DECIMAL, initial_margin_required: DECIMAL, maintenance_margin_required: DECIMAL, open_orders_initial_margin: DECIMAL,
  option_margin_required: DECIMAL, scanning_risk: DECIMAL, option_floor: DECIMAL, gamma_overlay: DECIMAL,
  hypercore_margin_required: DECIMAL,
}));
export type SpanMargin = Shape<typeof SPAN_MARGIN>;
export const MARGIN_SUMMARY = named('MarginSummary', record({
  mode: MARGIN_MODE, equity: DECIMAL, position_im: DECIMAL, open_orders_im: DECIMAL,
  initial_margin: described(DECIMAL, 'Collateral minus the initial margin.'),
  maintenance_margin: described(DECIMAL, 'Equity minus the maintenance margin.'),
}, { open_orders_premium_reserved: DECIMAL }));

export const PORTFOLIO_FIELDS = {
  wallet_address: ADDRESS, positions: list(POSITION), total_margin_used: DECIMAL, available_balance: DECIMAL, margin_mode: MARGIN_MODE,
};
export const PORTFOLIO_OPTIONAL = {
  withdrawable_usdc: DECIMAL, portfolio_snapshot_timestamp_ms: nullable(INTEGER), span_margin: SPAN_MARGIN,
};
export const PORTFOLIO = named('Portfolio', record(PORTFOLIO_FIELDS, { ...PORTFOLIO_OPTIONAL, margin_summary: MARGIN_SUMMARY }));
export type Portfolio = Shape<typeof PORTFOLIO>;

export const PORTFOLIO_GREEKS = named('PortfolioGreeksApiResponse', api(record({
  wallet_address: ADDRESS,
  per_leg: list(record({ symbol: TEXT, quantity: DECIMAL, ...SUMMED_GREEKS, iv: nullable(NUMBER) }, { rho: NUMBER })),
}, { aggregate: record(SUMMED_GREEKS, { iv: nullable(NUMBER), rho: NUMBER }) })));
export type PortfolioGreeks = Shape<typeof PORTFOLIO_GREEKS>['data'];

export const PAYOUT = named('SettlementPayout', record({
  id: ID, wallet: ADDRESS, symbol: TEXT, expiry_ts: SECONDS, position_size: DECIMAL, settlement_price: DECIMAL, settlement_value: DECIMAL,
  settlement_entry_price: nullable(DECIMAL), cost_basis: nullable(DECIMAL), net_pnl: nullable(DECIMAL), ledger_applied: BOOL,
  is_seen: BOOL, created_at: nullable(MILLIS),
}));
export type Payout = Shape<typeof PAYOUT>;
export const PAYOUTS_SEEN = named('SettlementPayoutSeenMutationResponse', record({
  success: BOOL, requested: INTEGER, affected: INTEGER, error: nullable(TEXT),
}));
export type PayoutsSeenAnswer = Shape<typeof PAYOUTS_SEEN>;

const OF_CREDITS_ALONE = 'Null unless `kind` is `credit`.';
export const LEDGER_FIELDS = {
  seq: described(ID, 'Its number in the ledger of the wallet and in the stream `ledger`.'), wallet_address: ADDRESS, kind: LEDGER_KIND,
  symbol: nullable(TEXT), amount: described(DECIMAL, 'What the cash changed by.'), balance: described(DECIMAL, 'Cash after it.'),
  time_ms: MILLIS, created_at: ISO, trade_id: nullable(ID),
  order_id: described(nullable(ID), 'The order of the wallet that traded; for a liquidation fee, the liquidation order.'),
  payout_id: nullable(ID), hour_ms: described(nullable(MILLIS), 'Funding was paid up to this hour.'),
  credit_id: described(nullable(TEXT), OF_CREDITS_ALONE), reason: described(nullable(TEXT), OF_CREDITS_ALONE),
  command_seq: described(ID, 'The command that moved the cash.'),
};
export const LEDGER_ENTRY = named('LedgerEntry', record(LEDGER_FIELDS));
export type LedgerEntry = Shape<typeof LEDGER_ENTRY>;

export const PNL = named('HistoricalPnlApiResponse', api(record({
  wallet_address: ADDRESS, interval: ENUMS.HistoricalPnlInterval,
  points: list(named('EquityPoint', record({ timestamp: MILLIS, equity: DECIMAL }, {
    attribution: schemaOf<object | null>({ type: ['object', 'null'] }), net_deposits: nullable(DECIMAL),
  }))),
})));
export type PnlData = Shape<typeof PNL>['data'];

export const MARGIN_MODE_CHANGED = named('MarginModeApiResponse', api(record({
  wallet: ADDRESS, margin_mode: MARGIN_MODE, previous_mode: MARGIN_MODE,
})));
export type MarginModeData = Shape<typeof MARGIN_MODE_CHANGED>['data'];

const MMP_FIELDS = { wallet_address: ADDRESS, currency: TEXT, interval_ms: INTEGER, frozen_time_ms: INTEGER, enabled: BOOL };
const MMP_LIMITS = { qty_limit: DECIMAL, delta_limit: DECIMAL, vega_limit: DECIMAL, nonce: INTEGER };
export const MMP_CONFIG = named('MmpConfigData', record(MMP_FIELDS, MMP_LIMITS));
export type MmpConfigData = Shape<typeof MMP_CONFIG>;
const USED = described(nullable(DECIMAL), 'What of the limit the window has used now. Null beyond the exact range.');
export const MMP_STATE = named('MmpState', record({
  ...MMP_FIELDS, is_frozen: BOOL,
  frozen_until: described(nullable(MILLIS), 'Null if it is not frozen, or until a reset.'),
  qty_used: USED, delta_used: described(USED, 'Signed, as the positions moved.'), vega_used: described(USED, 'Signed likewise.'),
  last_triggered_ms: nullable(MILLIS),
}, MMP_LIMITS));
export type MmpState = Shape<typeof MMP_STATE>;

export const USERNAME = named('UsernameResponse', api(named('Username', record({ wallet_address: ADDRESS, username: TEXT }))));
export type UsernameAnswer = Shape<typeof USERNAME>;
export const USERNAME_REQUESTED = named('UsernameChangeRequestResponse', api(named('UsernameRequest', record({
  id: INTEGER, wallet_address: ADDRESS, requested_username: TEXT, status: oneOf('approved'), created_at: ISO,
}))));
export type UsernameRequestData = Shape<typeof USERNAME_REQUESTED>['data'];

const LIMIT = described(INTEGER, '-1 means unlimited.');
export const USER_TIER = one(named('UserTier', record({
  wallet_address: ADDRESS, tier: TIER,
  limits: record({
    max_open_orders: LIMIT, max_open_positions: LIMIT, orders_per_minute: LIMIT, cancels_per_minute: LIMIT, api_requests_per_minute: LIMIT,
  }),
})));
export const RESTRICTED_WALLET = record({
  wallet: ADDRESS, mode: WALLET_MODE, orders: described(COUNT, 'Open orders, all of which end if `mode` is `blocked`.'), timestamp: MILLIS,
});
export const CANCELLED_WALLET = record({ wallet: ADDRESS, orders: described(COUNT, 'Open orders, all of which end.'), timestamp: MILLIS });
export const ACCOUNT_ROWS = record({
  success: BOOL, data: list(named('AccountRow', record({
    wallet: ADDRESS, tier: TIER, mode: WALLET_MODE, margin_mode: MARGIN_MODE, status: LIQUIDATION_STATE, balance: DECIMAL,
    open_orders: COUNT, positions: COUNT, opened_ms: MILLIS, last_used_ms: MILLIS,
  }))),
  next_offset: described(nullable(COUNT), 'Where the next page begins. Null after the last row.'),
});
export type AccountRow = Shape<typeof ACCOUNT_ROWS>['data'][number];
export type TierAnswer = Shape<typeof USER_TIER>;

export const SCORES = { pnl: DECIMAL, volume: DECIMAL, efficiency: DECIMAL };
export const MEDAL: JsonSchema<number | null> = nullable(oneOf(1, 2, 3));
export const STANDING = named('Standing', record({
  competition_id: ID, competition_name: TEXT, competition_state: ENUMS.CompetitionStateValue, rank: nullable(ID), ...SCORES,
  medal: nullable(INTEGER),
}));
export type CompetitionStanding = Shape<typeof STANDING>;

export const PROFILE = named('ProfileData', record({
  wallet: ADDRESS, username: TEXT, account_first_seen_ts_ms: nullable(INTEGER), account_age_days: nullable(INTEGER),
  margin: record({ in_use: DECIMAL, available: DECIMAL, total: DECIMAL, deposits: DECIMAL, withdraws: DECIMAL }),
  pnl: record({ unrealized: DECIMAL, pnl_24h: DECIMAL, lifetime_realized: DECIMAL }),
}, {
  account_wallet: ADDRESS, profile_image_url: nullable(TEXT), medal: nullable(INTEGER),
  platform_medals: named('Medals', record({ pnl: nullable(INTEGER), volume: nullable(INTEGER), efficiency: nullable(INTEGER) })),
  active_competition_rank: STANDING,
}));
export type Profile = Shape<typeof PROFILE>;

const COMPETITION_METRIC = ENUMS.CompetitionSortByValue;
export const COMPETITION = named('Competition', record({
  id: ID, name: TEXT, description: nullable(TEXT), rules_url: nullable(TEXT), rules_content: nullable(TEXT),
  win_conditions: list(COMPETITION_METRIC), primary_win_condition: COMPETITION_METRIC, start_ts_ms: MILLIS, end_ts_ms: MILLIS,
  state: ENUMS.CompetitionStateValue, created_at: ISO, updated_at: ISO,
}));
export type Competition = Shape<typeof COMPETITION>;

export const LEADERBOARD_ROW = named('LeaderboardRow', record({
  rank: ID, wallet: ADDRESS, username: TEXT, ...SCORES, medal: nullable(INTEGER),
}));
export const CONNECTED_USER = named('ConnectedUser', record({
  wallet: ADDRESS, username: TEXT, rank: nullable(INTEGER), pnl: nullable(DECIMAL), volume: nullable(DECIMAL),
  efficiency: nullable(DECIMAL), medal: nullable(INTEGER),
}));

const SCENARIO = { id: TEXT, spot_shock_pct: DECIMAL, vol_shock_pct: DECIMAL, pnl_weight: DECIMAL, is_tail: BOOL };
const UNDERLYING_RISK = record({
  underlying: TEXT, vintage: INTEGER, marked_at: MILLIS, index_price: DECIMAL, scenarios: list(record({ ...SCENARIO, total_pnl: DECIMAL })),
  extended_risk_matrix: record({
    scenarios: list(named('Scenario', record(SCENARIO))),
    instruments: list(record({
      symbol: TEXT, underlying: TEXT, instrument_type: INSTRUMENT_TYPE, amount: DECIMAL, base_amount: DECIMAL, current_value: DECIMAL,
      scenario_pnls: list(DECIMAL),
    })),
    total_pnls: list(DECIMAL), worst_scenario_index: INTEGER, worst_scenario_pnl: DECIMAL,
  }),
});
export type UnderlyingRisk = Shape<typeof UNDERLYING_RISK>;
export const RISK_GRID = named('RiskGrid', record({
  margin_mode: MARGIN_MODE, equity: DECIMAL, collateral: DECIMAL, position_initial_margin: DECIMAL, position_maintenance_margin: DECIMAL,
  open_orders_initial_margin: DECIMAL, open_orders_reserved: DECIMAL, total_initial_margin: DECIMAL, scanning_risk: DECIMAL,
  option_floor: DECIMAL, gamma_overlay: DECIMAL, underlyings: list(UNDERLYING_RISK),
}));
export type RiskGrid = Shape<typeof RISK_GRID>;

export const RISK_INPUTS = named('RiskInputs', record({
  wallet_address: ADDRESS, time_ms: MILLIS, margin_mode: MARGIN_MODE, wallet_mode: WALLET_MODE, liquidation_state: LIQUIDATION_STATE,
  tier: TIER, balance: DECIMAL,
  settings: described(
    schemaOf<Readonly<Record<string, number>>>({ type: 'object', additionalProperties: { type: 'number' } }),
    'The constants of docs/MARGIN.md that are in force, in millionths, milliseconds or whole numbers.',
  ),
  underlyings: list(record({
    underlying: TEXT, vintage: INTEGER, marked_at: MILLIS, index_price: DECIMAL,
    settlement_average: described(DECIMAL, 'Mean of the settlement samples so far, 0 outside the last half hour before an expiry.'),
    preset: oneOf('dense', 'venue17'),
  })),
  contracts: described(list(record({
    symbol: TEXT, status: INSTRUMENT_STATUS, trading_mode: TRADING_MODE, mark_price: DECIMAL, theo_price: DECIMAL, volatility: DECIMAL,
    is_surface_stale: BOOL,
  })), 'Those that the wallet holds or has orders in, and those asked for.'),
  holdings: list(record({
    symbol: TEXT, amount: DECIMAL, cost: described(DECIMAL, 'What the position cost, signed like it.'),
    unpaid_funding: described(DECIMAL, 'What one long contract owes since the position last paid funding.'),
    orders: described(
      list(record({ side: SIDE, price: DECIMAL, size: described(DECIMAL, 'What is left of it.'), reduce_only: BOOL })),
      'Orders in the book, oldest first.',
    ),
  })),
}));
export type RiskInputs = Shape<typeof RISK_INPUTS>;
