// One message to clients in the forms they ask for. A message of a stream goes to many connections: each of its forms is made
// at most once, when the first of them wants it.

import { extraOf, type Refused } from '../http/errors.ts';
import { packJson } from './msgpack.ts';
import type { MessageNamed } from '../http/shapes/messages.ts';
import type { RequestId } from './request-id.ts';

/** What a connection tells of itself; streams are told by the reader, orders by order entry. */
type ConnectionMessage = MessageNamed<'Hello' | 'Subscribed' | 'Unsubscribed' | 'Authenticated' | 'Error'>;

export const ENCODINGS = ['json', 'msgpack'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export class OutboundMessage {
  /** UTF-8 where the message came from the reader. */
  readonly json: string | Uint8Array;
  /** How many connections hold it until their clients read; counted by held.ts. */
  holders = 0;
  #msgpack: Uint8Array | null = null;
  #value: Readonly<Record<string, unknown>> | null = null;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }

  static of(message: ConnectionMessage): OutboundMessage {
    return new OutboundMessage(JSON.stringify(message));
  }

  get msgpack(): Uint8Array {
    return this.#msgpack ??= packJson(this.#text());
  }

  /** What it says, to choose by; its numbers may have lost digits. */
  get value(): Readonly<Record<string, unknown>> {
    return this.#value ??= JSON.parse(this.#text()) as Record<string, unknown>;
  }

  /** Tells a client what is wrong; `id`: of the request that is answered so, null for none. */
  static error(refused: Refused, id: RequestId = null): OutboundMessage {
    const { code, message } = refused;
    return OutboundMessage.of({ type: 'Error', code, message, id, ...extraOf(refused) });
  }

  #text(): string {
    const { json } = this;
    return typeof json === 'string' ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8');
  }
}
