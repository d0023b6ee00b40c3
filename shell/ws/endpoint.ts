// The socket endpoint of one api thread: who may connect, and a Connection for each who does. `?wallet=` names the
// wallet of the connection from the start; one that is no address refuses the upgrade.

import type { Refused } from '../api/action.ts';
import type { Api } from '../api/context.ts';
import type { Readiness } from '../api/readiness.ts';
import type { SocketEndpoint } from '../edge/sockets.ts';
import { refuse, type Checked } from '../http/errors.ts';
import { readQuery, type Schema } from '../http/fields.ts';
import type { Source } from '../http/source.ts';
import { Connection, errorFrame } from './connection.ts';
import type { Topics } from './topics.ts';

const QUERY = { wallet: { kind: 'address', optional: true } } as const satisfies Schema;

/** `limited`: why the source has no request left in this minute; a message counts as one, like the upgrade. */
export function socketEndpoint(
  api: Api, topics: Topics, readiness: Readiness, limited: (source: Source) => Refused | null,
): SocketEndpoint {
  const refusal = (source: Source): Refused | null => {
    const reason = readiness.refusal();
    return reason === null ? limited(source) : refuse('not_ready', reason);
  };
  return {
    path: '/ws',
    admit: (query, source) => {
      const wallet = walletOf(query);
      return refusal(source) ?? (wallet.ok ? null : wallet);
    },
    open: (socket) => {
      const wallet = walletOf(socket.query);
      return new Connection({ api, socket, topics, refusal: () => refusal(socket.source) }, wallet.ok ? wallet.value : null);
    },
    errorFrame: (_, message) => errorFrame(message),
  };
}

function walletOf(query: string): Checked<string | null> {
  const fields = readQuery(QUERY, query);
  return fields.ok ? { ok: true, value: fields.value.wallet ?? null } : fields;
}
