// Writes command records for tests, as an api thread would, without signatures: who, by whom, nonce, and the fixed
// numbers. The writer owns one buffer; each record is valid until the next is written.

import { ADD_UNDERLYING, ADD_UNDERLYING_BYTES, AGENT_BYTES, APPROVE_AGENT, BYTE_CANCEL_CLIENT_ID, BYTE_OPTION_KIND,
  BYTE_ORDER_CLIENT_ID, BYTE_ORDER_FLAGS, BYTE_SIDE, BYTE_TIF, CANCEL_BY_CLIENT_ID, CANCEL_BY_CLIENT_ID_BYTES, CANCEL_ORDER,
  CANCEL_ORDER_BYTES, CONFIGURE, DOUBLE_EXPIRY, DOUBLE_INDEX_PRICE, DOUBLE_INDEX_VOL, DOUBLE_NAME_VOL, DOUBLE_PRICE,
  DOUBLE_SETTINGS, DOUBLE_SIZE, DOUBLE_STRIKE, FLAG_BY_TOKEN, INDEX_PRICE, INDEX_PRICE_BYTES, PLACE_ORDER, PLACE_ORDER_BYTES,
  QUARANTINE, QUARANTINE_BYTES, REVOKE_AGENT, SET_TIER, SET_TIER_BYTES, WORD_AGENT, WORD_AGENT_EXPIRES, WORD_AGENT_FLAGS,
  WORD_DIGEST, WORD_INDEX_FLAGS, WORD_INDEX_UNDERLYING, WORD_NAME, WORD_NONCE, WORD_ORDER_ID, WORD_ORDER_UNDERLYING,
  WORD_QUARANTINED_SEQ, WORD_SIGNER, WORD_TIER, WORD_TIER_FLAGS, WORD_WALLET, writeSafe } from '../../core/codec/commands.ts';
import { alignUp, HEADER_BYTES, stampRecord, viewsOf, WORD_CODE, WORD_SOURCE, writeHeader, type Views } from '../../core/codec/record.ts';
import { packUnderlying } from '../../core/instruments/symbol.ts';
import { CODEC } from '../../core/version.ts';

export type Contract = { underlying: string; expiry: number; strike: number; kind: number };
export type OrderFields = Contract & {
  wallet: number; nonce: number; side: number; price: number; size: number; tif?: number; clientId?: string; signer?: number;
  flags?: number; code?: number; source?: number;
};

const PAGE = 4096;

/** A test wallet by number: 5 words that are its address. */
export function walletWords(wallet: number): Uint32Array {
  const words = [wallet + 1, 0xabcd0000 + wallet, Math.imul(wallet, 0x9e3779b1), 7, wallet ^ 0x55555555];
  return new Uint32Array(words.map((word) => word >>> 0));
}

export function packName(text: string): [number, number] {
  const name = { underlyingLo: 0, underlyingHi: 0 };
  if (!packUnderlying(text, name)) throw new RangeError(`no underlying: ${text}`);
  return [name.underlyingLo, name.underlyingHi];
}

export class RecordWriter {
  readonly views: Views = viewsOf(new ArrayBuffer(PAGE));

  private begin(kind: number, bytes: number): void {
    this.views.u8.fill(0);
    writeHeader(this.views, 0, alignUp(bytes), kind, CODEC, 0, 0);
  }

  private sign(wallet: number, nonce: number, signer: number): void {
    const { u32 } = this.views;
    u32.set(walletWords(wallet), WORD_WALLET);
    u32.set(walletWords(signer), WORD_SIGNER);
    writeSafe(this.views, WORD_NONCE, nonce);
    for (let i = 0; i < 8; i++) u32[WORD_DIGEST + i] = Math.imul(nonce + 1, i + 1 + wallet) >>> 0;
  }

  stamp(seq: number, time: number): Views {
    stampRecord(this.views, 0, seq, time);
    return this.views;
  }

  configure(values: Float64Array): Views {
    this.begin(CONFIGURE, HEADER_BYTES + values.length * 8);
    this.views.f64.set(values, DOUBLE_SETTINGS);
    return this.views;
  }

  addUnderlying(name: string, volatility: number): Views {
    this.begin(ADD_UNDERLYING, ADD_UNDERLYING_BYTES);
    this.views.u32.set(packName(name), WORD_NAME);
    this.views.f64[DOUBLE_NAME_VOL] = volatility;
    return this.views;
  }

