// A message of the replicated log: a header, and the bytes of a frame's records. The hash chains it to the message before it. The MAC shows
// that a member of the cluster made the header, with the position it was meant for. Little-endian:
//
//   0    magic 'SBL' | version (u8)      4    kind (u8) | length of node (u8) | number of digests (u16)
//   8    venue id (8 bytes)              16   instance (8 bytes)
//   24   epoch  32 at  40 first  48 last (u64 each)
//   56   BEHAVIOUR  60 CODEC (u32)       64   length of the records (u32), 0 (u32)
//   72   prev  104 hash (32 bytes each)
//   136  node, digests (seq u64, low u32, high u32 each), MAC (32 bytes), zeros up to a multiple of 8, records

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { alignUp } from '../../../core/codec/record.ts';
import type { Digest } from '../journal/digests.ts';

/**
 * frame   records
 * lead    its sender leads from here; the records of its start
 * empty   its sender still leads
 * resign  as empty, and its sender leads no more
 */
export type Kind = 'frame' | 'lead' | 'empty' | 'resign';

/** A member of the cluster: the name its operator gave, and 16 hex digits that are new at each start. */
export type Member = { readonly node: string; readonly instance: string };

export type Message = Member & {
  readonly kind: Kind;
  readonly epoch: number;
  readonly at: number;
  readonly prev: string;
  readonly hash: string;
  /** Seqs of its records; both 0 without records. */
  readonly first: number;
  readonly last: number;
  readonly behaviour: number;
  readonly codec: number;
  readonly digests: readonly Digest[];
  /** 8-byte aligned. */
  readonly bytes: Uint8Array;
};

/** What makes a message the same wherever it lies in the log. */
export type Content = Omit<Message, 'at' | 'hash'>;

export type LogIdentity = { readonly venue: string; readonly key: Uint8Array };

/** Most bytes of records in a message; a frame is cut before the record that would pass it. */
export const MESSAGE_RECORD_BYTES = 262_144;
export const NODE_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

const MAGIC = 0x4c4253;
const VERSION = 1;
const KINDS: readonly Kind[] = ['frame', 'lead', 'empty', 'resign'];
const HEADER = 136;
const DIGEST = 16;
const MAC = 32;

export function firstPrev(venue: string): string {
  return createHash('sha256').update(`log of ${venue}`, 'latin1').digest('hex');
}

export function hashOf(content: Content): string {
  const { prev, kind, epoch, node, instance, first, last, bytes } = content;
  const numbers = Buffer.alloc(32);
  writeNumber(numbers, 0, epoch);
  writeNumber(numbers, 8, first);
  writeNumber(numbers, 16, last);
  numbers.writeUInt8(KINDS.indexOf(kind), 24);
  const author = Buffer.from(`${instance}${node}`, 'latin1');
  numbers.writeUInt8(author.length, 25);
  return createHash('sha256').update(prev, 'hex').update(numbers).update(author).update(bytes).digest('hex');
}

export function encodeMessage(message: Message, { venue, key }: LogIdentity): Uint8Array {
  const { node, digests, bytes } = message;
  const macAt = HEADER + node.length + digests.length * DIGEST;
  const start = alignUp(macAt + MAC);
  const out = Buffer.alloc(start + bytes.length);
  out.writeUInt32LE(MAGIC + VERSION * 2 ** 24, 0);
  out.writeUInt8(KINDS.indexOf(message.kind), 4);
  out.writeUInt8(node.length, 5);
  out.writeUInt16LE(digests.length, 6);
  out.write(venue, 8, 'hex');
  out.write(message.instance, 16, 'hex');
  [message.epoch, message.at, message.first, message.last].forEach((value, index) => writeNumber(out, 24 + index * 8, value));
  out.writeUInt32LE(message.behaviour, 56);
  out.writeUInt32LE(message.codec, 60);
  out.writeUInt32LE(bytes.length, 64);
  out.write(message.prev, 72, 'hex');
  out.write(message.hash, 104, 'hex');
  out.write(node, HEADER, 'latin1');
  digests.forEach(({ seq, low, high }, index) => {
    const at = HEADER + node.length + index * DIGEST;
    writeNumber(out, at, seq);
    out.writeUInt32LE(low, at + 8);
    out.writeUInt32LE(high, at + 12);
  });
  macOf(out.subarray(0, macAt), key).copy(out, macAt);
  out.set(bytes, start);
  return out;
}

export function decodeMessage(data: Uint8Array, { venue, key }: LogIdentity): Message | null {
  const input = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (input.length < HEADER + MAC || input.readUInt32LE(0) !== MAGIC + VERSION * 2 ** 24) return null;
  const nodeLength = input.readUInt8(5);
  const digestCount = input.readUInt16LE(6);
  const macAt = HEADER + nodeLength + digestCount * DIGEST;
  const start = alignUp(macAt + MAC);
  const length = input.readUInt32LE(64);
  if (input.length !== start + length) return null;
  if (!timingSafeEqual(macOf(input.subarray(0, macAt), key), input.subarray(macAt, macAt + MAC))) return null;
  const kind = KINDS[input.readUInt8(4)];
  if (kind === undefined || input.toString('hex', 8, 16) !== venue) return null;
  const [epoch, at, first, last] = [24, 32, 40, 48].map((offset) => readNumber(input, offset)) as [number, number, number, number];
  const message: Message = {
    kind, epoch, at, first, last,
    node: input.toString('latin1', HEADER, HEADER + nodeLength), instance: input.toString('hex', 16, 24),
    behaviour: input.readUInt32LE(56), codec: input.readUInt32LE(60),
    prev: input.toString('hex', 72, 104), hash: input.toString('hex', 104, HEADER),
    digests: Array.from({ length: digestCount }, (_, index) => readDigest(input, HEADER + nodeLength + index * DIGEST)),
    bytes: new Uint8Array(input.subarray(start)),
  };
  return hashOf(message) === message.hash && isWellFormed(message) ? message : null;
}

function isWellFormed({ kind, node, first, last, bytes, epoch }: Message): boolean {
  const hasRecords = kind === 'frame' || kind === 'lead';
  const isSized = hasRecords ? bytes.length > 0 && bytes.length <= MESSAGE_RECORD_BYTES && last >= first && first > 0
    : bytes.length === 0 && first === 0 && last === 0;
  return isSized && epoch > 0 && NODE_NAME.test(node);
}

function macOf(header: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(header).digest();
}

function readDigest(input: Buffer, at: number): Digest {
  return { seq: readNumber(input, at), low: input.readUInt32LE(at + 8), high: input.readUInt32LE(at + 12) };
}

function writeNumber(out: Buffer, at: number, value: number): void {
  out.writeBigUInt64LE(BigInt(value), at);
}

function readNumber(input: Buffer, at: number): number {
  return Number(input.readBigUInt64LE(at));
}
