// Writes command records for tests as an api thread would, without signatures: wallet, signer, nonce, and the numbers of the command.
// The writer has one buffer; a record is valid until the next one is written.

import * as C from '../../core/codec/commands.ts';
import { writeSafe } from '../../core/codec/commands.ts';
import { readFields, u64Of, writeFields, type AnyFields } from '../../core/codec/fields.ts';
import { alignUp, BYTE_ITEMS, BYTE_SUBNET, HEADER_BYTES, stampRecord, viewsOf, WORD_BLOCK, WORD_SOURCE, writeCode, writeHeader,
  type Views } from '../../core/codec/record.ts';
import { SIGNED_COMMANDS, type CommandName, type Fields, type U64 } from '../../core/codec/signed-commands.ts';
import { priceKeyOf } from '../../core/book/price-key.ts';
import { ABSENT, LINE_BYTES, writeLine } from '../../core/codec/quote-lines.ts';
import { RECORD_BYTES } from '../../core/limits.ts';
import { packUnderlying } from '../../core/instruments/symbol.ts';

export type Contract = { underlying: string; expiry: number; strike: number; kind: number };
export type OrderFields = Contract & {
  wallet: number; nonce: number; side: number; price: number; size: number; tif?: number; clientId?: string; signer?: number;
  flags?: number;
} & Head & Terms;
/** Of an extended order; numbers as the record has them. */
type Terms = {
  postOnly?: number; stp?: number; expiresAt?: number; validUntil?: number; linkId?: string; triggerBy?: number;
  triggerDirection?: number; triggerPrice?: number;
};
export type AmendFields = { orderId: number; size: number; price: number; triggerPrice?: number; validUntil?: number };
/** Of the record's head: the code of the api thread; the network source, the /48 that it is in and its /56 there. */
type Head = { code?: number; source?: number; block?: number; subnet?: number };

/** Of the header, the highest byte of its second word. */
const BYTE_ORIGIN = 7;

type QuoteSide = readonly [size: number | null, price: number | null];
type QuotedContract = Contract & { bid?: QuoteSide; ask?: QuoteSide; codes?: readonly [number, number] };
type QuoteFields = {
  wallet: number; nonce: number; signer?: number; set?: string; until: number; crossing?: number; lines: readonly QuotedContract[];
};

const NO_SIDE: QuoteSide = [null, null];
const keyOf = (price: number | null): number => (price === null ? 0 : priceKeyOf(price));

/** A test wallet by number: 5 words that are its address. */
export function walletWords(wallet: number): Uint32Array {
  const words = [wallet + 1, 0xabcd0000 + wallet, Math.imul(wallet, 0x9e3779b1), 7, wallet ^ 0x55555555];
  return new Uint32Array(words.map((word) => word >>> 0));
}

/** Words of the wallets that commands named, by wallet. */
const named: Uint32Array[] = [];

function packName(text: string): U64 {
  const name = { underlyingLo: 0, underlyingHi: 0 };
  if (!packUnderlying(text, name)) throw new RangeError(`no underlying: ${text}`);
  return { lo: name.underlyingLo, hi: name.underlyingHi };
}

export function putText(u8: Uint8Array, at: number, text: string): number {
  return new TextEncoder().encodeInto(text, u8.subarray(at)).written;
}

export class RecordWriter {
  readonly views: Views = viewsOf(new ArrayBuffer(RECORD_BYTES));

  private begin(kind: number, bytes: number): void {
    this.views.u8.fill(0);
    writeHeader(this.views, 0, alignUp(bytes), kind, 0, 0);
  }

  /** Any signed command with these fields; those that are absent are zero. */
  signed<N extends CommandName>(name: N, head: { wallet: number; nonce: number; signer?: number }, fields: Partial<Fields<N>>): Views {
    const { kind } = SIGNED_COMMANDS[name];
    this.begin(kind, C.proofOffset(kind));
    this.sign(head.wallet, head.nonce, head.signer ?? head.wallet);
    writeFields(this.views, 0, kind, fields as AnyFields, putText);
    return this.views;
  }

  private sign(wallet: number, nonce: number, signer: number): void {
    const { u32 } = this.views;
    u32.set(named[wallet] ??= walletWords(wallet), C.WORD_WALLET);
    u32.set(named[signer] ??= walletWords(signer), C.WORD_SIGNER);
    writeSafe(this.views, C.WORD_NONCE, nonce);
    for (let i = 0; i < 8; i++) u32[C.WORD_DIGEST + i] = Math.imul(nonce + 1, i + 1 + wallet) >>> 0;
  }

