// An answer of known length that has not left as a whole. The system takes what it has room for, and the rest leaves as the client
// reads. The web server keeps 16 KiB of it at most, and until it has the last byte the request counts as unanswered there: it ends a
// connection on which another request comes meanwhile, so what a client does not read cannot pile up.
// The last answer of a connection is never finished for the web server, which would forget that it is the last when another request
// came with this one: when the system has taken the last byte, which goes alone, the connection is closed.

import type { HttpResponse as NativeResponse } from 'uWebSockets.js';

export class Outgoing {
  readonly #res: NativeResponse;
  readonly #bytes: Uint8Array;
  readonly isLast: boolean;
  #sent: number;

  /** `sent`: bytes that have left already. The bytes must stay as they are. */
  constructor(res: NativeResponse, bytes: Uint8Array, sent: number, isLast: boolean) {
    this.#res = res;
    this.#bytes = bytes;
    this.#sent = sent;
    this.isLast = isLast;
  }

  /** Bytes that wait here. */
  get left(): number {
    return this.#bytes.length - this.#sent;
  }

  /** Begins the last answer of a connection; `head` is without the end of its line. */
  begin(head: string): void {
    this.#res.cork(() => {
      this.#res.writeStatus(head).tryEnd(this.#bytes.subarray(0, -1), this.#bytes.length);
      this.#sent = this.#res.getWriteOffset();
    });
  }

  /** Gives the system what it takes. After the last byte of an answer that is not the last one the response must not be touched. */
  push(): void {
    const { length } = this.#bytes;
    if (this.isLast && this.left > 1) this.#pushTo(length - 1);
    if (!this.isLast || this.left === 1) this.#pushTo(length);
  }

  #pushTo(end: number): void {
    const { length } = this.#bytes;
    this.#res.cork(() => {
      const part = this.#bytes.subarray(this.#sent, end);
      // A length that is not reached keeps the answer unfinished; the client was told the right one.
      const [, isDone] = this.#res.tryEnd(part, this.isLast ? length + 1 : length);
      this.#sent = isDone ? length : this.#res.getWriteOffset();
    });
  }
}
