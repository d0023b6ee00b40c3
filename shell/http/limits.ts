// The limits on clients; a table in docs/ARCHITECTURE.md is generated from them. Must not import anything: the client
// library reads it too. uWebSockets.js closes a connection 8 to 12 s without a whole request head, or idle between two
// requests.

export type Limit = {
  readonly what: string;
  readonly amount: number;
  readonly unit?: 'bytes' | 'ms' | 's';
  /** The amount for a source on loopback, if different. */
  readonly loopback?: number;
  readonly per: 'request' | 'message' | 'socket' | 'wallet of a socket' | 'source' | 'thread' | 'venue';
  /** Without it, the limit is on what exists at one time. A second is one tick. */
  readonly window?: 'turn' | 'second' | 'minute';
  readonly answer: string;
  /** The answer to a source beyond SOURCE_PART or LOOPBACK_PART; without it there are no shares. */
  readonly sourceAnswer?: string;
};

const SOURCE_PART = 1 / 4;
export const LOOPBACK_PART = 3 / 4;

export const SWEEP_EVERY = 250;
export const STATUS_EVERY = 1_000;
export const MOST_CLOCK_STEP_DAYS = 31;
export const CLOCK_ANSWER_MS = 8_000;
/** The web server closes after 8 s; one second is left for a request in transit. */
export const KEEP_ALIVE_SECONDS = 7;
/**
 * A larger request head is 431. Sized for a query with 100 simulated orders. The web server reads it from
 * UWS_HTTP_MAX_HEADERS_SIZE when its library is loaded, so it must be set before api threads start.
 */
export const HEAD_BYTES = 65_536;

export const ID_CHARS = 64;
/** A larger numeric request id, positive or negative, would be rounded. */
export const MOST_ID = Number.MAX_SAFE_INTEGER;

const RATE = '429 `rate_limit_exceeded`';
const BUSY = '503 `engine_busy`';
const CUT = 'cut off, and its connection with it';
const KIB = 1_024;
const MIB = 1_048_576;
const SOURCE_REQUESTS = 6_000;
const LOOPBACK_REQUESTS = 600_000;
const ANSWER_MS = 10_000;

