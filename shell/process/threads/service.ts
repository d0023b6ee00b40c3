// The parts of one api thread, without worker and web server, so tests run them in their own thread.

import { sharedSteady } from '../clock.ts';
import { createHasher } from '../../api/auth/eip712.ts';
import { isTestChain } from '../../api/auth/perp-action.ts';
import type { Backend } from '../../api/auth/recover-signer.ts';
import type { SocketEndpoint } from '../../http/server/sockets.ts';
import type { RouteRequest } from '../../http/server/http-exchange.ts';
import { UPGRADE_HEADERS } from '../../http/server/handshake.ts';
import { withCompat, type CompatParts } from '../../http/compat.ts';
import { refuse, sendError, sendRefusal, type Refused } from '../../http/errors.ts';
import type { HttpRequest, Responder } from '../../http/message.ts';
import { SeqWaits } from '../../http/min-seq.ts';
import { rateLimited } from '../../http/rate-headers.ts';
import { createRouter, sendNotAllowed, type Route } from '../../http/router.ts';
import type { Source } from '../../http/source.ts';
import { accountRoutes } from '../../api/routes/account.ts';
import { adminRoutes } from '../../api/routes/admin.ts';
import { agentRoutes } from '../../api/routes/agents.ts';
import { bulkRoutes } from '../../api/routes/bulk.ts';
import { cancelRoutes } from '../../api/routes/cancels.ts';
import { competitionRoutes } from '../../api/routes/competitions.ts';
import { gasRoutes } from '../../api/routes/gas.ts';
import { candleRoutes } from '../../api/routes/candles.ts';
import { hlRoutes } from '../../api/routes/hl.ts';
import { healthRoutes, statusRoute } from '../../api/routes/health.ts';
import { historyRoutes } from '../../api/routes/history.ts';
import { marketRoutes } from '../../api/routes/markets.ts';
import { perpRoutes } from '../../api/routes/perps.ts';
import { mmpRoutes } from '../../api/routes/mmp.ts';
import { backupRoutes } from '../../api/routes/admin-backup.ts';
import { clockRoutes } from '../../api/routes/admin-clock.ts';
import { creditRoutes } from '../../api/routes/admin-credit.ts';
import { controlRoutes } from '../../api/routes/admin-controls.ts';
import { listingRoutes } from '../../api/routes/admin-listing.ts';
import { amendRoutes } from '../../api/routes/amends.ts';
import { orderRoutes } from '../../api/routes/orders.ts';
import { profileRoutes, profileWriteRoutes } from '../../api/routes/profile.ts';
import { readRoutes } from '../../api/routes/reads.ts';
import { riskRoutes } from '../../api/routes/risk.ts';
import { quoteRoutes } from '../../api/routes/quotes.ts';
import { safetyRoutes } from '../../api/routes/safety.ts';
import type { MetricsInput } from '../../describe/exposition.ts';
import { BOUNDS, STATUS_EVERY } from '../../http/limits.ts';
import { Meters } from '../observability/meters.ts';
import { StatusLog } from '../observability/status-log.ts';
import { apiName, type ApiWiring, type CounterName, type Measures, type ThreadSettings } from '../wiring.ts';
import { reached, type SharedCounters } from '../../ipc/counters.ts';
import { ROLES } from '../../ipc/cluster-status.ts';
import { Ringer } from '../../ipc/doorbell.ts';
import { SharedHead } from '../../ipc/shared-head.ts';
import { ringConsumer, ringProducer } from '../../ipc/ring.ts';
import { METRICS_PATH, webRoutes } from '../../describe/routes.ts';
import { SOCKET_PATH, socketEndpoint } from '../../ws/endpoint.ts';
import { HL_SOCKET_PATH, hlEndpoint } from '../../ws/hl/endpoint.ts';
import { OutboundMemory } from '../../ws/outbound-memory.ts';
import { TopicRegistry } from '../../ws/topic-registry.ts';
import { WriteScheduler } from '../../ws/write-scheduler.ts';
import { SignatureCheckQueue } from '../../api/signature-checks.ts';
import type { ApiContext } from '../../api/context.ts';
import { Control, type ControlDone, type ControlRequest } from '../../api/control.ts';
import { Leadership } from '../../api/leadership.ts';
import { UpstreamServices } from '../../api/upstream-services.ts';
import { ConnectionNotices } from '../../api/connection-notices.ts';
import { Readiness } from '../../api/readiness.ts';
import { ReaderClient } from '../../api/reader-client.ts';
import { SourceQuotas } from '../../api/source-quotas.ts';
import { CommandSender } from '../../api/command-sender.ts';

