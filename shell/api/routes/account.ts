// Routes of an account's own settings: the margin mode, which changes only while no position is open and only to one that
// the open orders fit (decision 4.1).

import { SET_MARGIN_MODE } from '../../../core/codec/commands.ts';
import { INVALID_MODE, OK } from '../../../core/errors.ts';
import type { Action } from '../action.ts';
import { marginModeNumbers } from '../command.ts';
import type { Api } from '../context.ts';
import { typedForm } from '../signature.ts';
import { MARGIN_MODES } from '../../ipc/enum-names.ts';
import type { Values } from '../../http/fields.ts';
import type { Route } from '../../http/router.ts';
import type { Source } from '../../http/source.ts';
import { TEXT_BYTES } from './paging.ts';
import { addressOf, SIGNED, signedRoute } from './signed.ts';

const MODE = { ...SIGNED, margin_mode: { kind: 'text', maxBytes: TEXT_BYTES, values: MARGIN_MODES } } as const;

export function accountRoutes(api: Api): readonly Route[] {
  return [
    signedRoute(api, {
      method: 'POST', path: '/margin-mode', rate: 'api', envelope: 'api', body: MODE,
      doc: 'Sets the margin mode of a wallet without positions.',
    }, modeAction),
  ];
}

function modeAction(source: Source, body: Values<typeof MODE>): Action {
  const { margin_mode: marginMode, nonce, signature } = body;
  const wallet = addressOf(body.wallet);
  const mode = (MARGIN_MODES as readonly string[]).indexOf(marginMode);
  return {
    nonce, signature, form: typedForm('SetMarginMode', { wallet, marginMode, nonce }),
    command: (signed) => ({
      kind: SET_MARGIN_MODE, wallet, signed, source, code: mode < 0 ? INVALID_MODE : OK, numbers: marginModeNumbers(mode),
    }),
    // The number is the mode before.
    done: ({ numbers }) => JSON.stringify({
      success: true, data: { wallet: body.wallet, margin_mode: marginMode, previous_mode: MARGIN_MODES[numbers[0]!] }, error: null,
    }),
  };
}
