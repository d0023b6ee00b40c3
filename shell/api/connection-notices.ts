// What main is told of the socket connections of one api thread (decision 7.3): that one was opened, in a note before its first
// command, and that it is over, in one behind its last. Both travel in the ring of commands, so main sees them in order. Commands
// say by number which connection they came by (Source); one whose connection is over by then says none.

import type { LiveConnection } from '../http/source.ts';
import { connectionId } from './values.ts';
import { CONNECTION_CLOSED, CONNECTION_OPENED, NOTICE_BYTES, writeConnectionNotice } from '../ipc/command-ring.ts';
import type { Ringer } from '../ipc/doorbell.ts';
import type { RingProducer } from '../ipc/ring.ts';

/** A connection that main has been told of. */
export type AnnouncedConnection = LiveConnection & {
  /** It is over: no command comes by it any more. */
  close(): void;
};

export class ConnectionNotices {
  readonly #commands: RingProducer;
  readonly #ringMain: Ringer;
  #last = 0;
  /** Numbers of connections that are over and found no room to say so; said by `flush`. */
  readonly #unsent: number[] = [];

  constructor(commands: RingProducer, ringMain: Ringer) {
    this.#commands = commands;
    this.#ringMain = ringMain;
  }

  /** `id`: 16 hex digits. Null: there is no room to tell main of it. */
  open(id: string): AnnouncedConnection | null {
    const number = ++this.#last;
    if (!this.#send(CONNECTION_OPENED, number, connectionId(id))) return null;
    let isOpen = true;
    return {
      number,
      get isOpen() { return isOpen; },
      close: () => {
        if (isOpen && !this.#send(CONNECTION_CLOSED, number)) this.#unsent.push(number);
        isOpen = false;
      },
    };
  }

  /** Says again what found no room. */
  flush(): void {
    while (this.#unsent.length > 0 && this.#send(CONNECTION_CLOSED, this.#unsent[0]!)) this.#unsent.shift();
  }

  #send(notice: typeof CONNECTION_CLOSED | typeof CONNECTION_OPENED, number: number, id = 0n): boolean {
    const at = this.#commands.claim(NOTICE_BYTES);
    if (at < 0) return false;
    writeConnectionNotice(this.#commands.views, at, notice, number, id);
    this.#commands.publish();
    this.#ringMain.ringSoon();
    return true;
  }
}
