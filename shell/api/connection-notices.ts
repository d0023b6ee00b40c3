// Tells main about one api thread's socket connections (decision 7.3). Notices share the command ring, so an opening
// precedes the connection's commands and a close follows them.

import type { LiveConnection } from '../http/source.ts';
import { connectionId } from './values.ts';
import { CONNECTION_CLOSED, CONNECTION_OPENED, NOTICE_BYTES, writeConnectionNotice } from '../ipc/command-ring.ts';
import type { Ringer } from '../ipc/doorbell.ts';
import type { RingProducer } from '../ipc/ring.ts';

export type AnnouncedConnection = LiveConnection & {
  close(): void;
};

export class ConnectionNotices {
  readonly #commands: RingProducer;
  readonly #ringMain: Ringer;
  #last = 0;
  readonly #unsent: number[] = [];

  constructor(commands: RingProducer, ringMain: Ringer) {
    this.#commands = commands;
    this.#ringMain = ringMain;
  }

  /** `id`: 16 hex digits. */
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