  /** A mass quote without its proof; lines of one underlying, sizes in 1e-6 contracts, prices in 1e-6 USDC, null where absent. */
  massQuote({ wallet, nonce, signer = wallet, set = 'main', until, crossing = C.POST_ONLY_REJECT, lines }: QuoteFields): Views {
    const sides = lines.flatMap(({ bid = NO_SIDE, ask = NO_SIDE }) => [bid, ask]);
    this.signed('MASS_QUOTE', { wallet, nonce, signer }, {
      underlying: packName(lines[0]!.underlying), validUntil: until, lines: lines.length, crossing, quoteSet: set, mostOpen: -1,
      mostPositions: -1, sides: sides.filter(([size]) => size !== null).length,
      placements: sides.filter(([size]) => (size ?? 0) > 0).length,
    });
    const from = this.views.u32[0]!;
    this.views.u32[0] = from + lines.length * LINE_BYTES;
    const rows = viewsOf(this.views.u8.buffer as ArrayBuffer, from);
    lines.forEach(({ expiry, strike, kind, bid = NO_SIDE, ask = NO_SIDE, codes = [0, 0] }, row) => writeLine(rows, row, {
      expiry, strike, kind, sizes: [bid[0] ?? ABSENT, ask[0] ?? ABSENT], keys: [keyOf(bid[1]), keyOf(ask[1])], codes,
    }));
    return this.views;
  }

  /** `of`: as of a cancel-all. */
  cancelQuotes(wallet: number, nonce: number, set: string, of: Parameters<RecordWriter['cancelAll']>[2] = {}): Views {
    const fields = readFields(this.cancelAll(wallet, nonce, of), 0, C.CANCEL_ALL) as Fields<'CANCEL_ALL'>;
    return this.signed('CANCEL_QUOTES', { wallet, nonce }, { ...fields, quoteSet: set });
  }

  stamp(seq: number, time: number): Views {
    stampRecord(this.views, 0, seq, time);
    return this.views;
  }

  configure(values: Float64Array): Views {
    this.begin(C.CONFIGURE, HEADER_BYTES + values.length * 8);
    this.views.f64.set(values, C.DOUBLE_SETTINGS);
    return this.views;
  }

  addUnderlying(name: string, volatility: number): Views {
    this.begin(C.ADD_UNDERLYING, C.ADD_UNDERLYING_BYTES);
    const { lo, hi } = packName(name);
    this.views.u32.set([lo, hi], C.WORD_NAME);
    this.views.f64[C.DOUBLE_NAME_VOL] = volatility;
    return this.views;
  }

  index(underlying: number, price: number, flags = 0, volatility = 0, skew = 0, curvature = 0): Views {
    this.begin(C.INDEX_PRICE, C.INDEX_PRICE_BYTES);
    this.views.u32[C.WORD_INDEX_UNDERLYING] = underlying;
    this.views.u32[C.WORD_INDEX_FLAGS] = flags;
    this.views.f64[C.DOUBLE_INDEX_PRICE] = price;
    this.views.f64[C.DOUBLE_INDEX_VOL] = volatility;
    this.views.f64[C.DOUBLE_INDEX_SKEW] = skew;
    this.views.f64[C.DOUBLE_INDEX_CURVATURE] = curvature;
    return this.views;
  }

  plain(kind: number): Views {
    this.begin(kind, HEADER_BYTES);
    return this.views;
  }

  quarantine(seq: number): Views {
    this.begin(C.QUARANTINE, C.QUARANTINE_BYTES);
    writeSafe(this.views, C.WORD_QUARANTINED_SEQ, seq);
    return this.views;
  }

  place(order: OrderFields): Views {
    this.begin(C.PLACE_ORDER, C.proofOffset(C.PLACE_ORDER));
    return this.order(order);
  }

  /** The order in the place of the open one `replaced`. */
  replace(order: OrderFields, replaced: number): Views {
    this.begin(C.REPLACE_ORDER, C.proofOffset(C.REPLACE_ORDER));
    writeSafe(this.views, C.WORD_REPLACED_ID, replaced);
    return this.order(order);
  }

  /** Sizes and prices in units; 0 in `triggerPrice` and `validUntil`: none. */
  amendOrder(wallet: number, nonce: number, { orderId, ...terms }: AmendFields): Views {
    return this.signed('AMEND_ORDER', { wallet, nonce }, { orderId: u64Of(orderId), triggerPrice: 0, validUntil: 0, ...terms });
  }

