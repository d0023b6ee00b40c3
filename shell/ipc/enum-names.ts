// The words of the interface for what the core has numbers for: the index of a word is its number in records and in the state.

import { SIGNED_COMMANDS } from '../../core/codec/signed-commands.ts';

export const SIDES = ['Buy', 'Sell'] as const;
export const TIFS = ['gtc', 'ioc', 'fok'] as const;
export const TIERS = SIGNED_COMMANDS.SET_TIER.fields[0].words;
export const MARGIN_MODES = SIGNED_COMMANDS.SET_MARGIN_MODE.fields[0].words;
export const INSTRUMENT_STATUSES = ['ACTIVE', 'EXPIRED_PENDING_PRICE', 'SETTLED'] as const;
export const INSTRUMENT_FILTERS = [...INSTRUMENT_STATUSES, 'all'] as const;
/** Of an order; those of a refused order and of one that waits for its trigger are told, and no listing has rows of them. */
export const ORDER_STATUSES = ['open', 'partially_filled', 'filled', 'canceled', 'rejected', 'untriggered'] as const;
/** What a listing of orders is filtered by: `open` is all of the book, `working` that and what waits for its trigger. */
export const ORDER_FILTERS = [...ORDER_STATUSES, 'cancelled', 'working'] as const;
/** Of a venue that was given none. */
export const DEFAULT_SERVICE_NAME = 'Strikebook';

/** Fills: of a trade; of a position that moved without one, to the insurance fund or against the holder of the opposite side. */
export const FILL_KINDS = ['trade', 'takeover', 'deleveraging'] as const;
export const TRADE = 0;
export const TAKEOVER = 1;
export const DELEVERAGING = 2;
