// Writes an answer of known length that does not fit into the system's buffers. Until the last byte, the web server ends the connection
// if another request arrives. If the answer closes the connection, the last byte is sent alone, so that no other request is taken.

import type { HttpResponse as NativeResponse } from 'uWebSockets.js';

export class ResponseWriter {
  readonly #res: NativeResponse;
  readonly #bytes: Uint8Array;
  readonly isLast: boolean;
  #sent: number;

  constructor(res: NativeResponse, bytes: Uint8Array, sent: number, isLast: boolean) {
    this.#res = res;
    this.#bytes = bytes;
    this.#sent = sent;
    this.isLast = isLast;
  }

  get left(): number {
    return this.#bytes.length - this.#sent;
  }

  /** `head` lacks the last line end. */
  begin(head: string): void {
    this.#res.cork(() => {
      this.#res.writeStatus(head).tryEnd(this.#bytes.subarray(0, -1), this.#bytes.length);
      this.#sent = this.#res.getWriteOffset();
    });
  }

  /** After the last byte the response must not be touched, unless the answer closes the connection. */
  push(): void {
    const { length } = this.#bytes;
    if (this.isLast && this.left > 1) this.#pushTo(length - 1);
    if (!this.isLast || this.left === 1) this.#pushTo(length);
  }

  #pushTo(end: number): void {
    const { length } = this.#bytes;
    this.#res.cork(() => {
      const part = this.#bytes.subarray(this.#sent, end);
      // One byte too many keeps the answer unfinished. The client was told the right length.
      const [, isDone] = this.#res.tryEnd(part, this.isLast ? length + 1 : length);
      this.#sent = isDone ? length : this.#res.getWriteOffset();
    });
  }
}
