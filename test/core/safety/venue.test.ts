// The dead man's switch and cancel on disconnect on a real venue of two api threads, by REST and by socket, signed with ethers:
// replies, refusals, who counts as connected, and what happens after a kill or a stop. No test waits for a time to pass: a
// deadline that must not be reached is a day away.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort, VenueProcess } from '../../../scripts/venue-process.ts';
import { Http, type Answer } from '../../../scripts/client.ts';
import type { StructureName } from '../../../core/codec/signed-commands.ts';
import { ethersSigner, type Signer } from '../../shell/api/wallets.ts';
import type { Body } from '../../e2e/rest/venue.ts';
import { assertSound } from '../../support/audit.ts';
import { SocketClient } from '../../support/socket.ts';

const DAY = 86_400_000;
/** A command gets the time of main's turn, which may have begun up to this long before the command arrived. */
const TURN_MS = 5_000;
const TOKEN = 'a-token-of-the-safety-tests';
const folder = mkdtempSync(join(tmpdir(), 'strikebook-safety-'));
const data = join(folder, 'data');

let venue: VenueProcess;
let http: Http;
let symbol = '';
let seeds = 4_000;
let nonces = 0;

class Wallet {
  readonly signer: Signer = ethersSigner(++seeds);
  readonly address = this.signer.address;

  /** A body with its signature; members of the structure stand under the names of the fields. */
  signed(structure: StructureName, members: Body, fields: Body = members, by: Signer = this.signer): Body {
    const nonce = ++nonces;
    const message = { wallet: this.address, ...members, nonce };
    return { wallet: this.address, ...fields, nonce, signature: by.sign(structure, message as never) };
  }

  order(price = '100'): Body {
    const terms = { symbol, side: 'Buy', size: '0.1', price, tif: 'gtc' };
    return this.signed('PlaceOrder', { ...terms, clientId: '' }, { ...terms, client_id: '' });
  }

  cancelAfter(timeout: number, by = this.signer): Body {
    return this.signed('CancelAfter', { timeoutMs: timeout }, { timeout_ms: timeout }, by);
  }

  guard(grace: number, connection = '', enabled = true): Body {
    return this.signed('SetCancelOnDisconnect', { enabled, graceMs: grace, connection }, { enabled, grace_ms: grace, connection });
  }

  async open(): Promise<number> {
    const { body } = await get(`/orders?wallet=${this.address}&status=open`);
    return (body['data'] as Body[]).length;
  }

  async read(what: 'cancel-after' | 'cancel-on-disconnect'): Promise<Body> {
    const { body } = await get(`/${what}?wallet=${this.address}`);
    return body['data'] as Body;
  }

  async hasLost(): Promise<boolean> {
    return (await this.read('cancel-on-disconnect'))['cancel_at'] !== null;
  }
}

class Client {
  readonly socket: SocketClient;
  readonly id: string;

  private constructor(socket: SocketClient, id: string) {
    this.socket = socket;
    this.id = id;
  }

  static async open(query = ''): Promise<Client> {
    const socket = await SocketClient.open(venue.url, query);
    const { connection } = await socket.until(({ type }) => type === 'Hello');
    return new Client(socket, connection as string);
  }

  async ask(type: string, message: Body): Promise<Body> {
    const id = ++nonces;
    this.socket.send({ type, id, ...message });
    return await this.socket.until((frame) => frame['id'] === id);
  }
}

