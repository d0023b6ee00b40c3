// The kinds of commands and the fixed numbers of their records, as word and byte offsets from the start of the record (record.ts).
// Signed commands share one head: who, by whom, which nonce, which digest; their fields are laid out by the table of signed commands.
// Prices 1e-6 USDC, sizes 1e-6 contracts, times ms. Offsets named WORD_ count u32, DOUBLE_ count f64, BYTE_ bytes.
// Adding a field raises CODEC.

import { alignUp, HEADER_BYTES, HIGH, type Views } from './record.ts';
import { SIGNED_COMMANDS, type CommandName, type Field, type FieldName, type SignedCommand } from './signed-commands.ts';

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
// Signed commands: their rows say the rest.
export const SET_TIER = SIGNED_COMMANDS.SET_TIER.kind;
export const APPROVE_AGENT = SIGNED_COMMANDS.APPROVE_AGENT.kind;
export const REVOKE_AGENT = SIGNED_COMMANDS.REVOKE_AGENT.kind;
export const PLACE_ORDER = SIGNED_COMMANDS.PLACE_ORDER.kind;
export const CANCEL_ORDER = SIGNED_COMMANDS.CANCEL_ORDER.kind;
export const CANCEL_BY_CLIENT_ID = SIGNED_COMMANDS.CANCEL_BY_CLIENT_ID.kind;
export const SET_MMP = SIGNED_COMMANDS.SET_MMP.kind;
export const DELETE_MMP = SIGNED_COMMANDS.DELETE_MMP.kind;
export const RESET_MMP = SIGNED_COMMANDS.RESET_MMP.kind;
export const SET_MARGIN_MODE = SIGNED_COMMANDS.SET_MARGIN_MODE.kind;
export const REPLACE_ORDER = SIGNED_COMMANDS.REPLACE_ORDER.kind;
export const SET_CANCEL_ON_DISCONNECT = SIGNED_COMMANDS.SET_CANCEL_ON_DISCONNECT.kind;
export const CANCEL_AFTER = SIGNED_COMMANDS.CANCEL_AFTER.kind;
export const CANCEL_ALL = SIGNED_COMMANDS.CANCEL_ALL.kind;
export const SET_USERNAME = SIGNED_COMMANDS.SET_USERNAME.kind;
export const REQUEST_USERNAME = SIGNED_COMMANDS.REQUEST_USERNAME.kind;
export const SEE_PAYOUTS = SIGNED_COMMANDS.SEE_PAYOUTS.kind;
export const REVOKE_ALL_AGENTS = SIGNED_COMMANDS.REVOKE_ALL_AGENTS.kind;
export const VOID_NONCES = SIGNED_COMMANDS.VOID_NONCES.kind;

/** The head of a signed command: addresses are 20 bytes in 5 words, the digest 32 bytes in 8. */
export const WORD_WALLET = 10;
export const WORD_SIGNER = 15;
export const WORD_NONCE = 20;
export const WORD_DIGEST = 22;
const BYTE_BODY = 120;

/** A field and where it lies, in bytes from the start of its record. */
export type PlacedField = Field & { readonly offset: number };
type Layout = { readonly fields: readonly PlacedField[]; readonly bytes: number };

/** By kind. */
const ROWS: SignedCommand[] = [];
const LAYOUTS: Layout[] = [];
for (const row of Object.values(SIGNED_COMMANDS)) {
  ROWS[row.kind] = row;
  LAYOUTS[row.kind] = layoutOf(row.fields);
}

function layoutOf(fields: readonly Field[]): Layout {
  let end = BYTE_BODY;
  const placed = fields.map((field) => {
    const offset = Math.ceil(end / field.align) * field.align;
    end = offset + field.bytes;
    return { ...field, offset };
  });
  return { fields: placed, bytes: alignUp(end) };
}

/** The row of the signed command of this kind. */
export function signedCommand(kind: number): SignedCommand | undefined {
  return ROWS[kind];
}

/** The fields of a signed command; none of another. */
export function fieldsOf(kind: number): readonly PlacedField[] {
  return LAYOUTS[kind]?.fields ?? [];
}

/** Where the proof of a signed command starts, in bytes from the record; 0 for the venue's own commands. */
export function proofOffset(kind: number): number {
  return LAYOUTS[kind]?.bytes ?? 0;
}

function byteOf<C extends CommandName>(command: C, name: FieldName<C>): number {
  const field = fieldsOf(SIGNED_COMMANDS[command].kind).find((one) => one.name === name);
  if (field === undefined) throw new RangeError(`${command} has no field ${name}`);
  return field.offset;
}

function wordOf<C extends CommandName>(command: C, name: FieldName<C>): number {
  return byteOf(command, name) >>> 2;
}

function doubleOf<C extends CommandName>(command: C, name: FieldName<C>): number {
  return byteOf(command, name) >>> 3;
}

