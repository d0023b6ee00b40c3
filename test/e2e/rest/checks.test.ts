// The order of checks over HTTP (decision 3.12), for every route that writes: body, JSON, each field absent and of the wrong type,
// wallets, signatures, and only then the values. Bodies are made from the routes' own schemas, so that a new route is tested as soon as
// it exists.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import type { ApiContext } from '../../../shell/api/context.ts';
import { serviceRoutes } from '../../../shell/process/threads/service.ts';
import type { RequestField, Schema } from '../../../shell/http/fields.ts';
import type { Route } from '../../../shell/http/router.ts';
import { Harness, TOKEN } from '../../shell/api/harness.ts';
import { order } from '../../shell/api/requests.ts';
import { ethersSigner } from '../../shell/api/wallets.ts';

const ADDRESS = `0x${'1f'.repeat(20)}`;
const OTHER = `0x${'2f'.repeat(20)}`;
const NAMES_ANOTHER = 'The wallet of the query is not the one that the request is for';
const UNRECOVERABLE = `0x${'00'.repeat(65)}`;
/** Without a running thread behind them: only the rows are looked at. */
const ROUTES = serviceRoutes({ config: {} } as ApiContext);
const WRITES = ROUTES.filter(({ method, body, auth }) => method !== 'GET' && body !== undefined && (auth === 'sig' || auth === 'admin'));

let venue: Harness;
/** Of nobody: it recovers to some address that may act for no wallet. */
let foreign: string;
before(() => {
  venue = new Harness();
  foreign = order(ethersSigner(910), { symbol: 'BTC-20260105-1-C' }).signature;
});
after(() => venue.close());

/** Values of the right type and no meaning. */
function sample(name: string, field: RequestField): unknown {
  switch (field.kind) {
    case 'address': return ADDRESS;
    case 'signature': return UNRECOVERABLE;
    case 'decimalText': case 'decimal': return '7';
    case 'text': case 'ignored': return name === 'quotes' ? 'BTC-20260105-1-C 1 5 - -' : 'zz';
    case 'choice': return field.values[0];
    case 'integer': case 'int64': return field.min;
    case 'boolean': case 'switch': return true;
    case 'label': return 'zz';
    case 'object': return bodyOf(field.fields);
    case 'list': return [field.items === undefined ? 'zz' : bodyOf(field.items)];
    case 'ids': return [7];
    case 'uint64': case 'number': case 'millis': case 'expiry': return 7;
    case 'choices': return [field.values[0]];
    default: throw new Error(`no sample of ${name}`);
  }
}

function bodyOf(schema: Schema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).map(([name, field]) => [name, sample(name, field)]));
}

/** A value that the field does not take, and the code of its refusal. */
function wrong(field: RequestField): [unknown, string] {
  if (field.kind === 'address') return ['0x12', 'invalid_wallet'];
  if (field.kind === 'signature') return ['0x12', 'signature_verification_failed'];
  return [{ of: 'no type' }, 'invalid_parameter'];
}

const isRequired = (field: RequestField): boolean => field.optional !== true && !('default' in field);

/** Leaves out what makes an order an extended one, whose client id has another form. */
const PLAIN = {
  post_only: undefined, expires_at: undefined, valid_until: undefined, stp: undefined, trigger: undefined, link_id: undefined,
};

type Told = { status: number; error: string; message: string };

/** Sends an item, alone or inside a bulk, and answers how it is refused. */
type Send = (item: unknown) => Promise<Told>;

async function send(row: Route, body: unknown, query = ''): Promise<Told> {
  const headers = row.auth === 'admin' && !('signature' in row.body!) ? { authorization: `Bearer ${TOKEN}` } : {};
  const answer = await venue.send(row.method, row.path + query, body, headers as Record<string, string>);
  return { status: answer.status, error: answer.body.error, message: answer.body.message };
}

async function checkFields(schema: Schema, sendItem: Send): Promise<void> {
  const whole = bodyOf(schema);
  // What nobody looks at is never wrong.
  const fields = Object.entries(schema).filter(([, { kind }]) => kind !== 'ignored');
  const failing = fields.map(([name, field]) => [name, ...wrong(field)] as const);
  for (const [name, field] of fields.filter(([, field]) => isRequired(field))) {
    const { [name]: _, ...without } = whole;
    const missing = { status: 400, error: 'missing_field', message: `Missing required field: ${name}` };
    assert.deepEqual(await sendItem(without), missing);
    assert.deepEqual(await sendItem({ ...whole, [name]: null }), missing, 'null is absent');
    const broken = Object.fromEntries(failing.filter(([other]) => other !== name).map(([other, value]) => [other, value]));
    assert.deepEqual(await sendItem(broken), missing, `${field.kind}: what is missing comes before what is wrong`);
  }
  for (const [name, value, code] of failing) {
    const told = await sendItem({ ...whole, [name]: value });
    assert.deepEqual([told.status, told.error], [400, code], name);
    assert.ok(told.message.includes(name), told.message);
  }
  const ranks = ['invalid_parameter', 'invalid_wallet', 'signature_verification_failed'];
  for (const [name, value, code] of failing) {
    const later = failing.filter(([, , other]) => ranks.indexOf(other) > ranks.indexOf(code));
    const told = await sendItem({ ...whole, ...Object.fromEntries(later.map(([other, bad]) => [other, bad])), [name]: value });
    assert.equal(told.error, code, `${name} before ${later.map(([other]) => other).join(', ')}`);
  }
}

