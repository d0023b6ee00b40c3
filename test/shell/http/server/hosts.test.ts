// A stranger's page in a browser on the venue's machine can do no more than a stranger on the network: not by a name that it pointed here,
// not by a request that names no Origin, and not by a socket where the operator shut pages out.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { Hosts } from '../../../../shell/http/server/hosts.ts';
import type { EdgeOptions } from '../../../../shell/http/server/edge.ts';
import { hostNames, readConfig, type Config } from '../../../../shell/process/config.ts';
import { exchange, openVenue, until, type Answer } from './client.ts';

const OWN = ['127.0.0.1', '127.0.0.1:8080', '[::1]', '[::1]:9', 'localhost', 'LOCALHOST:8080', '10.0.0.5:8080', '[2001:db8::1]:8080'];
const FOREIGN = [
  'evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example:8080', 'evil-127.0.0.1', 'localhost.',
  'xlocalhost', '127.0.0.1@evil.example', '[::1].evil.example', '127.0.0.1,evil.example', 'evil.example, localhost', '127.1',
  '0x7f000001', '2130706433',
];
const UPGRADE = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

function open(t: TestContext, options: Partial<EdgeOptions> = {}) {
  const { edge, faults } = openVenue(options);
  t.after(() => {
    edge.close();
    assert.deepEqual(faults, []);
  });
  return async (method: string, path: string, headers: string, body = ''): Promise<Answer & { readonly isClosed: boolean }> => {
    const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
    const { answers: [answer], isClosed } = await exchange(edge.port, [`${method} ${path} HTTP/1.1\r\n${headers}${length}\r\n${body}`], 2);
    return { ...answer!, isClosed };
  };
}

/** `Connection: close` ends what is answered. */
const named = (host: string, more = ''): string => `Host: ${host}\r\nConnection: close\r\n${more}`;

test('a venue for this machine alone refuses every request that calls it by a foreign name, whatever it is', async (t) => {
  const send = open(t, { allowedHosts: [] });
  const requests = [
    ['GET', '/echo', ''], ['HEAD', '/echo', ''], ['OPTIONS', '/order', ''], ['POST', '/order', '{"a":1}'], ['GET', '/nowhere', ''],
    ['GET', '/ws', ''],
  ] as const;
  for (const host of FOREIGN) {
    for (const [method, path, body] of requests) {
      const upgrade = path === '/ws' ? UPGRADE : '';
      const { status, headers, body: text, isClosed } = await send(method, path, `Host: ${host}\r\n${upgrade}`, body);
      assert.deepEqual([status, isClosed, headers['x-content-type-options']], [403, true, 'nosniff'], `${host} ${method} ${path}`);
      assert.deepEqual(JSON.parse(text), {
        error: 'forbidden', message: 'Host is not an address or a known name of this venue: see --allowed-hosts',
      });
    }
  }
  for (const host of OWN) assert.equal((await send('GET', '/echo', named(host))).status, 200, host);
});

test('names that the operator allows are taken, but never count as loopback; those of its own origins do', async (t) => {
  const send = open(t, { allowedHosts: ['trade.example'], origins: ['https://own.example'] });
  const isLoopback = async (host: string): Promise<boolean> => JSON.parse((await send('GET', '/echo', named(host))).body).source.loopback;
  for (const host of ['trade.example', 'TRADE.example:8080']) assert.equal(await isLoopback(host), false, host);
  for (const host of [...OWN, 'own.example', 'own.example:443']) assert.equal(await isLoopback(host), true, host);
  assert.equal((await send('GET', '/echo', named('sub.trade.example'))).status, 403);
});

test('where every name is taken, a request by a foreign name never counts as loopback', async (t) => {
  const send = open(t);
  for (const host of FOREIGN) {
    const { status, body } = await send('GET', '/echo', named(host));
    assert.deepEqual([status, JSON.parse(body).source.loopback], [200, false], host);
  }
});

test('a request that another page caused never counts as loopback, though it names no Origin', async (t) => {
  const send = open(t);
  for (const [site, isLoopback] of [
    ['cross-site', false], ['same-site', false], ['other', false], ['same-origin', true], ['none', true],
  ] as const) {
    const { body } = await send('GET', '/echo', named('localhost', `Sec-Fetch-Site: ${site}\r\nSec-Fetch-Mode: no-cors\r\n`));
    assert.equal(JSON.parse(body).source.loopback, isLoopback, site);
  }
});

test('the setting for pages that may call counts for sockets too, except for the venue\'s own pages', async (t) => {
  const pages = ['https://app.example', 'http://page.example', 'null', 'http://127.0.0.1:1'];
  for (const [cors, allowed] of [['*', pages], ['https://app.example', ['https://app.example']], [null, []]] as const) {
    const opened: string[] = [];
    const { edge } = openVenue({
      cors, origins: ['https://own.example'], sockets: {
        path: '/ws', admit: () => null, errorFrame: () => '',
        open: ({ query }) => (opened.push(query), { message: () => undefined, close: () => undefined }),
      },
    });
    t.after(() => edge.close());
    const own = ['', 'https://own.example', `http://localhost:${edge.port}`, 'https://named.example'];
    for (const [at, page] of [...pages, ...own].entries()) {
      const head = `GET /ws?${at} HTTP/1.1\r\nHost: named.example\r\n${page === '' ? '' : `Origin: ${page}\r\n`}${UPGRADE}\r\n`;
      const answered = exchange(edge.port, [head], 1);
      if ([...allowed, ...own].includes(page)) await until(() => opened.includes(String(at)));
      else {
        const isOpen = until(() => opened.includes(String(at))).then(() => assert.fail(`${page} at --cors ${cors} has a socket`));
        const { answers: [answer] } = await Promise.race([answered, isOpen]);
        opened.push(String(at));
        await assert.rejects(isOpen);
        assert.deepEqual([answer!.status, JSON.parse(answer!.body).error], [403, 'forbidden'], `${page} at --cors ${cors}`);
      }
    }
  }
});

test('by default names are refused on a loopback address without a proxy, and where names were given', () => {
  const namesOf = (...flags: string[]) => hostNames(readConfig(flags, {}) as Config);
  assert.deepEqual(namesOf(), []);
  assert.deepEqual(namesOf('--host', '::1'), []);
  assert.equal(namesOf('--trust-proxy', 'on'), null);
  assert.equal(namesOf('--host', '0.0.0.0'), null);
  assert.equal(namesOf('--allowed-hosts', '*'), null);
  assert.deepEqual(namesOf('--allowed-hosts', 'a.example,b.example', '--host', '0.0.0.0'), ['a.example', 'b.example']);
  for (const text of ['http://a.example', 'a.example:8080', 'A.example', 'a.example, b.example', 'a.example/', ',']) {
    assert.throws(() => namesOf('--allowed-hosts', text), /^BadSetting: --allowed-hosts must be names like trade\.example, /, text);
  }
});

test('what is remembered of the last host does not leak to the next', () => {
  const hosts = new Hosts([], []);
  for (const host of [...OWN, ...FOREIGN, ...OWN.toReversed()]) {
    for (let again = 0; again < 2; again++) {
      assert.deepEqual([hosts.isTrusted(host), hosts.refusalOf(host) === null], [OWN.includes(host), OWN.includes(host)], host);
    }
  }
});
