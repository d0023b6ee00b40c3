// Frames that a journal holds already when the log is read again: they must be what the log holds, or the journal is of another history.

import { readFrames, type Frame } from '../journal/read.ts';

export class KnownFrames {
  readonly #dataFolder: string;
  readonly #fromSeq: number;
  #frames: Generator<Frame> | null = null;

  constructor(dataFolder: string, fromSeq: number) {
    this.#dataFolder = dataFolder;
    this.#fromSeq = fromSeq;
  }

  /** Whether the journal's next frame is this one. Call in the order of the log. */
  holdsNext(first: number, last: number, bytes: Uint8Array): boolean {
    this.#frames ??= readFrames(this.#dataFolder, this.#fromSeq);
    const { value: frame } = this.#frames.next() as { readonly value: Frame | undefined };
    return frame?.firstSeq === first && frame.lastSeq === last && Buffer.compare(frame.bytes, bytes) === 0;
  }

  close(): void {
    this.#frames?.return(undefined);
    this.#frames = null;
  }
}
