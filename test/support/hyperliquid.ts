// A stand-in for Hyperliquid's public interface on loopback, from its documentation: the info API by POST, and the socket with a server
// of its own (RFC 6455: handshake, unfragmented text, pings of the application), so that invalid bytes can be sent too.

import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { sendJson, Upstream, type UpstreamHandler } from './upstream.ts';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT = 0x81;

/** A text as one frame of a server. */
export function frame(text: string): Buffer {
  const body = Buffer.from(text);
  if (body.length < 126) return Buffer.concat([Buffer.of(TEXT, body.length), body]);
  const head = Buffer.from([TEXT, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(BigInt(body.length), 2);
  if (body.length >= 65_536) return Buffer.concat([head, body]);
  return Buffer.concat([Buffer.of(TEXT, 126, body.length >> 8, body.length & 255), body]);
}

/** The texts of a client's frames; a rest that is no whole frame is left. */
function unframe(bytes: Buffer): { texts: string[]; rest: Buffer } {
  const texts: string[] = [];
  let at = 0;
  while (bytes.length >= at + 6) {
    const short = bytes[at + 1]! & 127;
    const from = short === 126 ? at + 8 : at + 6;
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short;
    if (bytes.length < from + length) break;
    const mask = bytes.subarray(from - 4, from);
    const body = bytes.subarray(from, from + length).map((byte, i) => byte ^ mask[i % 4]!);
    if ((bytes[at]! & 15) === 1) texts.push(Buffer.from(body).toString('utf8'));
    at = from + length;
  }
  return { texts, rest: bytes.subarray(at) };
}

/** 'subscribed' and 'pinged' are emitted when a client does so. */
export class Hyperliquid extends EventEmitter {
  /** What is answered while `behave` is not replaced. */
  oracle: Record<string, unknown> = { BTC: '100000', ETH: '3500.5' };
  /** The newest of the connections; null: none is open. */
  socket: Duplex | null = null;
  /** `mute`: no ping is answered; `absent`: a connection is taken and then ignored. */
  manner: 'polite' | 'mute' | 'absent' = 'polite';
  upstream!: Upstream;

  static async start(t: TestContext): Promise<Hyperliquid> {
    const venue = new Hyperliquid();
    venue.upstream = await Upstream.start(t, venue.answer);
    venue.upstream.server.on('upgrade', (request, socket: Duplex) => venue.#take(request.headers['sec-websocket-key']!, socket));
    t.after(() => venue.socket?.destroy());
    return venue;
  }

  get ws(): string {
    return `ws://${this.upstream.host}/ws`;
  }

  get info(): string {
    return this.upstream.url;
  }

  /** The documented answer to a question about prices. */
  readonly answer: UpstreamHandler = (question, response) => {
    if (question.type !== 'metaAndAssetCtxs') return sendJson(response, null, 500);
    const coins = Object.keys(this.oracle);
    const universe = coins.map((name) => ({ name, szDecimals: 5, maxLeverage: 50 }));
    const contexts = coins.map((name) => ({ oraclePx: this.oracle[name], markPx: '1.5', midPx: null, funding: '0.0000125' }));
    sendJson(response, [{ universe }, contexts]);
  };

  sendMids(mids: Record<string, unknown>): void {
    this.sendText(JSON.stringify({ channel: 'allMids', data: { mids } }));
  }

  sendText(text: string): void {
    this.socket?.write(frame(text));
  }

  async subscribed(): Promise<void> {
    await once(this, 'subscribed');
  }

  #take(key: string, socket: Duplex): void {
    const accept = createHash('sha1').update(key + GUID).digest('base64');
    const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
    let bytes: Buffer = Buffer.alloc(0);
    this.socket = socket;
    socket.on('error', () => {});
    // A server's sockets stay half open otherwise.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      if (this.socket === socket) this.socket = null;
      this.emit('lost');
    });
    if (this.manner !== 'absent') socket.write(head);
    socket.on('data', (chunk: Buffer) => {
      const { texts, rest } = unframe(Buffer.concat([bytes, chunk]));
      bytes = rest;
      for (const text of texts) this.#hear(JSON.parse(text));
    });
  }

  #hear(message: any): void {
    if (message.method === 'ping') {
      this.emit('pinged');
      if (this.manner === 'polite') this.sendText('{"channel":"pong"}');
      return;
    }
    if (message.method !== 'subscribe' || message.subscription.type !== 'allMids') return;
    this.sendText(JSON.stringify({ channel: 'subscriptionResponse', data: message }));
    this.emit('subscribed');
  }
}
