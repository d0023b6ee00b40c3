// The network source of a request, which quotas count by (decision 5.3): an IPv4 address, or the /64 of an IPv6 address, since one
// customer holds a whole /64. Loopback is only what this machine itself sends, never a forwarded address or a foreign page. Behind a
// proxy (TRUST_PROXY) it is the last entry of X-Forwarded-For, which our proxy wrote.

import { isIPv4, isIPv6 } from 'node:net';

export type Source = {
  readonly network: string;
  /** FNV-1a of the address family and the network's bytes, from 1 to 2^32 - 1. */
  readonly digest: number;
  readonly loopback: boolean;
  readonly block?: Block;
  readonly connection?: LiveConnection;
};

/** The /48 around an IPv6 source. `subnet`: the byte that selects the /56. */
type Block = { readonly digest: number; readonly subnet: number };

export type LiveConnection = { readonly number: number; readonly isOpen: boolean };

const IPV4_BYTES = 4;
const IPV6_BYTES = 16;
const NETWORK_BYTES = 8;
const BLOCK_BYTES = 6;
const NO_ADDRESS = new Uint8Array(0);

const RECENT = 1_024;
const recent: { readonly address: Uint8Array; readonly source: Source }[] = [];

/** `address`: 4 or 16 bytes in network order. */
export function sourceOfAddress(address: Uint8Array): Source {
  const place = digestOf(address) % RECENT;
  const known = recent[place];
  if (known !== undefined && isSame(known.address, address)) return known.source;
  const source = readAddress(address);
  recent[place] = { address: address.slice(), source };
  return source;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function readAddress(address: Uint8Array): Source {
  if (address.length === IPV4_BYTES) return ipv4(address);
  if (address.length !== IPV6_BYTES) return { network: 'unknown', digest: digestOf(address), loopback: false };
  if (isMapped(address)) return ipv4(address.subarray(12));
  const isLoopback = address[15] === 1 && address.subarray(0, 15).every((byte) => byte === 0);
  if (isLoopback) return { network: '::1', digest: digestOf(address), loopback: true };
  const groups = [0, 2, 4, 6].map((at) => (address[at]! * 256 + address[at + 1]!).toString(16));
  const block = { digest: digestOf(address.subarray(0, BLOCK_BYTES)), subnet: address[BLOCK_BYTES]! };
  return { network: `${groups.join(':')}::/64`, digest: digestOf(address.subarray(0, NETWORK_BYTES)), loopback: false, block };
}

/**
 * `forwardedFor`: all values joined by commas. If the last is not an address, all such requests share one source, never that of loopback.
 */
export function forwardedSource(forwardedFor: string): Source {
  const entry = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim();
  return withoutLoopback(sourceOfAddress(parseAddress(entry) ?? NO_ADDRESS));
}

export function withoutLoopback(source: Source): Source {
  if (!source.loopback) return source;
  return { network: `outside ${source.network}`, digest: ~source.digest >>> 0 || 1, loopback: false };
}

function ipv4(bytes: Uint8Array): Source {
  return { network: bytes.join('.'), digest: digestOf(bytes), loopback: bytes[0] === 127 };
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0);
}

function digestOf(bytes: Uint8Array): number {
  let hash = Math.imul(0x811c9dc5 ^ bytes.length, 0x01000193);
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash >>> 0 || 1;
}

function parseAddress(text: string): Uint8Array | null {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  if (isIPv4(bare)) return Uint8Array.from(bare.split('.'), Number);
  return isIPv6(bare) ? parseIpv6(bare.replace(/%.*$/, '')) : null;
}

function parseIpv6(text: string): Uint8Array {
  const [left, right] = text.split('::') as [string, string?];
  const head = groupsOf(left);
  const tail = right === undefined ? [] : groupsOf(right);
  const gap = new Array<number>(8 - head.length - tail.length).fill(0);
  return Uint8Array.from([...head, ...gap, ...tail].flatMap((group) => [group >> 8, group & 255]));
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [parseInt(part, 16)];
    const [a, b, c, d] = part.split('.').map(Number) as [number, number, number, number];
    return [a * 256 + b, c * 256 + d];
  });
}
