// Health, readiness and status, from shared memory even during recovery or if another thread is stuck. Health is 200 while this thread
// answers (decision 1.2).

import type { ApiContext } from '../context.ts';
import type { Leadership } from '../leadership.ts';
import type { Readiness, VenueStatus } from '../readiness.ts';
import { RETRY_LATER } from '../../http/errors.ts';
import type { Responder } from '../../http/message.ts';
import { route, type Route } from '../../http/router.ts';
import { isAdmin, refuseToken } from './admin-route.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';
import type { Ready } from '../../http/shapes/service.ts';

const LEADER = {
  role: { kind: 'choice', values: ['leader'], optional: true, doc: 'Also 503 if this node of a cluster does not lead: for a balancer.' },
} as const;

export function healthRoutes(readiness: Readiness, leadership: Leadership): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'none', envelope: 'bare' } as const;
  return [
    route({ ...row, path: '/health', doc: 'The process is up.', handler: (_, responder) => responder.send(200, '{"status":"ok"}') }),
    route({
      ...row, path: '/ready', query: LEADER,
      handler: ({ query }, responder) => {
        const send = (isRight: boolean): void => {
          const status = readiness.status();
          sendReady(isRight ? status : { ...status, status: 'not_ready' }, responder);
        };
        if (query.role === undefined) send(true);
        else leadership.tellLead(send);
      },
      doc: 'Whether all components are ready. `degraded`: a component has a problem but the venue keeps running.',
    }),
    route({
      ...row, path: '/cluster', doc: 'Nodes of the cluster as this one sees them. A process that is the venue itself is `alone`.',
      handler: (_, responder) => responder.send(200, JSON.stringify(clusterBody(leadership))),
    }),
  ];
}

export function statusRoute(api: ApiContext, readiness: Readiness, diskFree: () => number): Route {
  return route({
    method: 'GET', path: '/admin/status', auth: 'admin', rate: 'none', envelope: 'bare',
    doc: 'Status of the venue: its components, its underlyings with their index, and expiries that wait for a settlement price.',
    handler: ({ request }, responder) => {
      const asked = { api, request, responder, envelope: 'bare' } as const;
      if (!isAdmin(asked)) return refuseToken(asked);
      responder.send(200, JSON.stringify({ success: true, data: statusBody(readiness.status(), diskFree()) }));
    },
  });
}

function clusterBody(leadership: Leadership): AnswerTo<'GET /cluster'> {
  const status = leadership.status();
  if (status === null) return { node: null, role: 'alone', epoch: 0, position: 0, seq: 0, leader: null, leader_url: null, nodes: [] };
  const { node, role, epoch, position, seq, owner, leader, peers } = status;
  const nodes = peers.map(({ skewMs, isPresent, ...peer }) => (
    { ...peer, lag: Math.max(0, position - peer.position), skew_ms: skewMs, present: isPresent }
  ));
  return { node, role, epoch, position, seq, leader: owner, leader_url: leader === '' ? null : leader, nodes };
}

function sendReady(status: VenueStatus, responder: Responder): void {
  const isReady = status.status === 'ready';
  responder.send(isReady ? 200 : 503, JSON.stringify({ ...readyBody(status), ...(!isReady && RETRY_LATER) }));
}

function readyBody({ status, degraded, components, underlyings, statuses }: VenueStatus): Ready {
  return {
    status, degraded, components: components.map(({ name, state, ready, detail }) => ({ name, state, ready, detail })),
    index_prices: underlyings.map(({ name, source, ageMs, isStale }) => (
      { underlying: name, source, index_age_ms: ageMs, stale: isStale }
    )),
    waiting_expiries: waitingRows(statuses),
  };
}

function statusBody(venue: VenueStatus, diskFree: number): AnswerTo<'GET /admin/status'>['data'] {
  const { status, degraded, components, underlyings, statuses } = venue;
  return {
    status, degraded,
    components: components.map(({ name, state, ready, detail, problems }) => (
      { name, state, ready, detail, problems: problems.map(({ text }) => text) }
    )),
    underlyings: underlyings.map(({ name, source, index, ageMs, isStale, contracts, staleSurfaces, waiting }) => ({
      underlying: name, source, index_price: index, index_age_ms: ageMs, stale: isStale, listed_contracts: contracts,
      stale_surfaces: staleSurfaces, waiting_expiries: waiting,
    })),
    waiting_expiries: waitingRows(statuses), insurance_fund: statuses.market?.fund ?? null, disk_free_bytes: diskFree,
  };
}

function waitingRows({ market }: VenueStatus['statuses']): Ready['waiting_expiries'] {
  return (market?.waiting ?? []).map(({ underlying, expiry, contracts }) => (
    { underlying, expiry, contracts, status: 'EXPIRED_PENDING_PRICE' }
  ));
}
