// The tables of limits in docs/ARCHITECTURE.md: those of clients are the rows of shell/http/limits.ts, those of queues and of the core
// take their amounts from the constants that they are about.

import {
  AGENTS_PER_WALLET, BULK_ITEMS, CROWDED_OPEN_ORDERS, CROWDED_PERCENT, FILLS_A_FIRING_STEP, FIRED_A_STEP, MMP_FILLS_PER_ROW,
  PENDING_PER_WALLET, PENDING_TIME, PRODUCTION, QUOTE_LINES, QUOTE_TEXT_BYTES, QUOTE_VALID_TIME, RESTED_TIME, REVOCATIONS_PER_WALLET,
  SMALL_TIER_POOL_PERCENT, TRIGGERS, TRIGGERS_A_WALLET, UNUSED_TIME,
} from '../../core/limits.ts';
import { CLOSED_A_STEP } from '../../core/lifecycle/reclaim.ts';
import { ORDERS_A_STEP as RESTED_A_STEP, WORK_ITEMS } from '../../core/lifecycle/work-queue.ts';
import { NETWORKS, NEW_WALLETS_AN_HOUR, UNKNOWN_WALLETS } from '../../core/sequencer/rate-budgets.ts';
import { ORDERS_PER_STEP } from '../../core/trading/cancel-all.ts';
import { CANCEL_JOBS as CANCELS_IN_HAND, TIMED_JOBS } from '../../core/trading/cancel-jobs.ts';
import { MMP_CANCEL_BATCH } from '../../core/trading/protection.ts';
import { FIRES_PER_TICK } from '../../core/trading/timers.ts';
import { DAY } from '../../core/units.ts';
import { CACHE_MS, MAX_BYTES as FEE_BYTES, TIMEOUT_MS as FEES_TIMEOUT_MS } from '../../shell/feeds/gas-provider.ts';
import { MAX_BYTES, MAX_IN_FLIGHT as CANDLES_AT_ONCE, TIMEOUT_MS, WEIGHT_A_MINUTE } from '../../shell/feeds/hyperliquid/candle-source.ts';
import { DEPTH, MOST_VALUES } from '../../shell/http/json.ts';
import { BOUNDS, HEAD_BYTES, LIMITS, partsOf, type Limit } from '../../shell/http/limits.ts';
import { QUOTA_ROWS } from '../../shell/http/quota.ts';
import { MIN_BYTES, MAX_QUEUED_BYTES as GZIP_WAITING } from '../../shell/http/server/compression.ts';
import { IDLE_TICKS } from '../../shell/http/server/connection-limiter.ts';
import { BYTES as SHARED_VALUE_BYTES } from '../../shell/ipc/shared-value.ts';
import { KEPT_CANDLES } from '../../shell/storage/history/candle-series.ts';
import { KEPT_QUOTES } from '../../shell/storage/history/outcomes.ts';
import { MAX_WAITING_EXPIRIES } from '../../shell/ipc/status.ts';
import { RESERVED_FILES as RESERVED_FILES } from '../../shell/process/open-files.ts';
import { MAX_PAIRS } from '../../shell/process/threads/presence.ts';
import { LOG_AHEAD_BYTES } from '../../shell/process/threads/main-loop.ts';
import {
  ANSWER_BYTES, ANSWER_RING_BYTES, COMMAND_RING_BYTES, IN_FLIGHT, LOG_RING_BYTES, QUERY_RING_BYTES, REPLY_RING_BYTES,
} from '../../shell/process/wiring.ts';
import { FRAME_BYTES } from '../../shell/storage/replication/accepted-log.ts';
import { ROWS_AT_ONCE } from '../../shell/reader/channels/options-chain.ts';
import { RESUME_FILLS, RESUME_PART } from '../../shell/reader/channels/resume.ts';
import { CONFLATION_MS } from '../../shell/reader/channels/source.ts';
import { MOST as PAIRS_OF_DEALERS } from '../../shell/reader/competitions/dealings.ts';
import { MOST_READS as HISTORY_READS } from '../../shell/reader/history/link.ts';
import { MOST_ROWS } from '../../shell/reader/history/rows.ts';
import { READ_MS, STOP_ROWS } from '../../shell/reader/loop.ts';
import { MOST_BYTES as OUTBOX_BYTES } from '../../shell/reader/outbox.ts';
import { KEPT_MESSAGES } from '../../shell/storage/history/protocol.ts';
import { MAX_DELAY_MS } from '../../shell/storage/history/commit-scheduler.ts';
import { LOW_DISK_BYTES, STOP_DISK_BYTES } from '../../shell/storage/journal/disk-space.ts';
import { BATCH_MS } from '../../shell/ws/write-scheduler.ts';

