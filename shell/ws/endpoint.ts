// The socket endpoint of one api thread: who may connect, and a Connection for each who does. `?wallet=` names the
// wallet of the connection from the start; one that is no address refuses the upgrade.

import type { Readiness } from '../api/readiness.ts';
import type { SocketEndpoint } from '../edge/sockets.ts';
import { refuse, type Checked, type Refusal } from '../http/errors.ts';
import { readQuery, type Schema } from '../http/fields.ts';
import type { Source } from '../http/source.ts';
import { Connection, errorFrame } from './connection.ts';
import type { Topics } from './topics.ts';

const QUERY = { wallet: { kind: 'address', optional: true } } as const satisfies Schema;

export function socketEndpoint(topics: Topics, readiness: Readiness, limited: (source: Source) => Refusal | null): SocketEndpoint {
  return {
    path: '/ws',
    admit: (query, source) => {
      const reason = readiness.refusal();
      if (reason !== null) return refuse('not_ready', reason);
      const wallet = walletOf(query);
      return limited(source) ?? (wallet.ok ? null : wallet);
    },
    open: (socket) => {
      const wallet = walletOf(socket.query);
      return new Connection(socket, topics, wallet.ok ? wallet.value : null);
    },
    errorFrame: (_, message) => errorFrame(message),
  };
}

function walletOf(query: string): Checked<string | null> {
  const fields = readQuery(QUERY, query);
  return fields.ok ? { ok: true, value: fields.value.wallet ?? null } : fields;
}
