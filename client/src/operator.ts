// What the operator of a venue asks of it, with the admin token: `new Operator(url, token).act('POST /admin/halt', { scope, mode })`. The
// token goes into a header of each request and nowhere else. Nothing is retried: not all of these requests are safe to repeat.

import type { CallOptions } from './retries.ts';
import { Http, type HttpOptions } from './http.ts';
import { StrikebookError } from './strikebook-error.ts';
import type { AnswerTo } from '../../shell/http/shapes/answers.ts';
import type { Competition } from '../../shell/http/shapes/account.ts';
import type { Decimal } from '../../shell/http/shapes/shape.ts';
import type { MARKET_MODES, TIERS, WALLET_MODES } from '../../shell/ipc/enum-names.ts';

type MarketMode = (typeof MARKET_MODES)[number];
type WalletMode = (typeof WALLET_MODES)[number];
type Metric = Competition['primary_win_condition'];

/** Bodies of the operator's requests. Names of times end in their unit, ms. */
export type OperatorRequests = {
  // `scope`: an underlying, a symbol, or '' for the venue.
  'POST /admin/halt': { readonly scope: string; readonly mode: MarketMode };
  'POST /admin/block': { readonly wallet: string; readonly mode: WalletMode };
  'POST /admin/cancel': { readonly wallet: string };
  // The same id again moves nothing. A negative amount is taken from the wallet.
  'POST /admin/credit': { readonly wallet: string; readonly amount: Decimal; readonly reason: string; readonly id: string };
  // Venues with `--clock-speed 0`. `stepClock` waits for long steps.
  'POST /admin/clock': { readonly to_ms: number } | { readonly by_ms: number };
  'POST /admin/index-price': { readonly underlying: string; readonly price: Decimal; readonly stale?: boolean };
  // `expiry`: ms, or a date.
  'POST /admin/settlement-price': { readonly underlying: string; readonly expiry: number | string; readonly price: Decimal };
  'POST /admin/vol-surface': {
    readonly underlying: string; readonly atm_vol: Decimal; readonly skew?: Decimal; readonly curvature?: Decimal;
    readonly expiry?: number | string;
  };
  'POST /user-tier': { readonly wallet: string; readonly tier: (typeof TIERS)[number] };
  'POST /admin/backup': { readonly action: 'begin' | 'end' };
  'POST /markets': { readonly symbol: string };
  'DELETE /markets': { readonly symbol: string };
  'POST /competitions': {
    readonly name: string; readonly description?: string; readonly rules_url?: string; readonly rules_content?: string;
    readonly win_conditions: readonly Metric[]; readonly primary_win_condition: Metric;
    readonly start_ts_ms: number; readonly end_ts_ms: number;
  };
};
export type OperatorRoute = keyof OperatorRequests;
type AccountPage = AnswerTo<'GET /admin/accounts'>;
export type VenueStatus = AnswerTo<'GET /admin/status'>['data'];

type AccountQuery = { readonly limit?: number; readonly offset?: number; readonly mode?: WalletMode };

export class Operator {
  readonly #http: Http;

  constructor(url: string | readonly string[], token: string, options: HttpOptions = {}) {
    this.#http = new Http(url, { retries: 0, ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } });
  }

  act<R extends OperatorRoute>(route: R, body: OperatorRequests[R], call?: CallOptions): Promise<AnswerTo<R>> {
    const [method, path] = route.split(' ') as ['POST' | 'DELETE', string];
    return this.#http.send<AnswerTo<R>>({ method, path, body: JSON.stringify(body) }, call);
  }

  /** To a time of the venue in ms, however long everything takes that falls due until then. */
  async stepClock(to: number, call?: CallOptions): Promise<void> {
    for (;;) {
      try {
        await this.act('POST /admin/clock', { to_ms: to }, call);
        return;
      } catch (error) {
        if (!(error instanceof StrikebookError && error.code === 'engine_busy')) throw error;
      }
    }
  }

  async status(call?: CallOptions): Promise<VenueStatus> {
    return (await this.#http.send<AnswerTo<'GET /admin/status'>>({ method: 'GET', path: '/admin/status' }, call)).data;
  }

  /** In the order of their rows; the next page begins at `next_offset`. */
  accounts({ limit = 100, offset = 0, mode }: AccountQuery = {}, call?: CallOptions): Promise<AccountPage> {
    const query = new URLSearchParams({ limit: String(limit), offset: String(offset), ...(mode !== undefined && { mode }) });
    return this.#http.send<AccountPage>({ method: 'GET', path: `/admin/accounts?${query}` }, call);
  }

  /** Prometheus text. */
  metrics(call?: CallOptions): Promise<string> {
    return this.#http.send<string>({ method: 'GET', path: '/metrics', accept: 'text/plain' }, call);
  }
}
