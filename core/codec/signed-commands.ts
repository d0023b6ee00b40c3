// The table of signed commands. One row says which kind a command is in the journal, which rate limit it is charged to, as which
// EIP-712 structures it may be signed, and which fields its record has. All else about its form follows from the row: the layout of the
// record (commands.ts), the typed data that a wallet signs, which texts are kept as proof, how the audit derives the record again from
// them (shell/api), and what the interface description says of it. The client library signs by this table in a browser, so this file
// reads no record and imports constants alone. Adding a field to a row raises CODEC.

import { CLIENT_ID_TOO_LONG, INVALID_CONNECTION, INVALID_MODE, INVALID_USERNAME, UNKNOWN_UNDERLYING } from '../errors.ts';
import { CLIENT_ID_BYTES, PAYOUT_IDS_A_COMMAND, USERNAME_CHARS } from '../limits.ts';

const ORDER_MEMBERS = 'string symbol,string side,string size,string price,string tif';
const MMP_MEMBERS = 'uint64 intervalMs,uint64 frozenTimeMs,string qtyLimit,string deltaLimit,string vegaLimit';

/**
 * What wallets sign, as EIP-712 writes it, by our name for it. The name inside the text is the primary type. A structure's number in a
 * proof is its place here plus one, and a journal keeps it for ever: a new structure goes to the end.
 */
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
} as const;

export type StructureName = keyof typeof STRUCTURES;

/** A uint64 as its two halves, each 0 .. 2^32 - 1, so that no digit above 2^53 is lost. */
export type U64 = { readonly lo: number; readonly hi: number };

/** What the members of structures may hold: addresses are 20 bytes, bytes32 32 bytes. */
type MemberValues = { address: Uint8Array; bytes32: Uint8Array; string: string; bool: boolean; uint64: U64 };
export type MemberType = keyof MemberValues;
type Member<Text, T extends Record<MemberType, unknown>> =
  Text extends `${infer K extends MemberType} ${infer Name}` ? { readonly [_ in Name]: T[K] } : never;
type Members<Text, T extends Record<MemberType, unknown>> =
  Text extends `${infer First},${infer Rest}` ? Member<First, T> & Members<Rest, T> : Member<Text, T>;

/** The values of a structure by member name, each type of member as `T` has it. */
export type Values<S extends StructureName, T extends Record<MemberType, unknown> = MemberValues> =
  (typeof STRUCTURES)[S] extends `${string}(${infer List})` ? Members<List, T> : never;

/** The members of a structure, in their order. */
export function membersOf(structure: StructureName): readonly { readonly name: string; readonly type: MemberType }[] {
  const text: string = STRUCTURES[structure];
  return text.slice(text.indexOf('(') + 1, -1).split(',').map((member) => {
    const space = member.indexOf(' ');
    return { name: member.slice(space + 1), type: member.slice(0, space) as MemberType };
  });
}

/** Rate classes: the columns of a tier's limits. */
export const ORDERS = 0;
export const CANCELS = 1;
export const REQUESTS = 2;

/** Flag of the commands about agents: the request named its wallet, so the command opens the wallet's account. */
export const FLAG_WALLET_NAMED = 1;

/** What the fields of records hold. */
type FieldValues = {
  u8: number; u32: number; f64: number; u64: U64; address: Uint8Array; name: U64; connection: U64; choice: number; text: string;
  ids: readonly number[];
};

/**
 * A field of a record; fields lie in the order of their row, each at the next multiple of `align`. A field with the name of a member of
 * the signed structure has its value from there, and stays zero where the structure has no such member.
 */
export type Field = {
  readonly name: string;
  readonly type: keyof FieldValues;
  readonly bytes: number;
  readonly align: number;
  /** The refusal of a text that stands for no value; absent where the checks of the request's fields let no such text pass. */
  readonly code?: number;
  /** Of a choice: its number is the place of the word. A word that is none of them is -1 where there is no code. */
  readonly words?: readonly string[];
  /** Of a text. */
  readonly form?: RegExp;
  /** Of flags: the bits that no signature covers. */
  readonly unsigned?: number;
};

