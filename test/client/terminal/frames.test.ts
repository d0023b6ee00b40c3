// Which of many values are written in which animation frame. A stand-in for the browser holds the next frame until the test draws it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { fc } from '../../support/fast-check.ts';
import { inNextFrame, latest, setSoon } from '../../../client/terminal/venue/frames.ts';

const PARTS = ['page', 'chain', 'book'] as const;
let asked: (() => void) | null = null;
Object.assign(globalThis, { requestAnimationFrame: (draw: () => void) => {
  assert.equal(asked, null, 'one frame is asked for');
  asked = draw;
} });

/** False: nobody asked for one. */
function drawFrame(): boolean {
  const draw = asked;
  asked = null;
  draw?.();
  return draw !== null;
}

test('whatever is set, each signal has the last of its values within two frames, and no frame writes both chain and book', () => {
  const deed = fc.oneof(fc.constant('frame' as const), fc.record({ part: fc.constantFrom(...PARTS), value: fc.integer() }));
  fc.assert(fc.property(fc.array(deed), (deeds) => {
    const values = { page: signal(0), chain: signal(0), book: signal(0) };
    const last = { page: 0, chain: 0, book: 0 };
    const shown = (): readonly number[] => PARTS.map((part) => values[part].value);
    const draw = (): boolean => {
      const before = shown();
      const isDrawn = drawFrame();
      const [page, chain, book] = shown();
      assert.equal(page, last.page);
      assert.ok(chain === before[1] || book === before[2]);
      return isDrawn;
    };
    for (const one of deeds) {
      if (one === 'frame') {
        draw();
        continue;
      }
      const { part, value } = one;
      setSoon(values[part], value, part);
      last[part] = value;
      assert.equal(latest(values[part], part), value);
    }
    draw();
    draw();
    assert.deepEqual(shown(), PARTS.map((part) => last[part]));
    assert.equal(draw(), false);
  }));
});

test('given a chain and a book that change before each frame, then frames draw them in turns, and a part alone is drawn in each', () => {
  const drawn: string[] = [];
  const works = { chain: () => { drawn.push('chain'); }, book: () => { drawn.push('book'); } };
  for (let frame = 0; frame < 4; frame++) {
    for (const part of ['chain', 'book'] as const) for (let times = 0; times < 3; times++) inNextFrame(works[part], part);
    drawFrame();
  }
  assert.deepEqual([...new Set(drawn.slice(0, 2))].sort(), ['book', 'chain']);
  assert.deepEqual(drawn.slice(2), drawn.slice(0, 2));
  drawFrame();
  assert.equal(drawFrame(), false);
  drawn.length = 0;
  for (let frame = 0; frame < 3; frame++) {
    inNextFrame(works.book, 'book');
    drawFrame();
  }
  assert.deepEqual(drawn, ['book', 'book', 'book']);
  assert.equal(drawFrame(), false);
});
