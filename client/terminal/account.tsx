// The account of the page: what the wallet menu chose is what the connection acts for.

import { effect } from '@preact/signals';
import { connect } from '../src/main.ts';
import { pageSession } from './keys/page-session.ts';
import { WalletMenu } from './keys/wallet-menu.tsx';
import { venueTime } from './venue/clock.ts';
import { connection } from './venue/connection.ts';
import { noteSigned } from './venue/signed-log.ts';

export const session = pageSession({
  venue: connection.info, timeMs: venueTime, connect: (options) => connect(connection.url, { ...options, onSigned: noteSigned }),
});

export function followSession(): void {
  const stop = connection.info.subscribe((info) => {
    if (info === null) return;
    void session.start();
    queueMicrotask(() => stop());
  });
  effect(() => {
    const wallet = session.wallet.value;
    connection.useAccount(wallet === null ? null : { wallet, signer: session.trading.value?.signer ?? null });
  });
}

export function AccountMenu() {
  return <WalletMenu session={session} />;
}
