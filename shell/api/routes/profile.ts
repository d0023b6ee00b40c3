// Routes about the owner of a wallet: username (decision 5.6), settlement payouts seen, profile and fills.

import { REQUEST_USERNAME, SEE_PAYOUTS, SET_USERNAME } from '../../../core/codec/commands.ts';
import { PAYOUT_IDS_A_COMMAND } from '../../../core/limits.ts';
import type { Action } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { fieldsOfForm, typedForm } from '../signature.ts';
import { sendError } from '../../http/errors.ts';
import type { FieldValues } from '../../http/fields.ts';
import { route, type Route } from '../../http/router.ts';
import { ask, readRoute } from './read-route.ts';
import { given, limit, offset, text, TEXT_BYTES, wallet as walletField } from './query-fields.ts';
import { addressOf, SIGNED, signedRoute } from './signed.ts';
import type { PayoutsSeenAnswer, UsernameAnswer, UsernameRequestData } from '../../http/shapes/account.ts';
import type { Api as ApiBody } from '../../http/shapes/shape.ts';

const USERNAME_DOC = '3 to 20 letters, digits or underscores. Surrounding spaces are removed before signing.';
const USERNAME = { ...SIGNED, username: { kind: 'text', maxBytes: TEXT_BYTES, doc: USERNAME_DOC } } as const;
const REQUEST = { ...SIGNED, requested_username: { kind: 'text', maxBytes: TEXT_BYTES, doc: USERNAME_DOC } } as const;
const SEEN = {
  ...SIGNED, ids: { kind: 'ids', max: PAYOUT_IDS_A_COMMAND, doc: 'Signed as one string, joined by commas in this order.' },
} as const;
const NAME_QUERY = {
  wallet: { kind: 'address', optional: true }, username: { kind: 'text', maxBytes: TEXT_BYTES, optional: true },
} as const;

export function profileWriteRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'POST' } as const;
  return [
    signedRoute(api, {
      ...row, command: SET_USERNAME, path: '/username', envelope: 'api', doc: 'Sets the username of a wallet.', body: USERNAME,
    }, nameAction),
    signedRoute(api, {
      ...row, command: REQUEST_USERNAME, path: '/profile/username-request', envelope: 'api', body: REQUEST,
      doc: 'Requests a username. It is approved immediately if it is free.',
    }, requestAction),
    route({
      method: 'GET', auth: 'none', rate: 'api', path: '/username', envelope: 'api', query: NAME_QUERY,
      doc: 'The username of a wallet, or the wallet of a username.',
      handler: ({ request, query }, responder) => {
        const { wallet, username } = query;
        if (wallet === undefined && username === undefined) {
          return sendError(responder, 'api', 'missing_field', 'One of wallet and username is required');
        }
        return ask(api, request, responder, 'username', wallet === undefined ? { username: username! } : { wallet }, 'api');
      },
    }),
    signedRoute(api, {
      ...row, command: SEE_PAYOUTS, path: '/settlement-payouts/seen', envelope: 'api', doc: 'Marks settlement payouts as seen.', body: SEEN,
    }, seenAction),
  ];
}

export function profileRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'GET', auth: 'wallet', rate: 'api', envelope: 'bare' } as const;
  const moment = { kind: 'millis', optional: true } as const;
  return [
    readRoute(api, {
      ...row, path: '/profile', doc: 'Margin, profit and account age of a wallet.', query: { wallet: walletField },
    }, 'profile', ({ query }) => query),
    readRoute(api, {
      ...row, path: '/profile/trades', doc: 'Fills of a wallet in a time range, newest first.',
      query: {
        wallet: walletField, limit: limit(100, 1_000), offset, symbol: text,
        competition_id: { kind: 'int64', min: 0, optional: true, doc: 'Only fills while this competition ran.' },
        from_ts_ms: { ...moment, doc: 'Start of the range, inclusive.' }, to_ts_ms: { ...moment, doc: 'End of the range, inclusive.' },
      },
    }, 'fills', ({ query }) => {
      const { from_ts_ms: from, to_ts_ms: to, ...rest } = query;
      return given({ ...rest, from, to });
    }),
  ];
}

function nameAction({ nonce, signature, ...body }: FieldValues<typeof USERNAME>): Action {
  const wallet = addressOf(body.wallet);
  const username = body.username.trim();
  const form = typedForm('SetUsername', { wallet, username, nonce });
  return {
    kind: SET_USERNAME, wallet, ...fieldsOfForm(SET_USERNAME, form), signature: { form, nonce, text: signature },
    facts: () => ({ username }),
    done: () => JSON.stringify({ success: true, data: { wallet_address: body.wallet, username }, error: null } satisfies UsernameAnswer),
  };
}

function requestAction({ nonce, signature, ...body }: FieldValues<typeof REQUEST>): Action {
  const wallet = addressOf(body.wallet);
  const username = body.requested_username.trim();
  const form = typedForm('SubmitUsernameRequest', { wallet, requestedUsername: username, nonce });
  return {
    kind: REQUEST_USERNAME, wallet, ...fieldsOfForm(REQUEST_USERNAME, form), signature: { form, nonce, text: signature },
    facts: () => ({ username }),
    done: ({ numbers, time }) => JSON.stringify({
      success: true, error: null,
      data: {
        id: numbers[0]!, wallet_address: body.wallet, requested_username: username, status: 'approved',
        created_at: new Date(time).toISOString(),
      },
    } satisfies ApiBody<UsernameRequestData>),
  };
}

function seenAction({ ids, nonce, signature, ...body }: FieldValues<typeof SEEN>): Action {
  const wallet = addressOf(body.wallet);
  const form = typedForm('SetSettlementPayoutSeen', { wallet, payoutIds: ids.join(','), seen: true, nonce });
  return {
    kind: SEE_PAYOUTS, wallet, ...fieldsOfForm(SEE_PAYOUTS, form), signature: { form, nonce, text: signature },
    done: ({ numbers }) => JSON.stringify({
      success: true, requested: numbers[0]!, affected: numbers[1]!, error: null,
    } satisfies PayoutsSeenAnswer),
  };
}
