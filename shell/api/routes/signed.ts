// Shared by routes of signed requests: common fields, and their row in the route table.

import { signedCommand } from '../../../core/codec/commands.ts';
import type { Action } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { submit, type BodyTransform } from '../submit.ts';
import type { Refused } from '../../http/errors.ts';
import { parseHex } from '../../http/hex.ts';
import type { Schema, FieldValues } from '../../http/fields.ts';
import { route, type Route, type Row } from '../../http/router.ts';

export const SIGNED = { wallet: { kind: 'address' }, nonce: { kind: 'uint64' }, signature: { kind: 'signature' } } as const;
export const CLIENT_ID_TEXT_BYTES = 1_024;

const RATES = ['order', 'cancel', 'api', 'quote'] as const;

export function commandRow(command: number): Pick<Row, 'auth' | 'rate'> & { readonly command: number } {
  return { auth: 'sig', command, rate: RATES[signedCommand(command)!.rate] };
}

export function signedRoute<const B extends Schema>(
  api: ApiContext, row: Omit<Row, 'auth' | 'rate'> & { readonly command: number; readonly body: B },
  action: (body: FieldValues<B>) => Action | Refused, shape?: BodyTransform,
): Route {
  const { envelope } = row;
  return route({
    ...row, ...commandRow(row.command),
    handler: ({ request, body }, responder) => submit(api, { request, responder, envelope }, () => action(body), shape),
  });
}

export function addressOf(text: string): Uint8Array {
  const bytes = new Uint8Array(20);
  parseHex(text, bytes);
  return bytes;
}
