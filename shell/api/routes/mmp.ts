// Routes of market-maker protection, one configuration per wallet and underlying (wire contract 2.5, decision 5.8).
// Limits are signed as sent, '' if absent.

import { DELETE_MMP, RESET_MMP, SET_MMP } from '../../../core/codec/commands.ts';
import type { Action } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { fieldsOfForm, typedForm } from '../signature.ts';
import { MOST_MMP_MS, mmpValues } from '../values.ts';
import type { FieldValues } from '../../http/fields.ts';
import { mmpConfigData } from '../../http/bodies/account.ts';
import type { Route } from '../../http/router.ts';
import { TEXT_BYTES } from './query-fields.ts';
import { addressOf, SIGNED, signedRoute } from './signed.ts';

const NAME = { ...SIGNED, currency: { kind: 'text', maxBytes: TEXT_BYTES } } as const;
const LIMIT = { kind: 'decimal', optional: true } as const;
const CONFIG = {
  ...NAME, interval_ms: { kind: 'integer', min: 1, max: MOST_MMP_MS },
  frozen_time_ms: { kind: 'integer', min: 0, max: MOST_MMP_MS, doc: '0 means until a reset.' },
  qty_limit: { ...LIMIT, doc: 'Contracts.' }, delta_limit: { ...LIMIT, doc: 'Units of the underlying.' },
  vega_limit: { ...LIMIT, doc: 'USDC per volatility point.' },
} as const;

export function mmpRoutes(api: ApiContext): readonly Route[] {
  return [...routesAt(api, '/mmp/config', '/mmp/reset'), ...routesAt(api, '/mmp-config', '/mmp-config/reset')];
}

function routesAt(api: ApiContext, config: string, reset: string): readonly Route[] {
  const row = { envelope: 'bare' } as const;
  return [
    signedRoute(api, {
      ...row, command: SET_MMP, method: 'POST', path: config, doc: 'Sets market-maker protection of a wallet and underlying.', body: CONFIG,
    }, configAction),
    signedRoute(api, {
      ...row, command: DELETE_MMP, method: 'DELETE', path: config, compat: 'api', body: NAME,
      doc: 'Disables the market-maker protection of a wallet for an underlying.',
    }, (body) => nameAction(body, DELETE_MMP)),
    signedRoute(api, {
      ...row, command: RESET_MMP, method: 'POST', path: reset, compat: 'api', body: NAME,
      doc: 'Resets the counters of market-maker protection and ends a freeze.',
    }, (body) => nameAction(body, RESET_MMP)),
  ];
}

function configAction(body: FieldValues<typeof CONFIG>): Action {
  const { currency, interval_ms: interval, frozen_time_ms: frozen, nonce, signature } = body;
  const { qty_limit: qtyLimit = '', delta_limit: deltaLimit = '', vega_limit: vegaLimit = '' } = body;
  const wallet = addressOf(body.wallet);
  const values = mmpValues({ currency, qtyLimit, deltaLimit, vegaLimit });
  const form = typedForm('SetMmpConfig', {
    wallet, currency, intervalMs: { lo: interval, hi: 0 }, frozenTimeMs: { lo: frozen, hi: 0 }, qtyLimit, deltaLimit, vegaLimit, nonce,
  });
  return {
    kind: SET_MMP, wallet, ...fieldsOfForm(SET_MMP, form), signature: { form, nonce, text: signature },
    facts: () => ({ limit_name: values.wrong, underlying: currency }),
    done: () => JSON.stringify(mmpConfigData(body.wallet, currency, true, { interval, frozen, ...values })),
  };
}

function nameAction(body: FieldValues<typeof NAME>, kind: typeof DELETE_MMP | typeof RESET_MMP): Action {
  const { currency, nonce, signature } = body;
  const wallet = addressOf(body.wallet);
  const form = typedForm(kind === DELETE_MMP ? 'DeleteMmpConfig' : 'ResetMmp', { wallet, currency, nonce });
  return {
    kind, wallet, ...fieldsOfForm(kind, form), signature: { form, nonce, text: signature }, facts: () => ({ underlying: currency }),
    done: () => '',
  };
}
