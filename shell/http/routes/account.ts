// Routes of an account's own settings: the margin mode, which changes only while no position is open and only to one that
// the open orders fit (decision 4.1).

import { SET_MARGIN_MODE } from '../../../core/codec/commands.ts';
import { INVALID_MODE, NONCE_USED, OK } from '../../../core/errors.ts';
import { marginModeNumbers, type Signed } from '../../api/command.ts';
import type { Api } from '../../api/context.ts';
import type { Reply } from '../../api/reply.ts';
import { answerUsedNonce, budgetHeaders, sayRefusal, submit } from '../../api/submit.ts';
import { MARGIN_MODES } from '../../api/values.ts';
import type { Values } from '../fields.ts';
import { route, type Route } from '../router.ts';
import { addressOf, SIGNED, TEXT_BYTES, type Asked } from './signed.ts';

const MODE = { ...SIGNED, margin_mode: { kind: 'text', maxBytes: TEXT_BYTES, doc: '`standard` or `portfolio`.' } } as const;

export function accountRoutes(api: Api): readonly Route[] {
  return [
    route({
      method: 'POST', path: '/margin-mode', auth: 'sig', rate: 'api', envelope: 'api', body: MODE,
      doc: 'Sets the margin mode of a wallet without positions.',
      handler: ({ request, body }, responder) => setMode({ api, request, responder, envelope: 'api' }, body),
    }),
  ];
}

function setMode(asked: Asked, body: Values<typeof MODE>): void {
  const { margin_mode: marginMode, nonce, signature } = body;
  const wallet = addressOf(body.wallet);
  const mode = (MARGIN_MODES as readonly string[]).indexOf(marginMode);
  submit(asked.api, {
    ...asked, nonce, signature, structure: 'SetMarginMode', values: { wallet, marginMode, nonce },
    command: (signed) => ({
      kind: SET_MARGIN_MODE, wallet, signed, source: asked.request.source, code: mode < 0 ? INVALID_MODE : OK,
      numbers: marginModeNumbers(mode),
    }),
    settle: (reply, signed) => settle(asked, body, wallet, reply, signed),
  });
}

function settle(asked: Asked, body: Values<typeof MODE>, wallet: Uint8Array, reply: Reply, signed: Signed): void {
  const { api, responder } = asked;
  /** The number is the mode before. */
  const done = ({ numbers }: { readonly numbers: readonly number[] }): string => JSON.stringify({
    success: true, data: { wallet: body.wallet, margin_mode: body.margin_mode, previous_mode: MARGIN_MODES[numbers[0]!] }, error: null,
  });
  if (reply.code === NONCE_USED) return answerUsedNonce(api, asked, reply, signed, wallet, done);
  if (reply.code === OK) return responder.send(200, done(reply), budgetHeaders(api, reply));
  sayRefusal(api, asked, reply, signed, {});
}
