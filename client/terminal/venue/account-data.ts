// What the page's wallet has now, whatever panels are shown. Every figure of the portfolio is of one answer to /portfolio; the stream says
// when to read again. Lists of the past go by `news`. Fills are announced.

import { signal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Order, Portfolio, PortfolioUpdate, PositionExpired, Strikebook } from '../../src/main.ts';
import { difference, sumOf } from '../exact.ts';
import { announceFill } from './announce-fills.ts';
import { connection } from './connection.ts';
import { useRead, useStream } from './hooks.ts';
import { inNextFrame, latest, setSoon } from './frames.ts';
import { ownMarkOf } from './store.ts';
import { WorkingOrders } from './working-orders.ts';

type Greeks = { readonly delta: number; readonly gamma: number; readonly theta: number; readonly vega: number };
type AccountGreeks = { readonly per_leg: readonly (Greeks & { readonly symbol: string })[]; readonly aggregate?: Greeks | null };

type Part = PortfolioUpdate['update_type'] | PositionExpired['type'];

const PORTFOLIO_EVERY_MS = 5_000;
const READ_REST_MS = 500;
const RETRY_MS = 5_000;

/** Newest first, waiting ones and quotes among them; null before the first answer and without a wallet. */
export const workingOrders = signal<readonly Order[] | null>(null);
export const portfolio = signal<Portfolio | null>(null);
export const portfolioGreeks = signal<AccountGreeks | null>(null);
export const accountProblem = signal<string | null>(null);
export const news = { fills: signal(0), orders: signal(0), ledger: signal(0), payouts: signal(0), funding: signal(0) };

export function AccountData(): null {
  const wallet = connection.account.value?.wallet ?? null;
  const options = wallet === null ? null : {};
  useOrders(wallet);
  usePortfolio(wallet);
  useStream('fills', options, (message) => {
    if (message.wallet_address !== wallet) return;
    more(news.fills);
    announceFill(message);
  }, () => more(news.fills));
  useStream('ledger', options, () => more(news.ledger), () => more(news.ledger));
  return null;
}

function useOrders(wallet: string | null): void {
  const orders = useMemo(() => new WorkingOrders(), [wallet]);
  const options = wallet === null ? null : {};
  const read = useRef<() => Promise<void>>(async () => undefined);
  const again = useRested(() => void read.current());
  const show = (): void => inNextFrame(() => {
    workingOrders.value = orders.rows;
    markAll();
  });
  useStream('order_updates', options, (message) => {
    if (message.wallet_address !== wallet) return;
    if (orders.take(message)) again();
    more(news.orders);
    show();
  }, again);
  useStream('quotes', options, (message) => {
    if (message.wallet_address !== wallet) return;
    if (orders.takeQuotes(message)) again();
    show();
  }, again);
  useEffect(() => {
    if (wallet === null) return undefined;
    const ending = new AbortController();
    let isReading = false;
    let isAskedAgain = false;
    let retry: ReturnType<typeof setTimeout> | undefined;
    read.current = async () => {
      isAskedAgain = isReading;
      const client = connection.client.peek();
      if (isReading || client === null) return;
      isReading = true;
      orders.begin();
      try {
        orders.replace(await allWorking(client, wallet, ending.signal));
        show();
      } catch (error) {
        if (!ending.signal.aborted) accountProblem.value = (error as Error).message;
        clearTimeout(retry);
        retry = setTimeout(() => void read.current(), RETRY_MS);
      }
      isReading = false;
      if (isAskedAgain && !ending.signal.aborted) void read.current();
    };
    const stopClient = connection.client.subscribe(() => void read.current());
    const stopLink = connection.listen({ up: () => void read.current() });
    return () => {
      ending.abort();
      read.current = async () => undefined;
      clearTimeout(retry);
      stopClient();
      stopLink();
      inNextFrame(() => {
        workingOrders.value = null;
        markAll();
      });
    };
  }, [wallet]);
}

