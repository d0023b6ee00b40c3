// The page of the wallet menu's test: the menu alone, with the session that the trading page has, and a stand-in wallet on another chain.

import { signal } from '@preact/signals';
import { render } from 'preact';
import { connect, type ExchangeInfo } from '../../../client/src/main.ts';
import { pageSession } from '../../../client/terminal/keys/page-session.ts';
import { WalletMenu } from '../../../client/terminal/keys/wallet-menu.tsx';
import { StandInWallet } from '../../client/terminal/keys/stand-in-wallet.ts';

const url = location.origin;
new StandInWallet({ key: `0x${'5a'.repeat(32)}` }).announce(window);
const venue = signal<ExchangeInfo | null>(await (await fetch('/exchange-info')).json() as ExchangeInfo);
const session = pageSession({ venue, timeMs: signal(Date.now()), connect: (options) => connect(url, options) });
await session.start();
render(<header><h1>Strikebook</h1><WalletMenu session={session} /></header>, document.getElementById('page')!);

/** Places an order with whatever signs now; gives the answer. */
async function order(symbol: string, price: string): Promise<unknown> {
  const { signer, wallet } = session.trading.value!;
  const client = await connect(url, { signer, wallet });
  return client.placeOrder({ symbol, side: 'Buy', size: '1', price });
}
Object.assign(window, { order });
