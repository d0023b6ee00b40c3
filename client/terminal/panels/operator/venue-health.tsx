// The venue's health: components, underlyings, threads, queues, tables and the fund.

import type { Operator, VenueStatus } from '../../../src/main.ts';
import { ABSENT, dayUtc, price } from '../../format.ts';
import { Card, Facts, Sheet } from '../../ui/card.tsx';
import { Metrics } from '../connection/metrics.ts';
import { usePolled } from './use-polled.ts';

const EVERY_MS = 2_000;
const MIB = 1_048_576;
const GIB = 2 ** 30;
const TABLES_SHOWN = 8;
const STATES = { ready: ['good', 'ready'], degraded: ['', 'degraded'], not_ready: ['bad', 'not ready'] } as const;

export function VenueHealth({ operator }: { readonly operator: Operator }) {
  const status = usePolled(() => operator.status(), EVERY_MS, operator);
  const told = usePolled(async () => new Metrics(await operator.metrics()), EVERY_MS, operator);
  if (status.data === null) return <p class="empty">{status.problem ?? 'Asking the venue …'}</p>;
  return (
    <Sheet label="Health of the venue">
      {status.problem !== null && <p class="hint">{status.problem}</p>}
      <Components status={status.data} />
      <Underlyings status={status.data} />
      {told.data !== null && <><Threads metrics={told.data} /><Queues metrics={told.data} /></>}
    </Sheet>
  );
}

function Components({ status }: { readonly status: VenueStatus }) {
  return (
    <Card title={`Components: ${status.status === 'ready' ? status.degraded ? 'degraded' : 'ready' : 'not ready'}`}>
      <ul class="lines">
        {status.components.map(({ detail, name, problems, state }) => {
          const [kind, word] = STATES[state];
          return (
            <li key={name}>
              <span class={`dot ${kind}`} aria-hidden="true" /> <strong>{name}</strong> {word}
              {state !== 'ready' && <span class="soft">: {problems.length > 0 ? problems.join('; ') : detail}</span>}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function Underlyings({ status }: { readonly status: VenueStatus }) {
  return (
    <Card title="Underlyings and money">
      <Facts rows={[
        ...status.underlyings.map((one) => [
          one.underlying,
          `${price(one.index_price)} ${one.source}${one.stale ? ', stale' : ''}, ${one.listed_contracts} contracts, `
          + `${one.stale_surfaces} stale surfaces`,
        ] as const),
        ...status.waiting_expiries.map(({ contracts, expiry, underlying }) => (
          [`${underlying} ${dayUtc(expiry)}`, `waits for a settlement price, ${contracts} contracts`] as const
        )),
        ['Insurance fund, USDC', price(status.insurance_fund)],
        ['Free on the disk', `${(status.disk_free_bytes / GIB).toFixed(1)} GiB`],
      ]} />
    </Card>
  );
}

function Threads({ metrics }: { readonly metrics: Metrics }) {
  const threads = metrics.all('event_loop_delay_seconds', { statistic: 'p99' });
  const ms = (seconds: number | null): string => (seconds === null ? ABSENT : `${(seconds * 1_000).toFixed(2)} ms`);
  return (
    <Card title="Threads">
      <Facts rows={threads.map(({ labels: { thread = '' }, value }) => [
        thread, `loop p99 ${ms(value)}, heap ${Math.round((metrics.value('heap_used_bytes', { thread }) ?? 0) / MIB)} MiB`,
      ])} />
    </Card>
  );
}

function Queues({ metrics }: { readonly metrics: Metrics }) {
  const rings = metrics.all('ring_used_bytes');
  const tables = metrics.all('table_used_rows').map(({ labels: { table = '' }, value }) => (
    { table, used: value, size: metrics.value('table_size_rows', { table }) ?? 0 }
  )).sort((one, other) => other.used / other.size - one.used / one.size);
  const of = (used: number, size: number): string => `${price(used)} of ${price(size)}`;
  return (
    <Card title="Queues and tables">
      <Facts rows={[
        ...['durable', 'reader', 'history'].map((name) => [`${name} lag, commands`, price(metrics.value(`${name}_lag_commands`))] as const),
        ...rings.map(({ labels: { ring = '' }, value }) => [ring, of(value, metrics.value('ring_size_bytes', { ring }) ?? 0)] as const),
        ...tables.slice(0, TABLES_SHOWN).map(({ size, table, used }) => [`rows: ${table}`, of(used, size)] as const),
      ]} />
    </Card>
  );
}
