// Operator routes for tiers, index prices, surfaces and settlement prices (decisions 1.3, 1.4, 2.5, 5.2). A tier may also be signed by
// one of ADMIN_WALLETS.

import { FLAG_BY_TOKEN, SET_TIER } from '../../../core/codec/commands.ts';
import { DECIMALS, formatDecimal, parseSize } from '../../../core/codec/decimal.ts';
import type { Fields } from '../../../core/codec/signed-commands.ts';
import {
  INVALID_PRICE, INVALID_SURFACE, INVALID_TIER, OK, PRICE_TOO_HIGH, SIZE_TOO_LARGE, UNKNOWN_UNDERLYING,
} from '../../../core/errors.ts';
import { dayOfTime, expiryOfDay } from '../../../core/instruments/calendar.ts';
import { createTerms, packUnderlying } from '../../../core/instruments/symbol.ts';
import { isSurface } from '../../../core/valuation/surface.ts';
import type { Action } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { typedForm } from '../signature.ts';
import { submit, submitTrusted } from '../submit.ts';
import { TIERS } from '../../ipc/enum-names.ts';
import { sendError } from '../../http/errors.ts';
import type { FieldValues } from '../../http/fields.ts';
import { NAMED_WALLET } from '../../http/named-wallet.ts';
import { route, type Route } from '../../http/router.ts';
import { tierBody } from '../../http/bodies/account.ts';
import { adminRoute, sendToMain, isAdmin, refuseCode, refuseToken, type AdminCall } from './admin-route.ts';
import { addressOf, commandRow } from './signed.ts';

const TIER = {
  wallet: { kind: 'address' }, tier: { kind: 'text', maxBytes: 64, values: TIERS },
  nonce: { kind: 'uint64', optional: true, doc: 'Required without the admin token.' },
  signature: { kind: 'signature', optional: true, doc: 'By a wallet in ADMIN_WALLETS. Required without the admin token.' },
} as const;
const INDEX = {
  underlying: { kind: 'text', minBytes: 1, maxBytes: 16 }, price: { kind: 'decimal' }, stale: { kind: 'boolean', default: false },
} as const;
const SETTLEMENT = {
  underlying: { kind: 'text', minBytes: 1, maxBytes: 16 },
  expiry: { kind: 'expiry', unit: 'ms', doc: 'All options expire at 08:00 UTC.' }, price: { kind: 'decimal' },
} as const;
const SURFACE = {
  underlying: { kind: 'text', minBytes: 1, maxBytes: 16 },
  atm_vol: { kind: 'decimal', doc: 'At-the-money volatility, a fraction.' },
  skew: { kind: 'decimal', optional: true, doc: 'Change of volatility per unit of log-moneyness. Default 0.' },
  curvature: { kind: 'decimal', optional: true, doc: 'Half the change of the skew per unit of log-moneyness. Default 0.' },
  expiry: { kind: 'expiry', unit: 'ms', optional: true, doc: 'Default: all expiries.' },
} as const;

type TierBody = FieldValues<typeof TIER>;

export function adminRoutes(api: ApiContext): readonly Route[] {
  return [
    route({
      method: 'POST', path: '/user-tier', ...commandRow(SET_TIER), auth: 'admin', envelope: 'bare', doc: 'Sets the tier of a wallet.',
      query: NAMED_WALLET, body: TIER,
      handler: ({ request, body }, responder) => setTier({ api, request, responder, envelope: 'bare' }, body),
    }),
    adminRoute(api, {
      method: 'POST', path: '/admin/index-price', body: INDEX, doc: 'Sets the index price of an underlying (feed `manual`).',
    }, setIndexPrice),
    adminRoute(api, {
      method: 'POST', path: '/admin/settlement-price', body: SETTLEMENT,
      doc: 'Sets the settlement price of an expiry that had too few index samples to compute one.',
    }, setSettlementPrice),
    adminRoute(api, {
      method: 'POST', path: '/admin/vol-surface', body: SURFACE,
      doc: 'Sets the volatility surface of an underlying, for one expiry or for all (feed `manual`).',
    }, setVolSurface),
  ];
}

