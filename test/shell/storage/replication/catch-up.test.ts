// When a node that starts counts as ready: only once it has what the log held, and what others had meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CatchUp } from '../../../../shell/storage/replication/catch-up.ts';

test('a node has caught up with the end of the log, then with what it heard by then, and stays so', () => {
  const catchUp = new CatchUp(10);
  assert.equal(catchUp.left({ next: 4, heard: 0, isWritten: true }), 7);
  assert.equal(catchUp.left({ next: 11, heard: 30, isWritten: false }), 1, 'read, and not yet applied');
  assert.equal(catchUp.left({ next: 11, heard: 30, isWritten: true }), 20);
  assert.equal(catchUp.left({ next: 31, heard: 33, isWritten: false }), 1);
  assert.equal(catchUp.left({ next: 31, heard: 33, isWritten: true }), 0, 'what came later is not waited for');
  assert.equal(catchUp.left({ next: 31, heard: 90, isWritten: false }), 0);
});

test('the first node of an empty log, and one that hears nobody, need not wait', () => {
  assert.equal(new CatchUp(0).left({ next: 1, heard: 0, isWritten: true }), 0);
  assert.equal(new CatchUp(10).left({ next: 11, heard: 0, isWritten: true }), 0);
});
