// What a doorbell is rung by: a byte through a named pipe or, where the system makes none, a message between two ports.
//
// Why a pipe first: a port is rung while its lock is held, for which the woken thread waits when it has come to be on the same
// core, and each message is made and read as a value and told as an event. With a pipe an order at a low rate takes some 6 % less
// (docs/decisions/0013). Neither loses a call, and neither carries more than that there was one.
//
// The file that is written to stays open as long as the process: a call that comes after all others have closed must not go into
// a file that has got its number.

import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { Socket, type SocketConstructorOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, MessagePort } from 'node:worker_threads';

/** The number of an open pipe, or a port, which goes into the transfer list. */
export type WireEnd = number | MessagePort;

/** Open for both, whatever it is used for: so neither end notices that the other is not open yet, or has closed. */
const PIPE_FLAGS = constants.O_RDWR | constants.O_NONBLOCK;
const CALL = new Uint8Array(1);
/** There is at most one call for each sleep. */
const READ_BYTES = 64;
const MKFIFO_WITHIN_MS = 5_000;

/**
 * Gives `use` the paths of `count` named pipes and returns what it does; afterwards the paths are gone, what was opened stays. Null
 * where none can be made: without the command mkfifo (POSIX), or where nothing can be written to the folder for temporary files.
 */
export function withPipes<T>(count: number, use: (paths: readonly string[] | null) => T): T {
  let folder: string | null = null;
  let paths: readonly string[] | null = null;
  try {
    folder = mkdtempSync(join(tmpdir(), 'strikebook-'));
    const made = Array.from({ length: count }, (_, i) => join(folder!, String(i)));
    execFileSync('mkfifo', made, { stdio: 'ignore', timeout: MKFIFO_WITHIN_MS });
    paths = made;
  } catch {
    // Ports do as well.
  }
  try {
    return use(paths);
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

/** The ends of a wire with so many callers, by the pipe of this path or by ports. */
export function createWire(callers: number, pipe: string | null): { hearing: readonly WireEnd[]; calling: readonly WireEnd[] } {
  const each = { length: callers };
  if (pipe !== null) {
    const [hearing, calling] = [openSync(pipe, PIPE_FLAGS), openSync(pipe, PIPE_FLAGS)];
    return { hearing: [hearing], calling: Array.from(each, () => calling) };
  }
  const channels = Array.from(each, () => new MessageChannel());
  return { hearing: channels.map(({ port1 }) => port1), calling: channels.map(({ port2 }) => port2) };
}

/** Keeps no event loop running; a call to an end that has closed goes nowhere. */
export type Caller = { call(): void; close(): void };

export function callerOn(end: WireEnd): Caller {
  if (typeof end === 'number') return { call: () => void writeSync(end, CALL, 0, 1), close: () => {} };
  end.unref();
  return { call: () => end.postMessage(0), close: () => end.close() };
}

/** From now on `heard` is called for every call, or once for several. Returns what closes the end; until then it keeps the loop running. */
export function hearOn(end: WireEnd, heard: () => void): () => void {
  if (typeof end !== 'number') {
    end.on('message', heard);
    return () => end.close();
  }
  const callback = (): boolean => {
    heard();
    return true;
  };
  // The declared type has this option for connections alone; Node takes it for every socket.
  const options = { fd: end, readable: true, writable: false, onread: { buffer: new Uint8Array(READ_BYTES), callback } };
  const socket = new Socket(options as SocketConstructorOpts).resume();
  return () => socket.destroy();
}

/** Closes an end that nobody has listened to. */
export function closeEnd(end: WireEnd): void {
  if (typeof end === 'number') closeSync(end);
  else end.close();
}
