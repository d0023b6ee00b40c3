// Requests and responders: what the web server passes to routes. Routes know nothing of uWebSockets.js.

import type { HeaderName } from './headers.ts';
import type { Source } from './source.ts';

export type HttpRequest = {
  /** As sent; `get` is not `GET`. */
  readonly method: string;
  /** As sent, percent escapes not decoded. */
  readonly path: string;
  readonly query: string;
  /** '' if absent. Body headers are read only if the method has a body, the last four only if not. */
  readonly headers: Readonly<Record<HeaderName, string>>;
  readonly body: Uint8Array | null;
  readonly source: Source;
  /** Set if the web server refuses the request itself, after it was counted for its source. */
  readonly refuse?: () => void;
};

export type BudgetLeft = { readonly limit: number; readonly left: number; readonly windowEnd: number };

export type ResponseHeaders = Readonly<Record<string, string>>;

export type StreamedAnswer = {
  readonly isOver: boolean;
  /** `part` is not empty. `ready` is called when there is room for the next one. */
  write(part: string | Uint8Array, ready: () => void): void;
  end(): void;
  /** Ends the connection: the client sees that the answer is incomplete. */
  cut(): void;
};

export type Responder = {
  /** JSON unless `headers` has a lower-case `content-type`. */
  send(status: number, body: string | Uint8Array, headers?: ResponseHeaders): void;
  begin?(status: number, headers: ResponseHeaders, over: () => void): StreamedAnswer;
  route?: number;
  /** Shown in the headers unless another budget is charged. */
  budget?: BudgetLeft | null;
  /** The answer has everything up to this command; 0: it is not about commands. */
  seq?: number;
  readonly aborted: boolean;
};
