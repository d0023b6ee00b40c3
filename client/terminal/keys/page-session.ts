// The session as the page has it: the browser's wallets, its WebCrypto if there is any, and its IndexedDB.

import { discoverWallets } from './provider.ts';
import { indexedDbPlace } from './indexed-db.ts';
import { Session, type Tabs } from './session.ts';
import { Vault } from './vault.ts';

type Parts = ConstructorParameters<typeof Session>[0];

const CHANNEL = 'strikebook-keys';

export function pageSession(parts: Omit<Parts, 'tabs' | 'vault' | 'wallets'>): Session {
  const { wallets } = discoverWallets(window);
  // `subtle` is missing, in spite of its type, over plain HTTP from another machine.
  return new Session({ ...parts, wallets, tabs: tabs(), vault: new Vault(crypto, indexedDbPlace()) });
}

function tabs(): Tabs {
  const channel = new BroadcastChannel(CHANNEL);
  return { tell: () => channel.postMessage(null), hear: (listener) => { channel.onmessage = listener; } };
}