type ServiceOptions = {
  readonly wiring: ApiWiring;
  readonly counters: SharedCounters<CounterName>;
  readonly measures: Measures;
  readonly settings: ThreadSettings;
  readonly backend: Backend;
  readonly now: () => number;
  readonly steady: () => number;
  readonly post: (message: ControlRequest) => void;
  readonly fault: (place: string, error: unknown) => void;
};

type Service = {
  readonly route: RouteRequest;
  readonly endpoint: SocketEndpoint;
  readonly furtherEndpoints: readonly SocketEndpoint[];
  drain(limit: number): number;
  sweep(): void;
  setUnderlyings(names: readonly string[]): void;
  onControlDone(done: ControlDone): void;
  closeIntake(): void;
  isBusy(): boolean;
  waiting(): number;
  close(): void;
};

export function createService({ wiring, counters, measures, settings, backend, now, steady, post, fault }: ServiceOptions): Service {
  const { config, token } = settings;
  const ringMain = new Ringer(wiring.ringMain);
  const ringReader = new Ringer(wiring.ringReader);
  const meters = new Meters(measures.meters, apiName(wiring.index));
  const commands = ringProducer(wiring.commands);
  const durable = counters.counter('durable');
  const writes = new CommandSender({
    origin: wiring.index + 1, commands, replies: ringConsumer(wiring.replies, 0), ringMain, durable, steady, meters,
  });
  const reads: ReaderClient = new ReaderClient({
    queries: ringProducer(wiring.queries), answers: ringConsumer(wiring.answers, 0), large: wiring.large, ringReader, steady,
    onStream: (topic, body, also) => topics.publish(topic, body, also),
  });
  const leadership = leadershipOf(wiring, counters, measures, config);
  const topics = new TopicRegistry(reads, fault, () => leadership.role === ROLES.follower);
  const turn = new WriteScheduler(steady);
  const control = new Control(post, steady);
  const readiness = new Readiness({ counters, statuses: measures.statuses, feed: config.feed }, steady());
  const statusLog = new StatusLog();
  let statusLoggedAt = -Infinity;
  const head = new SharedHead(wiring.head);
  const waits = new SeqWaits((seq) => reached(durable.load(), seq >>> 0) && head.read().seq >= seq, steady, fault);
  const api: ApiContext = {
    config, token, hasher: createHasher(config.serviceName, config.chainId), backend, checks: new SignatureCheckQueue(meters),
    writes, reads, underlyings: [], control, connectionNotices: new ConnectionNotices(commands, ringMain),
    sources: new SourceQuotas(now, config.rateLimits === 'on'), now, fault,
    upstream: new UpstreamServices(config, now, steady, counters.counter('candlesSpent')),
    leadership,
  };
  const sockets = { api, registry: topics, scheduler: turn, steady, memory: new OutboundMemory(), refusal: socketRefusal(api, readiness) };
  return {
    route: gate(api, readiness, { compat: { isTestnet: isTestChain(config.chainId), now, steady }, waits }, { measures, counters }),
    endpoint: socketEndpoint({ ...sockets, venue: settings.venue }),
    furtherEndpoints: config.hl ? [hlEndpoint(sockets)] : [],
    drain: (limit) => turn.run(() => {
      const until = steady() + BOUNDS.turnMs;
      // Stream messages follow their command's reply: read answers only up to where they ended before the replies were
      // taken.
      const { end } = reads;
      api.leadership.look();
      const replies = writes.drain(limit);
      return replies + (replies < limit ? reads.drain(limit - replies, until, end) : 0);
    }),
    sweep: () => {
      for (const each of [writes.pending, reads, control.pending]) each.sweep(steady());
      topics.flush();
      api.leadership.look();
      api.connectionNotices.flush();
      readiness.watch(steady());
      if (wiring.index === 0 && readiness.refusal() === null && steady() >= statusLoggedAt + STATUS_EVERY) {
        statusLoggedAt = steady();
        statusLog.update(readiness.status().components, statusLoggedAt);
      }
    },
    setUnderlyings: (names) => { api.underlyings = names; },
    onControlDone: (done) => control.pending.settle(done.id, done),
    closeIntake: () => readiness.close(),
    isBusy: () => api.checks.isScheduled,
    waiting: () => waitingOf(api),
    close: () => {
      waits.close();
      api.upstream.close();
      ringMain.close();
      ringReader.close();
      api.leadership.close();
      wiring.large.close();
    },
  };
}

