// Heartbeats: what each node says of itself several times a second, past the log. One may be lost. They tell how far each has read,
// whether clocks agree, and whether two nodes hold different chains. They never decide who may write.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LogIdentity, Member } from './message.ts';
import type { Halt, ReaderState } from './reader-rule.ts';

// for tests: they make one
export type Heartbeat = Member & {
  readonly epoch: number;
  readonly isLeading: boolean;
  readonly position: number;
  readonly head: string;
  readonly seq: number;
  readonly time: number;
  readonly url: string;
};

/** Another node. By this one's steady clock: when it was heard, and since when its clock differs. */
type Peer = Heartbeat & { readonly received: number; readonly skewMs: number; readonly offSince: number | null };

export type Peers = Map<string, Peer>;

const MAC_BYTES = 32;
const MOST_BYTES = 1_024;
const MOST_PEERS = 16;
const PRESENT_MS = 2_000;
const SKEW_MS = 1_000;

export function encodeHeartbeat(heartbeat: Heartbeat, { venue, key }: LogIdentity): Uint8Array {
  const { node, instance, epoch, isLeading, position, head, seq, time, url } = heartbeat;
  const text = Buffer.from(JSON.stringify([venue, node, instance, epoch, isLeading, position, head, seq, time, url]));
  return Buffer.concat([createHmac('sha256', key).update(text).digest(), text]);
}

export function decodeHeartbeat(data: Uint8Array, { venue, key }: LogIdentity): Heartbeat | null {
  if (data.length <= MAC_BYTES || data.length > MOST_BYTES) return null;
  const text = data.subarray(MAC_BYTES);
  if (!timingSafeEqual(createHmac('sha256', key).update(text).digest(), data.subarray(0, MAC_BYTES))) return null;
  // Whoever has the key wrote it, so it has the form that `encodeHeartbeat` gives it.
  const [of, node, instance, epoch, isLeading, position, head, seq, time, url] = JSON.parse(Buffer.from(text).toString()) as
    [string, string, string, number, boolean, number, string, number, number, string];
  return of === venue ? { node, instance, epoch, isLeading, position, head, seq, time, url } : null;
}

export function hear(peers: Peers, heartbeat: Heartbeat, received: number, time: number): void {
  if (!peers.has(heartbeat.node) && peers.size >= MOST_PEERS) {
    // A machine that was replaced comes back under another name.
    const gone = [...peers.values()].find((peer) => !isPresent(peer, received));
    if (gone === undefined) return;
    peers.delete(gone.node);
  }
  const skewMs = heartbeat.time - time;
  const offSince = Math.abs(skewMs) > SKEW_MS ? peers.get(heartbeat.node)?.offSince ?? received : null;
  peers.set(heartbeat.node, { ...heartbeat, received, skewMs, offSince });
}

export function isPresent({ received }: Peer, now: number): boolean {
  return now - received < PRESENT_MS;
}

/** True if most clocks differ from this one, and have for `forMs`. After a standstill old heartbeats come late, so one proves nothing. */
export function isClockOff(peers: Peers, now: number, forMs = 0): boolean {
  const present = [...peers.values()].filter((peer) => isPresent(peer, now));
  const differ = present.filter(({ offSince }) => offSince !== null && now - offSince >= forMs).length;
  return differ > present.length - differ + 1;
}

export function conflictOf(heartbeat: Heartbeat, me: Member & { readonly isLeading: boolean }, reader: ReaderState): Halt | null {
  const { node, instance, position, head, isLeading } = heartbeat;
  if (node === me.node && instance !== me.instance) {
    const isLater = isLeading === me.isLeading ? me.instance > instance : isLeading;
    return isLater ? { name: 'node_name_in_use', detail: `another node is called ${node}` } : null;
  }
  const oldest = reader.accepted.values().next().value ?? 0;
  if (position < oldest || position > reader.position || position === 0 || reader.accepted.has(head)) return null;
  return { name: 'log_diverged', detail: `${node} holds another chain at position ${position} than this node` };
}
