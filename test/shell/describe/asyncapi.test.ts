// The description of the socket: valid by the official AsyncAPI 3.0 schema, with resolving references, exactly the channels and messages
// of the tables, and examples that work when sent. Its page shows all of it.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { refuse } from '../../../shell/http/errors.ts';
import { CHANNELS, type Channel } from '../../../shell/ipc/channels.ts';
import { asyncApi } from '../../../shell/describe/asyncapi.ts';
import { MESSAGES } from '../../../shell/http/shapes/messages.ts';
import { REQUESTS } from '../../../shell/ws/requests.ts';
import { SocketClient } from '../../support/socket.ts';
import { Scripted } from '../ws/scripted.ts';
import { closed, createAjv } from './closed.ts';
import { TOKEN, whileServed } from './served.ts';

type Ref = { readonly $ref: string };
type Sent = Readonly<Record<string, unknown>> & { readonly type: string };
type Document = {
  readonly info: { readonly title: string; readonly description: string };
  readonly channels: Readonly<Record<string, {
    readonly address: string; readonly title: string; readonly messages: Readonly<Record<string, Ref>>;
  }>>;
  readonly operations: Readonly<Record<string, {
    readonly action: string; readonly messages: readonly Ref[]; readonly reply?: { readonly messages: readonly Ref[] };
  }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly payload: object; readonly examples?: readonly { readonly payload: Sent }[] }>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
};

type Served = { readonly servers: { readonly venue: { readonly variables: { readonly host: { readonly default: string } } } } };

const rows: readonly Channel[] = CHANNELS;
const FACTS = { symbol: 'BTC-20260130-100000-C', now: 0, feed: 'manual' } as const;

let document: Document;
const venue = whileServed(async (http) => { document = (await http.get('/asyncapi.json')).body as Document; });

test('the description is valid AsyncAPI 3.0, and its references resolve', () => {
  const specs = createRequire(import.meta.url)('@asyncapi/specs') as { schemasWithoutId: Record<string, object> };
  const ajv = new Ajv({ strict: false, allErrors: true });
  (formats as unknown as (ajv: Ajv) => void)(ajv);
  const validate = ajv.compile(specs.schemasWithoutId['3.0.0']!);
  assert.ok(validate(document), ajv.errorsText(validate.errors));
  assert.equal(validate({ ...document, operations: { bad: { action: 'shout' } } }), false, 'the schema refuses what is wrong');
  for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)) {
    const found = path!.split('/').slice(1).reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    assert.ok(found !== undefined, path);
  }
});

test('the description has every channel and message of the tables, and no other', () => {
  assert.deepEqual(Object.keys(document.channels), ['socket', ...rows.map(({ name }) => name)]);
  assert.deepEqual(Object.keys(document.components.messages), [...Object.keys(REQUESTS), ...Object.keys(MESSAGES)]);
  for (const { name, written, messages } of rows) {
    const { address, title, messages: shown } = document.channels[name]!;
    assert.deepEqual([address, title, Object.keys(shown)], ['/ws', written ?? name, messages]);
    for (const type of messages) assert.ok(type in MESSAGES, `${name} names ${type}, which has no schema`);
  }
  const said = Object.values(document.operations).flatMap(({ messages, reply }) => [...messages, ...reply?.messages ?? []]);
  const types = new Set(said.map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1)));
  assert.deepEqual([...types].sort(), [...Object.keys(REQUESTS), ...Object.keys(MESSAGES)].sort(), 'each is of an operation');
});

test('the server address is valid in a URL, also with IPv6', () => {
  const addressOn = (host: string): string => {
    const { servers } = asyncApi(readConfig(['--host', host, '--port', '9000'], {}) as Config, FACTS) as Served;
    return new URL(`ws://${servers.venue.variables.host.default}/ws`).href;
  };
  assert.equal(addressOn('127.0.0.1'), 'ws://127.0.0.1:9000/ws');
  assert.equal(addressOn('::1'), 'ws://[::1]:9000/ws');
});

