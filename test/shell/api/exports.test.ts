// How the api thread reports the end of an export to the reader, however full the ring to it is; otherwise the source could start no
// other export.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { ApiContext } from '../../../shell/api/context.ts';
import type { HttpRequest, Responder } from '../../../shell/http/message.ts';
import { READ_TIMED_OUT, type Answer, type QueryName, type QueryParameters } from '../../../shell/ipc/queries.ts';
import { sendListing } from '../../../shell/api/routes/exports.ts';
import { walletText } from '../reader/support.ts';

const RETRY_MS = 50;
const OPEN = JSON.stringify({ as_of: 7, rows: [] });

test('the end of an export is reported again until the reader accepts it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ends: object[] = [];
  /** What the reader says to the ends, one after the other; null: the ring is full; READ_TIMED_OUT: it has left the question too long. */
  const said: (number | null)[] = [null, 503, null, READ_TIMED_OUT, 200];
  const ask = (query: QueryName, parameters: object, settle: (answer: Answer) => void, expire: () => void): boolean => {
    const status = query === 'exportEnd' ? said[ends.push(parameters) - 1] ?? null : 200;
    if (status === READ_TIMED_OUT) expire();
    else if (status !== null) settle({ status, body: Buffer.from(OPEN), budget: null, seq: 0 });
    return status !== null;
  };
  const api = { reads: { ask }, leadership: { speak: (answer: () => void) => answer() } } as unknown as ApiContext;
  let end: (() => void) | null = null;
  const responder = {
    begin: (_: number, __: object, over: () => void) => {
      end = over;
      return { isOver: false, write: () => undefined, end: () => undefined, cut: assert.fail };
    },
  } as unknown as Responder;
  const request = { headers: { accept: 'text/csv' }, source: { digest: 5, loopback: true } } as unknown as HttpRequest;
  const wallet = walletText(1);
  const query = { wallet, limit: 50, offset: 0 } satisfies QueryParameters['fills'];
  sendListing({ api, request, responder }, 'fills', query, { list: 'fills', wallet }, true);
  end!();
  for (const told of [1, 2, 3, 4, 5, 5]) {
    assert.equal(ends.length, told);
    t.mock.timers.tick(RETRY_MS);
  }
  assert.ok(ends.every((one) => JSON.stringify(one) === JSON.stringify(ends[0])), 'of the same export');
});
