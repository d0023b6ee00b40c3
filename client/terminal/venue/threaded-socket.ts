// A socket that a thread of the page holds (socket-thread.ts), in the form that the library asks for. Without threads the page uses the
// browser's own.

import type { SocketConstructor } from '../../src/reconnecting-socket.ts';
import type { FromSocket, ToSocket } from './socket-thread.ts';

type SocketEvent = { readonly data?: unknown; readonly reason?: string };
type Listener = (event: SocketEvent) => void;

const CLOSED = 3;
const OPEN = 1;

/** Undefined: there is no such thread. Once the thread has failed, sockets are the browser's own. */
export function threadedSockets(): SocketConstructor | undefined {
  const url = document.querySelector<HTMLMetaElement>('meta[name=socket-thread]')?.content;
  if (url === undefined || !('Worker' in globalThis)) return undefined;
  let hasFailed = false;
  const thread = new Worker(new URL(url, document.baseURI), { type: 'module' });
  thread.addEventListener('error', () => { hasFailed = true; });
  const make = function (address: string) {
    return hasFailed ? new WebSocket(address) : new ThreadedSocket(thread, address);
  };
  return make as unknown as SocketConstructor;
}

class ThreadedSocket {
  readyState = OPEN;
  readonly #port: MessagePort;
  readonly #listeners: Readonly<Record<'message' | 'close' | 'error', Listener[]>> = { message: [], close: [], error: [] };

  constructor(thread: Worker, url: string) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.addEventListener('message', ({ data }: MessageEvent<FromSocket>) => this.#heard(data));
    port1.start();
    thread.addEventListener('error', () => this.#end('the thread of the sockets failed'));
    thread.postMessage(url, [port2]);
  }

  addEventListener(type: 'message' | 'close' | 'error', listener: Listener): void {
    this.#listeners[type].push(listener);
  }

  send(text: string): void {
    this.#say(text);
  }

  close(): void {
    this.#say({ is: 'close' });
  }

  #say(message: ToSocket): void {
    this.#port.postMessage(message);
  }

  #heard(message: FromSocket): void {
    if ('ended' in message) return this.#end(message.ended);
    for (const data of message.texts) for (const listener of this.#listeners.message) listener({ data });
    this.#say({ is: 'read' });
  }

  #end(reason: string): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    for (const listener of this.#listeners.close) listener({ reason });
    this.#port.close();
  }
}
