// Schemas of what the venue says about itself: identity, readiness, and the status of its components.

import { ROLE_NAMES } from '../../ipc/cluster-status.ts';
import {
  ADDRESS, BOOL, COUNT, DECIMAL, described, INTEGER, list, MILLIS, named, nullable, oneOf, only, record, TEXT, type Shape,
} from './shape.ts';

const NODE = { epoch: COUNT, position: described(COUNT, 'Of the newest message of the log.'), seq: COUNT };
export const CLUSTER = named('ClusterResponse', record({
  node: nullable(TEXT), role: oneOf(...ROLE_NAMES), ...NODE, leader: described(nullable(TEXT), 'Its name. Null if nobody leads.'),
  leader_url: described(nullable(TEXT), 'Null if it is not told.'),
  nodes: list(named('ClusterNode', record({
    node: TEXT, url: TEXT, role: oneOf('leader', 'follower'), ...NODE, lag: described(COUNT, 'Messages behind this node.'),
    skew_ms: described(INTEGER, 'Its clock less this one’s.'), present: BOOL,
  }))),
}));
export const EXCHANGE_INFO = record({
  exchange_address: ADDRESS, chain_id: INTEGER, signing_domain: record({ name: TEXT, version: TEXT }),
  perp_signing_domain: record({ name: TEXT, version: TEXT, chain_id: INTEGER }), perp_source: TEXT, venue_id: TEXT, head_seq: INTEGER,
  head_hash: TEXT, perp_assets: list(record({ underlying: TEXT, symbol: TEXT, asset: INTEGER })),
});
export type ExchangeInfo = Shape<typeof EXCHANGE_INFO>;

const COMPONENT = { name: TEXT, state: oneOf('ready', 'degraded', 'not_ready'), ready: BOOL, detail: TEXT };
const READY_STATUS = oneOf('ready', 'not_ready');
const INDEX_SOURCE = described(
  oneOf('sim', 'manual', 'mid', 'bounded', 'mid_alone', 'oracle_alone', 'none'),
  'Where the index price comes from. From another venue: `mid`: its mid price; `bounded`: its oracle price plus or minus 0.5 %, because '
  + 'the mid lies outside that range; `mid_alone` and `oracle_alone`: the other price is missing or too old.',
);
const WAITING_EXPIRY = named('WaitingExpiry', record({
  underlying: TEXT, expiry: MILLIS, contracts: INTEGER, status: only('EXPIRED_PENDING_PRICE'),
}));

export const READY = named('ReadyResponse', record({
  status: READY_STATUS, degraded: described(BOOL, 'True if a component has a problem but the venue keeps running.'),
  components: list(named('Component', record(COMPONENT))),
  index_prices: list(named('IndexStatus', record({
    underlying: TEXT, source: INDEX_SOURCE, index_age_ms: nullable(INTEGER), stale: BOOL,
  }))),
  waiting_expiries: list(WAITING_EXPIRY),
}, { retry_after_secs: described(INTEGER, 'Seconds until you should ask again. Present while the venue is not ready.') }));
export type Ready = Shape<typeof READY>;

export const VENUE_STATUS = named('VenueStatus', record({
  status: READY_STATUS, degraded: BOOL, components: list(record({ ...COMPONENT, problems: list(TEXT) })),
  underlyings: list(record({
    underlying: TEXT, source: INDEX_SOURCE, index_price: nullable(DECIMAL), index_age_ms: nullable(INTEGER), stale: BOOL,
    listed_contracts: INTEGER, stale_surfaces: INTEGER, waiting_expiries: INTEGER,
  })),
  waiting_expiries: list(WAITING_EXPIRY), insurance_fund: nullable(DECIMAL), disk_free_bytes: INTEGER,
}));