type Row = readonly [what: string, most: string, beyond: string];

const KIB = 1_024;
const UNITS: readonly (readonly [bytes: number, name: string])[] = [[KIB ** 3, 'GiB'], [KIB ** 2, 'MiB'], [KIB, 'KiB']];

function n(amount: number): string {
  return amount.toLocaleString('en-US');
}

function bytes(amount: number): string {
  const [unit, name] = UNITS.find(([size]) => amount >= size && (amount * 10) % size === 0) ?? [1, 'bytes'];
  return `${n(amount / unit)} ${name}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${n(ms)} ms` : `${n(ms / 1_000)} s`;
}

function days(ms: number): string {
  return `${n(ms / DAY)} days`;
}

function amountOf({ amount, unit }: Limit): string {
  if (unit === 'bytes') return bytes(amount);
  if (unit === 'ms') return seconds(amount);
  return unit === undefined ? n(amount) : `${n(amount)} ${unit}`;
}

const PER_TEXTS: Readonly<Record<Limit['per'], string>> = {
  request: 'request', message: 'message', socket: 'socket', 'wallet of a socket': 'wallet and socket', source: 'network source',
  thread: 'api thread', venue: 'venue',
};

function clientRow([name, limit]: readonly [string, Limit]): string {
  const { what, loopback, per, window, answer, sourceAnswer } = limit;
  const local = loopback === undefined ? '' : ` (loopback ${loopback === Infinity ? 'no limit' : n(loopback)})`;
  const most = `${amountOf(limit)}${window === undefined ? '' : ` a ${window}`}${local}`;
  const beyond = sourceAnswer === undefined ? answer : `${answer}; to a source with its part: ${sourceAnswer}`;
  return line([`\`${name}\``, what, most, PER_TEXTS[per], beyond]);
}

const BUSY = '503 `engine_busy`';
const RATE = '429 `rate_limit_exceeded`';
const percent = SMALL_TIER_POOL_PERCENT;
const small = `${percent} % of them of default and tier1 wallets together`;
const openMessages = partsOf(BOUNDS.sockets * BOUNDS.messageBytes);
const [ofAddress, of56, of48, ofAll] = NEW_WALLETS_AN_HOUR as readonly [number, number, number, number];

/** Other limits of clients. */
const CLIENTS: readonly Row[] = [
  ['The head of a request.', bytes(HEAD_BYTES), '431, and the connection closes'],
  ['A body or message of JSON.', `${DEPTH} levels, ${n(MOST_VALUES)} values`, '400 `invalid_json`, `invalid_request`; Error message'],
  [
    'Connections of all api threads.', `the files that the process may open, less ${RESERVED_FILES}`,
    'an api thread takes only its share of them',
  ],
  [
    'Connections that a source opens while connections are scarce: more are open, sockets aside, than free. Not behind a proxy.',
    `its part of them in the last ${IDLE_TICKS} to ${2 * IDLE_TICKS} s`,
    'a new one is closed at once; an answer to a source outside loopback closes its connection, except an export',
  ],
  [
    'Incomplete messages in the memory of an api thread.',
    `${bytes(BOUNDS.sockets * BOUNDS.messageBytes)}; of one source ${bytes(openMessages.amount)} (loopback `
      + `${bytes(openMessages.loopback)})`,
    'follows from `sockets` and `messageBytes`; a socket that leaves one frame unfinished sends no pong',
  ],
  ['Unread answers of a connection.', '1', 'a request behind it ends the connection'],
  [
    'Reads of a wallet and source in a minute.', `that of the wallet’s tier; ${n(QUOTA_ROWS)} pairs`,
    `${RATE}; further pairs count for their source`,
  ],
  ['Sources counted in one window.', n(QUOTA_ROWS), 'those beyond share one row'],
  [
    'Writes of a wallet in a minute.', `that of the wallet’s tier; ${n(UNKNOWN_WALLETS)} wallets without an account`,
    `${RATE}; beyond the table, a wallet may get a full budget again`,
  ],
  [
    'New wallets an hour (`--new-wallets`); loopback has no limit.',
    `${ofAddress} of an IPv4 address or IPv6 /64, ${of56} of a /56, ${of48} of a /48, ${n(ofAll)} of all; ${n(NETWORKS)} `
      + `networks of each size`,
    `${RATE}; networks beyond share a row with another`,
  ],
  [
    'Items of a bulk request. Each is checked by itself; they enter the queue together or not at all.', n(BULK_ITEMS),
    '400; each item `Failed to send order to engine`',
  ],
  ['Exports of a source; the next part of one is made when the last is taken.', '1', '409 `conflict`'],
  [
    `Answers above ${bytes(MIN_BYTES)} that are compressed.`, `1 at a time of an api thread; ${bytes(GZIP_WAITING)} wait`,
    'the answer is not compressed',
  ],
];

