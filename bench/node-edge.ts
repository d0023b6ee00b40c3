// The edge of the venue on node:http and `ws`, with the same routes, endpoint and messages behind it: what the comparison of
// bench/edges.ts puts into the place of shell/edge/edge.ts. Only what that bench needs: no ticks, no bounds, no heartbeat.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { commonHeaders } from '../shell/http/headers.ts';
import type { HttpRequest, Responder, ResponseHeaders, BudgetLeft } from '../shell/http/message.ts';
import { rateHeaders } from '../shell/http/rate-headers.ts';
import { sourceOfAddress } from '../shell/http/source.ts';
import type { Edge, EdgeOptions } from '../shell/edge/edge.ts';
import type { Socket } from '../shell/edge/sockets.ts';

const LOOPBACK = sourceOfAddress(Uint8Array.of(127, 0, 0, 1));

// seam: stands for what shell/edge/edge.ts exports
export function openEdge({ host, port, route, sockets: endpoint, cors, onFault }: EdgeOptions): Edge {
  const headers = commonHeaders(cors);
  const counts = { requests: 0, sockets: 0, bodyBytes: 0 };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void route(requestOf(request, Buffer.concat(parts)), new Answer(response, headers)));
  });
  const socketServer = new WebSocketServer({ server, path: endpoint.path, perMessageDeflate: false });
  let lastId = 0;
  socketServer.on('connection', (socket, request) => {
    const listener = endpoint.open(new Link(socket, ++lastId, (request.url ?? '').split('?')[1] ?? ''));
    socket.on('message', (data: RawData, isBinary) => {
      try {
        listener.message(data as Buffer, isBinary);
      } catch (error) {
        onFault('socket message', error);
      }
    });
    socket.on('close', (code) => listener.close(code));
  });
  server.listen(port, host);
  const close = (): void => {
    for (const client of socketServer.clients) client.terminate();
    server.close();
    server.closeAllConnections();
  };
  return { port, counts, connections: () => socketServer.clients.size, refused: () => 0, close };
}

function requestOf(request: IncomingMessage, body: Buffer): HttpRequest {
  const [path = '/', query = ''] = (request.url ?? '').split('?');
  const { accept = '', authorization = '', host = '', origin = '' } = request.headers;
  const { 'content-type': type = '', 'content-encoding': encoding = '' } = request.headers;
  const headers = { accept, authorization, host, origin, 'content-type': type, 'content-encoding': encoding };
  return { method: request.method ?? '', path, query, headers, body: body.length === 0 ? null : body, source: LOOPBACK };
}

class Answer implements Responder {
  aborted = false;
  budget: BudgetLeft | null = null;
  readonly #response: ServerResponse;
  readonly #common: ReturnType<typeof commonHeaders>;

  constructor(response: ServerResponse, common: ReturnType<typeof commonHeaders>) {
    this.#response = response;
    this.#common = common;
    response.on('close', () => { this.aborted = true; });
  }

  send(status: number, body: string | Uint8Array, headers: ResponseHeaders = {}): void {
    const length = { 'content-length': Buffer.byteLength(body) };
    const rate = this.budget === null ? {} : rateHeaders(this.budget);
    const own = { ...rate, 'content-type': 'application/json', 'cache-control': 'no-store', ...length, ...headers };
    this.#response.writeHead(status, { ...Object.fromEntries(this.#common), ...own });
    this.#response.end(body);
  }
}

class Link implements Socket {
  readonly id: number;
  readonly query: string;
  readonly source = LOOPBACK;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, id: number, query: string) {
    this.#socket = socket;
    this.id = id;
    this.query = query;
  }

  send(message: string | Uint8Array, isBinary = typeof message !== 'string'): ReturnType<Socket['send']> {
    this.#socket.send(message, { binary: isBinary });
    return 'sent';
  }

  /** What one turn sends leaves together here too. */
  cork(work: () => void): void {
    const { _socket: tcp } = this.#socket as unknown as { _socket: { cork(): void; uncork(): void } };
    tcp.cork();
    work();
    tcp.uncork();
  }

  bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  countMessage(): boolean {
    return true;
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}