const u8 = <const N extends string>(name: N) => ({ name, type: 'u8', bytes: 1, align: 1 } as const);
const u32 = <const N extends string>(name: N) => ({ name, type: 'u32', bytes: 4, align: 4 } as const);
const f64 = <const N extends string>(name: N) => ({ name, type: 'f64', bytes: 8, align: 8 } as const);
/** Two words, the low one first; from a text of decimal digits or from a uint64. */
const u64 = <const N extends string>(name: N) => ({ name, type: 'u64', bytes: 8, align: 8 } as const);
const flags = (unsigned: number) => ({ name: 'flags', type: 'u32', bytes: 4, align: 4, unsigned } as const);
const address = <const N extends string>(name: N) => ({ name, type: 'address', bytes: 20, align: 4 } as const);
/** The name of an underlying, packed into two words (core/instruments/symbol). */
const underlying = <const N extends string>(name: N) => ({ name, type: 'name', bytes: 8, align: 8, code: UNKNOWN_UNDERLYING } as const);
/** The 8 bytes of a connection's id, from 16 hex digits; zeros from an empty text. */
const connection = <const N extends string>(name: N) => (
  { name, type: 'connection', bytes: 8, align: 8, code: INVALID_CONNECTION } as const
);
const choice = <const N extends string, const W extends readonly string[]>(name: N, words: W, code?: number) => (
  { name, type: 'choice', bytes: 4, align: 4, words, ...(code !== undefined && { code }) } as const
);
/** At most `most` bytes of UTF-8: the length in one byte, the text four bytes on. */
const text = <const N extends string>(name: N, most: number, code: number, form?: RegExp) => (
  { name, type: 'text', bytes: 4 + most, align: 4, code, ...(form !== undefined && { form }) } as const
);
/** Up to `most` ids: how many, then each as a double; from a text with commas between them. */
const ids = <const N extends string>(name: N, most: number) => ({ name, type: 'ids', bytes: 8 + most * 8, align: 8 } as const);

/** Decision 5.6. */
const USERNAME = /^[A-Za-z0-9_]{3,20}$/;

const ORDER = [
  underlying('underlying'), f64('expiry'), f64('strike'), f64('price'), f64('size'), u8('contractKind'), u8('side'), u8('tif'), u8('flags'),
  text('clientId', CLIENT_ID_BYTES, CLIENT_ID_TOO_LONG),
] as const;
/** `expiresAt`: ms, 0 for never. */
const AGENT = [address('agent'), flags(FLAG_WALLET_NAMED), u64('expiresAt')] as const;
const MMP_NAME = [underlying('currency')] as const;

export type SignedCommand = {
  /** Its number in the journal, for ever. */
  readonly kind: number;
  readonly rate: typeof ORDERS | typeof CANCELS | typeof REQUESTS;
  readonly signed: readonly StructureName[];
  readonly fields: readonly Field[];
};

