// The prefix /compat: every route except /admin once more, in the envelopes of the live venue (decision 6.1,
// wire contract 0.2, 0.3). Never changes a status or header. Times are microseconds.
//   jsonrpc  {jsonrpc, result, testnet, usDiff, usIn, usOut}; errors stay {error, message}
//   api      {success, data, error}; an empty answer becomes data null
//   order    order updates with `filled_size` as a decimal string

import type { Responder } from './message.ts';
import { COMPAT, type Route } from './router.ts';

const NUMBER_FILLED = /"filled_size":([0-9.]+)/g;

export type CompatParts = {
  readonly isTestnet: boolean;
  readonly now: () => number;
  readonly steady: () => number;
};

type Body = string | Uint8Array;
type Frame = (status: number, body: Body) => Body;

const OPERATOR = '/admin/';

export function withCompat(routes: readonly Route[], parts: CompatParts): readonly Route[] {
  return [...routes, ...routes.filter(({ path }) => !path.startsWith(OPERATOR)).map((row) => compatRow(row, parts))];
}

function compatRow(row: Route, parts: CompatParts): Route {
  const { compat, handler } = row;
  const path = `${COMPAT}${row.path}`;
  if (compat === undefined) return { ...row, path };
  return {
    ...row, path, envelope: compat === 'api' ? 'api' : row.envelope,
    handler: (call, responder) => handler(call, framed(responder, frameOf(compat, parts))),
  };
}

function framed(responder: Responder, frame: Frame): Responder {
  return {
    get aborted() { return responder.aborted; },
    send: (status, body, headers) => responder.send(status, frame(status, body), headers),
  };
}

function frameOf(compat: NonNullable<Route['compat']>, parts: CompatParts): Frame {
  switch (compat) {
    case 'jsonrpc': return jsonRpc(parts);
    case 'api': return apiResponse;
    case 'order': return (_, body) => textOf(body).replace(NUMBER_FILLED, '"filled_size":"$1"');
  }
}

function jsonRpc({ isTestnet, now, steady }: CompatParts): Frame {
  const usIn = now() * 1_000;
  const since = steady();
  return (status, body) => {
    if (status !== 200) return body;
    const usDiff = Math.round((steady() - since) * 1_000);
    const times = `"usIn":${usIn},"usOut":${usIn + usDiff},"usDiff":${usDiff}`;
    return around('{"jsonrpc":"2.0","result":', body, `,"testnet":${isTestnet},${times}}`);
  };
}

function apiResponse(status: number, body: Body): Body {
  if (status === 200) return around('{"success":true,"data":', body.length === 0 ? 'null' : body, ',"error":null}');
  const text = textOf(body);
  return text.startsWith('{"success":') ? text : `{"success":false,"data":null,${text.slice(1)}`;
}

function around(before: string, body: Body, after: string): Body {
  return typeof body === 'string' ? before + body + after : Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);
}

function textOf(body: Body): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}
