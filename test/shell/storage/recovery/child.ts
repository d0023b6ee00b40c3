// A process that a test kills: it recovers the folder, trades, journals, and prints each durable seq with the state's hash. Arguments:
// data folder, number of the cycle.

import { writeSync } from 'node:fs';
import { SMALL } from '../../../../core/limits.ts';
import { journalHead } from '../../../../shell/storage/journal/read.ts';
import { lockFolder } from '../../../../shell/storage/journal/lock.ts';
import { recover } from '../../../../shell/storage/recovery.ts';
import { JournaledVenue, openWriter } from './support.ts';

const [folder, cycle] = process.argv.slice(2) as [string, string];
await lockFolder(folder);
const isNew = journalHead(folder) === null;
const state = isNew ? undefined : recover({ dataFolder: folder, limits: SMALL }).state;
const venue = new JournaledVenue(openWriter(folder), state);
if (isNew || venue.state.instruments.counters[0] === 0) venue.open();
venue.flush();
const { instruments } = venue.state;
for (let i = 0; i < 100_000; i++) {
  const slot = (i * 13) % instruments.counters[0]!;
  venue.send(venue.write.place({
    underlying: instruments.underlying[slot] === 0 ? 'BTC' : 'ETH', expiry: instruments.expiry[slot]!, strike: instruments.strike[slot]!,
    kind: instruments.kind[slot]!, wallet: i % 5, nonce: Number(cycle) * 1_000_000 + i, side: i % 2, price: 60e6, size: 1e4, tif: i % 3,
  }));
  if (i % 4 !== 3) continue;
  venue.flush();
  if (i % 200 === 199) venue.snapshot(folder);
  writeSync(1, `${venue.seq()} ${venue.hash()}\n`);
}
