// A load generator for one host over keep-alive sockets: requests prepared beforehand, one in flight a connection (no pipelining),
// responses parsed only as far as status and length. Open loop: the latency of a request counts from when it was due, so a stalled
// server cannot hide behind a stalled client.

import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /content-length: *([0-9]+)/i;
/** Bytes read from the system at once. */
const READ_BYTES = 65_536;

export type Answer = { readonly status: number; readonly body: Buffer };

export class Connection {
  readonly #socket: Socket;
  #isClosed = false;
  #pending: ((answer: Answer) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;
  /** The bytes of an incomplete response. */
  #begun: Buffer | null = null;

  private constructor(socket: Socket, failed: (error: Error) => void) {
    this.#socket = socket;
    this.#failed = failed;
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => {
      this.#isClosed = true;
      this.#failed?.(new Error('the server closed the connection'));
    });
  }

  /** Reads into one reused buffer: a stream with a buffer for each chunk costs as much as the system calls. */
  static open(port: number, host = '127.0.0.1'): Promise<Connection> {
    const memory = Buffer.allocUnsafeSlow(READ_BYTES);
    const callback = (bytes: number): boolean => {
      connection.#take(memory.subarray(0, bytes));
      return true;
    };
    let connection: Connection;
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host, noDelay: true, onread: { buffer: memory, callback } }, () => resolve(connection));
      connection = new Connection(socket, reject);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  request(bytes: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.send(bytes, ({ status, body }) => resolve({ status, body: Buffer.from(body) }), reject);
    });
  }

  /** For many requests: the body given to `take` is valid only during the call. */
  send(bytes: Buffer, take: (answer: Answer) => void, failed: (error: Error) => void): void {
    if (this.#isClosed) return failed(new Error('the server had closed the connection'));
    this.#pending = take;
    this.#failed = failed;
    this.#socket.write(bytes);
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const all = this.#begun === null ? chunk : Buffer.concat([this.#begun, chunk]);
    const end = all.indexOf(HEAD_END);
    const from = end + HEAD_END.length;
    const head = end < 0 ? '' : all.toString('latin1', 0, end);
    const length = Number(LENGTH.exec(head)?.[1] ?? 0);
    if (end < 0 || all.length < from + length) {
      this.#begun = Buffer.from(all);
      return;
    }
    this.#begun = null;
    const answer = { status: Number(head.slice(9, 12)), body: all.subarray(from, from + length) };
    const done = this.#pending;
    this.#pending = null;
    this.#failed = null;
    done?.(answer);
  }
}

export function requestBytes(method: string, path: string, body: string): Buffer {
  const length = Buffer.byteLength(body);
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}`;
  return Buffer.from(`${head}\r\n\r\n${body}`);
}

type OpenLoop = { readonly rate: number; readonly requests: readonly Buffer[]; readonly connections: readonly Connection[] };
export type LoadResult = {
  readonly done: number; readonly seconds: number; readonly latencyMs: Float64Array; readonly statuses: Map<number, number>;
  readonly clientCpuPercent: number;
};

/** Sends each request at its due time, waiting only for a free connection; latencies in ms from the due time, sorted. */
export async function openLoop({ rate, requests, connections }: OpenLoop, look: (answer: Answer) => void): Promise<LoadResult> {
  const latencyMs = new Float64Array(requests.length);
  const statuses = new Map<number, number>();
  /** Connections take turns, so that the server closes none as idle. */
  const free = [...connections];
  const start = performance.now();
  const cpu = process.cpuUsage();
  let next = 0;
  let done = 0;
  await new Promise<void>((resolve, reject) => {
    // A 1 ms timer and each response check for due requests: the client must not spin on a core that the venue needs.
    const pump = (): void => {
      const due = Math.min(requests.length, Math.floor((performance.now() - start) / 1000 * rate) + 1);
      while (next < due && free.length > 0) launch(next++, free.shift()!);
    };
    const launch = (at: number, connection: Connection): void => {
      connection.send(requests[at]!, (answer) => {
        latencyMs[at] = performance.now() - start - at / rate * 1000;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        look(answer);
        free.push(connection);
        if (++done === requests.length) resolve();
        else pump();
      }, reject);
    };
    const timer = setInterval(() => {
      pump();
      if (next === requests.length) clearInterval(timer);
    }, 1);
    pump();
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { done, seconds, latencyMs: latencyMs.sort(), statuses, clientCpuPercent: (user + system) / 1e4 / seconds };
}