for (const row of WRITES) {
  const name = `${row.method} ${row.path}`;
  const schema = row.body!;
  const [listName, list] = Object.entries(schema)[0]!;

  test(`${name}: the body is checked first, then JSON, then each field`, async () => {
    const codeOf = async (body: string | undefined) => (await send(row, body)).error;
    assert.equal(await codeOf(undefined), row.method === 'GET' ? undefined : 'invalid_request');
    assert.equal((await fetch(venue.url + row.path, { method: row.method, body: Uint8Array.of(0x7b, 0xff, 0x7d) })).status, 400);
    for (const text of ['{', '[]', '"x"', '7', 'null']) assert.equal(await codeOf(text), 'invalid_json', text);
    await checkFields(schema, (body) => send(row, body));
  });

  if (list.kind === 'list' && list.items !== undefined) {
    const items = list.items;
    test(`${name}: the fields of an item are checked in the same order`, async () => {
      const codes = [[/^Missing required field/, 'missing_field'], [/^(Invalid parameter|Unknown field)/, 'invalid_parameter'],
        [/^Invalid wallet address/, 'invalid_wallet'], [/^Signature verification failed/, 'signature_verification_failed']] as const;
      await checkFields(items, async (item) => {
        const answer = await venue.send(row.method, row.path, { [listName]: [item] });
        const { success, error } = answer.body.results[0];
        assert.deepEqual([answer.status, success], [200, false]);
        return { status: 400, error: codes.find(([pattern]) => pattern.test(error))![1], message: error };
      });
      const answer = await venue.send(row.method, row.path, { [listName]: [{ ...bodyOf(items), ...PLAIN, signature: foreign }] });
      const bare = answer.body.results[0].error;
      const ofPerp = 'Invalid parameter: client_id of a perp order must be empty or 0x and 32 hex digits';
      assert.equal(bare, 'is_perp' in items ? ofPerp : 'Unauthorized: signer not authorized for wallet');
    });

    test(`${name}: an item for another wallet than the query's is refused`, async () => {
      const item = { ...bodyOf(items), signature: foreign, is_perp: undefined };
      const errorOf = async (wallet: string) => (
        (await venue.send(row.method, `${row.path}?wallet=${wallet}`, { [listName]: [item] })).body.results[0].error
      );
      assert.equal(await errorOf(OTHER), NAMES_ANOTHER);
      assert.equal(await errorOf(ADDRESS), 'Unauthorized: signer not authorized for wallet');
    });
  } else if ('signature' in schema) {
    test(`${name}: the signature is checked before the values`, async () => {
      const nameless = Object.fromEntries(Object.entries(bodyOf(schema)).filter(([field]) => field !== 'is_perp'));
      const bad = await send(row, nameless);
      assert.deepEqual([bad.status, bad.error], [400, 'signature_verification_failed']);
      const stranger = await send(row, { ...nameless, signature: foreign });
      // Who signs about agents is the wallet, so one that is named and another is no stranger but another wallet.
      const expected = /agent/.test(row.path) ? [403, 'forbidden'] : [401, 'unauthorized'];
      assert.deepEqual([stranger.status, stranger.error], expected);
    });

    test(`${name}: a wallet in the query is checked like a field, and must be the wallet acted on`, async () => {
      // Of an agent's authority the wallet acted on is whoever signed.
      const isItsSigner = /agent/.test(row.path);
      const unnamed = Object.entries(bodyOf(schema)).filter(([field]) => field !== 'is_perp' && (field !== 'wallet' || !isItsSigner));
      const unsigned = Object.fromEntries(unnamed);
      const body = { ...unsigned, signature: foreign };
      assert.equal((await send(row, {}, '?wallet=zz')).error, 'missing_field');
      assert.equal((await send(row, body, '?wallet=zz')).error, 'invalid_wallet');
      assert.equal((await send(row, unsigned, `?wallet=${OTHER}`)).error, 'signature_verification_failed');
      assert.deepEqual(await send(row, body, `?wallet=${OTHER}`), { status: 403, error: 'forbidden', message: NAMES_ANOTHER });
      if (!isItsSigner) assert.equal((await send(row, body, `?wallet=${ADDRESS.toUpperCase().replace('X', 'x')}`)).error, 'unauthorized');
    });
  } else {
    test(`${name}: the token is checked before the values`, async () => {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: TOKEN }]) {
        const answer = await venue.send(row.method, row.path, bodyOf(schema), headers as Record<string, string>);
        assert.deepEqual([answer.status, answer.body.error], [401, 'unauthorized']);
      }
    });
  }
}

test('every writing route of the law is among those tested', () => {
  const rows = [
    'POST /order', 'PUT /order', 'DELETE /order', 'DELETE /order_cloid', 'POST /cancel', 'POST /cancel-by-cloid', 'POST /bulk_order',
    'PUT /bulk_order', 'DELETE /bulk_order', 'DELETE /bulk_order_cloid', 'POST /approve-agent', 'POST /revoke-agent',
    'DELETE /revoke-agent', 'DELETE /revoke-all-agents', 'POST /margin-mode', 'POST /mmp/config', 'DELETE /mmp/config',
    'POST /mmp/reset', 'POST /username',
    'POST /profile/username-request', 'POST /settlement-payouts/seen', 'POST /cancel-all', 'POST /cancel-after',
    'POST /cancel-on-disconnect', 'POST /user-tier', 'POST /markets', 'DELETE /markets', 'POST /competitions',
  ];
  const known = new Set(WRITES.map(({ method, path }) => `${method} ${path}`));
  assert.deepEqual(rows.filter((name) => !known.has(name)), []);
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