/** Exported, so that no order is missed between two pages. */
async function allWorking(client: Strikebook, wallet: string, signal: AbortSignal): Promise<readonly Order[]> {
  const query = { wallet, status: 'working' };
  const call = { signal, retries: 0 };
  const { data, pagination } = await client.get('/orders', query, call);
  if (pagination.count < pagination.limit) return data;
  const lines = await client.export('/orders', query, { ...call, format: 'ndjson' });
  return lines.trim().split('\n').map((line) => JSON.parse(line) as Order);
}

function usePortfolio(wallet: string | null): void {
  const query = wallet === null ? null : { wallet };
  const state = useRead('/portfolio', query, { everyMs: PORTFOLIO_EVERY_MS });
  const greeks = useRead('/portfolio/greeks', query);
  const again = useRested(state.refresh);
  useStream('portfolio', wallet === null ? null : {}, (message) => {
    const change = partOf(message, wallet);
    if (change === null) return;
    if (change === 'GreeksUpdate') setSoon(portfolioGreeks, message as AccountGreeks & PortfolioUpdate);
    else again();
    if (change === 'Initial') greeks.refresh();
    if (change === 'FundingUpdate') more(news.funding);
    if (change === 'PositionExpired') more(news.payouts);
  }, again);
  useEffect(() => {
    portfolio.value = state.data;
    markAll();
  }, [state.data]);
  useEffect(() => { portfolioGreeks.value = greeks.data?.data ?? null; }, [greeks.data]);
  useEffect(() => { accountProblem.value = state.error?.message ?? null; }, [state.error]);
}

function partOf(message: PortfolioUpdate | PositionExpired, wallet: string | null): Part | null {
  if (message.type === 'PositionExpired') return message.wallet_address === wallet ? message.type : null;
  const { update_type: change } = message;
  const owner = change === 'Initial' ? message.wallet_address : change === 'PositionUpdate' ? message.position.wallet_address : wallet;
  return owner === wallet ? change : null;
}

let marked: ReadonlySet<string> = new Set();

function markAll(): void {
  const texts = new Map<string, { position: string | null; readonly bids: string[]; readonly asks: string[] }>();
  const of = (symbol: string) => {
    let one = texts.get(symbol);
    if (one === undefined) texts.set(symbol, one = { position: null, bids: [], asks: [] });
    return one;
  };
  for (const { symbol, amount } of portfolio.peek()?.positions ?? []) of(symbol).position = amount;
  for (const { symbol, side, size, filled_size: filled, status } of workingOrders.peek() ?? []) {
    if (status === 'untriggered') continue;
    of(symbol)[side === 'Buy' ? 'bids' : 'asks'].push(difference(size, filled));
  }
  for (const symbol of marked) if (!texts.has(symbol)) setSoon(ownMarkOf(symbol), null);
  for (const [symbol, { position, bids, asks }] of texts) {
    const mark = { position, bids: bids.length === 0 ? null : sumOf(bids), asks: asks.length === 0 ? null : sumOf(asks) };
    if (JSON.stringify(latest(ownMarkOf(symbol))) !== JSON.stringify(mark)) setSoon(ownMarkOf(symbol), mark);
  }
  marked = new Set(texts.keys());
}

function more(count: Signal<number>): void {
  setSoon(count, latest(count) + 1);
}

/** At once, and again after a rest if asked for meanwhile. */
function useRested(work: () => void): () => void {
  const state = useRef({ work, isResting: false, isAsked: false });
  state.current.work = work;
  const { current } = state;
  const ask = useRef(() => {
    if (current.isResting) {
      current.isAsked = true;
      return;
    }
    current.isResting = true;
    current.work();
    setTimeout(() => {
      current.isResting = false;
      if (!current.isAsked) return;
      current.isAsked = false;
      ask.current();
    }, READ_REST_MS);
  });
  return ask.current;
}
