// The table of signed commands; record layout, typed data, proof, audit and interface description follow from it. The client library uses
// it in a browser, so this file imports only constants. Adding a field raises CODEC.

import { CLIENT_ID_TOO_LONG, INVALID_CONNECTION, INVALID_MODE, INVALID_USERNAME, UNKNOWN_UNDERLYING } from '../errors.ts';
import { AGENT_NAME_CHARS, CLIENT_ID_BYTES, LABEL_CHARS, PAYOUT_IDS_A_COMMAND, USERNAME_CHARS } from '../limits.ts';

const ORDER_MEMBERS = 'string symbol,string side,string size,string price,string tif';
/** Members of an extended order (extensions 1). An absent one is signed as '', false or 0. */
const RULE_MEMBERS = 'string postOnly,bool reduceOnly,uint64 expiresAt,uint64 validUntil,string stp';
const TRIGGER_MEMBERS = 'string triggerBy,string triggerDirection,string triggerPrice';
const EXTENDED_MEMBERS = `${ORDER_MEMBERS},string clientId,${RULE_MEMBERS},${TRIGGER_MEMBERS},string linkId,uint64 nonce` as const;
const MMP_MEMBERS = 'uint64 intervalMs,uint64 frozenTimeMs,string qtyLimit,string deltaLimit,string vegaLimit';

/** EIP-712 structures by our names; the text holds the primary type. Its place plus one is stored in journals for ever, so append only. */
export const STRUCTURES = {
  PlaceOrder: `PlaceOrder(address wallet,${ORDER_MEMBERS},string clientId,uint64 nonce)`,
  PlaceOrderRouted: `PlaceOrder(address wallet,${ORDER_MEMBERS},string route,string clientId,uint64 nonce)`,
  PlaceOrderReduceOnly:
    `PlaceOrderReduceOnly(address wallet,${ORDER_MEMBERS},string route,string clientId,bool reduceOnly,uint64 nonce)`,
  CancelOrder: 'CancelOrder(address wallet,string orderId,uint64 nonce)',
  CancelOrderByClientId: 'CancelOrderByClientId(address wallet,string clientId,uint64 nonce)',
  ReplaceOrder: `ReplaceOrder(address wallet,string orderId,${ORDER_MEMBERS},string clientId,uint64 nonce)`,
  ReplaceOrderReduceOnly:
    `ReplaceOrderReduceOnly(address wallet,string orderId,${ORDER_MEMBERS},string clientId,bool reduceOnly,uint64 nonce)`,
  CancelAll: 'CancelAll(address wallet,string scope,uint64 nonce)',
  SetCancelOnDisconnect: 'SetCancelOnDisconnect(address wallet,bool enabled,uint64 graceMs,string connection,uint64 nonce)',
  CancelAfter: 'CancelAfter(address wallet,uint64 timeoutMs,uint64 nonce)',
  ApproveAgent: 'ApproveAgent(address agent,uint64 nonce)',
  ApproveAgentUntil: 'ApproveAgentUntil(address agent,uint64 expiresAt,uint64 nonce)',
  RevokeAgent: 'RevokeAgent(address agent,uint64 nonce)',
  RevokeAllAgents: 'RevokeAllAgents(uint64 nonce)',
  SetMarginMode: 'SetMarginMode(address wallet,string marginMode,uint64 nonce)',
  SetSettlementPayoutSeen: 'SetSettlementPayoutSeen(address wallet,string payoutIds,bool seen,uint64 nonce)',
  SubmitUsernameRequest: 'SubmitUsernameRequest(address wallet,string requestedUsername,uint64 nonce)',
  SetUsername: 'SetUsername(address wallet,string username,uint64 nonce)',
  SetMmpConfig: `SetMmpConfig(address wallet,string currency,${MMP_MEMBERS},uint64 nonce)`,
  DeleteMmpConfig: 'DeleteMmpConfig(address wallet,string currency,uint64 nonce)',
  ResetMmp: 'ResetMmp(address wallet,string currency,uint64 nonce)',
  SetUserTier: 'SetUserTier(address wallet,string tier,uint64 nonce)',
  Agent: 'Agent(string source,bytes32 connectionId)',
  VoidNonces: 'VoidNonces(address wallet,uint64 upTo,uint64 nonce)',
  PlaceOrderExtended: `PlaceOrderExtended(address wallet,${EXTENDED_MEMBERS})`,
  ReplaceOrderExtended: `ReplaceOrderExtended(address wallet,string orderId,${EXTENDED_MEMBERS})`,
  AmendOrder: 'AmendOrder(address wallet,string orderId,string size,string price,string triggerPrice,uint64 validUntil,uint64 nonce)',
  MassQuote: 'MassQuote(address wallet,string quoteSet,uint64 validUntil,string crossing,string quotes,uint64 nonce)',
  CancelQuotes: 'CancelQuotes(address wallet,string quoteSet,string scope,uint64 nonce)',
} as const;

