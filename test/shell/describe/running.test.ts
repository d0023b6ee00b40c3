// The description of a venue as `npm start` runs it, with simulated prices and the machine's clock. What its examples name is listed,
// each example gets the described answer, and names and closed sets of the interface appear in it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { examplesOf } from '../../../shell/describe/examples.ts';
import { closed, createAjv } from './closed.ts';
import { operationsOf, sendExample, TOKEN, whileServed, type Document } from './served.ts';

let document: Document;
const venue = whileServed(async (http) => {
  // The market has its first prices within a second or two.
  for (let listed = 0; listed <= 100; await sleep(100)) listed = ((await http.get('/instruments')).body as unknown[]).length;
  document = (await http.get('/openapi.json')).body as Document;
}, ['--feed', 'sim']);

type Schema = { readonly $ref?: string; readonly enum?: readonly unknown[]; readonly properties?: Readonly<Record<string, Schema>> };
const schemas = (): Readonly<Record<string, Schema>> => document.components.schemas as never;

/** The schema behind a reference. */
function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolved(schemas()[schema.$ref.split('/').at(-1)!]!);
}

test('every example works on the running venue: it names listed contracts and gets the described answer', async () => {
  const ajv = createAjv();
  const faults: string[] = [];
  const answers = new Map<string, any>();
  const operations = new Map(operationsOf(document));
  for (const example of examplesOf({ symbol: 'BTC-20260130-100000-C', now: 0, feed: 'sim' })) {
    const operation = operations.get(example.row)!;
    const { status, text, body } = await sendExample(venue(), example.row, operation, example);
    answers.set(example.row, body);
    if (status !== (example.status ?? 200)) faults.push(`${example.row}: ${status}: ${text.slice(0, 200)}`);
    const schema = operation.responses[status]?.content?.['application/json']?.schema;
    const validate = schema === undefined ? null : ajv.compile(closed(schema, document.components));
    if (validate?.(body) === false && !example.row.endsWith('api.json')) faults.push(`${example.row}: ${ajv.errorsText(validate.errors)}`);
  }
  assert.deepEqual(faults, []);
  const statusOf = (row: string): unknown[] => [answers.get(row).status, answers.get(row).order_status];
  assert.deepEqual(statusOf('POST /order'), ['ACKED', 'open']);
  assert.deepEqual(statusOf('PUT /order'), ['ACKED', 'open']);
  assert.deepEqual(statusOf('POST /amend'), ['ACKED', 'open']);
  assert.deepEqual(statusOf('POST /cancel'), ['CANCELED', 'canceled']);
  assert.equal(answers.get('POST /bulk_order').results[0].success, true);
  for (const row of ['PUT /bulk_order', 'PUT /bulk_amend']) assert.equal(answers.get(row).results[0].success, true, row);
  assert.equal(answers.get('DELETE /bulk_order').results[0].success, true);
  assert.ok(answers.get('GET /expiry-summary').length > 10);
  assert.ok(answers.get('GET /options-chain').rows.length > 5);
  assert.ok(answers.get('GET /orders').data.length > 0);
});

test('the socket description shows orders of a listed contract', async () => {
  const { components } = (await venue().get('/asyncapi.json')).body as {
    components: { messages: Record<string, { examples: { payload: { symbol: string } }[] }> };
  };
  const { symbol } = components.messages['PlaceOrder']!.examples[0]!.payload;
  assert.equal((await venue().get(`/greeks?symbol=${symbol}`)).status, 200, symbol);
});

/** Every record that the interface names as a body, and every enumeration. */
const NAMES = `ApproveAgentRequest, ApproveAgentResponse, AuthorizedAgentsResponse, RevokeAgentRequest, RevokeAgentResponse,
  BulkPlaceOrderRequest, BulkPlaceOrderResponse, BulkCancelOrderRequest, BulkCancelOrderByCloidRequest, BulkCancelOrderResponse,
  CancelOrderRequest, CancelOrderByCloidRequest, CandlesApiResponse, CompetitionsResponse, CompetitionResponse,
  CompetitionLeaderboardResponse, InstrumentWithOrderbook, InstrumentResponse, FillsResponse, GasProviderResponse,
  GasProviderErrorResponse, GreeksApiResponse, HealthResponse, ReadyResponse, HistoricalPnlApiResponse, HistoricalTheoApiResponse,
  LimitIvRequest, LimitIvApiResponse, SetMarginModeRequest, MarginModeApiResponse, MarketsResponse, MmpConfigResponse, MmpConfigData,
  SetMmpConfigRequest, DeleteMmpConfigRequest, ResetMmpRequest, OptionsChainSnapshotResponse, OptionSummary, OrderBookResponse,
  OrdersResponse, Portfolio, ApiResponse, PortfolioGreeksApiResponse, ProfileResponse, ProfileTradesResponse,
  UsernameChangeRequestSubmit, UsernameChangeRequestResponse, SettlementPayoutsResponse, SettlementPayoutSeenRequest,
  SettlementPayoutSeenMutationResponse, TradesResponse, UsernameResponse, SetUsernameRequest, PlaceOrderRequest, OrderUpdateMessage,
  BulkOrderResult, CandleResolution, HistoricalPnlInterval, HistoricalTheoInterval, CompetitionStateValue, CompetitionSortByValue,
  CompetitionSortOrderValue`.split(/,\s+/);

