// Network sources whose sockets hold up the thread with parts of messages that never end. The web server shows such parts to nobody, and
// an empty one counts against none of its bounds: 24 sockets that send them as fast as they can leave other clients waiting for seconds.
// The system shows them: it keeps bytes of a connection until they are read, and of these it always has more. Where a tick comes late, the
// system is asked what it keeps of each source. One that has more unread than it may have read in a second, at two such ticks in a
// row, loses its sockets and opens no other for a while. What is read in time is never seen here, and an idle thread never looks.
// Not behind a proxy, whose connections are those of all clients. Only Linux tells.

import { readFileSync } from 'node:fs';
import { steady } from '../../process/clock.ts';
import { log } from '../../process/observability/log.ts';
import type { Bounds } from '../limits.ts';
import type { Quota } from '../quota.ts';
import { sourceOfAddress, type Source } from '../source.ts';

/** Tables of the connections of this process's network, by version of the protocol. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const ESTABLISHED = '01';
/** A tick that comes so much late followed passes of the event loop that took long. */
const LATE_MS = 50;
const WORD_CHARS = 8;

/** What the system keeps for a connection of ours that has not been read. */
type Unread = { readonly source: Source; readonly bytes: number };

export class Floods {
  readonly #bounds: Bounds;
  readonly #readBytes: Quota<string>;
  readonly #look: () => readonly Unread[];
  /** Ticks that are left, by network. */
  readonly #barred = new Map<string, number>();
  #suspects: ReadonlySet<string> = new Set();
  #last = steady();

  /** `look`: what the system keeps of each connection now. `readBytes`: the quota of what is read. */
  constructor(bounds: Bounds, readBytes: Quota<string>, look: () => readonly Unread[]) {
    this.#bounds = bounds;
    this.#readBytes = readBytes;
    this.#look = look;
  }

  /** Whether the sockets of the source are closed, and no other opened. */
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
    log('warn', 'flood', `sockets of ${network} are closed: what they send is read all the time and is no message`, { network });
  }

  /** Sources with more unread than they may have read in a second. */
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

/** What the system keeps of the connections to a port of this machine; nothing where it does not tell. */
export function unreadOf(port: number): readonly Unread[] {
  return TABLES.flatMap((path) => {
    try {
      return parseConnections(readFileSync(path, 'latin1'), port);
    } catch {
      return [];
    }
  });
}

/** The lines of a table with something unread. Addresses are words of 32 bits, each in the order of this machine's bytes. */
export function parseConnections(table: string, port: number): readonly Unread[] {
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
