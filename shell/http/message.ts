// What the edge hands to the routes and takes back from them: no route knows the web server, and the web server knows no route,
// only the words of HTTP that stand in this folder.

import type { HeaderName } from './headers.ts';
import type { Source } from './source.ts';

/** One request, copied out of the server's memory: it stays good for as long as anybody holds it. */
export type HttpRequest = {
  /** As sent, so `get` is not `GET`. HEAD is kept here; the router treats it as GET. */
  readonly method: string;
  /** Path as sent, without the query; percent escapes are not decoded. */
  readonly path: string;
  /** Text after the first `?`, undecoded; '' when there is none. */
  readonly query: string;
  /**
   * Values of the headers that routes may read, '' for one that was not sent; those of a body are '' where the method has none, and
   * `host` and `origin` where it has one.
   */
  readonly headers: Readonly<Record<HeaderName, string>>;
  /** The whole body, null when it has no byte. */
  readonly body: Uint8Array | null;
  readonly source: Source;
  /** What the edge answers in place of the route, once the request has been counted for its source: it cannot read the body. */
  readonly refuse?: () => void;
};

/** Where a budget stands; `windowEnd` in seconds since the epoch. */
export type BudgetLeft = { readonly limit: number; readonly left: number; readonly windowEnd: number };

export type ResponseHeaders = Readonly<Record<string, string>>;

/** An answer that is sent in parts. */
export type Stream = {
  /** The client is gone, or all is said. */
  readonly isOver: boolean;
  /** Sends a part, which is not empty; `ready` is called when there is room for the next, unless it is over. */
  write(part: string | Uint8Array, ready: () => void): void;
  end(): void;
  /** Closes the connection: the client sees that the answer is not whole. */
  cut(): void;
};

/** The one answer to one request. A second answer and an answer to a client that left are ignored. */
export type Responder = {
  /** Sends the whole answer. `content-type` is application/json unless `headers` names another, in lower case. */
  send(status: number, body: string | Uint8Array, headers?: ResponseHeaders): void;
  /** Answers in parts instead, a client that takes nothing for long is cut off; `over` is called once, however it ends. */
  begin?(status: number, headers: ResponseHeaders, over: () => void): Stream;
  /** Set by the router: the number of the row that answers, from 1. */
  route?: number;
  /** Set before the router: where the budget of the request's source stands. An answer that was charged to no other one shows it. */
  budget?: BudgetLeft | null;
  /** The client is gone: work for it may be dropped. */
  readonly aborted: boolean;
};
