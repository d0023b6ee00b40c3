// The traders of the load run (evidence F12): a thousand wallets, of which one is drawn for each request. Its request follows the stated
// mix and its open orders; prices are near the marks, so that positions stay around zero. A wallet knows its orders only from its
// answers: it may cancel one that was filled meanwhile, which the venue answers with REJECTED.

import { requestBytes } from '../../../bench/http-load.ts';
import type { OrderTerms } from '../../../client/src/forms.ts';
import { createWallet, type Request, type RequestSigner, type Wallet } from '../../../scripts/client.ts';
import { generator } from '../../shell/storage/journal/support.ts';

export type Market = { readonly symbol: string; readonly mark: number };
/** `hear` is told of the answer: the status, and the body as long as the call runs. It says in a word what came of the request. */
export type Due = { readonly kind: string; readonly bytes: Buffer; readonly hear: (status: number, body: Buffer) => string };
type Trader = { readonly wallet: Wallet; readonly open: number[] };
type Write = 'place' | 'take' | 'cancel' | 'replace';

/** Of a hundred requests. `place` is a gtc beside the best prices, `take` an ioc through them; each of the reads is as frequent. */
export const MIX: readonly (readonly [kind: Write | 'read', share: number])[] = [
  ['place', 45], ['take', 10], ['cancel', 27], ['replace', 8], ['read', 10],
];
/** Orders of a wallet beyond which it rather cancels one. */
const MOST_OPEN = 8;
/** How far from the mark prices lie, as a share of it. */
const WIDTH = 0.02;

export class Traders {
  readonly #traders: readonly Trader[];
  readonly #signer: RequestSigner;
  readonly #markets: readonly Market[];
  readonly #random: () => number;

  constructor(signer: RequestSigner, markets: readonly Market[], wallets: number, seed: number) {
    this.#traders = Array.from({ length: wallets }, () => ({ wallet: createWallet(), open: [] }));
    this.#signer = signer;
    this.#markets = markets;
    this.#random = generator(seed);
  }

  next(): Due {
    const trader = this.#oneOf(this.#traders);
    const kind = this.#kind();
    if (kind === 'read') return this.#read(trader);
    const { open } = trader;
    if (kind === 'place' && open.length >= MOST_OPEN) return this.#write('cancel', trader);
    if ((kind === 'cancel' || kind === 'replace') && open.length === 0) return this.#write('place', trader);
    return this.#write(kind, trader);
  }

  #kind(): Write | 'read' {
    let left = this.#random() * 100;
    return MIX.find(([, share]) => (left -= share) < 0)![0];
  }

  #write(kind: Write, trader: Trader): Due {
    const { open } = trader;
    // Out of the list while it is under way, so that nothing else is asked of it.
    const id = kind === 'cancel' || kind === 'replace' ? open.splice(Math.floor(this.#random() * open.length), 1)[0]! : 0;
    const hear = (status: number, body: Buffer): string => {
      if (status !== 200) {
        if (id !== 0) open.push(id);
        return 'refused';
      }
      const update = JSON.parse(body.toString('utf8')) as { status: string; order_id: number | null };
      if (update.status === 'ACKED' && kind !== 'take' && update.order_id !== null) open.push(update.order_id);
      return update.status;
    };
    const { method, path, body } = this.#request(kind, trader, id);
    return { kind, bytes: requestBytes(method, path, body!), hear };
  }

  #request(kind: Write, { wallet }: Trader, id: number): Request {
    if (kind === 'cancel') return this.#signer.cancel(wallet, id);
    const terms = this.#terms(kind);
    return kind === 'replace' ? this.#signer.replaceOrder(wallet, id, terms) : this.#signer.placeOrder(wallet, terms);
  }

  #terms(kind: Write): OrderTerms {
    const { symbol, mark } = this.#oneOf(this.#markets);
    const isBuy = this.#random() < 0.5;
    const isBelow = isBuy === (kind !== 'take');
    const price = (mark * (1 + (isBelow ? -1 : 1) * WIDTH * this.#random())).toPrecision(3);
    return { symbol, side: isBuy ? 'Buy' : 'Sell', size: '0.01', price: String(Number(price)), tif: kind === 'take' ? 'ioc' : 'gtc' };
  }

  #read({ wallet: { address } }: Trader): Due {
    const { symbol } = this.#oneOf(this.#markets);
    const own = ['/orders', '/portfolio', '/fills'].map((path) => `${path}?wallet=${address}`);
    const path = this.#oneOf([`/orderbook?instrument_name=${symbol}&depth=20`, ...own]);
    const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    return { kind: `GET ${path.split('?')[0]!}`, bytes, hear: (status) => (status === 200 ? 'read' : 'refused') };
  }

  #oneOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }
}
