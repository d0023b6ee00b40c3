// Answers above 16 KiB go compressed (gzip) to clients that take them so. A thread of the runtime's pool does the work, for one answer of
// this api thread at a time: no order waits for it, and whoever asks for much cannot have all processors. What finds too much waiting
// goes as it is.

import { constants, createGzip, gzip } from 'node:zlib';
import type { ResponseHeaders, Stream } from '../message.ts';

/** A shorter answer is one or few segments of TCP as it is. */
export const LEAST_BYTES = 16_384;
/** Bytes of answers that wait for their turn. */
export const MOST_WAITING = 8_388_608;
/** What is a text; a picture is compressed already. */
const TEXTS = /^(text\/|application\/(json|x-ndjson)\b)/;

type Pack = (bytes: Uint8Array, done: (error: Error | null, packed: Uint8Array) => void) => void;

/** The quickest level: of the listing of 2,000 contracts, 850 KB, it makes 16 KB in 1.4 ms, the default level 11 KB in 4.5. */
const pack: Pack = (bytes, done) => gzip(bytes, { level: constants.Z_BEST_SPEED }, done);

/** Whether a client with this Accept-Encoding takes gzip, and wants it no less than the bytes as they are (RFC 9110 12.5.3). */
export function takesGzip(accepted: string): boolean {
  const weights = new Map<string, number>();
  for (const item of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const gzipWeight = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  return gzipWeight > 0 && gzipWeight >= (weights.get('identity') ?? 0);
}

function isText(headers: ResponseHeaders): boolean {
  return headers['content-encoding'] === undefined && TEXTS.test(headers['content-type'] ?? 'application/json');
}

/** Headers of an answer in parts, and whether these are to be compressed. */
export function partsOf(headers: ResponseHeaders, accepted: string): { readonly headers: ResponseHeaders; readonly isPacked: boolean } {
  if (!isText(headers)) return { headers, isPacked: false };
  const isPacked = takesGzip(accepted);
  return { headers: { ...headers, vary: 'Accept-Encoding', ...(isPacked && { 'content-encoding': 'gzip' }) }, isPacked };
}

/** Compresses each part before it is sent; the next is asked for when it has left, so there is one at a time. */
export function packedStream(stream: Stream): Stream {
  const packer = createGzip({ level: constants.Z_BEST_SPEED });
  const made: Buffer[] = [];
  packer.on('data', (bytes: Buffer) => made.push(bytes)).on('error', () => stream.cut());
  return {
    get isOver() { return stream.isOver; },
    write: (part, ready) => {
      packer.write(part);
      packer.flush(constants.Z_SYNC_FLUSH, () => {
        if (stream.isOver) packer.destroy();
        else stream.write(Buffer.concat(made.splice(0)), ready);
      });
    },
    end: () => void packer.on('end', () => stream.write(Buffer.concat(made.splice(0)), () => stream.end())).end(),
    cut: () => {
      packer.destroy();
      stream.cut();
    },
  };
}

/** `body` null: of an answer to HEAD, whose length nobody knows. */
export type Encoded = { readonly body: string | Uint8Array | null; readonly headers: ResponseHeaders };
type Whole = { readonly body: string | Uint8Array; readonly headers: ResponseHeaders };
type Job = { readonly bytes: Uint8Array; done(packed: Uint8Array | null): void };

export class Compressor {
  readonly #pack: Pack;
  readonly #waiting: Job[] = [];
  #waitingBytes = 0;
  /** The one in hand. */
  #job: Job | null = null;
  #isClosed = false;

  constructor(how: Pack = pack) {
    this.#pack = how;
  }

  /** Gives the answer as its client takes it, now or later, and says to caches what it depends on. A body is lent. */
  encode(answer: Whole, method: string, accepted: string, give: (answer: Encoded) => void): void {
    const { body, headers } = answer;
    if (!isText(headers)) return give(answer);
    const told = { ...headers, vary: 'Accept-Encoding' };
    const packed = { ...told, 'content-encoding': 'gzip' };
    if (accepted === '' || !takesGzip(accepted)) return give({ body, headers: told });
    if (method === 'HEAD') return give({ body: null, headers: packed });
    const bytes = Buffer.from(body as string);
    if (this.#isClosed || this.#waitingBytes + bytes.length > MOST_WAITING) return give({ body: bytes, headers: told });
    this.#waitingBytes += bytes.length;
    this.#waiting.push({ bytes, done: (made) => give(made === null ? { body: bytes, headers: told } : { body: made, headers: packed }) });
    this.#goOn();
  }

  /** What has not been compressed yet is given as it is. */
  close(): void {
    this.#isClosed = true;
    const job = this.#job;
    this.#job = null;
    for (const one of [...(job === null ? [] : [job]), ...this.#waiting.splice(0)]) one.done(null);
  }

  #goOn(): void {
    const job = this.#job === null ? this.#waiting.shift() : undefined;
    if (job === undefined) return;
    this.#job = job;
    this.#waitingBytes -= job.bytes.length;
    this.#pack(job.bytes, (error, packed) => {
      if (this.#job !== job) return;
      this.#job = null;
      this.#goOn();
      job.done(error === null ? packed : null);
    });
  }
}
