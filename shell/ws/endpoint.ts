// The socket endpoint of one api thread. `?wallet=` names the wallet, `?encoding=msgpack` selects the encoding; an
// invalid query refuses the upgrade. Hello has a random connection id: nobody can guess another connection's and arm or
// disarm its cancel-on-disconnect.

import { randomBytes } from 'node:crypto';
import { SECOND } from '../../core/units.ts';
import type { ApiContext } from '../api/context.ts';
import type { SocketEndpoint } from '../http/server/sockets.ts';
import type { Refused } from '../http/errors.ts';
import { readQuery, type Schema } from '../http/fields.ts';
import { LIMITS } from '../http/limits.ts';
import { Quota } from '../http/quota.ts';
import type { Source } from '../http/source.ts';
import { Connection } from './connection.ts';
import { ENCODINGS, OutboundMessage, type Encoding } from './outbound-message.ts';
import type { OutboundMemory } from './outbound-memory.ts';
import type { TopicRegistry } from './topic-registry.ts';
import type { WriteScheduler } from './write-scheduler.ts';

export const SOCKET_PATH = '/ws';

const QUERY = {
  wallet: { kind: 'address', optional: true }, encoding: { kind: 'choice', values: ENCODINGS, default: 'json' },
} as const satisfies Schema;

const CONNECTION_BYTES = 8;

type EndpointParts = {
  readonly api: ApiContext;
  readonly registry: TopicRegistry;
  readonly scheduler: WriteScheduler;
  readonly steady: () => number;
  readonly venue: string;
  readonly memory: OutboundMemory;
  /** Null: accepted. */
  readonly refusal: (source: Source) => Refused | null;
};

export function socketEndpoint({ api, registry, scheduler, steady, venue, memory, refusal }: EndpointParts): SocketEndpoint {
  const refusedBytes = new Quota<number>(LIMITS.refusedBytes, () => Math.floor(steady() / SECOND));
  return {
    path: SOCKET_PATH,
    admit: (query, source) => {
      const fields = readQuery(QUERY, query);
      return refusal(source) ?? (fields.ok ? null : fields);
    },
    open: (socket) => {
      const { wallet, encoding } = queryFields(socket.query);
      const connection = randomBytes(CONNECTION_BYTES).toString('hex');
      socket.send(encoded(OutboundMessage.of({ type: 'Hello', connection, venue_id: venue, server_at: api.now() }), encoding));
      return new Connection({
        api, socket, registry, scheduler, memory, encoding, connection, refusal: () => refusal(socket.source), refusedBytes,
      }, wallet);
    },
    errorFrame: (socket, refused) => encoded(OutboundMessage.error(refused), queryFields(socket.query).encoding),
  };
}

function queryFields(query: string): { readonly wallet: string | null; readonly encoding: Encoding } {
  const fields = readQuery(QUERY, query);
  if (!fields.ok) throw new RangeError(`admitted with ${query}`);
  return { wallet: fields.value.wallet ?? null, encoding: fields.value.encoding as Encoding };
}

function encoded(message: OutboundMessage, encoding: Encoding): string | Uint8Array {
  return encoding === 'msgpack' ? message.msgpack : message.json;
}
