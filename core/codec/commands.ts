// The fixed numbers of every command, as word and byte offsets from the start of its record (see record.ts).
// Signed commands share one head: who, by whom, which nonce, which digest. Prices 1e-6 USDC, sizes 1e-6 contracts,
// times ms. Offsets named WORD_ count u32, DOUBLE_ count f64, BYTE_ bytes. Adding a field raises CODEC.

import { CLIENT_ID_BYTES, PAYOUT_IDS_A_COMMAND, USERNAME_CHARS } from '../limits.ts';
import { HEADER_BYTES, HIGH, type Views } from './record.ts';

// Commands of the venue itself (origin 0).
export const CONFIGURE = 1;
export const ADD_UNDERLYING = 2;
export const INDEX_PRICE = 3;
export const TICK = 4;
export const CONTINUE = 5;
export const QUARANTINE = 6;
export const SETTLEMENT_PRICE = 7;
export const SET_SURFACE = 8;
export const CREATE_COMPETITION = 9;
export const LIST_MARKET = 10;
export const DELETE_MARKET = 11;
export const DISCONNECTED = 12;
export const RECONNECTED = 13;
// Commands of people: signed, or by the admin token. 14 and 28 were never used.
export const SET_TIER = 15;
export const APPROVE_AGENT = 16;
export const REVOKE_AGENT = 17;
export const PLACE_ORDER = 18;
export const CANCEL_ORDER = 19;
export const CANCEL_BY_CLIENT_ID = 20;
export const SET_MMP = 21;
export const DELETE_MMP = 22;
export const RESET_MMP = 23;
export const SET_MARGIN_MODE = 24;
export const REPLACE_ORDER = 25;
export const SET_CANCEL_ON_DISCONNECT = 26;
export const CANCEL_AFTER = 27;
export const CANCEL_ALL = 29;
export const SET_USERNAME = 30;
export const REQUEST_USERNAME = 31;
export const SEE_PAYOUTS = 32;
export const REVOKE_ALL_AGENTS = 33;
export const VOID_NONCES = 34;

/** The head of a signed command: addresses are 20 bytes in 5 words, the digest 32 bytes in 8. */
export const WORD_WALLET = 10;
export const WORD_SIGNER = 15;
export const WORD_NONCE = 20;
export const WORD_DIGEST = 22;
const WORD_BODY = 30;
const DOUBLE_BODY = WORD_BODY / 2;
const BYTE_BODY = WORD_BODY * 4;

/** PLACE_ORDER */
export const WORD_ORDER_UNDERLYING = WORD_BODY;
export const DOUBLE_EXPIRY = DOUBLE_BODY + 1;
export const DOUBLE_STRIKE = DOUBLE_BODY + 2;
export const DOUBLE_PRICE = DOUBLE_BODY + 3;
export const DOUBLE_SIZE = DOUBLE_BODY + 4;
export const BYTE_CONTRACT_KIND = BYTE_BODY + 40;
export const BYTE_SIDE = BYTE_BODY + 41;
export const BYTE_TIF = BYTE_BODY + 42;
export const BYTE_ORDER_FLAGS = BYTE_BODY + 43;
export const BYTE_ORDER_CLIENT_ID = BYTE_BODY + 44;
export const PLACE_ORDER_BYTES = BYTE_BODY + 44 + 4 + CLIENT_ID_BYTES;
/** Kinds of contracts: put, call, perp; a perp has neither strike nor expiry (both 0). */
export const PUT = 0;
export const CALL = 1;
export const PERP = 2;
/** Order flags. */
export const FLAG_RFQ_ONLY = 1;
/** The order does not take part in market-maker protection (decision 5.8). */
export const FLAG_MMP_OPT_OUT = 2;
/** The order may only make a position smaller (decision 3.10). */
export const FLAG_REDUCE_ONLY = 4;

/** REPLACE_ORDER: laid out as PLACE_ORDER, then the id of the order it takes the place of. */
export const WORD_REPLACED_ID = PLACE_ORDER_BYTES / 4;
export const REPLACE_ORDER_BYTES = PLACE_ORDER_BYTES + 8;

/** CANCEL_ORDER */
export const WORD_ORDER_ID = WORD_BODY;
export const CANCEL_ORDER_BYTES = BYTE_BODY + 8;

/** CANCEL_BY_CLIENT_ID: length in one byte, text four bytes on. */
export const BYTE_CANCEL_CLIENT_ID = BYTE_BODY;
export const CANCEL_BY_CLIENT_ID_BYTES = BYTE_BODY + 8 + CLIENT_ID_BYTES;