  index(underlying: number, price: number, flags = 0, volatility = 0): Views {
    this.begin(INDEX_PRICE, INDEX_PRICE_BYTES);
    this.views.u32[WORD_INDEX_UNDERLYING] = underlying;
    this.views.u32[WORD_INDEX_FLAGS] = flags;
    this.views.f64[DOUBLE_INDEX_PRICE] = price;
    this.views.f64[DOUBLE_INDEX_VOL] = volatility;
    return this.views;
  }

  plain(kind: number): Views {
    this.begin(kind, HEADER_BYTES);
    return this.views;
  }

  quarantine(seq: number): Views {
    this.begin(QUARANTINE, QUARANTINE_BYTES);
    writeSafe(this.views, WORD_QUARANTINED_SEQ, seq);
    return this.views;
  }

  place(order: OrderFields): Views {
    this.begin(PLACE_ORDER, PLACE_ORDER_BYTES);
    this.sign(order.wallet, order.nonce, order.signer ?? order.wallet);
    const { u8, u32, f64 } = this.views;
    u32[WORD_CODE] = order.code ?? 0;
    u32[WORD_SOURCE] = order.source ?? 0;
    u32.set(packName(order.underlying), WORD_ORDER_UNDERLYING);
    f64[DOUBLE_EXPIRY] = order.expiry;
    f64[DOUBLE_STRIKE] = order.strike;
    f64[DOUBLE_PRICE] = order.price;
    f64[DOUBLE_SIZE] = order.size;
    u8[BYTE_OPTION_KIND] = order.kind;
    u8[BYTE_SIDE] = order.side;
    u8[BYTE_TIF] = order.tif ?? 0;
    u8[BYTE_ORDER_FLAGS] = order.flags ?? 0;
    this.clientId(BYTE_ORDER_CLIENT_ID, order.clientId ?? '');
    return this.views;
  }

  private clientId(at: number, text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.views.u8[at] = bytes.length;
    this.views.u8.set(bytes, at + 4);
  }

  cancel(wallet: number, nonce: number, orderId: number, signer = wallet): Views {
    this.begin(CANCEL_ORDER, CANCEL_ORDER_BYTES);
    this.sign(wallet, nonce, signer);
    writeSafe(this.views, WORD_ORDER_ID, orderId);
    return this.views;
  }

  cancelByClientId(wallet: number, nonce: number, clientId: string): Views {
    this.begin(CANCEL_BY_CLIENT_ID, CANCEL_BY_CLIENT_ID_BYTES);
    this.sign(wallet, nonce, wallet);
    this.clientId(BYTE_CANCEL_CLIENT_ID, clientId);
    return this.views;
  }

  agent(revoke: 'approve' | 'revoke', wallet: number, nonce: number, agent: number, expires = 0, named = 0): Views {
    this.begin(revoke === 'revoke' ? REVOKE_AGENT : APPROVE_AGENT, AGENT_BYTES);
    this.sign(wallet, nonce, wallet);
    this.views.u32.set(walletWords(agent), WORD_AGENT);
    this.views.u32[WORD_AGENT_FLAGS] = named;
    writeSafe(this.views, WORD_AGENT_EXPIRES, expires);
    return this.views;
  }

  /** SET_TIER signed by an admin wallet. */
  signedTier(wallet: number, tier: number, signer: number, nonce: number): Views {
    this.begin(SET_TIER, SET_TIER_BYTES);
    this.sign(wallet, nonce, signer);
    this.views.u32[WORD_TIER] = tier;
    return this.views;
  }

  /** Changes the head of the record just written: who signed it, from where, what the api thread found wrong with it. */
  amend(head: { signer?: number; source?: number; code?: number }): Views {
    const { u32 } = this.views;
    if (head.signer !== undefined) u32.set(walletWords(head.signer), WORD_SIGNER);
    if (head.source !== undefined) u32[WORD_SOURCE] = head.source;
    if (head.code !== undefined) u32[WORD_CODE] = head.code;
    return this.views;
  }

  tier(wallet: number, tier: number): Views {
    this.begin(SET_TIER, SET_TIER_BYTES);
    this.views.u32.set(walletWords(wallet), WORD_WALLET);
    this.views.u32[WORD_TIER] = tier;
    this.views.u32[WORD_TIER_FLAGS] = FLAG_BY_TOKEN;
    return this.views;
  }
}
