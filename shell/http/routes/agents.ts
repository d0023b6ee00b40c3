// Routes of agents: approve, revoke. The wallet acted on is whoever signed; a `wallet` in the body must be that one
// (decision 1.6). What the venue refuses for its own reasons is `success: false` inside a 200.

import { APPROVE_AGENT, REVOKE_AGENT } from '../../../core/codec/commands.ts';
import { EXPIRY_IN_THE_PAST, NONCE_USED, OK } from '../../../core/errors.ts';
import { agentNumbers, type Command, type Signed } from '../../api/command.ts';
import type { Api } from '../../api/context.ts';
import type { Reply } from '../../api/reply.ts';
import { answerUsedNonce, budgetHeaders, sayRefusal, submit } from '../../api/submit.ts';
import { parseHex, toHex } from '../../auth/hex.ts';
import { sendError } from '../errors.ts';
import type { Values } from '../fields.ts';
import type { HttpRequest, Responder } from '../message.ts';
import { route, type Route } from '../router.ts';

const REVOKE = {
  agent: { kind: 'address' }, nonce: { kind: 'uint64' }, signature: { kind: 'signature' }, wallet: { kind: 'address', optional: true },
} as const;
const APPROVE = { ...REVOKE, expires_at: { kind: 'millis', min: 0, optional: true, doc: 'Then signed as ApproveAgentUntil.' } } as const;

const TWO_32 = 2 ** 32;
const DONE = JSON.stringify({ success: true, error: null });

type Asked = { readonly api: Api; readonly request: HttpRequest; readonly responder: Responder; readonly envelope: 'bare' };
type Agents = Values<typeof REVOKE>;

export function agentRoutes(api: Api): readonly Route[] {
  const row = { auth: 'sig', rate: 'api', envelope: 'bare' } as const;
  const revokeRow = { ...row, path: '/revoke-agent', doc: 'Ends the authority of an agent.', body: REVOKE } as const;
  return [
    route({
      ...row, method: 'POST', path: '/approve-agent', doc: 'Lets an agent sign for the wallet that signs this.', body: APPROVE,
      handler: ({ request, body }, responder) => approve({ api, request, responder, envelope: 'bare' }, body),
    }),
    route({
      ...revokeRow, method: 'POST',
      handler: ({ request, body }, responder) => revoke({ api, request, responder, envelope: 'bare' }, body),
    }),
    route({
      ...revokeRow, method: 'DELETE',
      handler: ({ request, body }, responder) => revoke({ api, request, responder, envelope: 'bare' }, body),
    }),
  ];
}

function approve(asked: Asked, body: Values<typeof APPROVE>): void {
  const { nonce, signature, expires_at: expires } = body;
  const agent = agentOf(body);
  const isLate = expires !== undefined && expires <= asked.api.now();
  const rest = {
    ...asked, nonce, signature,
    command: (signed: Signed) => command(asked, body, signed, APPROVE_AGENT, isLate ? EXPIRY_IN_THE_PAST : OK, expires ?? 0),
    settle: (reply: Reply, signed: Signed) => settle(asked, reply, signed),
  };
  if (expires === undefined) return submit(asked.api, { ...rest, structure: 'ApproveAgent', values: { agent, nonce } });
  const expiresAt = { lo: expires >>> 0, hi: Math.floor(expires / TWO_32) };
  submit(asked.api, { ...rest, structure: 'ApproveAgentUntil', values: { agent, expiresAt, nonce } });
}

function revoke(asked: Asked, body: Agents): void {
  const { nonce, signature } = body;
  submit(asked.api, {
    ...asked, nonce, signature, structure: 'RevokeAgent', values: { agent: agentOf(body), nonce },
    command: (signed) => command(asked, body, signed, REVOKE_AGENT, OK, 0), settle: (reply, signed) => settle(asked, reply, signed),
  });
}

function agentOf(body: Agents): Uint8Array {
  const agent = new Uint8Array(20);
  parseHex(body.agent, agent);
  return agent;
}

function command(asked: Asked, body: Agents, signed: Signed, kind: number, code: number, expires: number): Command | null {
  if (body.wallet !== undefined && body.wallet !== toHex(signed.signer)) {
    sendError(asked.responder, 'bare', 'forbidden', 'The wallet named is not the one that signed');
    return null;
  }
  const numbers = agentNumbers(agentOf(body), expires, body.wallet !== undefined);
  return { kind, wallet: signed.signer, signed, source: asked.request.source, code, numbers };
}

function settle(asked: Asked, reply: Reply, signed: Signed): void {
  const { api, responder } = asked;
  if (reply.code === NONCE_USED) return answerUsedNonce(api, asked, reply, signed, signed.signer, () => DONE);
  const headers = budgetHeaders(api, reply);
  if (reply.code === OK) return responder.send(200, DONE, headers);
  const error = sayRefusal(api, asked, reply, signed, {});
  if (error !== null) responder.send(200, JSON.stringify({ success: false, error }), headers);
}