/** CANCEL_ALL: which orders, and the underlying or the contract that they are of (zeros where none is named). */
export const WORD_SCOPE_UNDERLYING = WORD_BODY;
export const DOUBLE_SCOPE_EXPIRY = DOUBLE_BODY + 1;
export const DOUBLE_SCOPE_STRIKE = DOUBLE_BODY + 2;
export const WORD_SCOPE = WORD_BODY + 6;
export const WORD_SCOPE_KIND = WORD_BODY + 7;
export const CANCEL_ALL_BYTES = BYTE_BODY + 32;
export const SCOPE_WALLET = 0;
export const SCOPE_UNDERLYING = 1;
export const SCOPE_CONTRACT = 2;

/** CANCEL_AFTER: after how many ms, 0: off. */
export const DOUBLE_TIMEOUT = DOUBLE_BODY;
export const CANCEL_AFTER_BYTES = BYTE_BODY + 8;

/** SET_CANCEL_ON_DISCONNECT: the connection's 8 bytes (zeros: the wallet's last one), ms of grace, 1 or 0. */
export const WORD_CONNECTION = WORD_BODY;
export const DOUBLE_GRACE = DOUBLE_BODY + 1;
export const WORD_ENABLED = WORD_BODY + 4;
export const SET_CANCEL_ON_DISCONNECT_BYTES = BYTE_BODY + 24;
/** The code of its header where the connection is gone already, as main knows; no outcome has it. */
export const CONNECTION_GONE = 0xffff;

/** SET_USERNAME, REQUEST_USERNAME: length in one byte, text four bytes on, zero padded. */
export const BYTE_USERNAME = BYTE_BODY;
export const USERNAME_BYTES = BYTE_BODY + 4 + USERNAME_CHARS;

/** SEE_PAYOUTS: how many ids, then the ids. */
export const WORD_PAYOUT_COUNT = WORD_BODY;
export const DOUBLE_PAYOUT_IDS = DOUBLE_BODY + 1;
export const SEE_PAYOUTS_BYTES = BYTE_BODY + 8 + PAYOUT_IDS_A_COMMAND * 8;

/** REVOKE_ALL_AGENTS is laid out as REVOKE_AGENT and names no agent. */

/** VOID_NONCES: the last nonce that is void from now on. */
export const WORD_UP_TO = WORD_BODY;
export const VOID_NONCES_BYTES = BYTE_BODY + 8;

/** APPROVE_AGENT, REVOKE_AGENT. Expiry 0 is none. NAMED: the body named the wallet, so the action opens its account. */
export const WORD_AGENT = WORD_BODY;
export const WORD_AGENT_FLAGS = WORD_BODY + 5;
export const WORD_AGENT_EXPIRES = WORD_BODY + 6;
export const AGENT_BYTES = BYTE_BODY + 32;
export const FLAG_WALLET_NAMED = 1;

/** SET_TIER: the wallet is whose tier changes; FLAG_BY_TOKEN: the admin token stands for a signature. */
export const WORD_TIER = WORD_BODY;
export const WORD_TIER_FLAGS = WORD_BODY + 1;
export const SET_TIER_BYTES = BYTE_BODY + 8;
export const FLAG_BY_TOKEN = 1;

/**
 * SET_MMP: the underlying's name in two words, then interval and frozen time in ms, the limits of quantity (1e-6 contracts),
 * delta (1e-6) and vega (1e-6 USDC per vol point); -1: no limit. DELETE_MMP and RESET_MMP: the name alone.
 */
export const WORD_MMP_UNDERLYING = WORD_BODY;
export const DOUBLE_MMP_INTERVAL = DOUBLE_BODY + 1;
export const DOUBLE_MMP_FROZEN = DOUBLE_BODY + 2;
export const DOUBLE_MMP_QUANTITY = DOUBLE_BODY + 3;
export const DOUBLE_MMP_DELTA = DOUBLE_BODY + 4;
export const DOUBLE_MMP_VEGA = DOUBLE_BODY + 5;
export const SET_MMP_BYTES = BYTE_BODY + 48;
export const MMP_NAME_BYTES = BYTE_BODY + 8;

/** SET_MARGIN_MODE: STANDARD or PORTFOLIO of core/accounts. */
export const WORD_MARGIN_MODE = WORD_BODY;
export const SET_MARGIN_MODE_BYTES = BYTE_BODY + 8;

/** SETTLEMENT_PRICE: the operator's price for an expiry that has none of its own (decision 2.5). */
export const WORD_SETTLED_UNDERLYING = 10;
export const DOUBLE_SETTLED_EXPIRY = 6;
export const DOUBLE_SETTLED_PRICE = 7;
export const SETTLEMENT_PRICE_BYTES = 64;

/**
 * SET_SURFACE: the operator's volatilities; expiry 0 is every one. Fractions times 1e6 (core/valuation/surface). At the money 0: none is
 * set, but all that was set without age has the age of its word from now on.
 */
