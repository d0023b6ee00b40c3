// Routes to approve and revoke agents (decision 1.6). Refusals are `success: false` inside a 200.

import { APPROVE_AGENT, REVOKE_AGENT, REVOKE_ALL_AGENTS } from '../../../core/codec/commands.ts';
import { u64Of } from '../../../core/codec/fields.ts';
import { FLAG_WALLET_NAMED } from '../../../core/codec/signed-commands.ts';
import { EXPIRY_IN_THE_PAST, OK } from '../../../core/errors.ts';
import type { Action } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { fieldsOfForm, typedForm, type SignedForm } from '../signature.ts';
import type { FieldValues } from '../../http/fields.ts';
import type { Route } from '../../http/router.ts';
import { addressOf, signedRoute } from './signed.ts';
import type { AgentAnswer } from '../../http/shapes/answers.ts';

const REVOKE_ALL = {
  nonce: { kind: 'uint64' }, signature: { kind: 'signature' },
  wallet: { kind: 'address', optional: true, doc: 'Must be the wallet that signed.' },
} as const;
const REVOKE = { agent: { kind: 'address' }, ...REVOKE_ALL } as const;
const APPROVE = { ...REVOKE, expires_at: { kind: 'millis', min: 0, optional: true, doc: 'Signed as ApproveAgentUntil.' } } as const;

type Change = { readonly kind: number; readonly form: SignedForm; readonly code?: number };

export function agentRoutes(api: ApiContext): readonly Route[] {
  const row = { envelope: 'bare' } as const;
  const revoke = (method: 'POST' | 'DELETE'): Route => signedRoute(api, {
    ...row, command: REVOKE_AGENT, method, path: '/revoke-agent', doc: 'Revokes an agent.', body: REVOKE,
  }, revokeAction);
  return [
    signedRoute(api, {
      ...row, command: APPROVE_AGENT, method: 'POST', path: '/approve-agent', body: APPROVE,
      doc: 'Approves an agent for the wallet that signs this.',
    }, (body) => approveAction(body, api.now())),
    revoke('POST'),
    revoke('DELETE'),
    signedRoute(api, {
      ...row, command: REVOKE_ALL_AGENTS, method: 'DELETE', path: '/revoke-all-agents', body: REVOKE_ALL,
      doc: 'Revokes every agent of the wallet that signs this.',
    }, revokeAllAction),
  ];
}

function approveAction(body: FieldValues<typeof APPROVE>, now: number): Action {
  const { nonce, expires_at: expires } = body;
  const agent = addressOf(body.agent);
  const code = expires !== undefined && expires <= now ? EXPIRY_IN_THE_PAST : OK;
  const form = expires === undefined
    ? typedForm('ApproveAgent', { agent, nonce })
    : typedForm('ApproveAgentUntil', { agent, expiresAt: u64Of(expires), nonce });
  return actionOf(body, { kind: APPROVE_AGENT, form, code });
}

function revokeAction(body: FieldValues<typeof REVOKE>): Action {
  const agent = addressOf(body.agent);
  const form = typedForm('RevokeAgent', { agent, nonce: body.nonce });
  return actionOf(body, { kind: REVOKE_AGENT, form });
}

function revokeAllAction(body: FieldValues<typeof REVOKE_ALL>): Action {
  const form = typedForm('RevokeAllAgents', { nonce: body.nonce });
  return actionOf(body, { kind: REVOKE_ALL_AGENTS, form });
}

function actionOf(body: FieldValues<typeof REVOKE_ALL>, { kind, form, code = OK }: Change): Action {
  const { fields } = fieldsOfForm(kind, form, body.wallet === undefined ? 0 : FLAG_WALLET_NAMED);
  return {
    kind, wallet: null, signer: body.wallet, code, fields, signature: { form, nonce: body.nonce, text: body.signature },
    done: () => JSON.stringify({ success: true, error: null } satisfies AgentAnswer),
    rejected: (_, __, error) => JSON.stringify({ success: false, error } satisfies AgentAnswer),
  };
}
