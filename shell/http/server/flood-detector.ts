// Detects sources that flood a thread with WebSocket fragments that never form a message, which uWebSockets.js does not report: 24 such
// sockets delay other clients by seconds. When a tick is late, Linux tells how many unread bytes it holds per source. A source above its
// read quota at two late ticks in a row loses its sockets and is barred for a while.

import { readFileSync } from 'node:fs';
import { steady } from '../../process/clock.ts';
import { log } from '../../process/observability/log.ts';
import type { Bounds } from '../limits.ts';
import type { Quota } from '../quota.ts';
import { sourceOfAddress, type Source } from '../source.ts';

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const ESTABLISHED = '01';
const LATE_MS = 50;
const WORD_CHARS = 8;

type ReceiveQueue = { readonly source: Source; readonly bytes: number };

export class FloodDetector {
  readonly #bounds: Bounds;
  readonly #readBytes: Quota<string>;
  readonly #look: () => readonly ReceiveQueue[];
  readonly #barred = new Map<string, number>();
  #suspects: ReadonlySet<string> = new Set();
  #last = steady();

  constructor(bounds: Bounds, readBytes: Quota<string>, look: () => readonly ReceiveQueue[]) {
    this.#bounds = bounds;
    this.#readBytes = readBytes;
    this.#look = look;
  }

  isBarred({ network }: Source): boolean {
    return this.#barred.has(network);
  }

  onTick(): void {
    const passed = steady() - this.#last;
    this.#last += passed;
    for (const [network, ticks] of this.#barred) {
      if (ticks > 1) this.#barred.set(network, ticks - 1);
      else this.#barred.delete(network);
    }
    const found = passed < this.#bounds.tickMs + LATE_MS ? new Set<string>() : this.#crowded();
    for (const network of found) if (this.#suspects.has(network)) this.#bar(network);
    this.#suspects = found;
  }

  #bar(network: string): void {
    this.#barred.set(network, this.#bounds.barTicks);
    log('warn', 'flood', `closed the sockets of ${network} for flooding: they send fragments without a message`, { network });
  }

  #crowded(): Set<string> {
    const bytes = new Map<string, number>();
    const crowded = new Set<string>();
    for (const { source: { network, loopback }, bytes: more } of this.#look()) {
      const all = (bytes.get(network) ?? 0) + more;
      bytes.set(network, all);
      if (all > this.#readBytes.mostOf(loopback)) crowded.add(network);
    }
    return crowded;
  }
}

export function receiveQueuesOf(port: number): readonly ReceiveQueue[] {
  return TABLES.flatMap((path) => {
    try {
      return parseConnections(readFileSync(path, 'latin1'), port);
    } catch {
      return [];
    }
  });
}

export function parseConnections(table: string, port: number): readonly ReceiveQueue[] {
  const own = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').slice(1).flatMap((line) => {
    const [, local = '', remote = '', state, queues = ''] = line.trim().split(/ +/);
    const bytes = parseInt(queues.slice(queues.indexOf(':') + 1), 16);
    if (state !== ESTABLISHED || !local.endsWith(`:${own}`) || !(bytes > 0)) return [];
    return [{ source: sourceOfAddress(addressOf(remote.slice(0, remote.indexOf(':')))), bytes }];
  });
}

function addressOf(hex: string): Uint8Array {
  const words = Uint32Array.from({ length: hex.length / WORD_CHARS }, (_, at) => (
    parseInt(hex.slice(at * WORD_CHARS, (at + 1) * WORD_CHARS), 16)
  ));
  return new Uint8Array(words.buffer);
}