/** By our name for the command. The kinds 14 and 28 were never used. */
export const SIGNED_COMMANDS = {
  SET_TIER: {
    kind: 15, rate: REQUESTS, signed: ['SetUserTier'],
    fields: [choice('tier', ['default', 'tier1', 'tier2', 'market_maker']), flags(0)],
  },
  APPROVE_AGENT: { kind: 16, rate: REQUESTS, signed: ['ApproveAgent', 'ApproveAgentUntil'], fields: AGENT },
  REVOKE_AGENT: { kind: 17, rate: REQUESTS, signed: ['RevokeAgent'], fields: AGENT },
  PLACE_ORDER: {
    kind: 18, rate: ORDERS, signed: ['PlaceOrder', 'PlaceOrderRouted', 'PlaceOrderReduceOnly', 'Agent'], fields: ORDER,
  },
  CANCEL_ORDER: { kind: 19, rate: CANCELS, signed: ['CancelOrder'], fields: [u64('orderId')] },
  CANCEL_BY_CLIENT_ID: {
    kind: 20, rate: CANCELS, signed: ['CancelOrderByClientId'], fields: [text('clientId', CLIENT_ID_BYTES, CLIENT_ID_TOO_LONG)],
  },
  /** Limits: 1e-6 contracts, 1e-6, 1e-6 USDC per volatility point; -1: none. */
  SET_MMP: {
    kind: 21, rate: REQUESTS, signed: ['SetMmpConfig'],
    fields: [...MMP_NAME, f64('intervalMs'), f64('frozenTimeMs'), f64('qtyLimit'), f64('deltaLimit'), f64('vegaLimit')],
  },
  DELETE_MMP: { kind: 22, rate: REQUESTS, signed: ['DeleteMmpConfig'], fields: MMP_NAME },
  RESET_MMP: { kind: 23, rate: REQUESTS, signed: ['ResetMmp'], fields: MMP_NAME },
  SET_MARGIN_MODE: {
    kind: 24, rate: REQUESTS, signed: ['SetMarginMode'], fields: [choice('marginMode', ['standard', 'portfolio'], INVALID_MODE)],
  },
  REPLACE_ORDER: { kind: 25, rate: ORDERS, signed: ['ReplaceOrder', 'ReplaceOrderReduceOnly'], fields: [...ORDER, u64('orderId')] },
  /** The connection is zeros for the last one that signed something. */
  SET_CANCEL_ON_DISCONNECT: {
    kind: 26, rate: CANCELS, signed: ['SetCancelOnDisconnect'], fields: [connection('connection'), f64('graceMs'), u32('enabled')],
  },
  CANCEL_AFTER: { kind: 27, rate: CANCELS, signed: ['CancelAfter'], fields: [f64('timeoutMs')] },
  /** Which orders, and the underlying or the contract that they are of; zeros where none is named. */
  CANCEL_ALL: {
    kind: 29, rate: CANCELS, signed: ['CancelAll'],
    fields: [underlying('underlying'), f64('expiry'), f64('strike'), u32('scope'), u32('contractKind')],
  },
  SET_USERNAME: {
    kind: 30, rate: REQUESTS, signed: ['SetUsername'], fields: [text('username', USERNAME_CHARS, INVALID_USERNAME, USERNAME)],
  },
  REQUEST_USERNAME: {
    kind: 31, rate: REQUESTS, signed: ['SubmitUsernameRequest'],
    fields: [text('requestedUsername', USERNAME_CHARS, INVALID_USERNAME, USERNAME)],
  },
  SEE_PAYOUTS: { kind: 32, rate: REQUESTS, signed: ['SetSettlementPayoutSeen'], fields: [ids('payoutIds', PAYOUT_IDS_A_COMMAND)] },
  /** Names no agent: its field stays zero. */
  REVOKE_ALL_AGENTS: { kind: 33, rate: REQUESTS, signed: ['RevokeAllAgents'], fields: AGENT },
  VOID_NONCES: { kind: 34, rate: CANCELS, signed: ['VoidNonces'], fields: [u64('upTo')] },
} as const satisfies Readonly<Record<string, SignedCommand>>;

export type CommandName = keyof typeof SIGNED_COMMANDS;
type FieldOf<C extends CommandName> = (typeof SIGNED_COMMANDS)[C]['fields'][number];
export type FieldName<C extends CommandName> = FieldOf<C>['name'];
/** The fields of a command's record by name. Written: one that is absent is zero. */
export type Fields<C extends CommandName> = { readonly [F in FieldOf<C> as F['name']]: FieldValues[F['type']] };
export type FieldValue = FieldValues[keyof FieldValues];
