// The structures that get signed, as EIP-712 writes them, and the types of their values. The wire contract is their source.
// No import: the venue verifies by this table and the client library signs by it, in a browser too.

const ORDER = 'string symbol,string side,string size,string price,string tif';
const MMP_LIMITS = 'uint64 intervalMs,uint64 frozenTimeMs,string qtyLimit,string deltaLimit,string vegaLimit';

/** Every structure by our name for it. The name inside the text is the primary type, which is what gets signed. */
export const STRUCTURES = {
  PlaceOrder: `PlaceOrder(address wallet,${ORDER},string clientId,uint64 nonce)`,
  PlaceOrderRouted: `PlaceOrder(address wallet,${ORDER},string route,string clientId,uint64 nonce)`,
  PlaceOrderReduceOnly: `PlaceOrderReduceOnly(address wallet,${ORDER},string route,string clientId,bool reduceOnly,uint64 nonce)`,
  CancelOrder: 'CancelOrder(address wallet,string orderId,uint64 nonce)',
  CancelOrderByClientId: 'CancelOrderByClientId(address wallet,string clientId,uint64 nonce)',
  ReplaceOrder: `ReplaceOrder(address wallet,string orderId,${ORDER},string clientId,uint64 nonce)`,
  ReplaceOrderReduceOnly: `ReplaceOrderReduceOnly(address wallet,string orderId,${ORDER},string clientId,bool reduceOnly,uint64 nonce)`,
  CancelAll: 'CancelAll(address wallet,string scope,uint64 nonce)',
  SetCancelOnDisconnect: 'SetCancelOnDisconnect(address wallet,bool enabled,uint64 graceMs,string connection,uint64 nonce)',
  CancelAfter: 'CancelAfter(address wallet,uint64 timeoutMs,uint64 nonce)',
  VoidNonces: 'VoidNonces(address wallet,uint64 upTo,uint64 nonce)',
  ApproveAgent: 'ApproveAgent(address agent,uint64 nonce)',
  ApproveAgentUntil: 'ApproveAgentUntil(address agent,uint64 expiresAt,uint64 nonce)',
  RevokeAgent: 'RevokeAgent(address agent,uint64 nonce)',
  RevokeAllAgents: 'RevokeAllAgents(uint64 nonce)',
  SetMarginMode: 'SetMarginMode(address wallet,string marginMode,uint64 nonce)',
  SetSettlementPayoutSeen: 'SetSettlementPayoutSeen(address wallet,string payoutIds,bool seen,uint64 nonce)',
  SubmitUsernameRequest: 'SubmitUsernameRequest(address wallet,string requestedUsername,uint64 nonce)',
  SetUsername: 'SetUsername(address wallet,string username,uint64 nonce)',
  SetMmpConfig: `SetMmpConfig(address wallet,string currency,${MMP_LIMITS},uint64 nonce)`,
  DeleteMmpConfig: 'DeleteMmpConfig(address wallet,string currency,uint64 nonce)',
  ResetMmp: 'ResetMmp(address wallet,string currency,uint64 nonce)',
  SetUserTier: 'SetUserTier(address wallet,string tier,uint64 nonce)',
  Agent: 'Agent(string source,bytes32 connectionId)',
} as const;

export type StructureName = keyof typeof STRUCTURES;

/** A uint64 as its two halves, each 0 .. 2^32 - 1, so that no digit above 2^53 is lost. */
export type U64 = { readonly lo: number; readonly hi: number };

type ValueTypes = { address: Uint8Array; bytes32: Uint8Array; string: string; bool: boolean; uint64: U64 };
/** What a member may hold. */
export type Kind = keyof ValueTypes;
type Member<Text, T extends Record<Kind, unknown>> =
  Text extends `${infer K extends Kind} ${infer Name}` ? { readonly [_ in Name]: T[K] } : never;
type Members<Text, T extends Record<Kind, unknown>> =
  Text extends `${infer First},${infer Rest}` ? Member<First, T> & Members<Rest, T> : Member<Text, T>;

/** The values of a structure by member name, each kind as `T` has it; without `T`: addresses are 20 bytes, bytes32 32 bytes. */
export type Values<S extends StructureName, T extends Record<Kind, unknown> = ValueTypes> =
  (typeof STRUCTURES)[S] extends `${string}(${infer List})` ? Members<List, T> : never;

/** The members of a structure, in their order. */
export function membersOf(structure: StructureName): readonly { readonly name: string; readonly type: Kind }[] {
  const text: string = STRUCTURES[structure];
  return text.slice(text.indexOf('(') + 1, -1).split(',').map((member) => {
    const [type, name] = member.split(' ') as [Kind, string];
    return { name, type };
  });
}