test('schemas of the description have the interface’s names of records, and each is referred to', () => {
  const text = JSON.stringify(document);
  const missing = NAMES.filter((name) => !(name in schemas()) || !text.includes(`"#/components/schemas/${name}"`));
  assert.deepEqual(missing, []);
});

test('every closed set is an enumeration, in requests and in answers', () => {
  const field = (record: string, name: string): unknown => resolved(resolved(schemas()[record]!).properties![name]!).enum;
  const sets: [record: string, field: string, values: readonly string[]][] = [
    ['PlaceOrderRequest', 'side', ['Buy', 'Sell']], ['PlaceOrderRequest', 'tif', ['gtc', 'ioc', 'fok']],
    ['PlaceOrderRequest', 'route', ['best_execution', 'book_only', 'rfq_only']],
    ['ReplaceOrderRequest', 'side', ['Buy', 'Sell']], ['ReplaceOrderRequest', 'tif', ['gtc', 'ioc', 'fok']],
    ['SetMarginModeRequest', 'margin_mode', ['standard', 'portfolio']], ['OrderInfo', 'side', ['Buy', 'Sell']],
    ['OrderInfo', 'tif', ['gtc', 'ioc', 'fok']], ['OrderUpdateMessage', 'status', ['ACKED', 'REJECTED', 'CANCELED']],
    ['Order', 'order_status', ['open', 'partially_filled', 'filled', 'canceled', 'rejected', 'untriggered']],
    ['InstrumentResponse', 'status', ['ACTIVE', 'EXPIRED_PENDING_PRICE', 'SETTLED']], ['InstrumentResponse', 'kind', ['option']],
    ['OrderBookResponse', 'state', ['open', 'closed', 'settled']], ['MarginSummary', 'mode', ['standard', 'portfolio']],
    ['Candle', 'resolution', ['1m', '5m', '15m', '1h', '4h', '1d']],
  ];
  for (const [record, name, values] of sets) assert.deepEqual(field(record, name), values, `${record}.${name}`);
  const codes = field('Error', 'error') as string[];
  for (const code of ['invalid_parameter', 'unauthorized', 'engine_busy', 'limit_exceeded']) assert.ok(codes.includes(code), code);
  const parameter = (row: string, name: string): unknown => {
    const { schema } = new Map(operationsOf(document)).get(row)!.parameters.find((one) => one.name === name)!;
    const { enum: values, items } = resolved(schema as Schema) as { enum?: unknown; items?: { enum: unknown } };
    return values ?? items?.enum;
  };
  assert.deepEqual(parameter('GET /historical-pnl', 'interval'), ['5m', '1h', '1d']);
  assert.deepEqual(parameter('GET /instruments', 'status'), ['ACTIVE', 'EXPIRED_PENDING_PRICE', 'SETTLED', 'all']);
  assert.deepEqual(parameter('GET /competitions', 'state'), ['pre', 'active', 'post']);
  assert.deepEqual((parameter('GET /orders', 'status') as string[]).includes('working'), true);
  const tier = operationsOf(document).find(([row]) => row === 'POST /user-tier')![1].requestBody!.content['application/json'].schema;
  assert.deepEqual((tier.properties['tier'] as Schema).enum, ['default', 'tier1', 'tier2', 'market_maker']);
});

test('exactly the unsupported features are marked as deprecated', async () => {
  const operations = operationsOf(document);
  const old = operations.filter(([, { deprecated }]) => deprecated === true).map(([row]) => row).sort();
  assert.deepEqual(old, ['DELETE /mmp-config', 'POST /mmp-config', 'POST /mmp-config/reset']);
  const parameters = operations.flatMap(([row, { parameters: all }]) => (
    all.filter(({ deprecated }) => deprecated === true).map(({ name }) => `${row} ${name}`)
  ));
  assert.deepEqual(parameters, ['GET /candles instrument_name']);
  const { status } = await venue().send({ method: 'GET', path: '/admin/status', headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal(status, 200, 'the venue still runs');
});
