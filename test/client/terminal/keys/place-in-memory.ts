// A place for the page's key that lives as long as the test, with the same copy on the way in and out as a browser's store makes.

import type { RecordPlace } from '../../../../client/terminal/keys/vault.ts';

export function placeInMemory(): RecordPlace & { record: unknown } {
  const place = {
    record: undefined as unknown,
    read: () => Promise.resolve(structuredClone(place.record)),
    write: (record: unknown) => Promise.resolve(void (place.record = structuredClone(record))),
    clear: () => Promise.resolve(void (place.record = undefined)),
  };
  return place;
}
