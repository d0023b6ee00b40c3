// docs/TRADING.md is true: its JavaScript runs as one program and prints what its comments say, and its reads are answered. The price
// steps of docs/spec/wire.md are those of the client.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { priceText } from '../../../client/src/amounts.ts';
import { connect } from '../../../client/src/main.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { blocks, checkReads, read, ROOT, runModule } from './page.ts';

const PAGE = read('docs/TRADING.md');
/** The library as it stands here; test/client/package.test.ts runs the one that is installed. */
const LIBRARY = pathToFileURL(join(ROOT, 'client', 'src', 'main.ts')).href;

const data = join(temporaryFolder({ after }), 'data');
let venue: VenueProcess;

before(async () => {
  venue = await VenueProcess.start({ data });
  await venue.ready();
  const client = await connect(venue.url);
  const hasMark = async (): Promise<boolean> => (await client.get('/orderbook', { instrument_name: 'BTC-PERP' })).mark_price > 0;
  const isListed = async (): Promise<boolean> => (await client.get('/instruments', { currency: 'BTC' })).length > 0;
  while (!(await hasMark() && await isListed())) await sleep(20);
});
after(() => venue.kill());

test('the page\'s JavaScript blocks, run in order, print what the page says', () => {
  const program = blocks(PAGE, 'js').join('\n');
  const prints = program.split('\n').filter((line) => line.includes('console.log('));
  const stated = prints.map((line) => /; \/\/ (.+)$/.exec(line)?.[1] ?? assert.fail(`${line}: says not what it prints`));
  assert.ok(stated.length > 20, `${stated.length} lines`);
  const printed = runModule(program.replaceAll(`'@strikebook/client'`, `'${LIBRARY}'`), venue.url);
  assert.deepEqual(printed.trim().split('\n'), stated);
});

test('every curl of the page is answered', () => checkReads(PAGE, venue.url));

test('the price steps of the spec are the finest that the client accepts', () => {
  const page = read('docs/spec/wire.md');
  const rows = [...page.matchAll(/^\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)].map(([, ...cells]) => cells.map(Number));
  assert.ok(rows.length > 5, `${rows.length} steps`);
  for (const [from, to, step] of rows as [number, number, number][]) {
    const text = (price: number): string => price.toFixed(9).replace(/\.?0+$/, '');
    for (const price of [from + step, to - step]) assert.equal(priceText(text(price)), text(price));
    for (const price of [from + step / 10, to - step / 10]) assert.throws(() => priceText(text(price)), /significant figures|decimals/);
  }
});
