// The order flow of the benches: the same bytes for ever (the constants are those of the first program that wrote this
// format), and the result its header promises is what the naive book comes to, which shares no code with the generator.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { generateFlow, STANDARD_FLOWS } from '../../bench/flow-generator.ts';
import { createNaiveBook } from '../core/book/naive.ts';

const SMALL = { symbols: 4, commands: 5_000, seed: 1, target: 0 };
const FIXED_DEPTH = { symbols: 1, commands: 5_000, seed: 7, target: 100 };

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Trades, traded quantity and digest of the timed part, by the naive book. */
function replay(flow: Buffer): { trades: number; quantity: number; digest: number } {
  const [preload, commands] = [flow.readUInt32LE(12), flow.readUInt32LE(16)];
  const book = createNaiveBook();
  const result = { trades: 0, quantity: 0, digest: 0x811c9dc5 };
  const mix = (value: number): void => {
    const product = Math.imul(result.digest ^ value, 0x01000193) >>> 0;
    result.digest = (product ^ (product >>> 15)) >>> 0;
  };
  for (let n = 0; n < preload + commands; n++) {
    const at = 64 + 16 * n;
    const [type, side, instrument] = [flow[at]!, flow[at + 1]!, flow.readUInt16LE(at + 2)];
    const [price, size, id] = [flow.readUInt32LE(at + 4), flow.readUInt32LE(at + 8), flow.readUInt32LE(at + 12)];
    if (type === 3) {
      assert.ok(book.cancel(id), `command ${n} cancels order ${id}, which is not open`);
      continue;
    }
    const taker = { instrument, side, price, size, account: side + 1 };
    if (type === 2 && !book.canFill(taker)) continue;
    const { steps, left } = book.take(taker, Infinity, []);
    for (const [, maker, tradedAt, traded] of n < preload ? [] : steps) {
      result.trades++;
      result.quantity += traded;
      [id, maker, tradedAt, traded].forEach(mix);
    }
    if (type === 0 && left > 0) book.rest(taker, id, left);
  }
  return result;
}

test('the same parameters give the same bytes as ever', () => {
  assert.equal(sha256(generateFlow(SMALL)), 'b45c3d385fe0d992d8689b34fc020c02c6568634e0cf648a0b412bf35834d51e');
  assert.equal(sha256(generateFlow(FIXED_DEPTH)), '82196cf04a6d365fc205c64d004c5e4897e3dca8a3ecab600e0106787b224261');
});

test('the standard flow of one symbol is the one whose figures are published', () => {
  assert.equal(sha256(generateFlow(STANDARD_FLOWS['single']!)), 'b4267b1a12b9c4d9431cf032a96f779c5db452f1b9d613988a4b209420dddc96');
});

for (const [name, options] of Object.entries({ 'four symbols': SMALL, 'one symbol of fixed depth': FIXED_DEPTH })) {
  test(`${name}: the header's trades, quantity and digest are those of the naive book`, () => {
    const flow = generateFlow(options);
    const { trades, quantity, digest } = replay(flow);
    assert.ok(trades > 500, `only ${trades} trades`);
    assert.deepEqual([trades, quantity >>> 0, digest], [32, 36, 40].map((at) => flow.readUInt32LE(at)));
  });
}
