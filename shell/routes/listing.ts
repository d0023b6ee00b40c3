// Routes of the operator for what is offered: markets beside those of the venue's own rule, and competitions (decisions 1.4, 5.5,
// 5.7; wire contract 2.6, 2.8). Authority is the admin token. Signature fields of a market's body are accepted and not looked
// at, as the law has it.

import { WIN_CONDITIONS } from '../../core/registry/competitions.ts';
import { CALL, PERP } from '../../core/codec/commands.ts';
import { DECIMALS, formatDecimal } from '../../core/codec/decimal.ts';
import { INVALID_COMPETITION, INVALID_MARKET, SYMBOL_FORMAT } from '../../core/errors.ts';
import { createTerms, formatSymbol, parseSymbol, SYMBOL_OK, unpackUnderlying } from '../../core/instruments/symbol.ts';
import { COMPETITION_TEXT_BYTES, MOST_DAYS_AHEAD } from '../../core/limits.ts';
import type { Api } from '../api/context.ts';
import { competitionData } from '../bodies/competition.ts';
import { sendError } from '../http/errors.ts';
import type { Values } from '../http/fields.ts';
import { route, type Route } from '../http/router.ts';
import { control, isAdmin, refuseCode, refuseToken, type Asked } from './operator.ts';
import { TEXT_BYTES } from './paging.ts';

const [NAME_BYTES, DESCRIPTION_BYTES, URL_BYTES, RULES_BYTES] = COMPETITION_TEXT_BYTES as [number, number, number, number];

const MARKET = { symbol: { kind: 'text', maxBytes: TEXT_BYTES, doc: 'Of an option.' } } as const;
const COMPETITION = {
  name: { kind: 'text', minBytes: 1, maxBytes: NAME_BYTES },
  description: { kind: 'text', maxBytes: DESCRIPTION_BYTES, optional: true },
  rules_url: { kind: 'text', maxBytes: URL_BYTES, optional: true },
  rules_content: { kind: 'text', maxBytes: RULES_BYTES, optional: true },
  win_conditions: { kind: 'list', max: WIN_CONDITIONS.length, doc: 'Of `pnl`, `volume`, `efficiency`.' },
  primary_win_condition: { kind: 'choice', values: WIN_CONDITIONS, doc: 'One of `win_conditions`.' },
  start_ts_ms: { kind: 'millis', min: 0, doc: 'Now, if it lies in the past: what was traded before does not count.' },
  end_ts_ms: { kind: 'millis', min: 0, doc: 'In the future, after the start.' },
} as const;

export function listingRoutes(api: Api): readonly Route[] {
  const row = { auth: 'admin', rate: 'none', envelope: 'bare' } as const;
  return [
    route({
      ...row, method: 'POST', path: '/markets', body: MARKET,
      doc: `Lists a market beside those of the calendar, with an expiry within ${MOST_DAYS_AHEAD} days.`,
      handler: ({ request, body }, responder) => changeMarket({ api, request, responder, envelope: 'bare' }, body, 'CREATED'),
    }),
    route({
      ...row, method: 'DELETE', path: '/markets', body: MARKET,
      doc: 'Deletes a market without open interest; its open orders are cancelled.',
      handler: ({ request, body }, responder) => changeMarket({ api, request, responder, envelope: 'bare' }, body, 'DELETED'),
    }),
    route({
      ...row, method: 'POST', path: '/competitions', doc: 'Creates a competition.', body: COMPETITION,
      handler: ({ request, body }, responder) => createCompetition({ api, request, responder, envelope: 'bare' }, body),
    }),
  ];
}

function changeMarket(asked: Asked, body: Values<typeof MARKET>, change: 'CREATED' | 'DELETED'): void {
  const { control: main } = asked.api;
  if (!isAdmin(asked)) return refuseToken(asked);
  const terms = createTerms();
  if (parseSymbol(body.symbol, terms) !== SYMBOL_OK) return refuseCode(asked, SYMBOL_FORMAT, { symbol: body.symbol });
  if (terms.kind === PERP) return refuseCode(asked, INVALID_MARKET, {});
  const { expiry, strike, kind } = terms;
  const symbol = formatSymbol(terms);
  const underlying = unpackUnderlying(terms.underlyingLo, terms.underlyingHi);
  const market = {
    symbol, underlying, expiry: expiry / 1_000, strike: formatDecimal(strike, DECIMALS), option_type: kind === CALL ? 'call' : 'put',
  };
  control(asked, 'market', { symbol, underlying }, ({ time }) => ({
    success: true, message: `Market ${change.toLowerCase()}: ${symbol}`, data: { market, status: `MARKET_${change}`, timestamp: time },
  }), (settle, expire) => {
    const sent = { underlying, expiry, strike, kind };
    return change === 'CREATED' ? main.listMarket(sent, settle, expire) : main.deleteMarket(sent, settle, expire);
  });
}

function createCompetition(asked: Asked, body: Values<typeof COMPETITION>): void {
  const { name, description = '', rules_url: rulesUrl = '', rules_content: rulesContent = '' } = body;
  const { primary_win_condition: primary, start_ts_ms: start, end_ts_ms: end } = body;
  if (!isAdmin(asked)) return refuseToken(asked);
  const conditions = WIN_CONDITIONS.filter((condition) => body.win_conditions.includes(condition));
  if (conditions.length !== body.win_conditions.length) {
    const text = `Invalid parameter: win_conditions must be a list of different ones of ${WIN_CONDITIONS.join(', ')}`;
    return sendError(asked.responder, 'bare', 'invalid_parameter', text);
  }
  if (!conditions.includes(primary)) return refuseCode(asked, INVALID_COMPETITION, {});
  const bits = conditions.reduce((sum, condition) => sum + (1 << WIN_CONDITIONS.indexOf(condition)), 0);
  const texts = [name, description, rulesUrl, rulesContent];
  control(asked, 'competition', {}, ({ number: id, time }) => {
    const made = {
      id, name, description, rulesUrl, rulesContent, start: Math.max(time, start), end, createdAt: time, conditions, primary,
    };
    return { success: true, data: competitionData(made, time) };
  }, (settle, expire) => asked.api.control.createCompetition(
    { start, end, conditions: bits, primary: WIN_CONDITIONS.indexOf(primary), texts }, settle, expire,
  ));
}