  private order(order: OrderFields): Views {
    this.sign(order.wallet, order.nonce, order.signer ?? order.wallet);
    const { u8, u32, f64 } = this.views;
    this.headOf(order);
    const { lo, hi } = packName(order.underlying);
    u32[C.WORD_ORDER_UNDERLYING] = lo;
    u32[C.WORD_ORDER_UNDERLYING + 1] = hi;
    f64[C.DOUBLE_EXPIRY] = order.expiry;
    f64[C.DOUBLE_STRIKE] = order.strike;
    f64[C.DOUBLE_PRICE] = order.price;
    f64[C.DOUBLE_SIZE] = order.size;
    u8[C.BYTE_CONTRACT_KIND] = order.kind;
    u8[C.BYTE_SIDE] = order.side;
    u8[C.BYTE_TIF] = order.tif ?? 0;
    u8[C.BYTE_ORDER_FLAGS] = order.flags ?? 0;
    u8[C.BYTE_ORDER_CLIENT_ID] = putText(u8, C.BYTE_ORDER_CLIENT_ID + 4, order.clientId ?? '');
    u8[C.BYTE_POST_ONLY] = order.postOnly ?? 0;
    u8[C.BYTE_STP] = order.stp ?? 0;
    u8[C.BYTE_TRIGGER_BY] = order.triggerBy ?? 0;
    u8[C.BYTE_TRIGGER_DIRECTION] = order.triggerDirection ?? 0;
    f64[C.DOUBLE_TRIGGER_PRICE] = order.triggerPrice ?? 0;
    f64[C.DOUBLE_EXPIRES_AT] = order.expiresAt ?? 0;
    f64[C.DOUBLE_VALID_UNTIL] = order.validUntil ?? 0;
    u8[C.BYTE_LINK_ID] = putText(u8, C.BYTE_LINK_ID + 4, order.linkId ?? '');
    return this.views;
  }

  private headOf({ code, source, block, subnet }: Head): void {
    const { u8, u32 } = this.views;
    if (code !== undefined) writeCode(this.views, 0, code);
    if (source !== undefined) u32[WORD_SOURCE] = source;
    if (block !== undefined) u32[WORD_BLOCK] = block;
    if (subnet !== undefined) u8[BYTE_SUBNET] = subnet;
  }

  cancel(wallet: number, nonce: number, orderId: number, signer = wallet): Views {
    return this.signed('CANCEL_ORDER', { wallet, nonce, signer }, { orderId: u64Of(orderId) });
  }

  cancelByClientId(wallet: number, nonce: number, clientId: string): Views {
    return this.signed('CANCEL_BY_CLIENT_ID', { wallet, nonce }, { clientId });
  }

  agent(revoke: 'approve' | 'revoke', wallet: number, nonce: number, agent: number, expires = 0, flags = 0): Views {
    const fields = { agent: new Uint8Array(walletWords(agent).buffer), flags, expiresAt: u64Of(expires) };
    return this.signed(revoke === 'revoke' ? 'REVOKE_AGENT' : 'APPROVE_AGENT', { wallet, nonce }, fields);
  }

  namedAgent(wallet: number, nonce: number, agent: number, name: string, expires = 0): Views {
    const fields = { agent: new Uint8Array(walletWords(agent).buffer), flags: 0, expiresAt: u64Of(expires), agentName: name };
    return this.signed('APPROVE_NAMED_AGENT', { wallet, nonce }, fields);
  }

  /** C.SET_TIER signed by an admin wallet. */
  leverage(wallet: number, nonce: number, underlying: string, leverage: number): Views {
    return this.signed('SET_LEVERAGE', { wallet, nonce }, { underlying: packName(underlying), leverage });
  }

  signedTier(wallet: number, tier: number, signer: number, nonce: number): Views {
    return this.signed('SET_TIER', { wallet, nonce, signer }, { tier });
  }

  /** Changes the head of the record just written: who signed it, from where, by which api thread, what that found wrong with it. */
  amend(head: Head & { signer?: number; items?: number; origin?: number }): Views {
    const { u8, u32 } = this.views;
    this.headOf(head);
    if (head.signer !== undefined) u32.set(walletWords(head.signer), C.WORD_SIGNER);
    if (head.items !== undefined) u8[BYTE_ITEMS] = head.items;
    if (head.origin !== undefined) u8[BYTE_ORIGIN] = head.origin;
    return this.views;
  }

  tier(wallet: number, tier: number): Views {
    this.begin(C.SET_TIER, C.proofOffset(C.SET_TIER));
    this.views.u32.set(walletWords(wallet), C.WORD_WALLET);
    this.views.u32[C.WORD_TIER] = tier;
    this.views.u32[C.WORD_TIER_FLAGS] = C.FLAG_BY_TOKEN;
    return this.views;
  }

