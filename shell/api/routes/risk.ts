// Routes of greeks and portfolio risk. Simulations are not signed, so their numbers may be JSON numbers or text, and
// have their own budget (interface.md, rate limiting 7).

import { parseSize, significantFigures } from '../../../core/codec/decimal.ts';
import { OK, SIZE_NOT_POSITIVE } from '../../../core/errors.ts';
import { createTerms, parseSymbol, SYMBOL_OK } from '../../../core/instruments/symbol.ts';
import type { ApiContext } from '../context.ts';
import { orderValues } from '../values.ts';
import { CHARGE_RISK, type QueryParameters } from '../../ipc/queries.ts';
import { MARGIN_MODES, SIDES } from '../../ipc/enum-names.ts';
import { refuse, sendError, sendRefusal, type Checked } from '../../http/errors.ts';
import { readBody, type Schema, type FieldValues } from '../../http/fields.ts';
import { hintOfCode } from '../../http/hints.ts';
import { route, type Route } from '../../http/router.ts';
import { outcomeText } from '../../http/outcome-texts.ts';
import { ask, readRoute } from './read-route.ts';
import { given, wallet } from './query-fields.ts';

const MOST_ORDERS = 100;
const MOST_POSITIONS = 500;
const SYMBOLS_BYTES = 6_500;

const symbol = { kind: 'text', minBytes: 1, maxBytes: 64 } as const;
const side = { kind: 'choice', values: SIDES } as const;
const POSITION = { symbol, amount: { kind: 'decimal' }, entry_price: { kind: 'decimal', optional: true } } as const;
const LEG = { symbol, side, size: { kind: 'decimal' } } as const;
const ORDER = { ...LEG, price: { kind: 'decimal', optional: true } } as const;

type Position = QueryParameters['simulatePortfolio']['positions'][number];
type Order = QueryParameters['simulateOrders']['orders'][number];

export function riskRoutes(api: ApiContext): readonly Route[] {
  return [
    route({
      method: 'GET', path: '/portfolio/greeks', auth: 'wallet', rate: 'api', envelope: 'api',
      doc: 'Greeks of the positions of a wallet, as if the simulated orders had been filled.',
      query: {
        wallet,
        simulated_orders: { kind: 'list', items: LEG, max: MOST_ORDERS, mayBeEmpty: true, optional: true, doc: 'A JSON array.' },
      },
      handler: ({ request, query }, responder) => {
        const orders = readItems(LEG, query.simulated_orders ?? [], toOrder);
        if (orders.ok) ask(api, request, responder, 'portfolioGreeks', { wallet: query.wallet, orders: orders.value }, 'api');
        else sendRefusal(responder, 'api', orders);
      },
    }),
    readRoute(api, {
      method: 'GET', path: '/risk/grid', auth: 'wallet', rate: 'api', envelope: 'api',
      doc: 'Profit or loss of a wallet in each risk scenario, and the margin this requires, with open orders at their worst case.',
      query: { wallet },
    }, 'riskGrid', ({ query }) => query),
    route({
      method: 'GET', path: '/risk/inputs', auth: 'wallet', rate: 'api', envelope: 'api',
      doc: 'All that margin and greeks of a wallet are computed from, at one moment, with the contracts asked for.',
      query: {
        wallet,
        symbols: { kind: 'text', maxBytes: SYMBOLS_BYTES, optional: true, doc: `At most ${MOST_ORDERS} symbols, separated by commas.` },
      },
      handler: ({ request, query }, responder) => {
        const symbols = (query.symbols ?? '').split(',').filter((one) => one !== '');
        const wrong = symbols.find((one) => parseSymbol(one, createTerms()) !== SYMBOL_OK);
        const fault = wrong !== undefined ? `Invalid symbol: ${wrong}`
          : symbols.length > MOST_ORDERS ? `symbols must have at most ${MOST_ORDERS} entries` : null;
        if (fault !== null) return sendError(responder, 'api', 'invalid_parameter', fault);
        ask(api, request, responder, 'riskInputs', { wallet: query.wallet, symbols }, 'api');
      },
    }),
    ...simulationRoutes(api),
  ];
}

function simulationRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'POST', auth: 'none', rate: 'risk', envelope: 'api' } as const;
  return [
    route({
      ...row, path: '/risk/simulate/portfolio',
      doc: 'The risk grid of hypothetical positions. Cash and margin mode come from the request, else from the wallet, else from a new '
        + 'wallet in portfolio mode.',
      body: {
        wallet: { ...wallet, optional: true },
        positions: { kind: 'list', items: POSITION, max: MOST_POSITIONS, doc: 'Contracts, signed. Default entry price: the mark.' },
        balance: { kind: 'decimal', optional: true, doc: 'Cash in USDC.' },
        margin_mode: { kind: 'choice', values: MARGIN_MODES, optional: true },
      },
      handler: ({ request, body }, responder) => {
        const positions = readItems(POSITION, body.positions, toPosition);
        const cash = body.balance === undefined ? undefined : signed(body.balance);
        if (!positions.ok) return sendRefusal(responder, 'api', positions);
        if (cash === null) return sendError(responder, 'api', 'invalid_parameter', 'balance must be from -1000000000 to 1000000000');
        const asked = given({ ...body, positions: positions.value, balance: cash });
        ask(api, request, responder, 'simulatePortfolio', asked, 'api', CHARGE_RISK);
      },
    }),
    route({
      ...row, path: '/risk/simulate/orders',
      doc: 'The risk grid of a wallet without these orders, with them resting in the book, and with them filled at their prices.',
      body: { wallet, orders: { kind: 'list', items: ORDER, max: MOST_ORDERS, doc: 'Default price: the mark.' } },
      handler: ({ request, body }, responder) => {
        const orders = readItems(ORDER, body.orders, toOrder);
        if (!orders.ok) return sendRefusal(responder, 'api', orders);
        ask(api, request, responder, 'simulateOrders', { wallet: body.wallet, orders: orders.value }, 'api', CHARGE_RISK);
      },
    }),
  ];
}

function readItems<S extends Schema, T>(schema: S, items: readonly unknown[], make: (values: FieldValues<S>) => Checked<T>): Checked<T[]> {
  const made: T[] = [];
  for (const [at, item] of items.entries()) {
    const fields = readBody(schema, item);
    const one = fields.ok ? make(fields.value) : fields;
    if (!one.ok) return { ...one, message: `Item ${at}: ${one.message}` };
    made.push(one.value);
  }
  return { ok: true, value: made };
}

function toPosition({ symbol: text, amount, entry_price: price }: FieldValues<typeof POSITION>): Checked<Position> {
  const contracts = signed(amount);
  if (parseSymbol(text, createTerms()) !== SYMBOL_OK) return refuse('invalid_parameter', `Invalid option symbol: ${text}`);
  if (contracts === null) return refuse('invalid_parameter', 'amount must be from -1000000000 to 1000000000');
  const paid = price === undefined ? undefined : price.startsWith('-') ? null : unsigned(price);
  if (paid === null) return refuse('invalid_parameter', 'entry_price must be from 0 to 1000000000');
  return { ok: true, value: given({ symbol: text, amount: contracts, entry_price: paid }) };
}

function toOrder(
  { symbol: text, side: way, size, price }: FieldValues<typeof LEG> & { readonly price?: string | undefined },
): Checked<Order> {
  const values = orderValues({ side: way, tif: 'gtc', size, price: price ?? '1', symbol: text, clientId: '' });
  if (values.code !== OK) {
    const facts = { price: price ?? '', figures: String(significantFigures(price ?? '')), symbol: text };
    return { ...refuse('invalid_parameter', outcomeText(values.code, facts).text), extra: hintOfCode(values.code) };
  }
  const asked = price === undefined ? undefined : values.price;
  return { ok: true, value: given({ symbol: text, side: way, size: values.size, price: asked }) };
}

/** In 1e-6, cut off after six decimals. */
function unsigned(text: string): number | null {
  const units = parseSize(text);
  return units > 0 ? units : units === -SIZE_NOT_POSITIVE ? 0 : null;
}

function signed(text: string): number | null {
  if (!text.startsWith('-')) return unsigned(text);
  const units = unsigned(text.slice(1));
  return units === null ? null : 0 - units;
}
