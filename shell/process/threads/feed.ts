// The thread of an external feed. Mids arrive by socket, oracle prices by request. Main gets new prices at most once a second and none
// twice, so that a silent index goes stale. Real ms.

import { parentPort, workerData } from 'node:worker_threads';
import { steady } from '../clock.ts';
import { guardThread } from '../fatal.ts';
import { backoff, MidSocket } from '../../feeds/hyperliquid/mid-socket.ts';
import { IndexPrice } from '../../feeds/hyperliquid/index-price.ts';
import { ASK_ORACLE, readOracle } from '../../feeds/hyperliquid/parse-messages.ts';
import { log, logAs } from '../observability/log.ts';
import type { FeedStatus } from '../../ipc/status.ts';
import { SharedValue } from '../../ipc/shared-value.ts';
import { askUpstream, UpstreamFailure } from '../../feeds/upstream.ts';
import type { Measures, ThreadSettings } from '../wiring.ts';

export type FromFeed = { readonly type: 'prices'; readonly prices: ReadonlyMap<string, number> } | { readonly type: 'stopped' };
type ToFeed = { readonly type: 'underlyings'; readonly names: readonly string[] } | { readonly type: 'stop' };

/** A third of the API's 1,200 a minute, at 20 a request; candles get half. */
const ORACLE_EVERY = 3_000;
const ORACLE_TIMEOUT = 5_000;
/** All coins: some 100 KiB. */
const ORACLE_BYTES = 4_194_304;
const PUBLISH_EVERY = 1_000;

guardThread('feed');
const { settings, measures } = workerData as { readonly settings: ThreadSettings; readonly measures: Measures };
logAs(settings.config.log, 'feed');
const { hyperliquidWs, hyperliquidInfo } = settings.config;
const coins = new Map<string, IndexPrice>();
const troubles = new Map<string, string>();
let publishedAt = -Infinity;
let publishTimer: NodeJS.Timeout | null = null;
let askTimer: NodeJS.Timeout | null = null;
let failures = 0;
const stopping = new AbortController();
const statusValue = new SharedValue<FeedStatus>(measures.statuses.feed);
const statusTimer = setInterval(publishStatus, PUBLISH_EVERY);

function post(message: FromFeed): void {
  parentPort!.postMessage(message);
}

function logTrouble(matter: string, trouble: string | null): void {
  if ((troubles.get(matter) ?? null) === trouble) return;
  if (trouble === null) troubles.delete(matter);
  else troubles.set(matter, trouble);
  log('warn', 'feed', `feed hyperliquid: ${matter}: ${trouble ?? 'all is well again'}`, { feed: 'hyperliquid', source: matter });
}

function publishSoon(): void {
  publishTimer ??= setTimeout(publish, Math.max(0, publishedAt + PUBLISH_EVERY - steady()));
}

function publish(): void {
  publishTimer = null;
  publishedAt = steady();
  const prices = new Map<string, number>();
  for (const [name, coin] of coins) {
    const price = coin.takeNew(publishedAt);
    if (price > 0) prices.set(name, price);
  }
  if (prices.size > 0) post({ type: 'prices', prices });
}

function publishStatus(): void {
  const time = steady();
  statusValue.publish(Object.fromEntries([...coins].map(([name, coin]) => [name, coin.sourceAt(time)])));
}

async function askOracle(): Promise<void> {
  const time = steady();
  try {
    const answer = await askUpstream({
      url: hyperliquidInfo, body: ASK_ORACLE, withinMs: ORACLE_TIMEOUT, maxBytes: ORACLE_BYTES, stop: stopping.signal,
    });
    const prices = readOracle(answer, coins.keys());
    if (prices === null) throw new UpstreamFailure('the answer has another form');
    failures = 0;
    logTrouble('oracle prices', null);
    for (const [name, coin] of coins) {
      const price = prices.get(name);
      logTrouble(`oracle price of ${name}`, price === undefined ? 'there is none' : null);
      if (price !== undefined) coin.addOracle(price, time);
    }
    publishSoon();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    failures++;
    if (!stopping.signal.aborted) logTrouble('oracle prices', error.message);
  }
  const wait = failures > 0 ? backoff(failures) : Math.max(0, time + ORACLE_EVERY - steady());
  if (!stopping.signal.aborted) askTimer = setTimeout(askOracle, wait);
}

function onMids(mids: ReadonlyMap<string, number>): void {
  const time = steady();
  for (const [name, price] of mids) coins.get(name)?.addMid(price, time);
  publishSoon();
}

function addCoins(names: readonly string[]): void {
  for (const name of names) if (!coins.has(name)) coins.set(name, new IndexPrice());
}

const socket = new MidSocket({
  url: hyperliquidWs, coins: () => coins.keys(), steady, onMids: onMids,
  onChange: (why) => logTrouble('mids', why),
});
void askOracle();

parentPort!.on('message', (message: ToFeed) => {
  if (message.type === 'underlyings') return addCoins(message.names);
  stopping.abort();
  clearInterval(statusTimer);
  for (const timer of [publishTimer, askTimer]) if (timer !== null) clearTimeout(timer);
  socket.close();
  post({ type: 'stopped' });
  parentPort!.close();
});