export type StructureName = keyof typeof STRUCTURES;

/** Two halves of 0 to 2^32 - 1, because a double would lose digits above 2^53. */
export type U64 = { readonly lo: number; readonly hi: number };

type MemberValues = { address: Uint8Array; bytes32: Uint8Array; string: string; bool: boolean; uint64: U64 };
export type MemberType = keyof MemberValues;
type Member<Text, T extends Record<MemberType, unknown>> =
  Text extends `${infer K extends MemberType} ${infer Name}` ? { readonly [_ in Name]: T[K] } : never;
type Members<Text, T extends Record<MemberType, unknown>> =
  Text extends `${infer First},${infer Rest}` ? Member<First, T> & Members<Rest, T> : Member<Text, T>;

export type Values<S extends StructureName, T extends Record<MemberType, unknown> = MemberValues> =
  (typeof STRUCTURES)[S] extends `${string}(${infer List})` ? Members<List, T> : never;

export function membersOf(structure: StructureName): readonly { readonly name: string; readonly type: MemberType }[] {
  const text: string = STRUCTURES[structure];
  return text.slice(text.indexOf('(') + 1, -1).split(',').map((member) => {
    const space = member.indexOf(' ');
    return { name: member.slice(space + 1), type: member.slice(0, space) as MemberType };
  });
}

/** Rate classes: columns of a tier's limits. */
export const ORDERS = 0;
export const CANCELS = 1;
export const REQUESTS = 2;
export const QUOTES = 3;

/** The request named its wallet, so the wallet's account opens. */
export const FLAG_WALLET_NAMED = 1;

type FieldValues = {
  u8: number; u32: number; f64: number; u64: U64; address: Uint8Array; name: U64; connection: U64; choice: number; text: string;
  ids: readonly number[];
};

/**
 * Fields lie in order, each at a multiple of `align`. A field named like a member of the signed structure has its value; otherwise it is 0.
 */
export type Field = {
  readonly name: string;
  readonly type: keyof FieldValues;
  readonly bytes: number;
  readonly align: number;
  /** For a text that has no value. */
  readonly code?: number;
  /** Stored as an index in this list. */
  readonly words?: readonly string[];
  readonly form?: RegExp;
  /** Flag bits that no signature covers. */
  readonly unsigned?: number;
  /** Admission writes it, so no signature covers it. */
  readonly admitted?: true;
};

const u8 = <const N extends string>(name: N) => ({ name, type: 'u8', bytes: 1, align: 1 } as const);
const u32 = <const N extends string>(name: N) => ({ name, type: 'u32', bytes: 4, align: 4 } as const);
const f64 = <const N extends string>(name: N) => ({ name, type: 'f64', bytes: 8, align: 8 } as const);
const admitted = <const N extends string>(name: N) => ({ ...f64(name), admitted: true } as const);
/** Two words, low first, from decimal digits or a uint64. */
const u64 = <const N extends string>(name: N) => ({ name, type: 'u64', bytes: 8, align: 8 } as const);
const flags = (unsigned: number) => ({ name: 'flags', type: 'u32', bytes: 4, align: 4, unsigned } as const);
const address = <const N extends string>(name: N) => ({ name, type: 'address', bytes: 20, align: 4 } as const);
/** In two words (core/instruments/symbol). */
const underlying = <const N extends string>(name: N) => ({ name, type: 'name', bytes: 8, align: 8, code: UNKNOWN_UNDERLYING } as const);
/** 8 bytes from 16 hex digits; zeros from an empty text. */
const connection = <const N extends string>(name: N) => (
  { name, type: 'connection', bytes: 8, align: 8, code: INVALID_CONNECTION } as const
);
const choice = <const N extends string, const W extends readonly string[]>(name: N, words: W, code?: number) => (
  { name, type: 'choice', bytes: 4, align: 4, words, ...(code !== undefined && { code }) } as const
);
/** Length in one byte, then at byte 4 up to `most` bytes of UTF-8. */
const text = <const N extends string>(name: N, most: number, code: number, form?: RegExp) => (
  { name, type: 'text', bytes: 4 + most, align: 4, code, ...(form !== undefined && { form }) } as const
);
/** ASCII; empty: none. Request checks refuse other forms. */
const name = <const N extends string>(field: N, most: number) => ({ name: field, type: 'text', bytes: 4 + most, align: 4 } as const);
/** Of a link or a quote set. */
const label = <const N extends string>(field: N) => name(field, LABEL_CHARS);
/** Count, then each id as a double; from a text with commas. */
const ids = <const N extends string>(name: N, most: number) => ({ name, type: 'ids', bytes: 8 + most * 8, align: 8 } as const);

