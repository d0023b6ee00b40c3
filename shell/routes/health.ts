// Health and readiness: answered by this thread alone, from the shared counters, so they work while the venue recovers
// and when another thread is stuck. Health is 200 as long as the thread answers (decision 1.2).

import type { Responder } from '../http/message.ts';
import { route, type Route } from '../http/router.ts';
import type { Readiness } from '../api/readiness.ts';

export function healthRoutes(readiness: Readiness): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'none', envelope: 'bare' } as const;
  return [
    route({ ...row, path: '/health', doc: 'The process answers.', handler: (_, responder) => responder.send(200, '{"status":"ok"}') }),
    route({ ...row, path: '/ready', doc: 'All components are ready.', handler: (_, responder) => sendReady(readiness, responder) }),
  ];
}

function sendReady(readiness: Readiness, responder: Responder): void {
  const components = readiness.components();
  const isReady = components.every(({ ready }) => ready);
  const body = JSON.stringify({ status: isReady ? 'ready' : 'not_ready', components });
  responder.send(isReady ? 200 : 503, body);
}