async function eventually(isSo: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  for (let i = 0; i < 4_000; i++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never: ${what()}`);
}

async function get(path: string): Promise<Answer & { body: Body }> {
  return await http.get(path) as Answer & { body: Body };
}

async function post(path: string, body: Body): Promise<Answer & { body: Body }> {
  return await http.post(path, body) as Answer & { body: Body };
}

async function start(): Promise<void> {
  const flags = ['--feed', 'manual', '--workers', '2', '--rate-limits', 'off', '--admin-token', TOKEN];
  venue = await VenueProcess.start({ data, port: await freePort(), flags });
  await venue.ready();
  http = new Http(venue.url);
}

async function again(end: 'kill' | 'stop', between: () => void = () => undefined): Promise<void> {
  http.close();
  await venue[end]();
  between();
  await start();
}

/** A wallet with an order in the book, and a connection that has signed it. */
async function trader(): Promise<{ wallet: Wallet; client: Client }> {
  const wallet = new Wallet();
  const client = await Client.open();
  const { status, reason } = await client.ask('PlaceOrder', wallet.order());
  assert.equal(status, 'ACKED', String(reason));
  return { wallet, client };
}

before(async () => {
  await start();
  for (const [underlying, price] of [['BTC', '100000'], ['ETH', '4000']]) {
    await http.post('/admin/index-price', { underlying, price }, { authorization: `Bearer ${TOKEN}` });
  }
  const { body } = await get('/instruments?currency=BTC');
  symbol = (body as unknown as Body[]).map((one) => one['instrument_name'] as string).filter((name) => name.endsWith('-100000-C')).at(-1)!;
});

after(async () => {
  http.close();
  await venue.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('cancel after: it can be set, read, moved and turned off, by REST and by socket alike', async () => {
  const { wallet, client } = await trader();
  const off = { wallet_address: wallet.address, timeout_ms: 0, cancel_at: null };
  assert.deepEqual(await wallet.read('cancel-after'), off);
  const { status, body } = await post('/cancel-after', wallet.cancelAfter(DAY));
  assert.deepEqual([status, body['success'], body['data'].timeout_ms], [200, true, DAY]);
  assert.deepEqual(await wallet.read('cancel-after'), body['data']);
  const moved = await client.ask('CancelAfter', wallet.cancelAfter(DAY - 1));
  assert.deepEqual([moved['type'], moved['action'], moved['success'], moved['error']], ['ActionResult', 'CancelAfter', true, null]);
  assert.deepEqual(await wallet.read('cancel-after'), moved['data']);
  const ended = await client.ask('CancelAfter', wallet.cancelAfter(0));
  assert.deepEqual(ended['data'], off);
  assert.equal(await wallet.open(), 1);
  const told = await Client.open(`?wallet=${wallet.address}`);
  told.socket.send({ type: 'Subscribe', channel: 'order_updates' });
  await told.socket.until(({ type }) => type === 'Subscribed');
  await post('/cancel-after', wallet.cancelAfter(1));
  const update = await told.socket.until(({ type, status: of }) => type === 'OrderUpdate' && of === 'CANCELED');
  assert.equal(update['reason'], 'Order canceled by CancelAfter');
  assert.equal(await wallet.open(), 0);
  assert.deepEqual(await wallet.read('cancel-after'), off);
});

test('cancel after: an agent may sign it, another key may not; a replay returns the first result and changes nothing', async () => {
  const { wallet } = await trader();
  const agent = ethersSigner(++seeds);
  assert.equal((await post('/cancel-after', wallet.cancelAfter(DAY, agent))).status, 401);
  const nonce = ++nonces;
  const approval = { agent: agent.address, nonce };
  await post('/approve-agent', { wallet: wallet.address, ...approval, signature: wallet.signer.sign('ApproveAgent', approval) });
  const body = wallet.cancelAfter(DAY, agent);
  const first = await post('/cancel-after', body);
  assert.equal(first.status, 200, first.text);
  await post('/cancel-after', wallet.cancelAfter(0));
  const second = await post('/cancel-after', body);
  assert.deepEqual([second.status, second.headers['idempotent-replay'], second.body], [200, 'true', first.body]);
  assert.equal((await wallet.read('cancel-after'))['cancel_at'], null);
  const members = { wallet: wallet.address, timeoutMs: 5, nonce: body['nonce'] };
  const other = { ...body, timeout_ms: 5, signature: wallet.signer.sign('CancelAfter', members) };
  const used = await post('/cancel-after', other);
  assert.deepEqual([used.status, used.body['message']], [400, `Nonce ${body['nonce']} already used`]);
});

test('a parameter that is out of bounds or malformed is refused with the same message by REST and by socket', async () => {
  const { wallet, client } = await trader();
  const [after, gone] = ['/cancel-after CancelAfter', '/cancel-on-disconnect SetCancelOnDisconnect'] as const;
  const cases: readonly (readonly [string, Body, string])[] = [
    [after, wallet.cancelAfter(DAY + 1), `timeout_ms must be an integer from 0 to ${DAY}`],
    [after, { ...wallet.cancelAfter(1), timeout_ms: -1 }, `timeout_ms must be an integer from 0 to ${DAY}`],
    [gone, wallet.guard(DAY + 1), `grace_ms must be an integer from 0 to ${DAY}`],
    [gone, wallet.guard(0, 'ABCDEF0123456789'), 'connection must be empty or 16 lower-case hex digits'],
    [gone, { ...wallet.guard(0), enabled: 'yes' }, 'enabled must be true or false'],
  ];
  for (const [which, body, text] of cases) {
    const [path, type] = which.split(' ') as [string, string];
    const { status, body: answer } = await post(path, body);
    assert.deepEqual([status, answer['error'], answer['message']], [400, 'invalid_parameter', `Invalid parameter: ${text}`]);
    const { id: _, ...frame } = await client.ask(type, body);
    assert.deepEqual(frame, {
      type: 'ActionResult', action: type, success: false, data: null, error: 'invalid_parameter', message: `Invalid parameter: ${text}`,
    });
  }
  const missing = await client.ask('CancelAll', { wallet: wallet.address });
  assert.equal(missing['message'], 'Missing required field: nonce');
  assert.equal(await wallet.open(), 1);
});

test('cancel all works by socket as it does by REST', async () => {
  const { wallet, client } = await trader();
  const wrong = await client.ask('CancelAll', wallet.signed('CancelAll', { scope: 'DOGE' }));
  assert.deepEqual([wrong['success'], wrong['message']], [false, 'Unknown underlying: DOGE']);
  const done = await client.ask('CancelAll', wallet.signed('CancelAll', { scope: 'BTC' }));
  assert.deepEqual(done['data'], { wallet_address: wallet.address, scope: 'BTC', cancelled: 1, pending: false });
});

test('disconnect: the wallet is lost with its last connection that sent a command; a command by a new one brings it back', async () => {
  const { wallet, client } = await trader();
  const second = await Client.open();
  const order = wallet.order('101');
  await second.ask('PlaceOrder', order);
  const { status, body } = await post('/cancel-on-disconnect', wallet.guard(DAY));
  const set = { wallet_address: wallet.address, enabled: true, grace_ms: DAY, connection: '', cancel_at: null };
  assert.deepEqual([status, body['data']], [200, set]);
  client.socket.close();
  second.socket.close();
  await eventually(() => wallet.hasLost(), () => 'both are gone');
  const lost = await wallet.read('cancel-on-disconnect');

  const named = await Client.open(`?wallet=${wallet.address}`);
  named.socket.send({ type: 'Authenticate', wallet: wallet.address });
  await named.socket.until(({ type }) => type === 'Authenticated');
  const replay = await named.ask('PlaceOrder', order);
  assert.equal(replay['replayed'], true, 'whoever has seen a signed order may send it again');
  const rejected = await named.ask('CancelOrder', wallet.signed('CancelOrder', { orderId: '999' }, { order_id: 999 }));
  assert.equal(rejected['status'], 'REJECTED');
  assert.equal((await post('/cancel-after', wallet.cancelAfter(0))).status, 200);
  assert.deepEqual(await wallet.read('cancel-on-disconnect'), lost, 'Authenticate, a replay, a rejection and REST do not reconnect it');

  const back = await Client.open();
  await back.ask('CancelAfter', wallet.cancelAfter(0));
  await eventually(async () => !await wallet.hasLost(), () => 'it is back');
  assert.equal(await wallet.open(), 2);
  named.socket.close();
  await back.ask('SetCancelOnDisconnect', wallet.guard(0));
  back.socket.close();
  await eventually(async () => await wallet.open() === 0, () => 'its orders go');
  assert.equal((await wallet.read('cancel-on-disconnect'))['enabled'], true);
});

test('disconnect: when its last connection is gone, a wallet that sets it by REST gets the cancel time, not null', async () => {
  const { wallet, client } = await trader();
  await post('/cancel-on-disconnect', wallet.guard(DAY - 1));
  client.socket.close();
  await eventually(() => wallet.hasLost(), () => 'it is gone');
  const before = Date.now();
  const again = wallet.guard(DAY);
  const { body } = await post('/cancel-on-disconnect', again);
  const { cancel_at: moment } = body['data'];
  assert.ok(moment >= before - TURN_MS + DAY && moment <= Date.now() + DAY, String(moment));
  assert.deepEqual(await wallet.read('cancel-on-disconnect'), body['data']);
  assert.deepEqual((await post('/cancel-on-disconnect', again)).body['data'], body['data'], 'a replay returns it too');
  await post('/cancel-on-disconnect', wallet.guard(0));
  await eventually(async () => await wallet.open() === 0, () => 'its orders go');
});

test('disconnect: orders end when the connection named by REST closes; naming one that is gone returns the cancel time', async () => {
  const { wallet, client } = await trader();
  const other = await Client.open();
  const { body } = await post('/cancel-on-disconnect', wallet.guard(0, other.id));
  assert.equal(body['data'].connection, other.id);
  client.socket.close();
  assert.deepEqual(await wallet.read('cancel-on-disconnect'), body['data']);
  other.socket.close();
  await eventually(async () => await wallet.open() === 0, () => 'its orders go');
  const off = { wallet_address: wallet.address, enabled: false, grace_ms: 0, connection: '', cancel_at: null };
  assert.deepEqual(await wallet.read('cancel-on-disconnect'), off);
  assert.equal((await post('/order', wallet.order())).body['status'], 'ACKED');
  for (const id of [other.id, 'fedcba9876543210']) {
    const before = Date.now();
    const { data } = (await post('/cancel-on-disconnect', wallet.guard(DAY, id))).body as Body;
    assert.ok(data.cancel_at >= before - TURN_MS + DAY && data.cancel_at <= Date.now() + DAY, `${id} ${data.cancel_at}`);
    assert.deepEqual(await wallet.read('cancel-on-disconnect'), data);
  }
  const here = (await post('/cancel-on-disconnect', wallet.guard(DAY, (await Client.open()).id))).body as Body;
  assert.equal(here['data'].cancel_at, null);
  await post('/cancel-on-disconnect', wallet.guard(0, 'fedcba9876543210'));
  await eventually(async () => await wallet.open() === 0, () => 'an unknown connection counts as gone');
});

test('disconnect: orders whose signatures were still being verified when the connection broke are cancelled too', async () => {
  const { wallet, client } = await trader();
  await client.ask('SetCancelOnDisconnect', wallet.guard(0, client.id));
  const orders = Array.from({ length: 45 }, () => wallet.order());
  for (const order of orders) client.socket.send({ type: 'PlaceOrder', ...order });
  client.socket.close();
  const known = async (): Promise<number> => (await get(`/orders?wallet=${wallet.address}&limit=100`)).body['data'].length;
  await eventually(async () => await known() === 1 + orders.length && await wallet.open() === 0, () => 'all were taken, none is left');
});

test('after a kill or a stop every connection counts as lost, the settings are kept, and the audit passes', async () => {
  const { wallet, client } = await trader();
  const quick = (await trader()).wallet;
  const silent = (await trader()).wallet;
  await client.ask('SetCancelOnDisconnect', wallet.guard(DAY));
  await post('/cancel-on-disconnect', wallet.guard(DAY));
  await post('/cancel-after', silent.cancelAfter(DAY));
  assert.equal(await wallet.hasLost(), false);
  await again('kill');
  await eventually(() => wallet.hasLost(), () => 'a kill is a disconnect');
  assert.deepEqual([await wallet.open(), await silent.open()], [1, 1]);
  assert.notEqual((await silent.read('cancel-after'))['cancel_at'], null);
  const back = await Client.open();
  await back.ask('CancelAfter', wallet.cancelAfter(0));
  await eventually(async () => !await wallet.hasLost(), () => 'it is back');
  await back.ask('SetCancelOnDisconnect', quick.guard(0));
  assert.equal(await quick.open(), 1);
  let between = 0;
  await again('stop', () => {
    assertSound(data);
    between = Date.now();
  });
  await eventually(() => wallet.hasLost(), () => 'a stop is one too');
  const { cancel_at: moment } = await wallet.read('cancel-on-disconnect');
  assert.ok(moment >= between + DAY, 'the grace runs from the start of the next venue');
  await eventually(async () => await quick.open() === 0, () => 'without grace its orders go');
  assert.deepEqual([await wallet.open(), await silent.open()], [1, 1]);
});
