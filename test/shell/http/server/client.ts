// A bare HTTP/1.1 client on a TCP socket, for requests that no HTTP library sends, and the tested server with a small route table. It
// never uses the service's own parsers.

import net from 'node:net';
import { openEdge, type Edge, type EdgeOptions } from '../../../../shell/http/server/edge.ts';
import type { HttpRequest, Responder } from '../../../../shell/http/message.ts';
import { createRouter, route } from '../../../../shell/http/router.ts';

export type Answer = { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
type Seen = { readonly answers: readonly Answer[]; readonly isClosed: boolean };

/** Sends the parts one after the other and waits for `count` answers or the end of the connection, whichever is first. */
export function exchange(port: number, parts: readonly (string | Uint8Array)[], count: number): Promise<Seen> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    const finish = (isClosed: boolean) => {
      socket.destroy();
      resolve({ answers: parseAnswers(received), isClosed });
    };
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      if (parseAnswers(received).length >= count) finish(false);
    });
    socket.on('close', () => finish(true));
    socket.on('error', () => finish(true));
    void sendParts(socket, parts);
  });
}

async function sendParts(socket: net.Socket, parts: readonly (string | Uint8Array)[]): Promise<void> {
  for (const part of parts) {
    await new Promise((resolve) => socket.write(part, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Complete answers at the start of `bytes`; interim ones (1xx) are skipped. */
export function parseAnswers(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; ;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd < 0) return answers;
    const [statusLine, ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const status = Number(statusLine!.split(' ')[1]);
    const bodyEnd = headEnd + 4 + (status === 204 || status < 200 ? 0 : Number(headers['content-length'] ?? 0));
    if (bodyEnd > bytes.length) return answers;
    if (status >= 200) answers.push({ status, headers, body: bytes.toString('utf8', headEnd + 4, bodyEnd) });
    at = bodyEnd;
  }
}

/** The text of a request with a right Content-Length. */
export function requestText(method: string, path: string, body = '', headers = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

export type Venue = { readonly edge: Edge; readonly faults: { place: string; error: unknown }[]; readonly late: Responder[] };

/** Opens an edge on a free port with routes that answer at once, later, never, twice, and by throwing. */
export function openVenue(options: Partial<EdgeOptions> = {}): Venue {
  const faults: { place: string; error: unknown }[] = [];
  const late: Responder[] = [];
  const edge = openEdge({
    host: '127.0.0.1',
    port: 0,
    route: createRouter(routes(late)),
    sockets: {
      path: '/ws',
      admit: () => null,
      open: () => ({ message: () => undefined, close: () => undefined }),
      errorFrame: (_, { message }) => JSON.stringify({ type: 'Error', message }),
    },
    trustProxy: false,
    cors: '*',
    onFault: (place, error) => faults.push({ place, error }),
    ...options,
  });
  return { edge, faults, late };
}

const row = { auth: 'none', rate: 'none', envelope: 'bare', doc: 'For tests.' } as const;

function routes(late: Responder[]) {
  const order = {
    wallet: { kind: 'address' }, size: { kind: 'decimalText' }, nonce: { kind: 'uint64' },
    count: { kind: 'integer', min: 0, max: 5, optional: true },
  } as const;
  return [
    route({ ...row, method: 'POST', path: '/order', body: order, handler: ({ body }, to) => to.send(200, JSON.stringify(body)) }),
    route({ ...row, method: 'DELETE', path: '/order', body: order, handler: ({ body }, to) => to.send(200, JSON.stringify(body)) }),
    route({
      ...row, method: 'POST', path: '/later', body: order,
      handler: ({ body }, to) => void setImmediate(() => to.send(200, JSON.stringify(body))),
    }),
    route({
      ...row, method: 'GET', path: '/orders', query: { limit: { kind: 'integer', min: 0, max: 50, default: 50, clamp: true } },
      handler: ({ query }, to) => to.send(200, JSON.stringify(query)),
    }),
    route({ ...row, method: 'GET', path: '/echo', handler: ({ request }, to) => to.send(200, echo(request)) }),
    route({ ...row, method: 'POST', path: '/length', handler: ({ request }, to) => to.send(200, String(request.body?.length ?? 0)) }),
    route({ ...row, method: 'GET', path: '/empty', handler: (_, to) => to.send(200, '') }),
    route({ ...row, method: 'GET', path: '/text', handler: (_, to) => to.send(200, 'a,b', { 'content-type': 'text/csv' }) }),
    route({ ...row, method: 'GET', path: '/throws', handler: () => { throw new Error('thrown'); } }),
    route({ ...row, method: 'GET', path: '/rejects', handler: async () => { throw new Error('rejected'); } }),
    route({
      ...row, method: 'GET', path: '/answers-then-throws',
      handler: (_, to) => { to.send(200, '"first"'); throw new Error('too late'); },
    }),
    route({ ...row, method: 'GET', path: '/twice', handler: (_, to) => { to.send(200, '1'); to.send(201, '2'); } }),
    route({ ...row, method: 'GET', path: '/never', handler: (_, to) => void late.push(to) }),
    route({ ...row, method: 'POST', path: '/never', handler: (_, to) => void late.push(to) }),
  ];
}

function echo({ method, path, query, headers, source }: HttpRequest): string {
  return JSON.stringify({ method, path, query, headers, source });
}

/** Waits until `isTrue`, looking again in every turn of the event loop; the test's own timeout bounds it. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2));
}
