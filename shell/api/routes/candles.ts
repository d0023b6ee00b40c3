// Routes of candles. With the feed hyperliquid, GET /candles has those of Hyperliquid (decision 6.6). Candles start at
// multiples of the resolution.

import { guarded, type ApiContext } from '../context.ts';
import { CANDLE_PRICES, RESOLUTIONS, type Resolution } from '../../ipc/enum-names.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { sendError } from '../../http/errors.ts';
import type { FieldValues } from '../../http/fields.ts';
import type { Responder } from '../../http/message.ts';
import { route, type Route } from '../../http/router.ts';
import { ask, readRoute } from './read-route.ts';
import { text, TEXT_BYTES } from './query-fields.ts';
import type { CandlesData } from '../../http/shapes/markets.ts';
import type { Api as ApiBody } from '../../http/shapes/shape.ts';

const MOST_CANDLES = 5_000;
const MARK_MINUTES = 'Invalid parameter: candles of marks are of 5m and longer';
const SPAN = {
  resolution: { kind: 'choice', values: Object.keys(RESOLUTIONS) as Resolution[], named: 'CandleResolution' },
  start_time_ms: { kind: 'millis', min: 0, doc: 'Earliest start of a candle, inclusive.' },
  end_time_ms: { kind: 'millis', min: 0, doc: 'Latest start of a candle, exclusive.' },
} as const;
const CANDLES = {
  underlying: { ...text, doc: 'Default: BTC.' },
  instrument_name: { kind: 'gone', instead: '/historical-theos', optional: true, doc: 'No longer supported here. Use /historical-theos.' },
  ...SPAN,
} as const;
const INSTRUMENT_CANDLES = {
  instrument_name: { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES }, ...SPAN,
  price: { kind: 'choice', values: CANDLE_PRICES, optional: true, doc: 'Default: trade. Candles of marks are of 5m and longer.' },
} as const;
const UNDERLYING = { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES } as const;

export function candleRoutes(api: ApiContext): readonly Route[] {
  return [
    route({
      method: 'GET', path: '/candles', auth: 'none', rate: 'api', envelope: 'api',
      doc: 'Candles of an underlying, oldest first. A period without index prices has no candle.',
      query: CANDLES,
      handler: ({ request, query }, responder) => {
        const fault = faultOf(query);
        if (fault !== null) return sendError(responder, 'api', 'invalid_parameter', fault);
        const { underlying = 'BTC', resolution, start_time_ms: start, end_time_ms: end } = query;
        if (api.upstream.hasCandles) return sendFromOutside(api, responder, { underlying, resolution, start, end });
        return ask(api, request, responder, 'candles', { underlying, resolution, start, end }, 'api');
      },
    }),
    route({
      method: 'GET', path: '/instrument-candles', auth: 'none', rate: 'api', envelope: 'api',
      doc: 'Candles of an instrument, of its trades or marks, oldest first. A period without one has no candle.',
      query: INSTRUMENT_CANDLES,
      handler: ({ request, query }, responder) => {
        const { instrument_name: name, price = 'trade', resolution, start_time_ms: start, end_time_ms: end } = query;
        const fault = price === 'mark' && resolution === '1m' ? MARK_MINUTES : faultOf(query);
        if (fault !== null) return sendError(responder, 'api', 'invalid_parameter', fault);
        return ask(api, request, responder, 'instrumentCandles', { instrument_name: name, price, resolution, start, end }, 'api');
      },
    }),
    readRoute(api, {
      method: 'GET', path: '/vol-index', auth: 'none', rate: 'api', envelope: 'api',
      doc: 'Volatility index of an underlying: what its options say of 30 days, as 100 times a volatility.',
      query: { underlying: UNDERLYING },
    }, 'volIndex', ({ query }) => query),
    route({
      method: 'GET', path: '/vol-index/candles', auth: 'none', rate: 'api', envelope: 'api',
      doc: 'Candles of a volatility index, oldest first. A period without a value has no candle.',
      query: { underlying: UNDERLYING, ...SPAN },
      handler: ({ request, query }, responder) => {
        const fault = faultOf(query);
        if (fault !== null) return sendError(responder, 'api', 'invalid_parameter', fault);
        const { underlying, resolution, start_time_ms: start, end_time_ms: end } = query;
        return ask(api, request, responder, 'volIndexCandles', { underlying, resolution, start, end }, 'api');
      },
    }),
  ];
}

function sendFromOutside(api: ApiContext, responder: Responder, { underlying, resolution, start, end }: QueryParameters['candles']): void {
  const client = { responder, envelope: 'api' } as const;
  const question = { underlying, resolution, step: RESOLUTIONS[resolution], from: start, to: end };
  if (!api.underlyings.includes(underlying)) {
    return sendError(responder, 'api', 'invalid_parameter', `Unknown underlying: ${underlying}`);
  }
  api.upstream.candles(question, (candles) => guarded(api, 'candles', client, () => {
    const body: ApiBody<CandlesData> = { success: true, data: { underlying, resolution, candles }, error: null };
    responder.send(200, JSON.stringify(body));
  }), (why) => sendError(responder, 'api', 'upstream_failure', `Candle source failed: ${why}`));
}

function faultOf({ resolution, start_time_ms: start, end_time_ms: end }: FieldValues<typeof SPAN>): string | null {
  if (start >= end) return 'Invalid parameter: start_time_ms must lie before end_time_ms';
  const length = RESOLUTIONS[resolution];
  const count = Math.ceil(end / length) - Math.ceil(start / length);
  return count > MOST_CANDLES ? `Invalid parameter: ${count} candles, maximum is ${MOST_CANDLES}` : null;
}