test('an id is accepted exactly if its schema accepts it', () => {
  const { properties: { id: schema } } = REQUESTS['CancelOrder']!.payload as { properties: { id: object } };
  const validate = createAjv().compile(schema);
  const most = Number.MAX_SAFE_INTEGER;
  const one = new Scripted();
  // What is refused whatever it says, if its id can be told back.
  one.refusal = () => refuse('not_ready', 'Starting');
  for (const id of [0, most, -most, most + 1, -most - 1, 2 ** 60, 0.5, 'x', '', 'x'.repeat(64), 'x'.repeat(65), true, []]) {
    one.say({ type: 'CancelOrder', id });
    const [{ id: told, reason }] = one.read();
    const refused = 'id must be an integer from -9007199254740991 to 9007199254740991 or a string of 1 to 64 characters';
    assert.deepEqual([told, reason], validate(id) ? [id, 'Starting'] : [null, refused], JSON.stringify(id));
  }
});

test('the description states the bounds that the venue enforces', () => {
  const words = document.info.description.replaceAll('\n', ' ');
  assert.match(words, /At most 50 requests per wallet and connection may be unanswered/);
  assert.match(words, /262144 bytes\. A longer one, or a text frame that is not UTF-8, ends the connection without a close frame/);
  assert.match(words, /10485760 bytes a second to each api thread \(loopback 31457280\)\. Beyond these, the connection closes with 1008/);
  assert.match(words, /With more than 262144 unread bytes you get no book updates until you read again\. With more than 1048576, the next/);
  // Of books several changes come in one message.
  assert.doesNotMatch(JSON.stringify(document.components), /without a gap/);
});

test('each request has an example that fits its schema and is answered as described', async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const set = await venue().post('/admin/index-price', { underlying: 'BTC', price: '100000' }, headers);
  assert.equal(set.status, 200, set.text);
  const ajv = createAjv();
  const socket = await SocketClient.open(venue().url);
  const fits = (type: string, message: object): void => {
    const validate = ajv.compile(closed(document.components.messages[type]!.payload, document.components));
    assert.ok(validate(message), `${type}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(message)}`);
  };
  try {
    fits('Hello', await socket.next());
    for (const [name, { messages: [asked], reply }] of Object.entries(document.operations)) {
      if (reply === undefined) continue;
      const type = asked!.$ref.slice(asked!.$ref.lastIndexOf('/') + 1);
      const [example] = document.components.messages[type]!.examples ?? [];
      assert.ok(example !== undefined, `${type} has no example`);
      fits(type, example.payload);
      socket.send(example.payload);
      const answers = reply.messages.map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1)).filter((one) => one !== 'Error');
      const answer = await socket.until((message) => answers.includes(message.type) || message.type === 'Error');
      assert.notEqual(answer.type, 'Error', `${name}: ${JSON.stringify(answer)}`);
      fits(answer.type, answer);
      // Not one is refused for its signature or its fields.
      assert.equal(answer['error'] ?? null, null, JSON.stringify(answer));
    }
  } finally {
    socket.close();
  }
});

test('the page shows every channel, request, message and field, has no script, and serves its style sheet', async () => {
  const page = await venue().get('/docs/socket');
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; style-src 'self'; img-src 'self'; /);
  assert.doesNotMatch(page.text, /<script|style="| on\w+="|https?:/);
  for (const { name, written } of rows) assert.ok(page.text.includes(`<code>${escaped(written ?? name)}</code>`), name);
  for (const type of Object.keys(document.components.messages)) assert.ok(page.text.includes(`<span id="${type}"></span>`), type);
  for (const [, name] of page.text.matchAll(/href="#(\w+)"/g)) assert.ok(page.text.includes(`id="${name}"`), `#${name} leads nowhere`);
  assert.ok(page.text.indexOf('<details>') < 2_000, 'the first channel is near the top');
  for (const field of ['prev_seq', 'checksum', 'grace_ms', 'update_type']) assert.ok(page.text.includes(`<code>${field}</code>`), field);
  assert.ok(page.text.includes('escalation_deadline: '), 'a field of a field');
  const [, style] = /rel="stylesheet" href="([^"]+)"/.exec(page.text)!;
  const sheet = await venue().get(`/docs/${style}`);
  assert.deepEqual([sheet.status, sheet.headers['content-type']], [200, 'text/css; charset=utf-8']);
  assert.match((await venue().get('/docs')).text, /href="docs\/socket"/);
});

function escaped(text: string): string {
  return text.replaceAll('<', '&#60;').replaceAll('>', '&#62;');
}