/** Decision 5.6. */
const USERNAME = /^[A-Za-z0-9_]{3,20}$/;

/** What the core reads of every order comes first, for the cache. */
const ORDER = [
  underlying('underlying'), f64('expiry'), f64('strike'), f64('price'), f64('size'), u8('contractKind'), u8('side'), u8('tif'), u8('flags'),
  // Zero unless the order is extended; the bytes are one word.
  u8('postOnly'), u8('stp'), u8('triggerBy'), u8('triggerDirection'), f64('expiresAt'), f64('validUntil'), f64('triggerPrice'),
  label('linkId'), text('clientId', CLIENT_ID_BYTES, CLIENT_ID_TOO_LONG),
] as const;
/** `expiresAt` in ms; 0: never. */
const AGENT = [address('agent'), flags(FLAG_WALLET_NAMED), u64('expiresAt')] as const;
const MMP_NAME = [underlying('currency')] as const;
/** Zeros where nothing is named. */
const SCOPE = [underlying('underlying'), f64('expiry'), f64('strike'), u32('scope'), u32('contractKind')] as const;

export type SignedCommand = {
  readonly kind: number;
  readonly rate: typeof ORDERS | typeof CANCELS | typeof REQUESTS | typeof QUOTES;
  readonly signed: readonly StructureName[];
  readonly fields: readonly Field[];
};

