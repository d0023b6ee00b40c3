// The enumerations of the interface: sides, statuses, modes and intervals, with their types.

import { WIN_CONDITIONS } from '../../../core/units.ts';
import {
  COMPETITION_STATES, FILL_KINDS, INSTRUMENT_STATUSES, type Interval, INTERVALS, LEDGER_KINDS, LIQUIDATION_KINDS, LIQUIDATION_STATES,
  MARGIN_MODES, MARKET_MODES, ORDER_STATUSES, type Resolution, RESOLUTIONS, SIDES, SORT_ORDERS, STPS, TIERS, TIFS,
  TRADING_MODES, WALLET_MODES,
} from '../../ipc/enum-names.ts';
import { named, oneOf, type Shape } from './shape.ts';

export const SIDE = oneOf(...SIDES);
export type Side = Shape<typeof SIDE>;
export const TIF = oneOf(...TIFS);
export type Tif = Shape<typeof TIF>;
export const STP = oneOf(...STPS);
export const TRIGGER_BY = oneOf('index', 'theo', 'mark');
export const TRIGGER_DIRECTION = oneOf('above', 'below');
export const OPTION_TYPE = oneOf('call', 'put');
export const INSTRUMENT_TYPE = oneOf('option', 'perp');
export type InstrumentType = Shape<typeof INSTRUMENT_TYPE>;
export const INSTRUMENT_STATUS = oneOf(...INSTRUMENT_STATUSES);
export type InstrumentStatus = Shape<typeof INSTRUMENT_STATUS>;
export const ORDER_STATUS = oneOf(...ORDER_STATUSES);
export type OrderStatus = Shape<typeof ORDER_STATUS>;
export const FILL_KIND = oneOf(...FILL_KINDS);
export const LEDGER_KIND = oneOf(...LEDGER_KINDS);
export const LIQUIDATION_KIND = oneOf(...LIQUIDATION_KINDS);
export const MARGIN_MODE = oneOf(...MARGIN_MODES);
export type MarginMode = Shape<typeof MARGIN_MODE>;
export const TIER = oneOf(...TIERS);
export const MARKET_MODE = oneOf(...MARKET_MODES);
export const TRADING_MODE = oneOf(...TRADING_MODES);
export const WALLET_MODE = oneOf(...WALLET_MODES);
export const LIQUIDATION_STATE = oneOf(...LIQUIDATION_STATES);

export const ENUMS = {
  CandleResolution: named('CandleResolution', oneOf(...Object.keys(RESOLUTIONS) as Resolution[])),
  HistoricalPnlInterval: named('HistoricalPnlInterval', oneOf(...Object.keys(INTERVALS) as Interval[])),
  HistoricalTheoInterval: named('HistoricalTheoInterval', oneOf(...Object.keys(INTERVALS) as Interval[])),
  CompetitionStateValue: named('CompetitionStateValue', oneOf(...COMPETITION_STATES)),
  CompetitionSortByValue: named('CompetitionSortByValue', oneOf(...WIN_CONDITIONS)),
  CompetitionSortOrderValue: named('CompetitionSortOrderValue', oneOf(...SORT_ORDERS)),
} as const;
export type EnumName = keyof typeof ENUMS;
