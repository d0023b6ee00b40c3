// Kinds of commands and the layout of their records (record.ts). WORD_ offsets count u32, DOUBLE_ f64, BYTE_ bytes. Prices in 1e-6 USDC,
// sizes in 1e-6 contracts, times in ms. Adding a field raises CODEC.

import { CREDIT_ID_BYTES } from '../limits.ts';
import { alignUp, HEADER_BYTES, HIGH, type Views } from './record.ts';
import { SIGNED_COMMANDS, type CommandName, type Field, type FieldName, type SignedCommand } from './signed-commands.ts';

// The venue's own commands (origin 0): 1 to 14, and from 64 on.
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
export const CREDIT = 14;
export const SET_TRADING_MODE = 64;
export const SET_WALLET_MODE = 65;
export const CANCEL_WALLET = 66;
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
export const AMEND_ORDER = SIGNED_COMMANDS.AMEND_ORDER.kind;
export const MASS_QUOTE = SIGNED_COMMANDS.MASS_QUOTE.kind;
export const CANCEL_QUOTES = SIGNED_COMMANDS.CANCEL_QUOTES.kind;
export const APPROVE_NAMED_AGENT = SIGNED_COMMANDS.APPROVE_NAMED_AGENT.kind;
export const SET_LEVERAGE = SIGNED_COMMANDS.SET_LEVERAGE.kind;
export const BATCH = SIGNED_COMMANDS.BATCH.kind;

/** Head of a signed command. Addresses are 5 words, the digest 8. */
export const WORD_WALLET = 10;
export const WORD_SIGNER = 15;
export const WORD_NONCE = 20;
export const WORD_DIGEST = 22;
export const BYTE_BODY = 120;

/** `offset`: bytes from the start of the record. */
export type PlacedField = Field & { readonly offset: number };
type Layout = { readonly fields: readonly PlacedField[]; readonly bytes: number };

