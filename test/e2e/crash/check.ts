// What a venue that has restarted must still know: every order with its terms, state and fills; every used nonce with its first result;
// the agents; and fills that add up over the whole fleet, which is alone on the venue. Missing facts are `lost`; effects without an
// answer or more than once are `doubled`.

import { isDeepStrictEqual } from 'node:util';
import type { OrderUpdate } from '../../../scripts/client.ts';
import { ALWAYS, count, unitsOf, type Entry, type Ledger, type Own, type Sender, type Trader } from './trader.ts';

type Row = {
  readonly order_id: number; readonly symbol: string; readonly side: string; readonly price: string; readonly size: string;
  readonly status: string; readonly filled_size: string; readonly client_id: string | null; readonly quote_set?: string;
};
/** What a replay must repeat, of orders and of agents. */
type Outcome = Partial<OrderUpdate> & { readonly success?: boolean; readonly results?: unknown };
type Page<T> = { readonly data: readonly T[] };

const ORDERS_A_PAGE = 50;
const FILLS_A_PAGE = 1_000;

async function read<T>(http: Sender, path: string): Promise<T> {
  const { status, body, text } = await http.get(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
  return body as T;
}

async function allPages<T>(http: Sender, path: string, size: number): Promise<T[]> {
  const rows: T[] = [];
  for (;;) {
    const { data } = await read<Page<T>>(http, `${path}&limit=${size}&offset=${rows.length}`);
    rows.push(...data);
    if (data.length < size) return rows;
  }
}

/** Every request that acted, sent once more: the first outcome again, and said so; 401 where its agent was revoked since. */
export async function checkReplays(http: Sender, trader: Trader, entries: readonly Entry[], ledger: Ledger): Promise<void> {
  const { address } = trader.wallet;
  for (const { request, answer, work, signer } of entries) {
    const first = answer?.status === 200 ? answer.body as Outcome : null;
    if (first === null || !(first.status === 'ACKED' || first.status === 'CANCELED' || first.success === true)) continue;
    const again = await http.send(request);
    if (signer !== address && !trader.agents.has(signer)) {
      if (again.status !== 401) ledger.doubled.push(`${work.kind} of ${address} by a revoked agent: ${again.status} ${again.text}`);
      count(ledger, 'replays by a revoked agent');
      continue;
    }
    const body = again.body as Outcome | null;
    const same = again.status === 200 && body !== null
      && (['status', 'order_id', 'filled_size', 'success', 'reason'] as const).every((name) => body[name] === first[name])
      && isDeepStrictEqual(body.results, first.results);
    const isReplay = again.headers['idempotent-replay'] === 'true';
    if (!same) ledger.lost.push(`${work.kind} of ${address}: first ${answer!.text}, again ${again.status} ${again.text}`);
    else if (!isReplay) ledger.doubled.push(`${work.kind} of ${address}: the same again without Idempotent-Replay: ${again.text}`);
    count(ledger, 'replays');
  }
}

/** The trader's open quotes are those that the answers left. */
export async function checkPage(http: Sender, { page, wallet: { address } }: Trader): Promise<void> {
  const open = await allPages<Row>(http, `/orders?wallet=${address}&status=open`, ORDERS_A_PAGE);
  page.check(address, open.filter((row) => row.quote_set !== undefined));
}

/** Every order the trader was told of is there as it was told, and no other. */
export async function checkOrders(http: Sender, trader: Trader, ledger: Ledger): Promise<void> {
  const { address } = trader.wallet;
  const rows = (await allPages<Row>(http, `/orders?wallet=${address}`, ORDERS_A_PAGE)).filter((row) => row.quote_set === undefined);
  const byId = new Map(rows.map((row) => [row.order_id, row]));
  if (byId.size !== rows.length) ledger.doubled.push(`${address}: an order is listed twice`);
  for (const orderId of byId.keys()) if (!trader.orders.has(orderId)) ledger.doubled.push(`order ${orderId} of ${address} is no answer's`);
  for (const [orderId, own] of trader.orders) {
    const row = byId.get(orderId);
    const fault = row === undefined ? 'is gone' : difference(own, row);
    if (fault !== null) ledger.lost.push(`order ${orderId} of ${address}: ${fault}`);
    else if (own.state === 'open') adopt(trader, orderId, own, row!);
    if (row?.status === 'untriggered') count(ledger, 'waiting orders checked');
    if (own.hasFired) count(ledger, 'fired orders checked');
    count(ledger, 'orders checked');
  }
  const { agents } = await read<{ agents: string[] }>(http, `/authorized-agents?wallet=${address}`);
  const expected = [...trader.agents].sort();
  if (String([...agents].sort()) !== String(expected)) ledger.lost.push(`${address}: agents ${agents}, answered were ${expected}`);
}

function difference(own: Own, row: Row): string | null {
  const { terms } = own;
  const isSame = row.symbol === terms.symbol && row.side === terms.side && Number(row.price) === Number(terms.price)
    && unitsOf(row.size) === own.size && (row.client_id ?? '') === terms.client_id;
  if (!isSame) return `was ${JSON.stringify(terms)}, is ${JSON.stringify(row)}`;
  const filled = unitsOf(row.filled_size);
  if (own.state === 'open' && terms.trigger !== undefined) return waitingDifference(own, row);
  const expected = own.state === 'open' ? stateOf(own, filled) : own.state;
  const listed = row.status === 'cancelled' ? 'canceled' : row.status;
  if (listed !== expected) return `is ${row.status} with ${row.filled_size} filled, must be ${expected}`;
  if (own.state === 'open' ? filled < own.filled : filled !== own.filled) return `${row.filled_size} filled, known are ${own.filled} units`;
  return null;
}

/** It waits until its trigger is reached, then stands in the book and waits no more. */
function waitingDifference(own: Own, row: Row): string | null {
  const mayStand = Number(own.terms.trigger!.price) === ALWAYS;
  if (row.status === 'open' && mayStand) own.hasFired = true;
  else if (row.status !== 'untriggered' || own.hasFired) return `is ${row.status}, with trigger ${JSON.stringify(own.terms.trigger)}`;
  return row.filled_size === '0' ? null : `${row.filled_size} filled where nobody trades`;
}

/** Nothing but fills may end an order that nobody cancelled. */
function stateOf(own: Own, filled: number): string {
  if (filled === own.size) return 'filled';
  return filled === 0 ? 'open' : 'partially_filled';
}

function adopt(trader: Trader, orderId: number, own: Own, row: Row): void {
  const filled = unitsOf(row.filled_size);
  if (filled === own.size) trader.markDone(orderId, own, 'filled', filled);
  else own.filled = filled;
}

/** After `checkOrders` of all: fills, positions and both sides of every trade agree, so no fill is lost or doubled. */
export async function checkFills(http: Sender, traders: readonly Trader[], ledger: Ledger): Promise<void> {
  const bought = new Map<string, number>();
  const sold = new Map<string, number>();
  const taken = new Map<string, number>();
  for (const trader of traders) {
    const { address } = trader.wallet;
    const positions = new Map<string, number>();
    let filled = 0;
    for (const own of trader.orders.values()) {
      const { symbol, side } = own.terms;
      add(side === 'Buy' ? bought : sold, symbol, own.filled);
      add(taken, symbol, own.taken);
      add(positions, symbol, side === 'Buy' ? own.filled : -own.filled);
      filled += own.filled;
    }
    const fills = await allPages<{ size: string; fill_id: number }>(http, `/fills?wallet=${address}`, FILLS_A_PAGE);
    compare(ledger, `${address}: sum of fills`, fills.reduce((sum, { size }) => sum + unitsOf(size), 0), filled);
    compare(ledger, `${address}: fill ids`, new Set(fills.map((fill) => fill.fill_id)).size, fills.length);
    const portfolio = await read<{ positions: { symbol: string; amount: string }[] }>(http, `/portfolio?wallet=${address}`);
    const held = new Map(portfolio.positions.map(({ symbol, amount }) => [symbol, unitsOf(amount)]));
    for (const [symbol, amount] of positions) compare(ledger, `${address}: position in ${symbol}`, held.get(symbol) ?? 0, amount);
  }
  for (const [symbol, amount] of bought) {
    compare(ledger, `${symbol}: sold`, sold.get(symbol) ?? 0, amount);
    compare(ledger, `${symbol}: taken at once`, taken.get(symbol) ?? 0, amount);
  }
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

function compare(ledger: Ledger, what: string, found: number, expected: number): void {
  if (found < expected) ledger.lost.push(`${what} is ${found}, the answers make ${expected}`);
  if (found > expected) ledger.doubled.push(`${what} is ${found}, the answers make ${expected}`);
}
