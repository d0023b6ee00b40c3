// What the probes share: the type of a probe, and the usual ways to make its request.

import { order } from '../../shell/api/requests.ts';
import { LONG, someone, TOKEN, type Answer, type Desk } from './desk.ts';

/** The answer, and what stands for the names in the text. */
export type Provoked = { readonly answer: Answer; readonly facts?: Readonly<Record<string, string>> };
export type Probe = (desk: Desk) => Promise<Provoked>;
export type Probes = { readonly [when: string]: Probe };

export const NOBODY = `0x${'12'.repeat(20)}`;
/** Well-formed, and no strike of the grid. */
export const UNLISTED = 'BTC-20260327-123-C';
export const MALLEABLE = `0x${'ab'.repeat(32)}${'ff'.repeat(32)}1b`;

/** POST /order with these fields, signed as they are. */
export function placing(fields: Partial<Parameters<typeof order>[1]>, facts?: Record<string, string>): Probe {
  return async (desk) => ({ answer: await desk.post('/order', order(someone(), { symbol: LONG, ...fields })), ...(facts && { facts }) });
}

export function asking(path: string, facts?: Record<string, string>): Probe {
  return async (desk) => ({ answer: await desk.get(path), ...(facts && { facts }) });
}

/** With the operator's token. */
export function operating(desk: Desk, method: string, path: string, body: object): Promise<Answer> {
  return desk.send(method, path, body, { authorization: `Bearer ${TOKEN}` });
}