/** Limits between threads, to the disk and to external services. */
const THREADS: readonly Row[] = [
  ['api thread → main: commands.', `a ring of ${bytes(COMMAND_RING_BYTES)} and ${n(IN_FLIGHT)} in flight each`, BUSY],
  [
    'A command that names a connection which main does not know yet.', 'the records that the other rings hold at that time',
    'its ring waits until they are taken; if all rings wait, it goes on, and the answer does not say whether the connection is closed',
  ],
  ['main → api thread: replies.', `a ring of ${bytes(REPLY_RING_BYTES)} each`, 'cannot happen: one reply a command in flight'],
  [
    'main, reader, feed → api threads: health.', `${bytes(SHARED_VALUE_BYTES)} each, ${MAX_WAITING_EXPIRIES} waiting expiries by name`,
    'only the oldest expiries are listed; the counts stay exact',
  ],
  [
    'main → journal and reader: the log.', `a ring of ${bytes(LOG_RING_BYTES)}; the largest record must fit`,
    `main takes no command; the rings of api threads fill up: ${BUSY}`,
  ],
  [
    'main → log: due steps and index prices.', `${bytes(LOG_AHEAD_BYTES)} that the reader has not read`,
    'the next step waits until the reader has read twice the bytes of the last one, at most a millisecond; of prices the newest waits',
  ],
  ['journal → disk: records of one frame and commit.', bytes(FRAME_BYTES), 'the rest waits in the log for the next frame'],
  [
    'journal → disk: files in their place, checked with each commit.', 'none may be moved or replaced',
    'the process ends with one line',
  ],
  [
    'Free room on the disk.', `${bytes(LOW_DISK_BYTES)} and ${bytes(STOP_DISK_BYTES)}`,
    'below the first new orders are 503 and cancels work; below the second the venue stops cleanly',
  ],
  [
    'api thread → reader: reads.', `a ring of ${bytes(QUERY_RING_BYTES)} and ${n(IN_FLIGHT)} in flight each, a source its part of them`,
    `${BUSY}; after ${seconds(READ_MS)} of reads the reader applies the log`,
  ],
  [
    'reader → api thread: answers and streams.',
    `a ring of ${bytes(ANSWER_RING_BYTES)} each, ${bytes(OUTBOX_BYTES)} behind it; above ${bytes(ANSWER_BYTES)} by message port`,
    'the reader takes nothing new; an api thread that makes no progress for 5 s ends the process, a slow one does not',
  ],
  [
    'Books → streams.', `one message in ${seconds(CONFLATION_MS)} a book and channel, the first at once`,
    'changes meanwhile are in the next message',
  ],
  ['Rows of options chains → streams.', `${ROWS_AT_ONCE} in ${seconds(CONFLATION_MS)}`, 'changes meanwhile are in the next message'],
  ['Books → one socket.', `one write in ${seconds(BATCH_MS)}, the first at once`, 'books wait for the next write'],
  [
    'reader → history: rows.',
    `${n(MOST_ROWS)} until they are taken, and a commit within ${seconds(MAX_DELAY_MS)}; at a stop ${n(STOP_ROWS)}`,
    'the reader stops applying, so main stops taking commands; at a stop, the next start makes the missing rows',
  ],
  ['reader → history: queries.', n(HISTORY_READS), BUSY],
  [
    'Messages that a resumed stream can repeat.',
    `${n(RESUME_FILLS)} (\`liquidation\`, \`competition\`: ${n(KEPT_MESSAGES.liquidation)}), in parts of ${n(RESUME_PART)}`,
    'Error `Cannot resume …`; the next part comes when the client has read the last',
  ],
  [
    'Pairs of wallets that trade with each other, in all running competitions.',
    `${n(PAIRS_OF_DEALERS)} pairs, and as many signers of wallets`,
    'a new pair’s fills count at the mark; a new signer is not remembered',
  ],
  [
    'feed → main: prices.', 'one message a second, the newest price of each underlying',
    'older prices are dropped; without prices the index becomes stale',
  ],
  [
    'api thread → candles of another venue.',
    `${seconds(TIMEOUT_MS)} and ${bytes(MAX_BYTES)} an answer, ${CANDLES_AT_ONCE} at once; a weight of ${WEIGHT_A_MINUTE} in `
      + `any minute of all threads`,
    '502 `upstream_failure`',
  ],
  [
    'api thread → fees of a chain.', `${seconds(FEES_TIMEOUT_MS)} and ${bytes(FEE_BYTES)} an answer, asked once in ${seconds(CACHE_MS)}`,
    '502 `upstream_failure`, 500',
  ],
];

