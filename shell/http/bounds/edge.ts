// What one edge (one worker) takes at most, and what answers beyond it. Times are ticks of one second; a test may make
// the tick shorter. The web server has bounds of its own below these, which cannot be set from here: a connection
// without a whole request head is closed after 8 to 12 s, and so is one that sits idle between two requests.

/**
 * What clients are told of that (`Keep-Alive: timeout`): a second less, in which a request that was sent in time arrives. A client that
 * kept a connection longer could use it just as it ends, and have no answer.
 */
export const TOLD_IDLE_SECONDS = 7;

/** What one network source, and one of loopback, may have of what all clients share. */
export const SOURCE_PART = 1 / 4;
export const LOOPBACK_PART = 3 / 4;

export type Bounds = {
  /** Milliseconds of one tick. */
  readonly tickMs: number;
  /** Open connections, idle ones and sockets included; beyond: a new one is closed. Fewer where files are (shell/process/open-files). */
  readonly connections: number;
  /**
   * What one network source, and one of loopback, may have of `requests`, `bodyMemoryBytes` and `sockets`; beyond: 429
   * rate_limit_exceeded. So of `readBytes`, which says what is beyond. Of connections: what it may open in
   * 12 s once they are scarce (edge/openings); beyond: a new one is closed at once. Behind a proxy all come from it, so connections
   * have no part there.
   */
  readonly sourcePart: number;
  readonly loopbackPart: number;
  /** Requests received or being answered at once; beyond: 503 engine_busy. */
  readonly requests: number;
  /** Bytes of one request body; beyond: 413 payload_too_large. */
  readonly bodyBytes: number;
  /** A body of more bytes is the last of its connection. */
  readonly largeBodyBytes: number;
  /** Bytes of all bodies held while they arrive; beyond: 503 engine_busy. */
  readonly bodyMemoryBytes: number;
  /** Bytes of a refused body that are read and dropped so that the client sees its answer; beyond: the connection closes. */
  readonly drainBytes: number;
  /** In `stallTicks` a body brings `stallBytes` or ends; else 408. Earlier than the web server, which would just hang up. */
  readonly stallTicks: number;
  readonly stallBytes: number;
  /** A request without an answer after so long: 500 internal_error. Above the 10 s a write may take (decision 6.4). */
  readonly answerTicks: number;
  /**
   * Bytes of answers that wait for their clients to read; a source has its part. Beyond: the answer that began to wait first is cut
   * off, of the source or of all. One that nothing is read of for `answerTicks` is cut off too.
   */
  readonly unreadBytes: number;
  /** Bytes of answers in one turn of the event loop; those beyond wait for the next, and what came behind one ends its connection. */
  readonly turnBytes: number;
  /** Answers without a body in one tick that leave their connection open; beyond: they end it. */
  readonly bodilessPerTick: number;
  /** Open sockets; beyond: the upgrade is answered 503 engine_busy. */
  readonly sockets: number;
  /**
   * Bytes of one message of a client; beyond: the web server closes the socket (seen as 1006). Five times the largest bulk. The web
   * server keeps as many of a message whose end has not come, for as long as the socket lives, and tells nobody.
   */
  readonly messageBytes: number;
  /**
   * Bytes of all messages, pings, pongs and bodies of clients that are read in one tick; a source has its part. Beyond: a socket is
   * closed with 1008 and the reason, a request is 429 rate_limit_exceeded, or 503 engine_busy where it is the thread's.
   * To read so many takes a second at most.
   */
  readonly readBytes: number;
  /** A shorter message, ping or pong counts as so many of `readBytes`: to take one costs 5 µs, however short it is. */
  readonly frameBytes: number;
  /**
   * Messages of one socket in one tick that are no orders (its listener counts them), and pings and pongs; beyond: close 1008
   * `message rate exceeded`.
   */
  readonly messagesPerTick: number;
  /** All messages, pings and pongs of one socket in one tick, orders of market makers among them; beyond: the same close. */
  readonly ordersPerTick: number;
  /** Bytes of them, 20,000 orders of 500; beyond: close 1008 with the reason. */
  readonly socketBytes: number;
  /** Bytes that all sockets may be behind in reading; a source has its part. Beyond: the first that fell behind is cut off. */
  readonly backlogBytes: number;
  /** A socket that is closed while its client has something to read is cut off after so many ticks. */
  readonly endTicks: number;
  /** Bytes a socket may be behind in reading; beyond: the web server closes it. Channels act long before. */
  readonly socketBufferBytes: number;
  readonly pingTicks: number;
  /** A socket without a pong for longer than so many whole ticks: close 1008 `pong timeout`. */
  readonly pongTicks: number;
};

export const BOUNDS: Bounds = {
  tickMs: 1_000,
  connections: 12_000,
  sourcePart: SOURCE_PART,
  loopbackPart: LOOPBACK_PART,
  requests: 4_096,
  bodyBytes: 1_048_576,
  largeBodyBytes: 65_536,
  bodyMemoryBytes: 64 * 1_048_576,
  drainBytes: 16 * 1_048_576,
  stallTicks: 6,
  stallBytes: 16 * 1_024,
  answerTicks: 15,
  unreadBytes: 64 * 1_048_576,
  turnBytes: 1_048_576,
  bodilessPerTick: 8,
  sockets: 10_000,
  messageBytes: 262_144,
  readBytes: 40 * 1_048_576,
  frameBytes: 256,
  messagesPerTick: 500,
  ordersPerTick: 20_000,
  socketBytes: 10_485_760,
  backlogBytes: 256 * 1_048_576,
  endTicks: 10,
  socketBufferBytes: 4 * 1_048_576,
  pingTicks: 20,
  pongTicks: 60,
};

/**
 * Bytes of a request's head: a query may carry 100 simulated orders. The web server reads it from the environment of
 * the process when its library is loaded, so the main thread sets UWS_HTTP_MAX_HEADERS_SIZE before it starts a worker.
 * Without it the bound is 4096. Beyond: 431, and the connection closes.
 */
export const HEAD_BYTES = 65_536;
