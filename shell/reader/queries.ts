// Every query by name: its answer as a status and a JSON body, from the state as it stands. Most answer at once; those
// that need the history answer when it has. Queries come validated by the api threads; what only the reader can know
// (is there such an instrument?) is refused here. Never changes the state.

import { activeAgentsText } from './agents.ts';
import { instrumentCount } from '../../core/instruments/instruments.ts';
import { underlyingCount } from '../../core/instruments/underlyings.ts';
import type { State } from '../../core/engine/state.ts';
import { exchangeHasher, perpSource } from '../auth/perp-action.ts';
import { errorBody, statusOf, type Envelope, type ErrorCode } from '../http/errors.ts';
import { InstrumentBodies } from './instruments.ts';
import type { Listings } from './listings.ts';
import { mmpText } from './mmp.ts';
import { orderbookBody } from './orderbook.ts';
import { portfolioBody } from './portfolio.ts';
import type { QueryName, QueryParameters } from './protocol.ts';
import type { Statistics } from './statistics.ts';
import type { Streams } from './streams.ts';
import { accountOfWallet, slotOfSymbol, TIER_NAMES, type Names } from './text.ts';

export type Answer = { readonly status: number; readonly body: string };
export type GiveAnswer = (answer: Answer) => void;

/** What GET /exchange-info tells beside the state. `headHash`: the journal's, 64 hex digits. */
export type ExchangeFacts = {
  readonly chainId: number; readonly serviceName: string; readonly venue: string; readonly head: () => { seq: number; hash: string };
};

type QueryParts = {
  readonly state: State; readonly names: Names; readonly statistics: Statistics; readonly listings: Listings; readonly streams: Streams;
  readonly exchange: ExchangeFacts;
  /** Now, ms: never before the time of the last command applied. */
  readonly time: () => number;
};

const MOST_DEPTH = 500;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const DOMAIN_VERSION = '1';

type Handlers = { readonly [Q in QueryName]: (parameters: QueryParameters[Q], give: GiveAnswer, api: number) => void };

/** The answers of one reader. */
export class Queries {
  readonly #parts: QueryParts;
  readonly #bodies: InstrumentBodies;
  readonly #handlers: Handlers;

  constructor(parts: QueryParts) {
    this.#parts = parts;
    const { state, names, statistics, listings } = parts;
    this.#bodies = new InstrumentBodies(state, names, statistics);
    this.#handlers = {
      instruments: ({ currency, status }, give) => give(ok(this.#bodies.instruments(currency, status))),
      markets: ({ include_instruments: include }, give) => give(ok(this.#bodies.markets(include, this.#parts.time()))),
      orderbook: (parameters, give) => give(this.#orderbook(parameters)),
      orders: (parameters, give) => listings.orders(parameters, bodyTo(give)),
      trades: (parameters, give) => listings.trades(parameters, bodyTo(give)),
      fills: (parameters, give) => listings.fills(parameters, bodyTo(give)),
      portfolio: ({ wallet }, give) => give(this.#portfolio(wallet)),
      agents: ({ wallet }, give) => give(ok(activeAgentsText(state, wallet, this.#parts.time()))),
      tier: ({ wallet }, give) => give(this.#tier(wallet)),
      mmp: ({ wallet, currency }, give) => give(ok(mmpText(state, names, wallet, currency))),
      exchange: (_, give) => give(this.#exchange()),
      perps: (_, give) => give(ok(JSON.stringify(this.#underlyings()))),
      order: (parameters, give) => listings.order(parameters, bodyTo(give)),
      outcome: (parameters, give) => listings.outcome(parameters, bodyTo(give)),
      subscribe: ({ channel, key }, give, api) => give(this.#subscribe(api, channel, key)),
      unsubscribe: ({ topic }, give, api) => give(this.#unsubscribe(api, topic)),
    };
  }

  /** Calls `give` exactly once, now or later. */
  answer<Q extends QueryName>(api: number, name: Q, parameters: QueryParameters[Q], give: GiveAnswer): void {
    this.#handlers[name](parameters, give, api);
  }

  #orderbook({ instrument_id: id, instrument_name: name, depth }: QueryParameters['orderbook']): Answer {
    const { state, names, statistics, time } = this.#parts;
    if (id === undefined && name === undefined) return refused('bare', 'missing_field', 'instrument_id or instrument_name is required');
    const slot = id === undefined ? slotOfSymbol(state, name!) : slotOfId(state, id);
    if (slot < 0) return refused('bare', 'not_found', `Instrument not found: ${id ?? name!}`);
    const levels = Math.min(MOST_DEPTH, Math.max(1, depth));
    return ok(orderbookBody(state, names, slot, levels, statistics.of(names.symbol(slot), time()), time()));
  }

  #portfolio(wallet: string): Answer {
    const body = portfolioBody(this.#parts.state, this.#parts.names, wallet, this.#parts.time());
    return body === null ? refused('api', 'margin_unavailable', 'Margin data unavailable: an underlying has no index price') : ok(body);
  }

  #tier(wallet: string): Answer {
    const { state } = this.#parts;
    const account = accountOfWallet(state, wallet);
    const tier = TIER_NAMES[account < 0 ? 0 : state.accounts.tier[account]!]!;
    return ok(JSON.stringify({ success: true, data: { wallet_address: wallet, tier } }));
  }

  #exchange(): Answer {
    const { exchange } = this.#parts;
    const { chainId, serviceName, venue } = exchange;
    const head = exchange.head();
    const perps = this.#underlyings().map((underlying, asset) => ({ asset, symbol: `${underlying}-PERP`, underlying }));
    const { name, version, chainId: perpChain } = exchangeHasher.domain;
    return ok(JSON.stringify({
      exchange_address: ZERO_ADDRESS, chain_id: chainId, signing_domain: { name: serviceName, version: DOMAIN_VERSION },
      perp_signing_domain: { name, version, chain_id: perpChain }, perp_source: perpSource({ name: serviceName, chainId }),
      venue_id: venue, head_seq: head.seq, head_hash: head.hash, perp_assets: perps,
    }));
  }

  /** In the order of their asset index (decision 1.5). */
  #underlyings(): string[] {
    const { state, names } = this.#parts;
    return Array.from({ length: underlyingCount(state.underlyings) }, (_, asset) => names.underlying(asset));
  }

  #subscribe(api: number, channel: string, key: string): Answer {
    const standing = this.#parts.streams.subscribe(api, channel, key, this.#parts.time());
    switch (standing) {
      case 'unknown channel': return refused('bare', 'invalid_parameter', `Unknown channel: ${channel}`);
      case 'unknown key': return refused('bare', 'not_found', `Unknown symbol or wallet: ${key}`);
      case 'too many topics': return refused('bare', 'engine_busy', 'Too many subscriptions');
      default: return ok(standing);
    }
  }

  #unsubscribe(api: number, topic: number): Answer {
    return this.#parts.streams.unsubscribe(api, topic) ? ok('{}') : refused('bare', 'not_found', `No subscription to topic ${topic}`);
  }
}

function slotOfId(state: State, id: number): number {
  return state.instruments.id.subarray(0, instrumentCount(state.instruments)).indexOf(id);
}

function ok(body: string): Answer {
  return { status: 200, body };
}

export function refused(envelope: Envelope, code: ErrorCode, message: string): Answer {
  return { status: statusOf(code), body: errorBody(envelope, code, message) };
}

/** For listings: no body says that the history is asked too much at once. */
function bodyTo(give: GiveAnswer): (body: string | null) => void {
  return (body) => give(body === null ? refused('bare', 'engine_busy', 'Too many reads are waiting for the history') : ok(body));
}
