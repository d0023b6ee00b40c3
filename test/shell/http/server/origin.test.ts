// A browser page on the venue's machine connects from loopback. Its requests count as loopback only if the page is the venue's own.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { Source } from '../../../../shell/http/source.ts';
import type { EdgeOptions } from '../../../../shell/http/server/edge.ts';
import { exchange, openVenue, requestText, until } from './client.ts';

const APP = 'https://app.example';
const UPGRADE = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** Sources as requests and upgrades with these headers are seen; `own` are the origins of the venue's own pages. */
async function withSources(
  options: Partial<EdgeOptions>, run: (seen: (headers: string) => Promise<readonly Source[]>, port: number) => Promise<void>,
): Promise<void> {
  const upgraded: Source[] = [];
  const sockets = {
    path: '/ws', admit: () => null, errorFrame: () => '',
    open: ({ source }: { source: Source }) => (upgraded.push(source), { message: () => undefined, close: () => undefined }),
  };
  const { edge } = openVenue({ sockets, ...options });
  try {
    await run(async (headers) => {
      const { answers } = await exchange(edge.port, [requestText('GET', '/echo', '', headers)], 1);
      const before = upgraded.length;
      void exchange(edge.port, [`GET /ws HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}${headers}\r\n`], 1);
      await until(() => upgraded.length > before);
      return [JSON.parse(answers[0]!.body).source, upgraded.at(-1)!];
    }, edge.port);
  } finally {
    edge.close();
  }
}

const isLoopback = (sources: readonly Source[]): boolean[] => sources.map(({ loopback }) => loopback);

test('a foreign page is never loopback, by REST or by socket, whatever Host it sends', () => (
  withSources({ origins: [APP] }, async (seen, port) => {
    const own = await seen('');
    assert.deepEqual(isLoopback(own), [true, true]);
    const foreign = [
      'http://page.example', 'null', `http://page.example:${port}`, `http://127.0.0.1:${port + 1}`, `https://localhost:${port}`, `${APP}:1`,
      'http://127.0.0.1', `http://localhost.page.example:${port}`, `http://localhost:${port}@page.example`,
    ];
    for (const origin of foreign) {
      const sources = await seen(`Origin: ${origin}\r\n`);
      assert.deepEqual(isLoopback(sources), [false, false], origin);
      for (const { network, digest } of sources) assert.ok(network !== own[0]!.network && digest !== own[0]!.digest, 'no row of loopback');
    }
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`, APP]) {
      assert.deepEqual(await seen(`Origin: ${origin}\r\n`), own, origin);
    }
  })
));

test('behind a proxy no forwarded request is loopback, and no foreign page that bypasses it', () => (
  withSources({ trustProxy: true }, async (seen, port) => {
    for (const address of ['127.0.0.1', '::1', '127.0.0.1, ::ffff:127.0.0.1']) {
      assert.deepEqual(isLoopback(await seen(`X-Forwarded-For: ${address}\r\n`)), [false, false], address);
      const page = `X-Forwarded-For: ${address}\r\nOrigin: http://127.0.0.1:${port}\r\n`;
      assert.deepEqual(isLoopback(await seen(page)), [false, false], 'an origin of ours changes nothing');
    }
    assert.deepEqual(isLoopback(await seen('')), [true, true]);
    assert.deepEqual(isLoopback(await seen('Origin: http://page.example\r\n')), [false, false]);
  })
));
