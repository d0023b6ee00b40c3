// The page's key in IndexedDB, one record. Its CryptoKey is usable after a reload and can never be read out.

import type { RecordPlace } from './vault.ts';

const NAME = 'strikebook-keys';
const STORE = 'keys';
const ONLY = 'key';

export function indexedDbPlace(): RecordPlace | null {
  if (typeof indexedDB === 'undefined') return null;
  return {
    read: () => inStore('readonly', (store) => store.get(ONLY)),
    write: async (record) => { await inStore('readwrite', (store) => store.put(record, ONLY)); },
    clear: async () => { await inStore('readwrite', (store) => store.delete(ONLY)); },
  };
}

async function inStore<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await opened();
  try {
    const transaction = database.transaction(STORE, mode);
    const request = use(transaction.objectStore(STORE));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
    return request.result;
  } finally {
    database.close();
  }
}

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = request.onblocked = () => reject(request.error);
  });
}