/** Commands by our names. Kinds 14 and 28 were never used. */
export const SIGNED_COMMANDS = {
  SET_TIER: {
    kind: 15, rate: REQUESTS, signed: ['SetUserTier'],
    fields: [choice('tier', ['default', 'tier1', 'tier2', 'market_maker']), flags(0)],
  },
  APPROVE_AGENT: { kind: 16, rate: REQUESTS, signed: ['ApproveAgent', 'ApproveAgentUntil'], fields: AGENT },
  REVOKE_AGENT: { kind: 17, rate: REQUESTS, signed: ['RevokeAgent'], fields: AGENT },
  PLACE_ORDER: {
    kind: 18, rate: ORDERS, signed: ['PlaceOrder', 'PlaceOrderRouted', 'PlaceOrderReduceOnly', 'Agent', 'PlaceOrderExtended'],
    fields: ORDER,
  },
  CANCEL_ORDER: { kind: 19, rate: CANCELS, signed: ['CancelOrder'], fields: [u64('orderId')] },
  CANCEL_BY_CLIENT_ID: {
    kind: 20, rate: CANCELS, signed: ['CancelOrderByClientId'], fields: [text('clientId', CLIENT_ID_BYTES, CLIENT_ID_TOO_LONG)],
  },
  /** Limits: quantity in 1e-6 contracts, delta in 1e-6, vega in 1e-6 USDC per volatility point; -1: no limit. */
  SET_MMP: {
    kind: 21, rate: REQUESTS, signed: ['SetMmpConfig'],
    fields: [...MMP_NAME, f64('intervalMs'), f64('frozenTimeMs'), f64('qtyLimit'), f64('deltaLimit'), f64('vegaLimit')],
  },
  DELETE_MMP: { kind: 22, rate: REQUESTS, signed: ['DeleteMmpConfig'], fields: MMP_NAME },
  RESET_MMP: { kind: 23, rate: REQUESTS, signed: ['ResetMmp'], fields: MMP_NAME },
  SET_MARGIN_MODE: {
    kind: 24, rate: REQUESTS, signed: ['SetMarginMode'], fields: [choice('marginMode', ['standard', 'portfolio'], INVALID_MODE)],
  },
  REPLACE_ORDER: {
    kind: 25, rate: ORDERS, signed: ['ReplaceOrder', 'ReplaceOrderReduceOnly', 'ReplaceOrderExtended'], fields: [...ORDER, u64('orderId')],
  },
  SET_CANCEL_ON_DISCONNECT: {
    kind: 26, rate: CANCELS, signed: ['SetCancelOnDisconnect'], fields: [connection('connection'), f64('graceMs'), u32('enabled')],
  },
  CANCEL_AFTER: { kind: 27, rate: CANCELS, signed: ['CancelAfter'], fields: [f64('timeoutMs')] },
  CANCEL_ALL: { kind: 29, rate: CANCELS, signed: ['CancelAll'], fields: SCOPE },
  SET_USERNAME: {
    kind: 30, rate: REQUESTS, signed: ['SetUsername'], fields: [text('username', USERNAME_CHARS, INVALID_USERNAME, USERNAME)],
  },
  REQUEST_USERNAME: {
    kind: 31, rate: REQUESTS, signed: ['SubmitUsernameRequest'],
    fields: [text('requestedUsername', USERNAME_CHARS, INVALID_USERNAME, USERNAME)],
  },
  SEE_PAYOUTS: { kind: 32, rate: REQUESTS, signed: ['SetSettlementPayoutSeen'], fields: [ids('payoutIds', PAYOUT_IDS_A_COMMAND)] },
  REVOKE_ALL_AGENTS: { kind: 33, rate: REQUESTS, signed: ['RevokeAllAgents'], fields: AGENT },
  VOID_NONCES: { kind: 34, rate: CANCELS, signed: ['VoidNonces'], fields: [u64('upTo')] },
  /** `triggerPrice` 0: as it is. `validUntil` in ms; 0: for ever. */
  AMEND_ORDER: {
    kind: 35, rate: ORDERS, signed: ['AmendOrder'],
    fields: [u64('orderId'), f64('size'), f64('price'), f64('triggerPrice'), f64('validUntil')],
  },
  /**
   * Its lines follow the proof (quote-lines.ts). `sides`: those named; `placements`: those with a size and a valid price. Caps -1: none.
   */
  MASS_QUOTE: {
    kind: 36, rate: QUOTES, signed: ['MassQuote'],
    fields: [
      underlying('underlying'), f64('validUntil'), admitted('mostOpen'), admitted('mostPositions'), u32('lines'), u32('sides'),
      u32('placements'), choice('crossing', ['', 'reject', 'slide']), label('quoteSet'),
    ],
  },
  CANCEL_QUOTES: {
    kind: 37, rate: CANCELS, signed: ['CancelQuotes'], fields: [...SCOPE, label('quoteSet')],
  },
  /** The former agent of that name is revoked. An empty name replaces nobody. */
  APPROVE_NAMED_AGENT: { kind: 39, rate: REQUESTS, signed: [], fields: [...AGENT, name('agentName', AGENT_NAME_CHARS)] },
  /** Only as an item of a batch. */
  SET_LEVERAGE: { kind: 40, rate: REQUESTS, signed: [], fields: [underlying('underlying'), u32('leverage')] },
  /**
   * Its items follow the proof (batch-items.ts), `itemBytes` in all. `rate`: the class of all of them. Caps -1: none. `validUntil` 0: for
   * ever.
   */
  BATCH: {
    kind: 38, rate: ORDERS, signed: [],
    fields: [
      f64('validUntil'), admitted('mostOpen'), admitted('mostTriggers'), admitted('mostPositions'), u32('items'), u32('itemBytes'),
      u32('rate'),
    ],
  },
} as const satisfies Readonly<Record<string, SignedCommand>>;

export type CommandName = keyof typeof SIGNED_COMMANDS;
type FieldOf<C extends CommandName> = (typeof SIGNED_COMMANDS)[C]['fields'][number];
export type FieldName<C extends CommandName> = FieldOf<C>['name'];
/** An absent field is written as zero. */
export type Fields<C extends CommandName> = { readonly [F in FieldOf<C> as F['name']]: FieldValues[F['type']] };
export type FieldValue = FieldValues[keyof FieldValues];
