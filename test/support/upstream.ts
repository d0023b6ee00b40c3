// A stand-in for an external service on loopback: answers each posted JSON body as the test wants, well or badly.

import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** Answers a question, now, later or never; `response` is the raw answer. */
export type UpstreamHandler = (question: any, response: ServerResponse) => void;

export class Upstream {
  /** Replaced by tests in the middle of things. */
  behave: UpstreamHandler;
  readonly questions: any[] = [];
  readonly server: Server;

  static async start(t: TestContext, behave: UpstreamHandler): Promise<Upstream> {
    const upstream = new Upstream(behave);
    upstream.server.listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    t.after(() => upstream.close());
    return upstream;
  }

  private constructor(behave: UpstreamHandler) {
    this.behave = behave;
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const question: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        this.questions.push(question);
        this.behave(question, response);
      });
    });
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/info`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Kinds of bad answers to any question, each with the error that is reported. */
export const BAD_ANSWERS: readonly { readonly why: RegExp; readonly behave: UpstreamHandler }[] = [
  { why: /status 500/, behave: (_, response) => sendJson(response, {}, 500) },
  { why: /status 429/, behave: (_, response) => sendJson(response, {}, 429) },
  { why: /not JSON/, behave: (_, response) => response.end('<html>') },
  { why: /not JSON/, behave: (_, response) => response.end('{"result":{"base') },
  { why: /not JSON/, behave: (_, response) => response.end() },
  { why: /connection failed \(UND_ERR_SOCKET\)/, behave: (_, response) => response.destroy() },
  {
    why: /connection failed \(UND_ERR_SOCKET\)/,
    behave: (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"result":', () => response.destroy());
    },
  },
  { why: /status 302/, behave: (_, response) => response.writeHead(302, { location: '/elsewhere' }).end() },
  { why: /more than \d+ bytes/, behave: (_, response) => response.end(`"${' '.repeat(5_000_000)}"`) },
];
