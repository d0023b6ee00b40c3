// npm run order -- [--url URL] [--key HEX] [--tif gtc|ioc|fok] [SYMBOL SIDE SIZE PRICE]
// A signed order from the command line. Without a key it makes a throwaway one; without an order it buys 0.1 of the listed
// BTC call nearest to the money, at its best ask, else at its mark. Prints what was signed, the answer, and the wallet's open orders.
// Exit code: 0 accepted, 1 refused, 2 could not be asked.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { roundPrice } from '../client/src/amounts.ts';
import type { OrderTerms } from '../client/src/forms.ts';
import { createWallet, Http, NoAnswer, signerFor, type Answer, type OrderUpdate, type Wallet } from './client.ts';
import { endWithReader } from './output.ts';

const USAGE = 'usage: npm run order -- [--url URL] [--key HEX] [--tif gtc|ioc|fok] [SYMBOL Buy|Sell SIZE PRICE]';
const DEFAULT_URL = 'http://127.0.0.1:8080';
const DEFAULT_SIZE = '0.1';
const LISTING_TRIES = 20;
const LISTING_EVERY_MS = 250;

/** An error that is printed as one line. */
class Trouble extends Error {}

type Instrument = {
  readonly instrument_name: string; readonly strike: number; readonly expiration_timestamp: number; readonly option_type: string;
};
type Book = {
  readonly mark_price: number; readonly index_price: number; readonly asks: readonly (readonly [price: number, size: number])[];
};
type Arguments = { readonly url: string; readonly key: string | undefined; readonly tif: string; readonly order: readonly string[] };

function readArguments(): Arguments {
  const options = {
    url: { type: 'string', default: DEFAULT_URL }, key: { type: 'string' }, tif: { type: 'string', default: 'gtc' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (positionals.length !== 0 && positionals.length !== 4) throw new Trouble(`an order is SYMBOL SIDE SIZE PRICE; ${USAGE}`);
    return { url: values.url, key: values.key, tif: values.tif, order: positionals };
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw new Trouble(`${(error as Error).message.split('. ')[0]}; ${USAGE}`);
  }
}

/** The body of a read that answered 200. */
async function read(http: Http, path: string): Promise<unknown> {
  const answer = await http.get(path);
  if (answer.status !== 200) throw new Trouble(`${path} answers ${told(answer)}`);
  return answer.body;
}

function told({ status, text }: Answer): string {
  return `${status} ${text.slice(0, 500)}`;
}

/** Retries for a while: a new venue lists options shortly after its first index price, and marks them shortly after that. */
async function patiently<T>(ask: () => Promise<T | null>, trouble: string): Promise<T> {
  for (let tries = 0; tries < LISTING_TRIES; tries++, await sleep(LISTING_EVERY_MS)) {
    const answer = await ask();
    if (answer !== null) return answer;
  }
  throw new Trouble(trouble);
}

function callsOf(http: Http): Promise<readonly Instrument[]> {
  return patiently(async () => {
    const listed = await read(http, '/instruments?currency=BTC') as readonly Instrument[];
    const calls = listed.filter((one) => one.option_type === 'call');
    return calls.length > 0 ? calls : null;
  }, 'no BTC call is listed: has the venue an index price of BTC?');
}

/**
 * The call whose strike is nearest to the index, at a price that fills if anybody sells. Of the second expiry, because the first may be
 * about to settle.
 */
async function atTheMoney(http: Http): Promise<OrderTerms> {
  const calls = await callsOf(http);
  const expiries = [...new Set(calls.map((one) => one.expiration_timestamp))].sort((a, b) => a - b);
  const expiry = expiries[1] ?? expiries[0];
  const nearest = calls.filter((one) => one.expiration_timestamp === expiry);
  const bookOf = async (name: string): Promise<Book> => await read(http, `/orderbook?instrument_name=${name}&depth=1`) as Book;
  const first = await bookOf(nearest[0]!.instrument_name);
  const distance = (one: Instrument): number => Math.abs(one.strike - first.index_price);
  const symbol = nearest.reduce((best, one) => (distance(one) < distance(best) ? one : best)).instrument_name;
  const priceOf = ({ asks, mark_price: mark }: Book): number | null => asks[0]?.[0] ?? (mark || null);
  const price = await patiently(async () => priceOf(await bookOf(symbol)), `${symbol} has no mark yet`);
  return { symbol, side: 'Buy', size: DEFAULT_SIZE, price: roundPrice(price, 'near') };
}

function walletOf(key: string | undefined): Wallet {
  try {
    return createWallet(key);
  } catch (error) {
    throw new Trouble(`--key: ${(error as Error).message}`);
  }
}

async function main(): Promise<number> {
  const { url, key, tif, order } = readArguments();
  const wallet = walletOf(key);
  if (!URL.canParse(url)) throw new Trouble(`--url: "${url}" is no address`);
  const http = new Http(url, { connections: 1, timeoutMs: 15_000 });
  try {
    const signer = await signerFor(http);
    const [symbol, side, size, price] = order;
    // The texts are sent as given; the venue reports what is wrong with them.
    const terms = symbol === undefined ? await atTheMoney(http) : { symbol, side, size, price } as OrderTerms;
    const request = signer.placeOrder(wallet, { ...terms, tif } as OrderTerms);
    const { data, digest } = request.signed!;
    const { name, version, chainId } = data.domain;
    const members = data.types[data.primaryType]!.map((member) => `${member.type} ${member.name}`);
    console.log(`wallet     ${wallet.address}${key === undefined ? ' (throwaway key)' : ''}`);
    console.log(`domain     name "${name}", version "${version}", chainId ${chainId}`);
    console.log(`structure  ${data.primaryType}(${members.join(',')})`);
    console.log(`message    ${JSON.stringify(data.message)}`);
    console.log(`digest     ${digest}`);
    console.log(`signature  ${(JSON.parse(request.body!) as { signature: string }).signature}`);
    const answer = await http.send(request);
    console.log(`answer     ${told(answer)}`);
    const open = await http.get(`/orders?wallet=${wallet.address}&status=open,partially_filled`);
    console.log(`open       ${JSON.stringify((open.body as { data?: unknown } | null)?.data ?? open.text)}`);
    return answer.status === 200 && (answer.body as OrderUpdate | null)?.status === 'ACKED' ? 0 : 1;
  } finally {
    http.close();
  }
}

endWithReader();
try {
  process.exitCode = await main();
} catch (error) {
  const why = error instanceof NoAnswer ? `${error.message} (is a venue running there? npm start)` : (error as Error).message;
  console.error(`order: ${why}`);
  process.exitCode = 2;
}