export const WORD_SURFACE_UNDERLYING = 10;
export const WORD_SURFACE_FLAGS = 11;
export const DOUBLE_SURFACE_EXPIRY = 6;
export const DOUBLE_SURFACE_ATM = 7;
export const DOUBLE_SURFACE_SKEW = 8;
export const DOUBLE_SURFACE_CURVATURE = 9;
export const SET_SURFACE_BYTES = 80;
/** What is set does not age (feed `manual`). */
export const FLAG_SURFACE_AGELESS = 1;

/**
 * INDEX_PRICE: price in price units (0: the flags alone), the surface of all expiries as fractions times 1e6: volatility at the
 * money (0: all three unchanged), skew, curvature.
 */
export const WORD_INDEX_UNDERLYING = 10;
export const WORD_INDEX_FLAGS = 11;
export const DOUBLE_INDEX_PRICE = 6;
export const DOUBLE_INDEX_VOL = 7;
export const DOUBLE_INDEX_SKEW = 8;
export const DOUBLE_INDEX_CURVATURE = 9;
export const INDEX_PRICE_BYTES = 80;
/** What is set does not age (feed `manual`). */
export const FLAG_INDEX_AGELESS = 1;
/** The feed says of itself that it is stale. */
export const FLAG_INDEX_STALE = 2;

/** ADD_UNDERLYING: name packed in two words, flat volatility times 1e6. */
export const WORD_NAME = 10;
export const DOUBLE_NAME_VOL = 6;
export const ADD_UNDERLYING_BYTES = 56;

/** CONFIGURE: the settings in the order of `Settings` in core/settings. */
export const DOUBLE_SETTINGS = 5;

/**
 * CREATE_COMPETITION: start and end, ms; by what one wins, a bit each (core/registry/competitions), and which of them comes first;
 * the lengths of its texts, which follow one behind the other.
 */
export const DOUBLE_COMPETITION_START = 5;
export const DOUBLE_COMPETITION_END = 6;
export const WORD_COMPETITION_CONDITIONS = 14;
export const WORD_COMPETITION_PRIMARY = 15;
export const WORD_COMPETITION_LENGTHS = 16;
export const BYTE_COMPETITION_TEXTS = 80;

/** LIST_MARKET, DELETE_MARKET: an option. */
export const WORD_MARKET_UNDERLYING = 10;
export const WORD_MARKET_KIND = 11;
export const DOUBLE_MARKET_EXPIRY = 6;
export const DOUBLE_MARKET_STRIKE = 7;
export const MARKET_BYTES = 64;

/** DISCONNECTED, RECONNECTED: the account, and the connection that it has named (zeros: the last that signed something). */
export const WORD_PRESENCE_ACCOUNT = 10;
export const WORD_PRESENCE_CONNECTION = 12;
export const PRESENCE_BYTES = 56;

/** QUARANTINE: the command that is skipped by name, then its own bytes as they failed. */
export const WORD_QUARANTINED_SEQ = 10;
export const QUARANTINE_BYTES = 48;

export const TICK_BYTES = HEADER_BYTES;

/** Reads a u64 that we number ourselves (an id, a time): below 2^53, so one double. */
export function readSafe(views: Views, word: number): number {
  return views.u32[word] + views.u32[word + 1] * HIGH;
}

export function writeSafe(views: Views, word: number, value: number): void {
  views.u32[word] = value >>> 0;
  views.u32[word + 1] = Math.floor(value / HIGH);
}

/** Where the proof of a signed command starts, in bytes from the record. */
export function proofOffset(kind: number): number {
  switch (kind) {
    case PLACE_ORDER: return PLACE_ORDER_BYTES;
    case CANCEL_ORDER: return CANCEL_ORDER_BYTES;
    case CANCEL_BY_CLIENT_ID: return CANCEL_BY_CLIENT_ID_BYTES;
    case APPROVE_AGENT: case REVOKE_AGENT: case REVOKE_ALL_AGENTS: return AGENT_BYTES;
    case SET_TIER: return SET_TIER_BYTES;
    case SET_MMP: return SET_MMP_BYTES;
    case DELETE_MMP: case RESET_MMP: return MMP_NAME_BYTES;
    case SET_MARGIN_MODE: return SET_MARGIN_MODE_BYTES;
    case REPLACE_ORDER: return REPLACE_ORDER_BYTES;
    case CANCEL_ALL: return CANCEL_ALL_BYTES;
    case CANCEL_AFTER: return CANCEL_AFTER_BYTES;
    case SET_CANCEL_ON_DISCONNECT: return SET_CANCEL_ON_DISCONNECT_BYTES;
    case SET_USERNAME: case REQUEST_USERNAME: return USERNAME_BYTES;
    case SEE_PAYOUTS: return SEE_PAYOUTS_BYTES;
    case VOID_NONCES: return VOID_NONCES_BYTES;
    default: return 0;
  }
}
