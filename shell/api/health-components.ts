// Market and clock components of /ready, from published statuses only, so no thread has to answer.

import type { Config } from '../process/config.ts';
import { clockProblem } from '../process/observability/venue-clock.ts';
import type { ClockStatus, FeedStatus, IndexSource, MarketStatus, UnderlyingStatus, WaitingExpiry } from '../ipc/status.ts';

type Level = 'degraded' | 'not_ready';
/** `isExpected`: normal for a new venue of this kind. */
export type Problem = {
  readonly key: string; readonly level: Level; readonly text: string; readonly over: string; readonly isExpected?: boolean;
};
export type Component = {
  readonly name: string;
  readonly state: 'ready' | Level;
  readonly ready: boolean;
  readonly detail: string;
  readonly problems: readonly Problem[];
};
export type ThreadStatuses = { readonly market: MarketStatus | null; readonly clock: ClockStatus | null; readonly feed: FeedStatus | null };
export type UnderlyingHealth = UnderlyingStatus & { readonly source: IndexSource | 'sim' | 'manual' };

export function component(name: string, problems: readonly Problem[], detail: string): Component {
  const state = problems.some(({ level }) => level === 'not_ready') ? 'not_ready' : problems.length > 0 ? 'degraded' : 'ready';
  const texts = problems.map(({ text }) => text);
  return { name, state, ready: state !== 'not_ready', detail: texts.length > 0 ? texts.join('; ') : detail, problems };
}

export function marketComponents(statuses: ThreadStatuses, feed: Config['feed']): readonly Component[] {
  const { market, clock } = statuses;
  if (market === null || clock === null) {
    return ['feed', 'clock', 'surfaces', 'expiries', 'contracts', 'fund'].map((name) => notReady(name, 'nothing is known yet'));
  }
  const underlyings = underlyingsOf(statuses, feed);
  const [contracts, surfaces] = [sum(underlyings, 'contracts'), sum(underlyings, 'staleSurfaces')];
  return [
    component('feed', feedProblems(market, underlyings, feed), `${feed}: every index price is fresh`),
    component('clock', clockProblems(clock), 'running'),
    // Without volatility from the feed, surfaces are stale until somebody quotes.
    component('surfaces', [], surfaces === 0 ? 'all are fresh' : `${surfaces} expiries without a quote or input for 60 s`),
    component('expiries', market.waiting.map(waitingProblem), 'none waits for a settlement price'),
    component('contracts', [], `${contracts} listed`),
    component('fund', [], `${market.fund} USDC`),
  ];
}

export function underlyingsOf({ market, feed: sources }: ThreadStatuses, feed: Config['feed']): readonly UnderlyingHealth[] {
  return (market?.underlyings ?? []).map((one) => ({ ...one, source: feed === 'hyperliquid' ? sources?.[one.name] ?? 'none' : feed }));
}

export function notReady(name: string, text: string): Component {
  return { name, state: 'not_ready', ready: false, detail: text, problems: [] };
}

function clockProblems(clock: ClockStatus): Problem[] {
  const text = clockProblem(clock);
  if (text === null) return [];
  return [clock.state === 'still'
    ? { key: 'clock still', level: 'not_ready', text, over: 'the clock has caught up, the venue\'s time goes on' }
    : { key: 'clock held', level: 'degraded', text, over: 'the machine\'s clock is right again' }];
}

function feedProblems(market: MarketStatus, underlyings: readonly UnderlyingHealth[], feed: Config['feed']): Problem[] {
  if (feed === 'hyperliquid' && !market.hasIndexPrice) {
    const text = 'the feed has not brought any index price since the start';
    return [{ key: 'feed', level: 'not_ready', text, over: 'the feed brings index prices' }];
  }
  return underlyings.flatMap((one) => underlyingProblems(one));
}

function underlyingProblems({ name, index, ageMs, isStale, source }: UnderlyingHealth): Problem[] {
  if (index === null) {
    const [text, over] = [`${name}: no index price yet`, `${name}: there is an index price`];
    return [{ key: `index ${name}`, level: 'degraded', text, over, isExpected: source === 'manual' }];
  }
  if (isStale) {
    const age = source === 'manual' ? 'is declared stale' : `is ${Math.floor(ageMs! / 1_000)} s old`;
    const text = `${name}: the index price ${age}: orders that open risk are refused`;
    return [{ key: `index ${name}`, level: 'degraded', text, over: `${name}: the index price is fresh` }];
  }
  const away = { mid_alone: 'oracle price', oracle_alone: 'mid' }[source as string];
  if (away === undefined) return [];
  const alone = source === 'mid_alone' ? 'mids alone' : 'oracle prices alone';
  return [{
    key: `source ${name}`, level: 'degraded', text: `${name}: no ${away}, the index is made of ${alone}`,
    over: `${name}: there is a ${away} again`,
  }];
}

function waitingProblem({ underlying, expiry, contracts }: WaitingExpiry): Problem {
  const what = `${underlying} ${new Date(expiry).toISOString().slice(0, 10)}`;
  return {
    key: `expiry ${what}`, level: 'degraded', over: `${what}: the expiry has its settlement price`,
    text: `${what}: ${contracts} expired contracts wait for the operator's settlement price (POST /admin/settlement-price)`,
  };
}

function sum(rows: readonly UnderlyingHealth[], figure: 'contracts' | 'staleSurfaces'): number {
  return rows.reduce((total, row) => total + row[figure], 0);
}
