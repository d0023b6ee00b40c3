// A thread of the page (a worker) that holds its sockets. Market data come by the thousand a second: they are given to the page together,
// at most one batch in REST_MS, and the next when the page has read the last. All other messages pass at once. Nothing overtakes.

import { isMarketData, MessageBatch } from './message-batch.ts';

/** A text to send, or that a message of the thread was read. */
export type ToSocket = string | { readonly is: 'read' | 'close' };
/** In the order of the wire. `ended`: the reason. */
export type FromSocket = { readonly texts: readonly string[] } | { readonly ended: string };
type Scope = { addEventListener(type: 'message', listener: (event: MessageEvent<string>) => void): void };

const REST_MS = 8;
/** Beyond it the page has stood still: the venue is asked anew. */
const MOST_WAITING = 100_000;

function serve(url: string, port: MessagePort): void {
  const socket = new WebSocket(url);
  const waiting = new MessageBatch();
  let [unread, isResting] = [0, false];
  const tell = (message: FromSocket): void => port.postMessage(message);
  const pass = (texts: readonly string[]): void => {
    unread++;
    tell({ texts });
  };
  const give = (): void => {
    if (waiting.size === 0) return;
    pass(waiting.take());
    isResting = true;
    setTimeout(() => {
      isResting = false;
      giveInTurn();
    }, REST_MS);
  };
  const giveInTurn = (): void => { if (unread === 0 && !isResting) give(); };
  socket.addEventListener('message', ({ data }) => {
    const text = String(data);
    if (isMarketData(text)) {
      waiting.add(text);
      if (waiting.size > MOST_WAITING) socket.close();
      else giveInTurn();
      return;
    }
    give();
    pass([text]);
  });
  const end = (reason: string): void => {
    give();
    tell({ ended: reason });
  };
  socket.addEventListener('close', ({ reason }) => end(reason));
  socket.addEventListener('error', () => end(''));
  port.addEventListener('message', ({ data }: MessageEvent<ToSocket>) => {
    if (typeof data === 'string') {
      if (socket.readyState === WebSocket.OPEN) socket.send(data);
    } else if (data.is === 'close') socket.close();
    else {
      unread--;
      giveInTurn();
    }
  });
  port.start();
}

(globalThis as unknown as Scope).addEventListener('message', ({ data, ports }) => serve(data, ports[0]!));