  /** Limits in 1e-6 units, -1: none. */
  mmp(wallet: number, nonce: number, underlying: string, terms: {
    interval: number; frozen: number; quantity?: number; delta?: number; vega?: number;
  }): Views {
    const { interval: intervalMs, frozen: frozenTimeMs, quantity: qtyLimit = -1, delta: deltaLimit = -1, vega: vegaLimit = -1 } = terms;
    const fields = { currency: packName(underlying), intervalMs, frozenTimeMs, qtyLimit, deltaLimit, vegaLimit };
    return this.signed('SET_MMP', { wallet, nonce }, fields);
  }

  /** DELETE_MMP or RESET_MMP. */
  endMmp(kind: number, wallet: number, nonce: number, underlying: string): Views {
    return this.signed(kind === C.DELETE_MMP ? 'DELETE_MMP' : 'RESET_MMP', { wallet, nonce }, { currency: packName(underlying) });
  }

  marginMode(wallet: number, nonce: number, mode: number): Views {
    return this.signed('SET_MARGIN_MODE', { wallet, nonce }, { marginMode: mode });
  }

  settlementPrice(underlying: number, expiry: number, price: number): Views {
    this.begin(C.SETTLEMENT_PRICE, C.SETTLEMENT_PRICE_BYTES);
    this.views.u32[C.WORD_SETTLED_UNDERLYING] = underlying;
    this.views.f64[C.DOUBLE_SETTLED_EXPIRY] = expiry;
    this.views.f64[C.DOUBLE_SETTLED_PRICE] = price;
    return this.views;
  }

  /** Fractions times 1e6; expiry 0: all. */
  surface(underlying: number, expiry: number, atm: number, skew = 0, curvature = 0, flags = 0): Views {
    this.begin(C.SET_SURFACE, C.SET_SURFACE_BYTES);
    const { u32, f64 } = this.views;
    u32[C.WORD_SURFACE_UNDERLYING] = underlying;
    u32[C.WORD_SURFACE_FLAGS] = flags;
    f64[C.DOUBLE_SURFACE_EXPIRY] = expiry;
    f64[C.DOUBLE_SURFACE_ATM] = atm;
    f64[C.DOUBLE_SURFACE_SKEW] = skew;
    f64[C.DOUBLE_SURFACE_CURVATURE] = curvature;
    return this.views;
  }

  /** Of one contract, of all of an underlying, or with neither of everything. */
  cancelAll(wallet: number, nonce: number, { contract, underlying }: { contract?: Contract; underlying?: string } = {}): Views {
    const name = contract?.underlying ?? underlying;
    const scope = contract !== undefined ? C.SCOPE_CONTRACT : name !== undefined ? C.SCOPE_UNDERLYING : C.SCOPE_WALLET;
    const { expiry = 0, strike = 0, kind = 0 } = contract ?? {};
    const named = name === undefined ? {} : { underlying: packName(name) };
    return this.signed('CANCEL_ALL', { wallet, nonce }, { ...named, expiry, strike, scope, contractKind: kind });
  }

  /** After so many ms, 0: off. */
  cancelAfter(wallet: number, nonce: number, timeout: number, signer = wallet): Views {
    return this.signed('CANCEL_AFTER', { wallet, nonce, signer }, { timeoutMs: timeout });
  }

  /** A connection by two words, 0 and 0: the wallet's last one. */
  cancelOnDisconnect(wallet: number, nonce: number, isEnabled: boolean, graceMs: number, [lo = 0, hi = 0]: readonly number[]): Views {
    return this.signed('SET_CANCEL_ON_DISCONNECT', { wallet, nonce }, { connection: { lo, hi }, graceMs, enabled: Number(isEnabled) });
  }

  /** DISCONNECTED or RECONNECTED; the account by its number. */
  presence(kind: number, account: number, connection = [0, 0]): Views {
    this.begin(kind, C.PRESENCE_BYTES);
    this.views.u32[C.WORD_PRESENCE_ACCOUNT] = account;
    this.views.u32.set(connection, C.WORD_PRESENCE_CONNECTION);
    return this.views;
  }

  /** SET_USERNAME, or REQUEST_USERNAME. */
  username(kind: number, wallet: number, nonce: number, name: string): Views {
    return kind === C.SET_USERNAME ? this.signed('SET_USERNAME', { wallet, nonce }, { username: name })
      : this.signed('REQUEST_USERNAME', { wallet, nonce }, { requestedUsername: name });
  }