export const LIMITS = {
  connections: {
    what: 'Open connections, idle ones and sockets included. Fewer where the process may open fewer files.',
    amount: 12_000, per: 'thread', answer: 'a new one is closed at once',
  },
  requests: {
    what: 'Requests that are being received or answered.',
    amount: 4_096, per: 'thread', answer: BUSY, sourceAnswer: `${RATE} with the limit`,
  },
  bodyBytes: {
    what: 'Bytes of a request’s body.',
    amount: MIB, unit: 'bytes', per: 'request', answer: '413 `payload_too_large`',
  },
  largeBodyBytes: {
    what: 'Bytes of a body whose connection stays open afterwards.',
    amount: 64 * KIB, unit: 'bytes', per: 'request', answer: 'the answer ends the connection',
  },
  bodyMemoryBytes: {
    what: 'Bytes of bodies that are arriving.',
    amount: 64 * MIB, unit: 'bytes', per: 'thread', answer: BUSY, sourceAnswer: `${RATE} with the limit`,
  },
  drainBytes: {
    what: 'Bytes of a refused body that are read and dropped, so that its client sees the answer.',
    amount: 16 * MIB, unit: 'bytes', per: 'request', answer: 'the connection closes',
  },
  stallTicks: {
    what: 'Time in which a body must end or make 16 KiB of progress.',
    amount: 6, unit: 's', per: 'request', answer: '408 `request_timeout`',
  },
  answerTicks: {
    what: 'Time until the answer, and time in which the client reads nothing of it.',
    amount: 15, unit: 's', per: 'request', answer: `500 \`internal_error\`; ${CUT}`,
  },
  unreadBytes: {
    what: 'Bytes of answers that clients have not read.',
    amount: 64 * MIB, unit: 'bytes', per: 'thread', answer: `the oldest waiting answer is ${CUT}`,
    sourceAnswer: 'the oldest waiting answer of the source is cut off',
  },
  turnBytes: {
    what: 'Bytes of answers that leave in one turn of the event loop.',
    amount: MIB, unit: 'bytes', per: 'thread', window: 'turn',
    answer: 'the rest waits for the next turn; a request behind one that waits ends the connection',
  },
  bodilessPerTick: {
    what: 'Answers without a body after which the connection stays open.',
    amount: 8, per: 'thread', window: 'second', answer: 'the answer ends the connection',
  },
  sockets: {
    what: 'Open sockets.',
    amount: 10_000, per: 'thread', answer: BUSY, sourceAnswer: `${RATE} with the limit`,
  },
  messageBytes: {
    what: 'Bytes of one message. The web server holds up to this much of each incomplete message.',
    amount: 256 * KIB, unit: 'bytes', per: 'message', answer: 'the socket ends without a close frame, as for text that is not UTF-8',
  },
  readBytes: {
    what: 'Bytes read of messages, pings, pongs and bodies; a frame counts as at least 256 bytes. As much as can be read in a second.',
    amount: 40 * MIB, unit: 'bytes', per: 'thread', window: 'second',
    answer: `not read: a socket is closed 1008 with the reason, a request is ${BUSY}`,
    sourceAnswer: `not read: a socket is closed 1008 with the reason, a request is ${RATE}`,
  },
  messagesPerTick: {
    what: 'Messages other than orders, with pings and pongs.',
    amount: 500, per: 'socket', window: 'second', answer: 'closed 1008 `message rate exceeded`',
  },
  ordersPerTick: {
    what: 'All messages, with orders, pings and pongs.',
    amount: 20_000, per: 'socket', window: 'second', answer: 'closed 1008 `message rate exceeded`',
  },
  socketBytes: {
    what: 'Bytes of messages: 20,000 orders of 500 bytes.',
    amount: 10 * MIB, unit: 'bytes', per: 'socket', window: 'second', answer: 'closed 1008 with the reason',
  },
  backlogBytes: {
    what: 'Bytes on sockets that clients have not read, checked every second.',
    amount: 256 * MIB, unit: 'bytes', per: 'thread', answer: 'the socket that has been behind longest is cut off',
    sourceAnswer: 'the socket of the source that has been behind longest is cut off',
  },
  endTicks: {
    what: 'Time for the client of a closing socket to read what is queued, with the close reason.',
    amount: 10, unit: 's', per: 'socket', answer: 'cut off',
  },
  socketBufferBytes: {
    what: 'Unread bytes of any kind.',
    amount: 4 * MIB, unit: 'bytes', per: 'socket', answer: 'closed without a reason',
  },
  pongTicks: {
    what: 'Time without a pong; a ping goes out every 20 s.',
    amount: 60, unit: 's', per: 'socket', answer: 'closed 1008 `pong timeout`',
  },
  barTicks: {
    what: 'How long a source is barred from sockets, after more unread bytes than its read quota at two late ticks in a row.',
    amount: 60, unit: 's', per: 'source', answer: `its sockets are cut off, a new one is ${RATE}`,
  },
  checksPerTurn: {
    what: 'Signature checks in one turn of the event loop.',
    amount: 8, per: 'thread', window: 'turn', answer: 'the rest waits for the next turn; sources have turns',
  },
  checksWaiting: {
    what: 'Signatures waiting to be checked; each item of a bulk counts.',
    amount: 2_048, per: 'thread', answer: `${BUSY}, in a bulk for each item beyond it`, sourceAnswer: BUSY,
  },
  turnRecords: {
    what: 'Replies, answers and stream messages taken from rings in one turn of the event loop.',
    amount: 1_024, per: 'thread', window: 'turn', answer: 'the rest waits for the next turn',
  },
  turnMs: {
    what: 'Time for these in one turn, after the first: one message may go to thousands of sockets.',
    amount: 15, unit: 'ms', per: 'thread', window: 'turn', answer: 'the rest waits for the next turn',
  },
  answerMs: {
    what: 'Time without an answer from another thread; a later answer is dropped.',
    amount: ANSWER_MS, unit: 'ms', per: 'request',
    answer: `a write is 500 \`internal_error\`, and its nonce tells the outcome; a read is ${BUSY}`,
  },
  readWaitMs: {
    what: 'Time a read may wait in the reader before it starts; later, its client would no longer wait.',
    amount: ANSWER_MS - 2 * SWEEP_EVERY, unit: 'ms', per: 'request', answer: `${BUSY}, and the read is not begun`,
  },
  readsWaiting: {
    what: 'Reads that wait in the reader; sources have turns.',
    amount: 8_192, per: 'venue', answer: BUSY,
  },
  sourceReadsWaiting: {
    what: 'Reads of one source that wait in the reader; unlimited on loopback.',
    amount: 256, loopback: Infinity, per: 'source', answer: BUSY,
  },
  controlWaiting: {
    what: 'Requests of the operator that wait for the main thread.',
    amount: 64, per: 'thread', answer: BUSY,
  },
  stopMs: {
    what: 'Time that a stopping thread waits for requests in flight.',
    amount: 2_000, unit: 'ms', per: 'thread', answer: 'the rest gets no answer',
  },
  silentMs: {
    what: 'Time without a turn of a thread’s event loop.',
    amount: 5_000, unit: 'ms', per: 'thread', answer: '`/ready` names the thread',
  },
  faultLines: {
    what: 'Log lines about faults and failed answers.',
    amount: 20, per: 'thread', window: 'second', answer: 'the rest is only counted',
  },
  sourceRequests: {
    what: 'Requests to one api thread, messages of sockets among them. As many reads in all, which the reader counts (decision 5.3).',
    amount: SOURCE_REQUESTS, loopback: LOOPBACK_REQUESTS, per: 'source', window: 'minute', answer: RATE,
  },
  sourceDiagnosed: {
    what: 'Failed signatures whose reason is looked for; each look counts as one more.',
    amount: 600, loopback: 60_000, per: 'source', window: 'minute', answer: 'refused without a reason',
  },
  sourceBulkFailures: {
    what: 'Failed signatures after which no bulk is checked. Single requests go on, since others may share the address.',
    amount: SOURCE_REQUESTS, loopback: LOOPBACK_REQUESTS, per: 'source', window: 'minute', answer: `a bulk is ${RATE}`,
  },
  sourceFailures: {
    what: 'Failed signatures after which nothing signed is checked.',
    amount: 2 * SOURCE_REQUESTS, loopback: 2 * LOOPBACK_REQUESTS, per: 'source', window: 'minute', answer: `whatever is signed is ${RATE}`,
  },
  sourceSimulations: {
    what: 'Risk simulations.',
    amount: 60, per: 'source', window: 'minute', answer: RATE,
  },
  simulations: {
    what: 'Risk simulations of all sources.',
    amount: 600, per: 'venue', window: 'minute', answer: RATE,
  },
  simulationsAtOnce: {
    what: 'Risk simulations running at the same time.',
    amount: 4, per: 'venue', answer: RATE,
  },
  refusedBytes: {
    what: 'Bytes of messages that are read although the source has no requests left.',
    amount: 64 * KIB, unit: 'bytes', per: 'socket', window: 'second', answer: 'refused unread; an order is refused by its id',
  },
  requestsInFlight: {
    what: 'Order requests without an answer (decision 7.5).',
    amount: 50, per: 'wallet of a socket', answer: 'REJECTED with the reason',
  },
  resultsWaiting: {
    what: 'Answers to order requests that wait for their turn.',
    amount: 1_024, per: 'socket', answer: 'closed 1008',
  },
  subscriptions: {
    what: 'Subscriptions (decision 7.5), and symbols chosen of one private channel.',
    amount: 1_000, per: 'socket', answer: 'Error message',
  },
  chainSubscriptions: {
    what: 'Subscriptions to `options_chain`, each with its own filter.',
    amount: 50, per: 'socket', answer: 'Error message',
  },
  chainSymbols: {
    what: 'Symbols in all filters of `options_chain`.',
    amount: 1_000, per: 'socket', answer: 'Error message',
  },
  symbolsWaiting: {
    what: 'Symbols in subscription requests that wait for an earlier one; each request counts at least one.',
    amount: 4_096, per: 'socket', answer: 'closed 1008',
  },
  bookBacklog: {
    what: 'Bytes that the client has not read.',
    amount: 256 * KIB, unit: 'bytes', per: 'socket', answer: 'books are conflated to the newest, deltas left out until a new snapshot',
  },
  streamBacklog: {
    what: 'Unread bytes when a message that must not be lost, or a ping, is due.',
    amount: MIB, unit: 'bytes', per: 'socket', answer: 'closed 1008 with the reason',
  },
  snapshotsAsked: {
    what: 'Snapshots that the reader is asked for at a time, for one source and for one socket.',
    amount: 8, per: 'source', answer: 'the next waits its turn between the sockets of the source',
  },
  endsTold: {
    what: 'Questions at a time that tell the reader which streams have ended.',
    amount: 64, per: 'thread', answer: 'what ends meanwhile goes with the next question of its topic',
  },
  heldMessages: {
    what: 'Messages held until a snapshot arrives.',
    amount: 10_000, per: 'socket', answer: 'closed 1008 with the reason',
  },
  heldBytes: {
    what: 'Bytes of these messages, with the snapshots.',
    amount: 64 * MIB, unit: 'bytes', per: 'socket', answer: 'closed 1008 with the reason',
  },
  threadHeldBytes: {
    what: 'Bytes held this way for all sockets; shared messages count once.',
    amount: 512 * MIB, unit: 'bytes', per: 'thread', answer: 'the socket that has read nothing for longest is closed 1008',
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type Bounds = { readonly [Name in keyof typeof LIMITS]: number } & {
  readonly tickMs: number;
  readonly sourcePart: number;
  readonly loopbackPart: number;
  readonly stallBytes: number;
  /** Minimum that a frame counts in `readBytes`: handling one costs 5 µs, however short. */
  readonly frameBytes: number;
  readonly pingTicks: number;
};

const AMOUNTS = Object.fromEntries(Object.entries(LIMITS).map(([name, { amount }]) => [name, amount]));

export const BOUNDS = {
  ...AMOUNTS as Readonly<Record<keyof typeof LIMITS, number>>,
  tickMs: 1_000, sourcePart: SOURCE_PART, loopbackPart: LOOPBACK_PART, stallBytes: 16 * KIB, frameBytes: 256, pingTicks: 20,
} satisfies Bounds;

type Parts = Pick<Bounds, 'sourcePart' | 'loopbackPart'>;

export function partsOf(all: number, { sourcePart, loopbackPart }: Parts = BOUNDS): { readonly amount: number; readonly loopback: number } {
  return { amount: Math.ceil(all * sourcePart), loopback: Math.ceil(all * loopbackPart) };
}
