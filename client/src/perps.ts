// Typed data of a perp order: the hash of a MessagePack action, as connectionId of the structure Agent in the domain Exchange / 1 / 1337
// (wire contract 3.5). The key order and the shortest integer encoding are part of the hash.

import { StrikebookError } from './strikebook-error.ts';
import { bytesOf, domainOf, hashHex, typedDataOf, type TypedData } from './typed-data.ts';

/** Texts as in the order's body. `agentFor` is the wallet if an agent signs, else null. */
type PerpTerms = {
  readonly asset: number; readonly side: string; readonly price: string; readonly size: string; readonly tif: string;
  readonly reduceOnly: boolean; readonly clientId: string; readonly nonce: bigint; readonly agentFor: string | null;
};
type Packable = string | number | boolean | readonly Packable[] | { readonly [name: string]: Packable };

const EXCHANGE = domainOf('Exchange', 1337);
const CLOID = /^0x[0-9a-fA-F]{32}$/;
const encoder = new TextEncoder();

export function perpTypedData(source: string, terms: PerpTerms): TypedData {
  const { clientId, tif } = terms;
  if (clientId !== '' && !CLOID.test(clientId)) {
    throw new StrikebookError('invalid_argument', 'client_id of a perp must be 0x and 32 hex digits');
  }
  const order = {
    a: terms.asset, b: terms.side === 'Buy', p: terms.price, s: terms.size, r: terms.reduceOnly,
    t: { limit: { tif: `${tif.slice(0, 1).toUpperCase()}${tif.slice(1)}` } },
    ...(clientId === '' ? {} : { c: clientId }),
  };
  const connectionId = hashAction({ type: 'order', orders: [order], grouping: 'na' }, terms.nonce, terms.agentFor);
  return typedDataOf(EXCHANGE, 'Agent', { source, connectionId });
}

/** keccak256(msgpack(action) ‖ nonce ‖ 0x00, or 0x01 and the account). */
export function hashAction(action: Packable, nonce: bigint, account: string | null): string {
  const bytes: number[] = [];
  pack(action, bytes);
  for (let shift = 56n; shift >= 0n; shift -= 8n) bytes.push(Number((nonce >> shift) & 0xffn));
  if (account === null) bytes.push(0);
  else bytes.push(1, ...bytesOf(account, 20, 'wallet'));
  return hashHex(Uint8Array.from(bytes));
}

/** Maps and lists up to 15 entries, text, booleans, integers from 0 to 2^32 - 1. */
function pack(value: Packable, out: number[]): void {
  if (typeof value === 'boolean') out.push(value ? 0xc3 : 0xc2);
  else if (typeof value === 'number') packInteger(value, out);
  else if (typeof value === 'string') packText(value, out);
  else if (Array.isArray(value)) {
    out.push(0x90 + shortOf(value.length));
    for (const item of value as readonly Packable[]) pack(item, out);
  } else {
    const entries = Object.entries(value);
    out.push(0x80 + shortOf(entries.length));
    for (const [name, item] of entries) {
      packText(name, out);
      pack(item, out);
    }
  }
}

function packInteger(value: number, out: number[]): void {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** 32) throw new RangeError(`${value} is no integer of 32 bits`);
  if (value < 0x80) out.push(value);
  else if (value < 0x100) out.push(0xcc, value);
  else if (value < 0x1_0000) out.push(0xcd, value >>> 8, value & 0xff);
  else out.push(0xce, value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

function packText(text: string, out: number[]): void {
  const bytes = encoder.encode(text);
  if (bytes.length < 32) out.push(0xa0 + bytes.length);
  else if (bytes.length < 0x100) out.push(0xd9, bytes.length);
  else throw new RangeError('A text of an action has at most 255 bytes');
  out.push(...bytes);
}

function shortOf(count: number): number {
  if (count > 15) throw new RangeError('A map or list of an action has at most 15 entries');
  return count;
}
