// The socket of the Hyperliquid dialect, one endpoint of an api thread, with the quotas of our own socket.

import type { ApiContext } from '../../api/context.ts';
import type { SocketEndpoint } from '../../http/server/sockets.ts';
import type { Refused } from '../../http/errors.ts';
import type { Source } from '../../http/source.ts';
import type { OutboundMemory } from '../outbound-memory.ts';
import type { TopicRegistry } from '../topic-registry.ts';
import type { WriteScheduler } from '../write-scheduler.ts';
import { HlConnection } from './connection.ts';
import { Polls } from './polls.ts';

export const HL_SOCKET_PATH = '/hl/ws';

type EndpointParts = {
  readonly api: ApiContext; readonly registry: TopicRegistry; readonly scheduler: WriteScheduler; readonly memory: OutboundMemory;
  readonly steady: () => number;
  readonly refusal: (source: Source) => Refused | null;
};

export function hlEndpoint({ api, registry, scheduler, memory, steady, refusal }: EndpointParts): SocketEndpoint {
  const polls = new Polls({ api, registry, steady });
  return {
    path: HL_SOCKET_PATH,
    admit: (_, source) => refusal(source),
    open: (socket) => new HlConnection({ api, socket, registry, scheduler, memory, polls, refusal: () => refusal(socket.source) }),
    errorFrame: (_, { message }) => JSON.stringify({ channel: 'error', data: message }),
  };
}