/** PLACE_ORDER, with whose fields those of REPLACE_ORDER begin. */
export const WORD_ORDER_UNDERLYING = wordOf('PLACE_ORDER', 'underlying');
export const DOUBLE_EXPIRY = doubleOf('PLACE_ORDER', 'expiry');
export const DOUBLE_STRIKE = doubleOf('PLACE_ORDER', 'strike');
export const DOUBLE_PRICE = doubleOf('PLACE_ORDER', 'price');
export const DOUBLE_SIZE = doubleOf('PLACE_ORDER', 'size');
export const BYTE_CONTRACT_KIND = byteOf('PLACE_ORDER', 'contractKind');
export const BYTE_SIDE = byteOf('PLACE_ORDER', 'side');
export const BYTE_TIF = byteOf('PLACE_ORDER', 'tif');
export const BYTE_ORDER_FLAGS = byteOf('PLACE_ORDER', 'flags');
export const BYTE_ORDER_CLIENT_ID = byteOf('PLACE_ORDER', 'clientId');
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

/** REPLACE_ORDER: the id of the order it takes the place of. */
export const WORD_REPLACED_ID = wordOf('REPLACE_ORDER', 'orderId');

/** CANCEL_ORDER, CANCEL_BY_CLIENT_ID */
export const WORD_ORDER_ID = wordOf('CANCEL_ORDER', 'orderId');
export const BYTE_CANCEL_CLIENT_ID = byteOf('CANCEL_BY_CLIENT_ID', 'clientId');

/** CANCEL_ALL */
export const WORD_SCOPE_UNDERLYING = wordOf('CANCEL_ALL', 'underlying');
export const DOUBLE_SCOPE_EXPIRY = doubleOf('CANCEL_ALL', 'expiry');
export const DOUBLE_SCOPE_STRIKE = doubleOf('CANCEL_ALL', 'strike');
export const WORD_SCOPE = wordOf('CANCEL_ALL', 'scope');
export const WORD_SCOPE_KIND = wordOf('CANCEL_ALL', 'contractKind');
export const SCOPE_WALLET = 0;
export const SCOPE_UNDERLYING = 1;
export const SCOPE_CONTRACT = 2;

/** CANCEL_AFTER: after how many ms, 0: off. */
export const DOUBLE_TIMEOUT = doubleOf('CANCEL_AFTER', 'timeoutMs');

/** SET_CANCEL_ON_DISCONNECT: the connection's 8 bytes, ms of grace, 1 or 0. */
export const WORD_CONNECTION = wordOf('SET_CANCEL_ON_DISCONNECT', 'connection');
export const DOUBLE_GRACE = doubleOf('SET_CANCEL_ON_DISCONNECT', 'graceMs');
export const WORD_ENABLED = wordOf('SET_CANCEL_ON_DISCONNECT', 'enabled');
/** The code of its header where the connection is gone already, as main knows; no outcome has it. */
export const CONNECTION_GONE = 0xffff;

/** SET_USERNAME, and REQUEST_USERNAME, which is laid out like it. */
export const BYTE_USERNAME = byteOf('SET_USERNAME', 'username');

/** SEE_PAYOUTS: how many ids, then the ids. */
export const WORD_PAYOUT_COUNT = wordOf('SEE_PAYOUTS', 'payoutIds');
export const DOUBLE_PAYOUT_IDS = doubleOf('SEE_PAYOUTS', 'payoutIds') + 1;

/** VOID_NONCES: the last nonce that is void from now on. */
export const WORD_UP_TO = wordOf('VOID_NONCES', 'upTo');

/** APPROVE_AGENT, REVOKE_AGENT, REVOKE_ALL_AGENTS. */
export const WORD_AGENT = wordOf('APPROVE_AGENT', 'agent');
export const WORD_AGENT_FLAGS = wordOf('APPROVE_AGENT', 'flags');
export const WORD_AGENT_EXPIRES = wordOf('APPROVE_AGENT', 'expiresAt');

/** SET_TIER: the wallet is whose tier changes; FLAG_BY_TOKEN: the admin token stands for a signature. */
export const WORD_TIER = wordOf('SET_TIER', 'tier');
export const WORD_TIER_FLAGS = wordOf('SET_TIER', 'flags');
export const FLAG_BY_TOKEN = 1;

/** SET_MMP: the underlying's name, times in ms, limits; DELETE_MMP and RESET_MMP: the name alone. */
export const WORD_MMP_UNDERLYING = wordOf('SET_MMP', 'currency');
export const DOUBLE_MMP_INTERVAL = doubleOf('SET_MMP', 'intervalMs');
export const DOUBLE_MMP_FROZEN = doubleOf('SET_MMP', 'frozenTimeMs');
export const DOUBLE_MMP_QUANTITY = doubleOf('SET_MMP', 'qtyLimit');
export const DOUBLE_MMP_DELTA = doubleOf('SET_MMP', 'deltaLimit');
export const DOUBLE_MMP_VEGA = doubleOf('SET_MMP', 'vegaLimit');

/** SET_MARGIN_MODE: STANDARD or PORTFOLIO of core/accounts. */
export const WORD_MARGIN_MODE = wordOf('SET_MARGIN_MODE', 'marginMode');

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