function setTier(call: AdminCall, body: TierBody): void {
  const { api, request, responder } = call;
  const wallet = addressOf(body.wallet);
  const tier = (TIERS as readonly string[]).indexOf(body.tier);
  const isByToken = request.headers.authorization !== '';
  const fields: Fields<'SET_TIER'> = { tier, flags: isByToken ? FLAG_BY_TOKEN : 0 };
  // The core refuses an unknown tier and uses the nonce.
  const action: Action = {
    kind: SET_TIER, wallet, code: OK, fields, signature: null, facts: () => ({ wallet: body.wallet }),
    done: () => tierBody(body.wallet, tier, { table: api.config.table, isRated: api.config.rateLimits === 'on' }),
  };
  if (isByToken) {
    if (!isAdmin(call)) return refuseToken(call);
    if (tier < 0) return refuseCode(call, INVALID_TIER, {});
    return submitTrusted(api, call, action);
  }
  const { nonce, signature } = body;
  for (const [name, value] of Object.entries({ nonce, signature })) {
    if (value === undefined) return sendError(responder, 'bare', 'missing_field', `Missing required field: ${name}`);
  }
  const form = typedForm('SetUserTier', { wallet, tier: body.tier, nonce: nonce! });
  submit(api, call, () => ({ ...action, signature: { form, nonce: nonce!, text: signature! } }));
}

function setIndexPrice(call: AdminCall, body: FieldValues<typeof INDEX>): void {
  if (call.api.config.feed !== 'manual') {
    return sendError(call.responder, 'bare', 'conflict', 'Index prices can be set only with the feed `manual`');
  }
  const price = priceOf(call, body);
  if (price === null) return;
  const { underlying, stale } = body;
  sendToMain(call, 'index price', { type: 'index-price', underlying, price, stale }, { underlying }, () => ({
    success: true, data: { underlying, price: formatDecimal(price, DECIMALS), stale },
  }));
}

function setSettlementPrice(call: AdminCall, body: FieldValues<typeof SETTLEMENT>): void {
  const price = priceOf(call, body);
  if (price === null) return;
  const { underlying } = body;
  const expiry = expiryOfDay(dayOfTime(body.expiry));
  const facts = { underlying, date: dateOf(expiry) };
  sendToMain(call, 'settlement price', { type: 'settlement-price', underlying, expiry, price }, facts, () => ({
    success: true, data: { underlying, expiry, price: formatDecimal(price, DECIMALS) },
  }));
}

function setVolSurface(call: AdminCall, body: FieldValues<typeof SURFACE>): void {
  if (call.api.config.feed === 'sim') {
    return sendError(call.responder, 'bare', 'conflict', 'Surfaces cannot be set with the feed `sim`');
  }
  if (!isUnderlying(call, body)) return;
  const { underlying } = body;
  const units = (text: string | undefined): number => Math.round(Number(text ?? 0) * 1e6);
  const [volatility, skew, curvature] = [units(body.atm_vol), units(body.skew), units(body.curvature)];
  if (!isSurface(volatility, skew, curvature)) return refuseCode(call, INVALID_SURFACE, {});
  const expiry = body.expiry === undefined ? 0 : expiryOfDay(dayOfTime(body.expiry));
  const shape = { atm_vol: volatility / 1e6, skew: skew / 1e6, curvature: curvature / 1e6 };
  const command = { type: 'vol-surface', underlying, expiry, volatility, skew, curvature } as const;
  sendToMain(call, 'volatility surface', command, { underlying, date: dateOf(expiry) }, () => ({
    success: true, data: { underlying, ...(expiry > 0 && { expiry }), ...shape },
  }));
}

function dateOf(expiry: number): string {
  return new Date(expiry).toISOString().slice(0, 10);
}

function isUnderlying(call: AdminCall, { underlying }: { readonly underlying: string }): boolean {
  if (packUnderlying(underlying, createTerms())) return true;
  refuseCode(call, UNKNOWN_UNDERLYING, { underlying });
  return false;
}

/** Cut off after six decimals. */
function priceOf(call: AdminCall, body: { readonly underlying: string; readonly price: string }): number | null {
  if (!isUnderlying(call, body)) return null;
  // An index has any number of figures, and the unit and bound (1e9) of a size.
  const price = parseSize(body.price);
  if (price > 0) return price;
  refuseCode(call, price === -SIZE_TOO_LARGE ? PRICE_TOO_HIGH : INVALID_PRICE, {});
  return null;
}
