// The status lines of the HTTP server: every status that the venue answers with has the reason phrase that Node gives it.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { STATUS } from '../../../../shell/http/shapes/error-codes.ts';
import { statusLine } from '../../../../shell/http/server/head.ts';

test('every status of the venue has Node\'s reason phrase', () => {
  for (const status of [200, 204, ...Object.values(STATUS)]) assert.equal(statusLine(status), `${status} ${STATUS_CODES[status]!}`);
  assert.equal(statusLine(299), '299 ');
});
