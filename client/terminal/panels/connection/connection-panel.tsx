// How far the page and the venue's threads are behind, what streams have missed, and the last signed messages.

import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ABSENT, momentBoth, price, timeBoth, timeLeft } from '../../format.ts';
import { Card, Facts, Sheet } from '../../ui/card.tsx';
import { venueTime } from '../../venue/clock.ts';
import { connection } from '../../venue/connection.ts';
import { venueText } from '../../venue/signed-log.ts';
import { Metrics } from './metrics.ts';
import { SignedMessages } from './signed-messages.tsx';

type Told = { readonly metrics: Metrics | null; readonly problem: string | null };

const METRICS_EVERY_MS = 2_000;
const GAPS_SHOWN = 20;

export function ConnectionPanel() {
  const told = useSignal<Told>({ metrics: null, problem: null });
  useMetrics(told);
  return (
    <Sheet label="Connection">
      <LinkCard />
      <VenueCard told={told.value} />
      <GapsCard />
      <SignedMessages />
    </Sheet>
  );
}

function useMetrics(told: Signal<Told>): void {
  useEffect(() => {
    let isEnded = false;
    const read = async (): Promise<void> => {
      const client = connection.client.peek();
      if (client === null || document.hidden || connection.state.peek().kind !== 'live') return;
      try {
        const metrics = new Metrics(await client.metrics({ retries: 0 }));
        if (!isEnded) told.value = { metrics, problem: null };
      } catch (error) {
        if (!isEnded) told.value = { metrics: null, problem: venueText(error) };
      }
    };
    const stop = connection.client.subscribe(() => void read());
    const timer = setInterval(() => void read(), METRICS_EVERY_MS);
    return () => {
      isEnded = true;
      stop();
      clearInterval(timer);
    };
  }, []);
}

function LinkCard() {
  const state = connection.state.value;
  const roundTrip = connection.roundTripMs.value;
  const text = state.kind === 'live' ? `Live for ${timeLeft(Date.now() - state.since)}`
    : state.kind === 'away' ? `Away since ${timeBoth(state.since)}: ${state.reason}` : 'Connecting …';
  return (
    <Card title="This page">
      <Facts rows={[
        ['State', text],
        ['Round trip', roundTrip === null ? ABSENT : `${roundTrip.toFixed(1)} ms`],
        ['Clock of the venue ahead of this machine', `${connection.clockOffsetMs.value} ms`],
        ['Venue time', momentBoth(venueTime.value)],
        ['Socket', connection.socket.value?.connection ?? ABSENT],
        ['Acts for', connection.account.value?.wallet ?? 'nobody: choose a key at the top right'],
      ]} />
    </Card>
  );
}

function VenueCard({ told: { metrics, problem } }: { readonly told: Told }) {
  const info = connection.info.value;
  const lag = (name: string): string => {
    const commands = metrics?.value(`${name}_lag_commands`) ?? null;
    return commands === null ? ABSENT : `${price(commands)} commands behind`;
  };
  return (
    <Card title="The venue">
      <Facts rows={[
        ['Venue', info?.venue_id ?? ABSENT],
        ['Signing domain', info === null ? ABSENT : `${info.signing_domain.name} ${info.signing_domain.version}, chain ${info.chain_id}`],
        ['Version', metrics === null ? ABSENT
          : `behaviour ${metrics.label('build_info', 'behaviour') ?? ABSENT}, codec ${metrics.label('build_info', 'codec') ?? ABSENT}`],
        ['Commands in the log', price(metrics?.value('seq'))],
        ['Durable log', lag('durable')],
        ['Reader', lag('reader')],
        ['History', lag('history')],
      ]} />
      {problem !== null && (
        <p class="hint">The venue tells its lags to its own machine, and in the operator panel to who has the admin token. ({problem})</p>
      )}
    </Card>
  );
}

function GapsCard() {
  const gaps = connection.gaps.value.toReversed().slice(0, GAPS_SHOWN);
  return (
    <Card title="Gaps in streams">
      {gaps.length === 0
        ? <p class="hint">No message of a stream has been missed since the page was opened.</p>
        : (
          <ul class="lines">
            {gaps.map(({ channel, key, from, to }, at) => (
              <li key={`${gaps.length - at}`}>
                {to < from
                  ? `${channel} ${key}: the venue began a new count at ${from}; the page took a new snapshot`
                  : `${channel} ${key}: ${to - from + 1} missed (${from} to ${to}); what followed mended it`}
              </li>
            ))}
          </ul>
        )}
    </Card>
  );
}
