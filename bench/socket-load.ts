// A WebSocket load generator: frames made beforehand, replies parsed only for their length and whether the order was accepted. Open loop:
// each frame is sent when it is due, from a thread of its own (pacer.ts), so a stalled venue cannot hide behind a stalled client.

import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { sharedSteady } from '../shell/process/clock.ts';
import type { Pacing } from './pacer.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const ACKED = Buffer.from('"status":"ACKED"');
/** In the first byte of a frame: the opcode, its bit for control frames, and the opcode of a close (RFC 6455, 5.2). */
const OPCODE = 0x0f;
const CONTROL_FRAME = 0x08;
const CLOSE = 0x08;
/** Delay before the first frame, in which the pacing thread starts. */
const START_MS = 500;
/** Below `resultsWaiting` of shell/http/limits.ts. */
const MOST_UNANSWERED = 1_000;
/** Small frames that a flood sends at once, so that the client's own CPU stays small. */
const BATCH = 16;

/** A text frame of a client; the mask is zero, so the text stays as it is. */
export function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 6 : 8);
  head[0] = 0x81;
  head[1] = 0x80 | Math.min(payload.length, 126);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/**
 * Calls `take` with the payload of each message of a server except pings, and `closed` with code and reason of a close frame.
 * Returns the bytes that are left.
 */
function eachFrame(bytes: Buffer, take: (payload: Buffer) => void, closed: (reason: string) => void = () => {}): Buffer {
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = bytes[at + 1]! & 127;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length - at < head) break;
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    if (bytes.length - at < head + length) break;
    const payload = bytes.subarray(at + head, at + head + length);
    if ((bytes[at]! & CONTROL_FRAME) === 0) take(payload);
    else if ((bytes[at]! & OPCODE) === CLOSE) closed(length < 2 ? 'no code' : `${payload.readUInt16BE(0)} ${payload.toString('utf8', 2)}`);
    at += head + length;
  }
  return at === bytes.length ? bytes.subarray(0, 0) : bytes.subarray(at);
}

function closedByVenue(reason: string): Error {
  return new Error(`the venue closed the connection${reason === '' ? ', without saying why' : `: ${reason}`}`);
}

/** Reads the response to the upgrade; resolves with the bytes after it. */
export function openSocket(port: number, path: string, onData: (chunk: Buffer) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      const key = randomBytes(16).toString('base64');
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: ${key}\r\n`
        + 'sec-websocket-version: 13\r\n\r\n');
    });
    socket.setNoDelay(true);
    let head = Buffer.alloc(0);
    socket.once('error', reject);
    socket.on('data', function upgrade(chunk: Buffer) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      if (!head.toString('latin1', 9, 12).startsWith('101')) return reject(new Error(head.toString('latin1', 0, end)));
      socket.off('data', upgrade);
      socket.on('data', onData);
      resolve(socket);
      if (head.length > end + HEAD_END.length) onData(head.subarray(end + HEAD_END.length));
    });
  });
}

/** One connection on which the n-th reply belongs to the n-th order. */
export class SocketLoad {
  readonly answeredAt: Float64Array;
  answered = 0;
  rejected = 0;
  firstRejection = '';
  onAnswer: () => void = () => {};
  readonly #frames: readonly Buffer[];
  readonly #seen = new Int32Array(new SharedArrayBuffer(4));
  #closeReason = '';
  #socket!: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #isGreeted = false;
  #onGreeting = (): void => {};

  readonly #accepted: Buffer;

  private constructor(frames: readonly Buffer[], accepted: Buffer) {
    this.#frames = frames;
    this.#accepted = accepted;
    this.answeredAt = new Float64Array(frames.length);
  }

  /** `accepted`: what the reply to a request that was not refused has in it. */
  static async open(port: number, frames: readonly Buffer[], accepted: Buffer = ACKED): Promise<SocketLoad> {
    const load = new SocketLoad(frames, accepted);
    const greeted = new Promise<void>((resolve) => { load.#onGreeting = resolve; });
    load.#socket = await openSocket(port, '/ws', (chunk) => load.#take(chunk, sharedSteady()));
    await greeted;
    return load;
  }

  /** Sends all frames at this rate; resolves with the moment the first was due, when all have been answered. */
  async pace(rate: number): Promise<number> {
    const pacing = this.#pacing(rate);
    const worker = new Worker(new URL('pacer.ts', import.meta.url), { workerData: pacing });
    await new Promise<void>((resolve, reject) => {
      // A write after the venue's close fails too, with less information.
      worker.once('error', (error) => reject(this.#closeReason === '' ? error : closedByVenue(this.#closeReason)));
      this.#socket.once('close', () => reject(closedByVenue(this.#closeReason)));
      this.onAnswer = () => { if (this.answered === this.#frames.length) resolve(); };
    });
    return pacing.from;
  }

  /** Sends all frames with `inFlight` of them unanswered at most; resolves with the seconds it took. */
  async flood(inFlight: number, batch = BATCH): Promise<number> {
    const count = this.#frames.length;
    const start = sharedSteady();
    let sent = 0;
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('close', () => reject(closedByVenue(this.#closeReason)));
      this.onAnswer = () => {
        const until = Math.min(count, this.answered + inFlight);
        if (until - sent >= batch || until === count) this.#socket.write(Buffer.concat(this.#frames.slice(sent, until)));
        else return;
        sent = until;
        if (this.answered === count) resolve();
      };
      this.onAnswer();
    });
    return (sharedSteady() - start) / 1_000;
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  get #handle(): { fd: number } {
    return (this.#socket as unknown as { _handle: { fd: number } })._handle;
  }

  #pacing(rate: number): Pacing {
    const ends = new Float64Array(this.#frames.length);
    this.#frames.forEach((frame, i) => { ends[i] = (i === 0 ? 0 : ends[i - 1]!) + frame.length; });
    return {
      fd: this.#handle.fd, bytes: Buffer.concat(this.#frames), ends, from: sharedSteady() + START_MS, everyMs: 1_000 / rate,
      answered: this.#seen, most: MOST_UNANSWERED,
    };
  }

  #take(chunk: Buffer, now: number): void {
    this.#rest = eachFrame(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]), (payload) => {
      if (!this.#isGreeted) {
        this.#isGreeted = true;
        return this.#onGreeting();
      }
      if (!payload.includes(this.#accepted)) {
        this.rejected++;
        this.firstRejection ||= payload.toString();
      }
      this.answeredAt[this.answered++] = now;
      Atomics.store(this.#seen, 0, this.answered);
    }, (reason) => {
      this.#closeReason = reason;
      this.#socket.end();
    });
    this.onAnswer();
  }
}
