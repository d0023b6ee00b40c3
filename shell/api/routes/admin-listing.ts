// Operator routes for markets beyond the calendar and for competitions (decisions 1.4, 5.5, 5.7; wire contract 2.6, 2.8).

import { WIN_CONDITIONS } from '../../../core/units.ts';
import { CALL, PERP } from '../../../core/codec/commands.ts';
import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { INVALID_COMPETITION, INVALID_MARKET, SYMBOL_FORMAT } from '../../../core/errors.ts';
import { createTerms, formatSymbol, parseSymbol, SYMBOL_OK, unpackUnderlying } from '../../../core/instruments/symbol.ts';
import { COMPETITION_TEXT_BYTES, MOST_DAYS_AHEAD } from '../../../core/limits.ts';
import type { ApiContext } from '../context.ts';
import { competitionData } from '../../http/bodies/account.ts';
import { sendError } from '../../http/errors.ts';
import type { FieldValues } from '../../http/fields.ts';
import type { Route } from '../../http/router.ts';
import { adminRoute, sendToMain, refuseCode, type AdminCall } from './admin-route.ts';
import { TEXT_BYTES } from './query-fields.ts';

const [NAME_BYTES, DESCRIPTION_BYTES, URL_BYTES, RULES_BYTES] = COMPETITION_TEXT_BYTES as [number, number, number, number];

const MARKET = { symbol: { kind: 'text', maxBytes: TEXT_BYTES, doc: 'An option symbol.' } } as const;
const COMPETITION = {
  name: { kind: 'text', minBytes: 1, maxBytes: NAME_BYTES },
  description: { kind: 'text', maxBytes: DESCRIPTION_BYTES, optional: true },
  rules_url: { kind: 'text', maxBytes: URL_BYTES, optional: true },
  rules_content: { kind: 'text', maxBytes: RULES_BYTES, optional: true },
  win_conditions: { kind: 'list', max: WIN_CONDITIONS.length },
  primary_win_condition: { kind: 'choice', values: WIN_CONDITIONS, doc: 'One of `win_conditions`.' },
  start_ts_ms: { kind: 'millis', min: 0, doc: 'A time in the past counts as now: earlier trades do not count.' },
  end_ts_ms: { kind: 'millis', min: 0, doc: 'In the future and after the start.' },
} as const;

export function listingRoutes(api: ApiContext): readonly Route[] {
  return [
    adminRoute(api, {
      method: 'POST', path: '/markets', body: MARKET,
      doc: `Lists a market in addition to those of the calendar. It must expire within ${MOST_DAYS_AHEAD} days.`,
    }, (call, body) => changeMarket(call, body, 'list-market')),
    adminRoute(api, {
      method: 'DELETE', path: '/markets', body: MARKET, doc: 'Deletes a market without open interest and cancels its orders.',
    }, (call, body) => changeMarket(call, body, 'delete-market')),
    adminRoute(api, { method: 'POST', path: '/competitions', body: COMPETITION, doc: 'Creates a competition.' }, createCompetition),
  ];
}

function changeMarket(call: AdminCall, body: FieldValues<typeof MARKET>, type: 'list-market' | 'delete-market'): void {
  const terms = createTerms();
  if (parseSymbol(body.symbol, terms) !== SYMBOL_OK) return refuseCode(call, SYMBOL_FORMAT, { symbol: body.symbol });
  if (terms.kind === PERP) return refuseCode(call, INVALID_MARKET, {});
  const { expiry, strike, kind } = terms;
  const symbol = formatSymbol(terms);
  const underlying = unpackUnderlying(terms.underlyingLo, terms.underlyingHi);
  const market = {
    symbol, underlying, expiry: expiry / 1_000, strike: formatDecimal(strike, DECIMALS), option_type: kind === CALL ? 'call' : 'put',
  };
  const change = type === 'list-market' ? 'CREATED' : 'DELETED';
  sendToMain(call, 'market', { type, underlying, expiry, strike, kind }, { symbol, underlying }, ({ time }) => ({
    success: true, message: `Market ${change.toLowerCase()}: ${symbol}`, data: { market, status: `MARKET_${change}`, timestamp: time },
  }));
}

function createCompetition(call: AdminCall, body: FieldValues<typeof COMPETITION>): void {
  const { name, description = '', rules_url: rulesUrl = '', rules_content: rulesContent = '' } = body;
  const { primary_win_condition: primary, start_ts_ms: start, end_ts_ms: end } = body;
  const conditions = WIN_CONDITIONS.filter((condition) => body.win_conditions.includes(condition));
  if (conditions.length !== body.win_conditions.length) {
    const text = `Invalid parameter: win_conditions must be a list of different ones of ${WIN_CONDITIONS.join(', ')}`;
    return sendError(call.responder, 'bare', 'invalid_parameter', text);
  }
  if (!conditions.includes(primary)) return refuseCode(call, INVALID_COMPETITION, {});
  const bits = conditions.reduce((sum, condition) => sum + (1 << WIN_CONDITIONS.indexOf(condition)), 0);
  const texts = [name, description, rulesUrl, rulesContent];
  const command = { type: 'competition', start, end, conditions: bits, primary: WIN_CONDITIONS.indexOf(primary), texts } as const;
  sendToMain(call, 'competition', command, {}, ({ number: id, time }) => {
    const made = {
      id, name, description, rulesUrl, rulesContent, start: Math.max(time, start), end, createdAt: time, conditions, primary,
    };
    return { success: true, data: competitionData(made, time) };
  });
}
