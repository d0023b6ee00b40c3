// Banners: what is wrong now, and what to do about it. Each follows the state of the venue or the connection.

import { useEffect, useRef } from 'preact/hooks';
import { AccountBanners } from './account-banners.tsx';
import { timeBoth } from './format.ts';
import { Banner, showToast } from './ui/notices.tsx';
import { connection } from './venue/connection.ts';
import { useRead, useStream } from './venue/hooks.ts';
import { health } from './venue/market-data.ts';
import { markets, selection } from './venue/store.ts';

const MODES: Readonly<Record<string, string>> = {
  cancel_only: 'New orders are refused until the operator opens it again. Cancel as usual.',
  halted: 'New orders are refused and liquidation waits until the operator opens it again. Cancel as usual.',
};

const MODE_EVERY_MS = 15_000;
const TITLES: Readonly<Record<string, string>> = { reader: 'Figures lag behind.' };

export function Banners() {
  useGapToasts();
  return <div class="banners"><LinkBanner /><NodeBanner /><HealthBanners /><MarketBanner /><AccountBanners /></div>;
}

function LinkBanner() {
  const state = connection.state.value;
  if (connection.isOtherVenue.value) {
    return (
      <Banner kind="bad" title="Another venue answers here.">
        Its data was removed or replaced since this page was opened. <a href="">Load the page again</a> before you go on.
      </Banner>
    );
  }
  if (state.kind !== 'away') return null;
  return (
    <Banner kind="bad" title={`The venue has not answered since ${timeBoth(state.since)}.`}>
      Figures are from before. The page tries again by itself. ({state.reason})
    </Banner>
  );
}

const HTTP = /^https?:\/\//;

function NodeBanner() {
  const { data } = useRead('/cluster', {}, { everyMs: MODE_EVERY_MS });
  if (data === null || data.role !== 'follower' || connection.state.value.kind !== 'live') return null;
  const { leader, leader_url: url, node } = data;
  return (
    <Banner kind="warn" title={`This node, ${node}, does not lead.`}>
      Figures are right, but orders are refused here.{' '}
      {leader === null ? 'Nobody leads now: wait.' : <>Trade at the leader, {leader}{url !== null && <>: <Address url={url} /></>}.</>}
    </Banner>
  );
}

function Address({ url }: { readonly url: string }) {
  return HTTP.test(url) ? <a href={url}>{url}</a> : <>{url}</>;
}

function HealthBanners() {
  const told = health.value;
  const { underlying } = selection.value;
  if (told === null || connection.state.value.kind !== 'live') return null;
  const index = told.index_prices.find((one) => one.underlying === underlying);
  const troubled = told.components.filter(({ name, state }) => name !== 'feed' && state !== 'ready');
  return (
    <>
      {index?.stale === true && (
        <Banner kind="warn" title={`The index price of ${underlying} is stale.`}>
          Orders that open risk are refused until it is fresh; reduce and cancel as usual.
        </Banner>
      )}
      {troubled.map(({ name, state, detail }) => (
        <Banner key={name} kind={state === 'not_ready' ? 'bad' : 'warn'} title={TITLES[name] ?? `Venue, ${name}:`}>{detail}</Banner>
      ))}
    </>
  );
}

function MarketBanner() {
  const { underlying, contract } = selection.value;
  const book = useRead('/orderbook', contract === null ? null : { instrument_name: contract, depth: 1 }, { everyMs: MODE_EVERY_MS });
  useStream('market_updates', {}, ({ action }) => { if (action === 'TradingMode') book.refresh(); });
  const mode = markets.value?.find((market) => market.underlying === underlying)?.trading_mode ?? 'orderbook';
  const ofContract = book.data?.trading_mode ?? 'orderbook';
  const [name, strictest] = mode === ofContract || contract === null || MODES[ofContract] === undefined
    ? [underlying, mode] : [contract, ofContract];
  const meaning = MODES[strictest];
  if (meaning === undefined) return null;
  return <Banner kind="warn" title={`${name} is ${strictest.replace('_', '-')}.`}>{meaning}</Banner>;
}

const GAP_SETTLE_MS = 500;

/** Once per loss. */
function useGapToasts(): void {
  const told = useRef(0);
  const gaps = connection.gaps.value;
  useEffect(() => {
    const timer = setTimeout(() => {
      const fresh = gaps.slice(Math.min(told.current, gaps.length));
      told.current = gaps.length;
      if (fresh.length === 0) return;
      const missed = fresh.reduce((sum, { from, to }) => sum + Math.max(0, to - from + 1), 0);
      const channels = [...new Set(fresh.map(({ channel }) => channel))].join(', ');
      showToast(`Missed messages of ${channels}: ${missed === 0 ? 'how many is not known' : missed}. They are read again.`);
    }, GAP_SETTLE_MS);
    return () => clearTimeout(timer);
  }, [gaps]);
}
