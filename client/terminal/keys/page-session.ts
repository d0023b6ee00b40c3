// The session as the page has it: the browser's wallets, its WebCrypto if there is any, and its IndexedDB.

import { discoverWallets } from './provider.ts';
import { indexedDbPlace } from './indexed-db.ts';
import { Session } from './session.ts';
import { Vault } from './vault.ts';

type Parts = ConstructorParameters<typeof Session>[0];

export function pageSession(parts: Omit<Parts, 'vault' | 'wallets'>): Session {
  const { wallets } = discoverWallets(window);
  // `subtle` is missing, in spite of its type, over plain HTTP from another machine.
  return new Session({ ...parts, wallets, vault: new Vault(crypto, indexedDbPlace()) });
}
