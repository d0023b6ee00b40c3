// Orders over one socket on loopback: from when an order was due to its durable acknowledgement, and how many a second one api
// thread takes. A venue of its own (one api thread, manual index, no rate limits, caps lifted), orders signed beforehand by 40
// wallets; the client runs in this process, its CPU is shown.
//   node bench/socket.ts [full|normal]     durability; full by default
// 1,000 orders/s for ten seconds in an open loop, after two seconds to warm up; then as fast as answers come, with at most 40
// requests in flight a wallet.

import { signedOrders, WALLETS, withLiveVenue, type Setup } from './live-venue.ts';
import { figure, heading, spread } from './machine.ts';

const DURABILITY = process.argv[2] === 'normal' ? 'normal' : 'full';
const STEADY = 1_000;
const SECONDS = 10;
const PEAK = 60_000;
const IN_FLIGHT = 40 * WALLETS / 2;

/** Answers come in the order of the requests, so the n-th is that of the n-th order. */
class Stream {
  readonly #socket: WebSocket;
  readonly answeredAt: Float64Array;
  answered = 0;
  rejected = 0;
  onAnswer: () => void = () => {};

  constructor(socket: WebSocket, count: number) {
    this.#socket = socket;
    this.answeredAt = new Float64Array(count);
    socket.onmessage = ({ data }) => {
      if (!(data as string).includes('"status":"ACKED"')) this.rejected++;
      this.answeredAt[this.answered++] = performance.now();
      this.onAnswer();
    };
  }

  send(frame: string): void {
    this.#socket.send(frame);
  }
}

function open(port: number): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    socket.onopen = () => resolve(socket);
    socket.onerror = () => reject(new Error('the socket does not open'));
  });
}

function framesOf(setup: Setup, count: number): string[] {
  return signedOrders(setup, count).map((body) => `{"type":"PlaceOrder",${body.slice(1)}`);
}

/** Resolves when all have been answered. */
function complete(stream: Stream, count: number): Promise<void> {
  return new Promise((resolve) => {
    const before = stream.onAnswer;
    stream.onAnswer = () => {
      before();
      if (stream.answered === count) resolve();
    };
  });
}

/** Latencies in ms, sorted; each from when its order was due. */
async function steady(setup: Setup, seconds: number): Promise<{ latency: Float64Array; cpu: number }> {
  const frames = framesOf(setup, STEADY * seconds);
  const socket = await open(setup.port);
  const stream = new Stream(socket, frames.length);
  const over = complete(stream, frames.length);
  const cpu = process.cpuUsage();
  const start = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (const due = (performance.now() - start) * STEADY / 1_000; sent < Math.min(due, frames.length); sent++) stream.send(frames[sent]!);
  }, 1);
  await over;
  clearInterval(timer);
  socket.close();
  if (stream.rejected > 0) throw new Error(`${stream.rejected} orders were not taken`);
  const { user, system } = process.cpuUsage(cpu);
  const latency = stream.answeredAt.map((at, i) => at - start - i * 1_000 / STEADY).sort();
  return { latency, cpu: (user + system) / (performance.now() - start) / 10 };
}

async function peak(setup: Setup): Promise<void> {
  const frames = framesOf(setup, PEAK);
  const socket = await open(setup.port);
  const stream = new Stream(socket, frames.length);
  const cpu = process.cpuUsage();
  const start = performance.now();
  let sent = 0;
  const fill = (): void => {
    while (sent < frames.length && sent - stream.answered < IN_FLIGHT) stream.send(frames[sent++]!);
  };
  stream.onAnswer = fill;
  const over = complete(stream, frames.length);
  fill();
  await over;
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  socket.close();
  const note = `${PEAK} orders, ${stream.rejected} rejected, client CPU ${((user + system) / seconds / 10_000).toFixed(0)} %`;
  figure(`${DURABILITY}, peak`, PEAK / seconds, 'orders/s', note);
}

heading(`orders over one socket on loopback, 1 api thread, durability ${DURABILITY}, ${WALLETS} wallets; client on the same machine`);
await withLiveVenue(DURABILITY, async (setup) => {
  await steady(setup, 2);
  const { latency, cpu } = await steady(setup, SECONDS);
  const note = `from when it was due to its durable answer, client CPU ${cpu.toFixed(0)} %`;
  spread(`${DURABILITY}, ${STEADY} orders/s, one order`, latency, 'ms', note);
  await peak(setup);
});