  seePayouts(wallet: number, nonce: number, ids: readonly number[]): Views {
    return this.signed('SEE_PAYOUTS', { wallet, nonce }, { payoutIds: ids });
  }

  revokeAll(wallet: number, nonce: number, flags = 0): Views {
    return this.signed('REVOKE_ALL_AGENTS', { wallet, nonce }, { flags });
  }

  voidNonces(wallet: number, nonce: number, upTo: number, signer = wallet): Views {
    return this.signed('VOID_NONCES', { wallet, nonce, signer }, { upTo: u64Of(upTo) });
  }

  /** LIST_MARKET or DELETE_MARKET; the underlying by its number. */
  market(kind: number, underlying: number, expiry: number, strike: number, type: number): Views {
    this.begin(kind, C.MARKET_BYTES);
    const { u32, f64 } = this.views;
    u32[C.WORD_MARKET_UNDERLYING] = underlying;
    u32[C.WORD_MARKET_KIND] = type;
    f64[C.DOUBLE_MARKET_EXPIRY] = expiry;
    f64[C.DOUBLE_MARKET_STRIKE] = strike;
    return this.views;
  }

  credit(wallet: number, amount: number, id: string, reason = 'because'): Views {
    const [idBytes, reasonBytes] = [id, reason].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
    this.begin(C.CREDIT, C.BYTE_CREDIT_REASON + reasonBytes.length);
    const { u8, u32, f64 } = this.views;
    u32.set(walletWords(wallet), C.WORD_CREDIT_WALLET);
    u32[C.WORD_CREDIT_ID_LENGTH] = idBytes.length;
    u32[C.WORD_CREDIT_REASON_LENGTH] = reasonBytes.length;
    f64[C.DOUBLE_CREDIT_AMOUNT] = amount;
    u8.set(idBytes, C.BYTE_CREDIT_ID);
    u8.set(reasonBytes, C.BYTE_CREDIT_REASON);
    return this.views;
  }

  /** Of the venue (no underlying), an underlying by its number, or one of its contracts. */
  tradingMode(mode: number, underlying = -1, contract: { expiry: number; strike: number; kind: number } | null = null): Views {
    this.begin(C.SET_TRADING_MODE, C.TRADING_MODE_BYTES);
    const { u32, f64 } = this.views;
    u32[C.WORD_MODE_SCOPE] = underlying < 0 ? C.SCOPE_WALLET : contract === null ? C.SCOPE_UNDERLYING : C.SCOPE_CONTRACT;
    u32[C.WORD_MODE_VALUE] = mode;
    u32[C.WORD_MODE_UNDERLYING] = Math.max(0, underlying);
    u32[C.WORD_MODE_KIND] = contract?.kind ?? 0;
    f64[C.DOUBLE_MODE_EXPIRY] = contract?.expiry ?? 0;
    f64[C.DOUBLE_MODE_STRIKE] = contract?.strike ?? 0;
    return this.views;
  }

  walletMode(wallet: number, mode: number): Views {
    this.begin(C.SET_WALLET_MODE, C.WALLET_COMMAND_BYTES);
    this.views.u32.set(walletWords(wallet), C.WORD_WALLET);
    this.views.u32[C.WORD_WALLET_MODE] = mode;
    return this.views;
  }

  cancelWallet(wallet: number): Views {
    this.begin(C.CANCEL_WALLET, C.WALLET_COMMAND_BYTES);
    this.views.u32.set(walletWords(wallet), C.WORD_WALLET);
    return this.views;
  }

  /** Texts: name, description, address of the rules, rules. */
  competition(start: number, end: number, conditions: number, primary: number, texts: readonly string[]): Views {
    const encoded = texts.map((text) => new TextEncoder().encode(text));
    this.begin(C.CREATE_COMPETITION, C.BYTE_COMPETITION_TEXTS + encoded.reduce((sum, { length }) => sum + length, 0));
    const { u8, u32, f64 } = this.views;
    f64[C.DOUBLE_COMPETITION_START] = start;
    f64[C.DOUBLE_COMPETITION_END] = end;
    u32[C.WORD_COMPETITION_CONDITIONS] = conditions;
    u32[C.WORD_COMPETITION_PRIMARY] = primary;
    let at = C.BYTE_COMPETITION_TEXTS;
    encoded.forEach((bytes, i) => {
      u32[C.WORD_COMPETITION_LENGTHS + i] = bytes.length;
      u8.set(bytes, at);
      at += bytes.length;
    });
    return this.views;
  }
}
