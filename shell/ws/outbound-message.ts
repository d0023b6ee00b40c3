// A message to clients. Each encoding is made at most once, because a stream's message goes to many connections.

import { extraOf, type Refused } from '../http/errors.ts';
import { packJson } from './msgpack.ts';
import type { MessageNamed } from '../http/shapes/messages.ts';
import type { RequestId } from './request-id.ts';

type ConnectionMessage = MessageNamed<'Hello' | 'Subscribed' | 'Unsubscribed' | 'Authenticated' | 'Error'>;

export const ENCODINGS = ['json', 'msgpack'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export class OutboundMessage {
  readonly json: string | Uint8Array;
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

  /** Only for filtering: large numbers may have lost digits. */
  get value(): Readonly<Record<string, unknown>> {
    return this.#value ??= JSON.parse(this.#text()) as Record<string, unknown>;
  }

  static error(refused: Refused, id: RequestId = null): OutboundMessage {
    const { code, message } = refused;
    return OutboundMessage.of({ type: 'Error', code, message, id, ...extraOf(refused) });
  }

  #text(): string {
    const { json } = this;
    return typeof json === 'string' ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8');
  }
}