const ROWS: SignedCommand[] = [];
const LAYOUTS: Layout[] = [];
const IS_SIGNED = new Uint8Array(256);
for (const row of Object.values(SIGNED_COMMANDS)) {
  ROWS[row.kind] = row;
  IS_SIGNED[row.kind] = 1;
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

export function isSignedKind(kind: number): boolean {
  return IS_SIGNED[kind] === 1;
}

export function signedCommand(kind: number): SignedCommand | undefined {
  return ROWS[kind];
}

export function fieldsOf(kind: number): readonly PlacedField[] {
  return LAYOUTS[kind]?.fields ?? [];
}

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
/** Four bytes, 0 for a plain order. */
export const WORD_ORDER_TERMS = wordOf('PLACE_ORDER', 'postOnly');
export const BYTE_POST_ONLY = byteOf('PLACE_ORDER', 'postOnly');
export const BYTE_STP = byteOf('PLACE_ORDER', 'stp');
export const BYTE_TRIGGER_BY = byteOf('PLACE_ORDER', 'triggerBy');
export const BYTE_TRIGGER_DIRECTION = byteOf('PLACE_ORDER', 'triggerDirection');
export const DOUBLE_EXPIRES_AT = doubleOf('PLACE_ORDER', 'expiresAt');
export const DOUBLE_VALID_UNTIL = doubleOf('PLACE_ORDER', 'validUntil');
export const DOUBLE_TRIGGER_PRICE = doubleOf('PLACE_ORDER', 'triggerPrice');
export const BYTE_LINK_ID = byteOf('PLACE_ORDER', 'linkId');
export const POST_ONLY_REJECT = 1;
export const POST_ONLY_SLIDE = 2;
/** Which order ends when two of one wallet meet. */
export const STP_CANCEL_MAKER = 0;
export const STP_CANCEL_TAKER = 1;
export const STP_CANCEL_BOTH = 2;
/** A perp has strike and expiry 0. */
export const PUT = 0;
export const CALL = 1;
export const PERP = 2;
export const FLAG_RFQ_ONLY = 1;
/** Excluded from market-maker protection (decision 5.8). */
export const FLAG_MMP_OPT_OUT = 2;
/** Decision 3.10. */
export const FLAG_REDUCE_ONLY = 4;
/** Only in a batch: the order is the entry of its link, whose members are for the position that it opens. */
export const FLAG_ENTRY = 8;
/** A resting order with this flag is a quote (extensions 4). No record has it. */
export const FLAG_QUOTE = 128;

export const WORD_REPLACED_ID = wordOf('REPLACE_ORDER', 'orderId');

/** New total size; trigger's price 0: unchanged. */
export const WORD_AMENDED_ID = wordOf('AMEND_ORDER', 'orderId');
export const DOUBLE_AMENDED_SIZE = doubleOf('AMEND_ORDER', 'size');
export const DOUBLE_AMENDED_PRICE = doubleOf('AMEND_ORDER', 'price');
export const DOUBLE_AMENDED_TRIGGER = doubleOf('AMEND_ORDER', 'triggerPrice');
export const DOUBLE_AMEND_UNTIL = doubleOf('AMEND_ORDER', 'validUntil');

export const WORD_ORDER_ID = wordOf('CANCEL_ORDER', 'orderId');
export const BYTE_CANCEL_CLIENT_ID = byteOf('CANCEL_BY_CLIENT_ID', 'clientId');

export const WORD_SCOPE_UNDERLYING = wordOf('CANCEL_ALL', 'underlying');
export const DOUBLE_SCOPE_EXPIRY = doubleOf('CANCEL_ALL', 'expiry');
export const DOUBLE_SCOPE_STRIKE = doubleOf('CANCEL_ALL', 'strike');
export const WORD_SCOPE = wordOf('CANCEL_ALL', 'scope');
export const WORD_SCOPE_KIND = wordOf('CANCEL_ALL', 'contractKind');
export const SCOPE_WALLET = 0;
export const SCOPE_UNDERLYING = 1;
export const SCOPE_CONTRACT = 2;

/** The set's name is a length, then its bytes. */
export const WORD_QUOTED_UNDERLYING = wordOf('MASS_QUOTE', 'underlying');
export const DOUBLE_QUOTES_UNTIL = doubleOf('MASS_QUOTE', 'validUntil');
export const DOUBLE_MOST_OPEN = doubleOf('MASS_QUOTE', 'mostOpen');
export const DOUBLE_MOST_POSITIONS = doubleOf('MASS_QUOTE', 'mostPositions');
export const WORD_QUOTE_LINES = wordOf('MASS_QUOTE', 'lines');
export const WORD_QUOTE_SIDES = wordOf('MASS_QUOTE', 'sides');
export const WORD_QUOTE_PLACEMENTS = wordOf('MASS_QUOTE', 'placements');
/** POST_ONLY_REJECT or POST_ONLY_SLIDE. */
export const WORD_QUOTE_CROSSING = wordOf('MASS_QUOTE', 'crossing');
export const BYTE_QUOTE_SET = byteOf('MASS_QUOTE', 'quoteSet');
/** CANCEL_QUOTES begins with the fields of CANCEL_ALL. An empty set: all of them. */
export const BYTE_CANCELLED_SET = byteOf('CANCEL_QUOTES', 'quoteSet');

export const DOUBLE_BATCH_UNTIL = doubleOf('BATCH', 'validUntil');
export const DOUBLE_BATCH_OPEN = doubleOf('BATCH', 'mostOpen');
export const DOUBLE_BATCH_TRIGGERS = doubleOf('BATCH', 'mostTriggers');
export const DOUBLE_BATCH_POSITIONS = doubleOf('BATCH', 'mostPositions');
export const WORD_BATCH_ITEMS = wordOf('BATCH', 'items');
export const WORD_BATCH_BYTES = wordOf('BATCH', 'itemBytes');
export const WORD_BATCH_RATE = wordOf('BATCH', 'rate');

/** Time until the wallet's orders are cancelled, ms. */
export const DOUBLE_TIMEOUT = doubleOf('CANCEL_AFTER', 'timeoutMs');

/** Connection: 8 bytes; grace in ms; enabled: 1 or 0. */
export const WORD_CONNECTION = wordOf('SET_CANCEL_ON_DISCONNECT', 'connection');
export const DOUBLE_GRACE = doubleOf('SET_CANCEL_ON_DISCONNECT', 'graceMs');
export const WORD_ENABLED = wordOf('SET_CANCEL_ON_DISCONNECT', 'enabled');
/** Stands in a command's header as its code: the connection has ended already. Never a result. */
export const CONNECTION_GONE = 0xffff;

export const BYTE_USERNAME = byteOf('SET_USERNAME', 'username');

/** SEE_PAYOUTS: count, then ids. */
export const WORD_PAYOUT_COUNT = wordOf('SEE_PAYOUTS', 'payoutIds');
export const DOUBLE_PAYOUT_IDS = doubleOf('SEE_PAYOUTS', 'payoutIds') + 1;

export const WORD_LEVERAGE_UNDERLYING = wordOf('SET_LEVERAGE', 'underlying');
export const WORD_LEVERAGE = wordOf('SET_LEVERAGE', 'leverage');

export const WORD_UP_TO = wordOf('VOID_NONCES', 'upTo');

export const WORD_AGENT = wordOf('APPROVE_AGENT', 'agent');
export const WORD_AGENT_FLAGS = wordOf('APPROVE_AGENT', 'flags');
export const WORD_AGENT_EXPIRES = wordOf('APPROVE_AGENT', 'expiresAt');

/** APPROVE_NAMED_AGENT begins with the fields of APPROVE_AGENT. The name is a length, then its bytes. */
export const BYTE_AGENT_NAME = byteOf('APPROVE_NAMED_AGENT', 'agentName');

export const WORD_TIER = wordOf('SET_TIER', 'tier');
export const WORD_TIER_FLAGS = wordOf('SET_TIER', 'flags');
export const FLAG_BY_TOKEN = 1;

/** Times in ms. DELETE_MMP and RESET_MMP have the underlying only. */
export const WORD_MMP_UNDERLYING = wordOf('SET_MMP', 'currency');
export const DOUBLE_MMP_INTERVAL = doubleOf('SET_MMP', 'intervalMs');
export const DOUBLE_MMP_FROZEN = doubleOf('SET_MMP', 'frozenTimeMs');
export const DOUBLE_MMP_QUANTITY = doubleOf('SET_MMP', 'qtyLimit');
export const DOUBLE_MMP_DELTA = doubleOf('SET_MMP', 'deltaLimit');
export const DOUBLE_MMP_VEGA = doubleOf('SET_MMP', 'vegaLimit');

export const WORD_MARGIN_MODE = wordOf('SET_MARGIN_MODE', 'marginMode');

/** SETTLEMENT_PRICE (decision 2.5). */
export const WORD_SETTLED_UNDERLYING = 10;
export const DOUBLE_SETTLED_EXPIRY = 6;
export const DOUBLE_SETTLED_PRICE = 7;
export const SETTLEMENT_PRICE_BYTES = 64;

/** SET_SURFACE: the operator's volatilities, times 1e6, for one expiry or all (0). ATM 0: lets ageless ones age from now on. */
export const WORD_SURFACE_UNDERLYING = 10;
export const WORD_SURFACE_FLAGS = 11;
export const DOUBLE_SURFACE_EXPIRY = 6;
export const DOUBLE_SURFACE_ATM = 7;
export const DOUBLE_SURFACE_SKEW = 8;
export const DOUBLE_SURFACE_CURVATURE = 9;
export const SET_SURFACE_BYTES = 80;
/** Never stale (feed `manual`). */
export const FLAG_SURFACE_AGELESS = 1;

/** INDEX_PRICE: price (0: flags only), then volatility at the money (0: surface unchanged), skew and curvature, fractions times 1e6. */
export const WORD_INDEX_UNDERLYING = 10;
export const WORD_INDEX_FLAGS = 11;
export const DOUBLE_INDEX_PRICE = 6;
export const DOUBLE_INDEX_VOL = 7;
export const DOUBLE_INDEX_SKEW = 8;
export const DOUBLE_INDEX_CURVATURE = 9;
export const INDEX_PRICE_BYTES = 80;
export const FLAG_INDEX_AGELESS = 1;
export const FLAG_INDEX_STALE = 2;

/** ADD_UNDERLYING: name in two words, flat volatility times 1e6. */
export const WORD_NAME = 10;
export const DOUBLE_NAME_VOL = 6;
export const ADD_UNDERLYING_BYTES = 56;

/** CONFIGURE: values in the order of core/settings. */
export const DOUBLE_SETTINGS = 5;

/** CREATE_COMPETITION: times in ms, win conditions as bits, lengths of the texts, then the texts. */
export const DOUBLE_COMPETITION_START = 5;
export const DOUBLE_COMPETITION_END = 6;
export const WORD_COMPETITION_CONDITIONS = 14;
export const WORD_COMPETITION_PRIMARY = 15;
export const WORD_COMPETITION_LENGTHS = 16;
export const BYTE_COMPETITION_TEXTS = 80;

export const WORD_MARKET_UNDERLYING = 10;
export const WORD_MARKET_KIND = 11;
export const DOUBLE_MARKET_EXPIRY = 6;
export const DOUBLE_MARKET_STRIKE = 7;
export const MARKET_BYTES = 64;

/** DISCONNECTED, RECONNECTED. Connection zeros: the last that signed for the account. */
export const WORD_PRESENCE_ACCOUNT = 10;
export const WORD_PRESENCE_CONNECTION = 12;
export const PRESENCE_BYTES = 56;

/** CREDIT: amount (negative: taken), id padded with zeros, reason. */
export const WORD_CREDIT_WALLET = 10;
export const WORD_CREDIT_ID_LENGTH = 15;
export const WORD_CREDIT_REASON_LENGTH = 16;
export const DOUBLE_CREDIT_AMOUNT = 9;
export const BYTE_CREDIT_ID = 80;
export const BYTE_CREDIT_REASON = BYTE_CREDIT_ID + CREDIT_ID_BYTES;

/** SET_TRADING_MODE. SCOPE_WALLET means the venue. */
export const WORD_MODE_SCOPE = 10;
export const WORD_MODE_VALUE = 11;
export const WORD_MODE_UNDERLYING = 12;
export const WORD_MODE_KIND = 13;
export const DOUBLE_MODE_EXPIRY = 7;
export const DOUBLE_MODE_STRIKE = 8;
export const TRADING_MODE_BYTES = 72;

/** SET_WALLET_MODE, CANCEL_WALLET. */
export const WORD_WALLET_MODE = 15;
export const WALLET_COMMAND_BYTES = 64;

/** QUARANTINE: seq of the skipped command, then its own bytes. */
export const WORD_QUARANTINED_SEQ = 10;
export const QUARANTINE_BYTES = 48;

export const TICK_BYTES = HEADER_BYTES;

export function readSafe(views: Views, word: number): number {
  return views.u32[word] + views.u32[word + 1] * HIGH;
}

export function writeSafe(views: Views, word: number, value: number): void {
  views.u32[word] = value >>> 0;
  views.u32[word + 1] = Math.floor(value / HIGH);
}
