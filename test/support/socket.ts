// A socket connection of a test: keeps all received messages, and waits for messages by their content.

import assert from 'node:assert/strict';

export type SocketMessage = Readonly<Record<string, unknown>> & { readonly type: string };

const WITHIN_MS = 60_000;

export class SocketClient {
  /** Everything that came, in order. */
  readonly told: SocketMessage[] = [];
  readonly #socket: WebSocket;
  /** Messages that were waited for already. */
  #taken = 0;
  #wake: () => void = () => undefined;

  /** `query`: such as `?wallet=0x...`. */
  static async open(url: string, query = ''): Promise<SocketClient> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws${query}`);
    const client = new SocketClient(socket);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return client;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      this.told.push(JSON.parse(data as string) as SocketMessage);
      this.#wake();
    };
  }

  send(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  next(): Promise<SocketMessage> {
    return this.until(() => true);
  }

  /** The next message that matches, received already or not; messages before it are skipped. */
  until(isWanted: (message: SocketMessage) => boolean): Promise<SocketMessage> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new assert.AssertionError({ message: `never told: ${isWanted}` })), WITHIN_MS);
      this.#wake = () => {
        while (this.#taken < this.told.length) {
          const message = this.told[this.#taken++]!;
          if (!isWanted(message)) continue;
          clearTimeout(late);
          this.#wake = () => undefined;
          return resolve(message);
        }
      };
      this.#wake();
    });
  }

  close(): void {
    this.#socket.close();
  }
}
