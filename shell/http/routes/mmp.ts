// Routes of market-maker protection: set, delete, reset; one configuration a wallet and underlying (wire contract 2.5, decision
// 5.8). Limits are signed as the texts that were sent, '' for one that was not. A `wallet` in the query that is not the body's
// is 403 (decision 6.9). Reading them stands with the other reads.

import { DELETE_MMP, RESET_MMP, SET_MMP } from '../../../core/codec/commands.ts';
import { NONCE_USED, OK, UNKNOWN_UNDERLYING } from '../../../core/errors.ts';
import { createTerms, packUnderlying } from '../../../core/instruments/symbol.ts';
import { mmpNameNumbers, mmpNumbers, type Command, type Signed } from '../../api/command.ts';
import type { Api } from '../../api/context.ts';
import type { Reply } from '../../api/reply.ts';
import { answerUsedNonce, budgetHeaders, sayRefusal, submit } from '../../api/submit.ts';
import { MOST_MMP_MS, mmpValues } from '../../api/values.ts';
import { sendError } from '../errors.ts';
import type { Values } from '../fields.ts';
import { mmpConfigData } from '../mmp-config.ts';
import { route, type Route } from '../router.ts';
import { addressOf, SIGNED, TEXT_BYTES, type Asked } from './signed.ts';

const NAME = { ...SIGNED, currency: { kind: 'text', maxBytes: TEXT_BYTES } } as const;
const LIMIT = { kind: 'decimal', optional: true } as const;
const CONFIG = {
  ...NAME, interval_ms: { kind: 'integer', min: 1, max: MOST_MMP_MS },
  frozen_time_ms: { kind: 'integer', min: 0, max: MOST_MMP_MS, doc: '0: until a reset.' },
  qty_limit: { ...LIMIT, doc: 'Contracts.' }, delta_limit: { ...LIMIT, doc: 'Units of the underlying.' },
  vega_limit: { ...LIMIT, doc: 'USDC per volatility point.' },
} as const;
const QUERY = { wallet: { kind: 'address', optional: true } } as const;

type Query = Values<typeof QUERY>;

export function mmpRoutes(api: Api): readonly Route[] {
  const row = { auth: 'sig', rate: 'api', envelope: 'bare', query: QUERY } as const;
  return [
    route({
      ...row, method: 'POST', path: '/mmp/config', doc: 'Sets the protection of a wallet for an underlying.', body: CONFIG,
      handler: ({ request, query, body }, responder) => setConfig({ api, request, responder, envelope: 'bare' }, query, body),
    }),
    route({
      ...row, method: 'DELETE', path: '/mmp/config', doc: 'Disables the protection of a wallet for an underlying.', body: NAME,
      handler: ({ request, query, body }, responder) => end({ api, request, responder, envelope: 'bare' }, query, body, DELETE_MMP),
    }),
    route({
      ...row, method: 'POST', path: '/mmp/reset', doc: 'Forgets the fills that were counted and ends a freeze.', body: NAME,
      handler: ({ request, query, body }, responder) => end({ api, request, responder, envelope: 'bare' }, query, body, RESET_MMP),
    }),
  ];
}

function setConfig(asked: Asked, query: Query, body: Values<typeof CONFIG>): void {
  const { currency, interval_ms: interval, frozen_time_ms: frozen, nonce, signature } = body;
  const { qty_limit: qtyLimit = '', delta_limit: deltaLimit = '', vega_limit: vegaLimit = '' } = body;
  const wallet = addressOf(body.wallet);
  const values = mmpValues({ currency, qtyLimit, deltaLimit, vegaLimit });
  submit(asked.api, {
    ...asked, nonce, signature, structure: 'SetMmpConfig',
    values: {
      wallet, currency, intervalMs: { lo: interval, hi: 0 }, frozenTimeMs: { lo: frozen, hi: 0 }, qtyLimit, deltaLimit, vegaLimit, nonce,
    },
    command: (signed) => commandFor(asked, query, body.wallet, {
      kind: SET_MMP, wallet, signed, source: asked.request.source, code: values.code, numbers: mmpNumbers(values, interval, frozen),
    }),
    settle: (reply, signed) => settle(asked, body, reply, signed, values.wrong, () => (
      JSON.stringify(mmpConfigData(body.wallet, currency, true, { interval, frozen, ...values }))
    )),
  });
}

/** DELETE_MMP or RESET_MMP: no body when it is done. */
function end(asked: Asked, query: Query, body: Values<typeof NAME>, kind: typeof DELETE_MMP | typeof RESET_MMP): void {
  const { currency, nonce, signature } = body;
  const wallet = addressOf(body.wallet);
  const terms = createTerms();
  const code = packUnderlying(currency, terms) ? OK : UNKNOWN_UNDERLYING;
  submit(asked.api, {
    ...asked, nonce, signature, structure: kind === DELETE_MMP ? 'DeleteMmpConfig' : 'ResetMmp', values: { wallet, currency, nonce },
    command: (signed) => commandFor(asked, query, body.wallet, {
      kind, wallet, signed, source: asked.request.source, code, numbers: mmpNameNumbers(terms),
    }),
    settle: (reply, signed) => settle(asked, body, reply, signed, '', () => ''),
  });
}

/** The command, or null when the client has been told that it names two wallets. */
function commandFor({ responder, envelope }: Asked, query: Query, wallet: string, command: Command): Command | null {
  if (query.wallet === undefined || query.wallet === wallet) return command;
  sendError(responder, envelope, 'forbidden', 'The wallet of the query is not the one that signed');
  return null;
}

function settle(
  asked: Asked, { wallet, currency }: Values<typeof NAME>, reply: Reply, signed: Signed, wrong: string, done: () => string,
): void {
  const { api, responder } = asked;
  if (reply.code === NONCE_USED) return answerUsedNonce(api, asked, reply, signed, addressOf(wallet), done);
  if (reply.code === OK) return responder.send(200, done(), budgetHeaders(api, reply));
  sayRefusal(api, asked, reply, signed, { limit_name: wrong, underlying: currency });
}