function waitingOf({ checks, writes, reads, control, upstream, leadership }: ApiContext): number {
  return checks.waiting + writes.pending.open + reads.pending.open + control.pending.open + upstream.waiting + leadership.waiting;
}

function leadershipOf(
  { ringJournal }: ApiWiring, counters: SharedCounters<CounterName>, { statuses }: Measures, { cluster }: ThreadSettings['config'],
): Leadership {
  const ringer = cluster?.reads === 'log' ? new Ringer(ringJournal) : null;
  return new Leadership({ counters, status: statuses.cluster, steady: sharedSteady, ringer });
}

export function serviceRoutes(api: ApiContext): readonly Route[] {
  return [
    ...orderRoutes(api), ...amendRoutes(api), ...cancelRoutes(api), ...quoteRoutes(api), ...agentRoutes(api), ...accountRoutes(api),
    ...mmpRoutes(api), ...safetyRoutes(api), ...bulkRoutes(api), ...profileWriteRoutes(api), ...adminRoutes(api),
    ...listingRoutes(api), ...creditRoutes(api), ...clockRoutes(api), ...controlRoutes(api), ...backupRoutes(api), ...readRoutes(api),
    ...marketRoutes(api), ...perpRoutes(api), ...riskRoutes(api),
    ...historyRoutes(api), ...profileRoutes(api), ...candleRoutes(api), ...competitionRoutes(api), ...gasRoutes(api),
  ];
}

function gate(
  api: ApiContext, readiness: Readiness, { compat, waits }: { readonly compat: CompatParts; readonly waits: SeqWaits },
  shown: Pick<MetricsInput, 'measures' | 'counters'>,
): RouteRequest {
  const health = withCompat(healthRoutes(readiness, api.leadership), compat);
  const journal = new Meters(shown.measures.meters, 'journal');
  const service = [...serviceRoutes(api), statusRoute(api, readiness, () => journal.gauge('diskFree'))];
  const web: readonly Route[] = webRoutes({
    api, documented: () => [...service, ...healthRoutes(readiness, api.leadership), ...web],
    shown: () => ({
      ...shown, routes: table, residentBytes: process.memoryUsage.rss(), status: readiness.status(), cluster: api.leadership.status(),
    }),
  });
  const table = [...health, ...withCompat(service, compat), ...web, ...(api.config.hl ? hlRoutes(api) : [])];
  const always = new Set([...health.map(({ path }) => path), METRICS_PATH]);
  const socketPaths = [SOCKET_PATH, ...(api.config.hl ? [HL_SOCKET_PATH] : [])];
  const router = createRouter(table, waits);
  return (request: HttpRequest, responder: Responder) => {
    if (always.has(request.path)) return router(request, responder);
    const reason = readiness.refusal();
    if (reason !== null) return sendError(responder, 'bare', 'not_ready', reason);
    const refused = refuseSource(api, request.source);
    if (refused !== null) return sendRefusal(responder, 'bare', refused);
    responder.budget = api.sources.left(request.source);
    if (!socketPaths.includes(request.path) || request.refuse !== undefined) return router(request, responder);
    if (request.method === 'GET' || request.method === 'HEAD') sendUpgrade(responder, request.path);
    else sendNotAllowed(request, responder, ['GET']);
  };
}

function sendUpgrade(responder: Responder, path: string): void {
  const told = `${path} is a WebSocket: no upgrade is asked for, or a proxy does not pass it on`;
  sendError(responder, 'bare', 'upgrade_required', told, { headers: UPGRADE_HEADERS });
}

function socketRefusal(api: ApiContext, readiness: Readiness): (source: Source) => Refused | null {
  return (source) => {
    const reason = readiness.refusal();
    return reason === null ? refuseSource(api, source) : refuse('not_ready', reason);
  };
}

function refuseSource(api: ApiContext, source: Source): Refused | null {
  const spent = api.sources.takeRequest(source);
  return spent === null ? null : rateLimited(spent, api.now());
}
