// Cancels by order id and client id. A cancel of an ended order says how it ended (decision 3.5).

import { CANCEL_BY_CLIENT_ID, CANCEL_ORDER } from '../../../core/codec/commands.ts';
import { DONE_CANCELLED } from '../../../core/errors.ts';
import type { Action, Effect, OrderName } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { fieldsOfForm, typedForm, type SignedForm } from '../signature.ts';
import type { BodyTransform } from '../submit.ts';
import type { OrderFacts } from '../../ipc/queries.ts';
import type { Uint64, FieldValues } from '../../http/fields.ts';
import { endedStatus } from '../../http/bodies/order-status.ts';
import { infoOfUnknown, infoOfOrder, orderUpdate, refusedUpdate, type OrderInfoParts } from '../../http/bodies/order-update.ts';
import type { Route } from '../../http/router.ts';
import { addressOf, CLIENT_ID_TEXT_BYTES, SIGNED, signedRoute } from './signed.ts';

export const CANCEL = { ...SIGNED, order_id: { kind: 'uint64', text: true } } as const;
export const CANCEL_BY_CLOID = { ...SIGNED, client_id: { kind: 'text', maxBytes: CLIENT_ID_TEXT_BYTES } } as const;

type Cancel = { readonly kind: number; readonly names: OrderName; readonly form: SignedForm };

export function cancelRoutes(api: ApiContext): readonly Route[] {
  const row = { compat: 'order' } as const;
  const byId = { ...row, command: CANCEL_ORDER, doc: 'Cancels an open order by its id.', body: CANCEL } as const;
  const byCloid = {
    ...row, command: CANCEL_BY_CLIENT_ID, doc: 'Cancels an open order by its client id.', body: CANCEL_BY_CLOID,
  } as const;
  return [
    signedRoute(api, {
      ...byId, method: 'POST', path: '/cancel', envelope: 'bare',
    }, cancelAction),
    signedRoute(api, {
      ...byId, method: 'DELETE', path: '/order', envelope: 'api',
    }, cancelAction, wrapped),
    signedRoute(api, {
      ...byCloid, method: 'POST', path: '/cancel-by-cloid', envelope: 'bare',
    }, cancelByCloidAction),
    signedRoute(api, {
      ...byCloid, method: 'DELETE', path: '/order_cloid', envelope: 'api',
    }, cancelByCloidAction, wrapped),
  ];
}

const wrapped: BodyTransform = (body, reason) => `{"success":${reason === null},"data":${body},"error":${JSON.stringify(reason)}}`;

export function cancelAction(body: FieldValues<typeof CANCEL>): Action {
  const { order_id: id, nonce } = body;
  const form = typedForm('CancelOrder', { wallet: addressOf(body.wallet), orderId: id.text, nonce });
  return actionOf(body, { kind: CANCEL_ORDER, names: { orderId: plainId(id) }, form });
}

export function plainId(id: Uint64): string {
  return BigInt(id.text).toString();
}

export function cancelByCloidAction(body: FieldValues<typeof CANCEL_BY_CLOID>): Action {
  const { client_id: clientId, nonce } = body;
  const form = typedForm('CancelOrderByClientId', { wallet: addressOf(body.wallet), clientId, nonce });
  return actionOf(body, { kind: CANCEL_BY_CLIENT_ID, names: { clientId }, form });
}

function actionOf({ wallet, nonce, signature }: FieldValues<typeof SIGNED>, cancel: Cancel): Action {
  const { kind, names, form } = cancel;
  return {
    kind, wallet: addressOf(wallet), ...fieldsOfForm(kind, form), signature: { form, nonce, text: signature },
    names, facts: () => ({ order: 'orderId' in names ? names.orderId : names.clientId }),
    done: (effect) => cancelled(wallet, names, effect),
    rejected: (time, { order, standing }, reason) => refusedUpdate(wallet, infoOf(names, order), time, reason, standing),
  };
}

function cancelled(wallet: string, names: OrderName, { order, time, numbers }: Effect): string {
  return orderUpdate({
    time, wallet, info: infoOf(names, order), status: 'CANCELED', reason: null, filled: numbers[1]!, orderId: numbers[0]!,
    isMmpTriggered: false, standing: endedStatus(DONE_CANCELLED),
  });
}

function infoOf(names: OrderName, order: OrderFacts | null): OrderInfoParts {
  if (order !== null) return infoOfOrder(order);
  return 'orderId' in names ? infoOfUnknown(null, names.orderId) : infoOfUnknown(names.clientId, null);
}
