// Routes that void nonces or cancel all orders: now, by a dead man's switch, or when a connection closes (decision 7.3,
// docs/decisions/cancelling.md).

import { CANCEL_AFTER, CANCEL_ALL, SET_CANCEL_ON_DISCONNECT, VOID_NONCES } from '../../../core/codec/commands.ts';
import type { Action } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { fieldsOfForm, typedForm } from '../signature.ts';
import { MOST_GRACE_MS, MOST_TIMEOUT_MS } from '../values.ts';
import type { FieldValues } from '../../http/fields.ts';
import type { Route } from '../../http/router.ts';
import { cancelAfterBody, cancelOnDisconnectBody, voidNoncesBody } from '../../http/bodies/account.ts';
import { readRoute } from './read-route.ts';
import { TEXT_BYTES } from './query-fields.ts';
import { addressOf, SIGNED, signedRoute } from './signed.ts';
import type { CancelAllAnswer } from '../../http/shapes/trading.ts';

export const CANCEL_ALL_FIELDS = {
  ...SIGNED, scope: { kind: 'text', maxBytes: TEXT_BYTES, default: '', doc: 'An underlying, a symbol, or empty for all.' },
} as const;
export const CANCEL_AFTER_FIELDS = {
  ...SIGNED, timeout_ms: { kind: 'integer', min: 0, max: MOST_TIMEOUT_MS, doc: '0 turns it off.' },
} as const;
export const DISCONNECT_FIELDS = {
  ...SIGNED, enabled: { kind: 'boolean' }, grace_ms: { kind: 'integer', min: 0, max: MOST_GRACE_MS },
  connection: {
    kind: 'text', maxBytes: TEXT_BYTES, default: '', doc: '`connection` of a Hello. Empty: the last connection that sent a signed request.',
  },
} as const;
export const VOID_FIELDS = {
  ...SIGNED,
  up_to: { kind: 'uint64', doc: 'At most the nonce of this request, which is below 2^63. An agent cannot sign this.' },
} as const;
const WALLET = { wallet: { kind: 'address' } } as const;

export function safetyRoutes(api: ApiContext): readonly Route[] {
  const signed = { method: 'POST', envelope: 'api' } as const;
  const read = { method: 'GET', auth: 'wallet', rate: 'api', envelope: 'api', query: WALLET } as const;
  return [
    signedRoute(api, {
      ...signed, command: CANCEL_ALL, path: '/cancel-all', body: CANCEL_ALL_FIELDS,
      doc: 'Cancels every open order of a wallet, or those of one underlying or market.',
    }, cancelAllAction),
    signedRoute(api, {
      ...signed, command: VOID_NONCES, path: '/void-nonces', body: VOID_FIELDS,
      doc: 'Voids every nonce of a wallet up to `up_to`: requests signed with them that were refused, lost or held back can no longer act.',
    }, voidNoncesAction),
    signedRoute(api, {
      ...signed, command: CANCEL_AFTER, path: '/cancel-after', body: CANCEL_AFTER_FIELDS,
      doc: 'A dead man\'s switch: cancels every open order of a wallet after a timeout. Each further request restarts the timeout.',
    }, cancelAfterAction),
    signedRoute(api, {
      ...signed, command: SET_CANCEL_ON_DISCONNECT, path: '/cancel-on-disconnect', body: DISCONNECT_FIELDS,
      doc: 'Sets whether every open order of a wallet is cancelled when its connection is lost for longer than the grace period.',
    }, disconnectAction),
    readRoute(api, {
      ...read, path: '/cancel-after', doc: 'When the dead man\'s switch of a wallet will cancel its orders.',
    }, 'cancelAfter', ({ query }) => query),
    readRoute(api, {
      ...read, path: '/cancel-on-disconnect', doc: 'The cancel-on-disconnect setting of a wallet.',
    }, 'cancelOnDisconnect', ({ query }) => query),
  ];
}

export function cancelAllAction({ scope, nonce, signature, ...body }: FieldValues<typeof CANCEL_ALL_FIELDS>): Action {
  const wallet = addressOf(body.wallet);
  const form = typedForm('CancelAll', { wallet, scope, nonce });
  return {
    kind: CANCEL_ALL, wallet, ...fieldsOfForm(CANCEL_ALL, form), signature: { form, nonce, text: signature },
    facts: () => ({ symbol: scope, underlying: scope }),
    done: ({ numbers }) => JSON.stringify({
      success: true, data: { wallet_address: body.wallet, scope, cancelled: numbers[0]!, pending: numbers[1] === 1 }, error: null,
    } satisfies CancelAllAnswer),
    rejected: (_, __, error) => JSON.stringify({ success: false, data: null, error } satisfies CancelAllAnswer),
  };
}

export function voidNoncesAction({ up_to: upTo, nonce, signature, ...body }: FieldValues<typeof VOID_FIELDS>): Action {
  const wallet = addressOf(body.wallet);
  const form = typedForm('VoidNonces', { wallet, upTo, nonce });
  return {
    kind: VOID_NONCES, wallet, ...fieldsOfForm(VOID_NONCES, form), signature: { form, nonce, text: signature },
    done: () => voidNoncesBody(body.wallet, upTo.text),
  };
}

export function cancelAfterAction(body: FieldValues<typeof CANCEL_AFTER_FIELDS>): Action {
  const { timeout_ms: timeout, nonce, signature } = body;
  const wallet = addressOf(body.wallet);
  const form = typedForm('CancelAfter', { wallet, timeoutMs: { lo: timeout, hi: 0 }, nonce });
  return {
    kind: CANCEL_AFTER, wallet, ...fieldsOfForm(CANCEL_AFTER, form), signature: { form, nonce, text: signature },
    done: ({ numbers }) => cancelAfterBody(body.wallet, timeout, numbers[0]!),
  };
}

export function disconnectAction(body: FieldValues<typeof DISCONNECT_FIELDS>): Action {
  const { enabled, grace_ms: grace, connection, nonce, signature } = body;
  const wallet = addressOf(body.wallet);
  const form = typedForm('SetCancelOnDisconnect', { wallet, enabled, graceMs: { lo: grace, hi: 0 }, connection, nonce });
  return {
    kind: SET_CANCEL_ON_DISCONNECT, wallet, ...fieldsOfForm(SET_CANCEL_ON_DISCONNECT, form), signature: { form, nonce, text: signature },
    done: ({ numbers }) => cancelOnDisconnectBody(body.wallet, enabled, enabled ? grace : 0, enabled ? connection : '', numbers[0]!),
  };
}