/** Limits of the state and of the work of the core. */
const CORE: readonly Row[] = [
  [
    'Long work: listing, expiry, settlement, sweep, liquidation, the operator’s markets. One bounded step between batches of commands.',
    n(WORK_ITEMS), `retried at the next due time; a request of the operator is ${BUSY}`,
  ],
  ['Revaluations.', 'a place for each underlying', 'cannot happen: requests meanwhile lead to one more revaluation'],
  [
    'Orders that one command cancels at once; commands whose cancels go on in steps.',
    `${ORDERS_PER_STEP}, the rest in steps of as many; ${CANCELS_IN_HAND}`,
    `${BUSY}, nothing is cancelled; a taker that meets a pending order cancels it instead of filling it`,
  ],
  [
    'Orders that wait for a trigger.', `${n(TRIGGERS)}, ${SMALL_TIER_POOL_PERCENT} % of them of default and tier1 wallets together`,
    `${BUSY}; of a wallet ${TRIGGERS_A_WALLET.join(', ')} by tier: \`Too many trigger orders\``,
  ],
  [
    'Orders that fire in one step.', `${FIRED_A_STEP}, or the order that reaches ${n(FILLS_A_FIRING_STEP)} fills`,
    'they wait for the next step and are checked again',
  ],
  [
    'Lines of a mass quote; bytes of its text; how far its time may lie ahead.',
    `${QUOTE_LINES}; ${n(QUOTE_TEXT_BYTES)}; ${seconds(QUOTE_VALID_TIME)}`, '400 `invalid_parameter` for all of it',
  ],
  [
    'Free places for the sides of a mass quote and rows for its contracts, as if none of its quotes were open.',
    'a place for each side with a size, a row for each line', `${BUSY}, nothing is changed`,
  ],
  [
    'First answers of mass quotes, kept for the same request sent again.', `${n(KEPT_QUOTES)} a wallet`,
    'older ones: `Nonce … already used`',
  ],
  ['Credits of the operator whose ids are known.', n(PRODUCTION.credits), 'an older id counts as a new credit'],
  [
    'Intervals of candles of a resolution: of trades, of marks, of volatility indexes.',
    `${n(KEPT_CANDLES.trade)}, ${n(KEPT_CANDLES.mark)}, ${n(KEPT_CANDLES.vol_index)}`, 'the oldest are dropped',
  ],
  [
    'Wallets whose deadline (dead man’s switch, cancel on disconnect) has come.',
    `${TIMED_JOBS} at a time in the same queue, ${FIRES_PER_TICK} in one tick`,
    `they wait for their turn; setting such a deadline anew is ${BUSY}`,
  ],
  [
    'Orders that market-maker protection cancels.', `${MMP_CANCEL_BATCH} with the trigger, the rest in steps of as many`,
    'cannot happen; a taker that meets a pending order cancels it instead of filling it',
  ],
  [
    'Wallets with an account.', n(PRODUCTION.accounts),
    `${BUSY} to new wallets; from ${CROWDED_PERCENT} % on those that never traded and were not used for ${days(UNUSED_TIME)} are closed, `
      + `${CLOSED_A_STEP} a step`,
  ],
  [
    'Wallets whose account was closed: their highest nonce, the counters of two streams.', n(PRODUCTION.closedAccounts),
    'no account is closed',
  ],
  [
    'Open orders.', `${n(PRODUCTION.orders - 1)}, ${small}`,
    `${BUSY}; from ${CROWDED_PERCENT} % of that part on ${CROWDED_OPEN_ORDERS} a wallet, and what rested for ${days(RESTED_TIME)} ends `
      + `(\`Capacity\`), ${RESTED_A_STEP} a step`,
  ],
  [
    'Instruments; those of settled contracts are used again.', n(PRODUCTION.instruments),
    `nothing is listed; the operator’s own is ${BUSY}`,
  ],
  ['Agents.', `${AGENTS_PER_WALLET} active a wallet; ${n(PRODUCTION.agents)}, ${small}`, `\`Too many agents\`; ${BUSY}`],
  [
    'Revocations of agents that are remembered one by one.', `${REVOCATIONS_PER_WALLET} a wallet; ${n(PRODUCTION.revocations)}`,
    'the lowest revoked nonce of the wallet counts for all its agents: approvals up to it are void',
  ],
  [
    `Approvals of agents that wait for their wallet’s account, for ${days(PENDING_TIME)} at most.`,
    `${AGENTS_PER_WALLET} agents and ${PENDING_PER_WALLET} approvals a wallet; ${n(PRODUCTION.pendingApprovals)}`,
    '`Too many agents`; `Too many pending approvals`',
  ],
  [
    'Connections that signed for wallets.', `${n(MAX_PAIRS)} pairs of a connection and a wallet, beyond them one of each wallet`,
    'a wallet counts as disconnected when the one that is kept closes; a connection without room in the ring is closed at once',
  ],
  [
    'Holdings: positions or open orders of a wallet in an instrument.', `${n(PRODUCTION.holdings)}, ${small}`,
    `${BUSY} to an order that needs a new one`,
  ],
  ['Market-maker protections of a wallet and underlying, on or off.', `${n(PRODUCTION.mmpConfigs)}, ${small}`, BUSY],
  [
    'Times of fills in the windows of protections.', `${n(MMP_FILLS_PER_ROW)} each; ${n(PRODUCTION.mmpFills)}`,
    'times are merged: no fill is lost, some leave the window late',
  ],
];

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(head: readonly string[], lines: readonly string[]): string {
  return [line(head), line(head.map(() => '---')), ...lines].join('\n');
}

const HEAD = ['What is counted', 'At most', 'Beyond it'];

/** All tables, as text of the document. */
function limitTables(): string {
  return [
    '### What clients may ask for',
    table(['Limit', ...HEAD.slice(0, 2), 'Of each', ...HEAD.slice(2)], Object.entries(LIMITS).map(clientRow)),
    table(HEAD, CLIENTS.map(line)), '### Between threads', table(HEAD, THREADS.map(line)),
    '### In the core', table(HEAD, CORE.map(line)),
  ].join('\n\n');
}

const BEGIN = '<!-- limits: written by `npm run docs` -->\n';
const END = '<!-- /limits -->\n';

/** The document with the present tables. */
export function withLimits(page: string): string {
  const [before, rest] = page.split(BEGIN) as [string, string?];
  const after = rest?.split(END)[1];
  if (rest === undefined || after === undefined) throw new RangeError(`the page has no lines ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n${limitTables()}\n\n${END}${after}`;
}
