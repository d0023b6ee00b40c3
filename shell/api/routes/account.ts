// Route of the margin mode, which changes only without open positions and if the open orders fit (decision 4.1).

import { SET_MARGIN_MODE } from '../../../core/codec/commands.ts';
import type { Action } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { fieldsOfForm, typedForm } from '../signature.ts';
import { MARGIN_MODES } from '../../ipc/enum-names.ts';
import type { FieldValues } from '../../http/fields.ts';
import type { Route } from '../../http/router.ts';
import { TEXT_BYTES } from './query-fields.ts';
import { addressOf, SIGNED, signedRoute } from './signed.ts';
import type { MarginModeData } from '../../http/shapes/account.ts';
import type { MarginMode } from '../../http/shapes/enums.ts';
import type { Api as ApiBody } from '../../http/shapes/shape.ts';

const MODE = { ...SIGNED, margin_mode: { kind: 'text', maxBytes: TEXT_BYTES, values: MARGIN_MODES } } as const;

export function accountRoutes(api: ApiContext): readonly Route[] {
  return [
    signedRoute(api, {
      method: 'POST', path: '/margin-mode', command: SET_MARGIN_MODE, envelope: 'api', body: MODE,
      doc: 'Sets the margin mode of a wallet without positions.',
    }, modeAction),
  ];
}

function modeAction(body: FieldValues<typeof MODE>): Action {
  const { margin_mode: marginMode, nonce, signature } = body;
  const wallet = addressOf(body.wallet);
  const form = typedForm('SetMarginMode', { wallet, marginMode, nonce });
  return {
    kind: SET_MARGIN_MODE, wallet, ...fieldsOfForm(SET_MARGIN_MODE, form), signature: { form, nonce, text: signature },
    done: ({ numbers }) => JSON.stringify({
      success: true, data: { wallet: body.wallet, margin_mode: marginMode as MarginMode, previous_mode: MARGIN_MODES[numbers[0]!]! },
      error: null,
    } satisfies ApiBody<MarginModeData>),
  };
}
