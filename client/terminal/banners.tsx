// Banners: what is wrong now, and what it means for who trades. Each goes by what the venue says or by the state of the connection.

import { timeBoth } from './format.ts';
import { Banner } from './ui/notices.tsx';
import { connection } from './venue/connection.ts';
import { health } from './venue/market-data.ts';
import { markets, selection } from './venue/store.ts';

const MODES: Readonly<Record<string, string>> = {
  cancel_only: 'Orders can be cancelled; new ones are refused.',
  halted: 'Nothing can be placed or cancelled until the operator opens it again.',
};

const TITLES: Readonly<Record<string, string>> = { reader: 'Figures lag behind.' };

export function Banners() {
  return <div class="banners"><LinkBanner /><HealthBanners /><MarketBanner /></div>;
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
  const { underlying } = selection.value;
  const mode = markets.value?.find((market) => market.underlying === underlying)?.trading_mode ?? 'orderbook';
  const meaning = MODES[mode];
  if (meaning === undefined) return null;
  return <Banner kind="warn" title={`${underlying} is ${mode.replace('_', '-')}.`}>{meaning}</Banner>;
}
