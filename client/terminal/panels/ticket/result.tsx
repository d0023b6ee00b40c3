// What became of the last order: the venue's text, id, fills as they come; of a refusal what was hashed.

import { Fragment } from 'preact';
import { price, timeBoth } from '../../format.ts';
import { readable } from '../../keys/readable.ts';
import { Button } from '../../ui/controls.tsx';
import { useRead, useStream } from '../../venue/hooks.ts';
import {
  cancelLeftover, dataOf, digestText, isSending, leftoverOf, outcome, sendAgain, type OrderOutcome, type Outcome,
} from './sending.ts';

export function Result({ told }: { readonly told: Outcome }) {
  const { at, orders, refusal, reviewed } = told;
  return (
    <section class="result" aria-label="Last order">
      <header>
        <span class="soft">{timeBoth(at)}</span>
        <Button label="Put this result away" onClick={() => { outcome.value = null; }}>×</Button>
      </header>
      {orders.map((order) => <Told key={order.digest} order={order} wallet={reviewed.wallet} />)}
      <Leftover orderIds={leftoverOf(told)} />
      {refusal !== null && <p class="bad">{refusal.text}</p>}
      {refusal?.mayHaveActed === true && (
        <p>
          It may have acted. <Button isDisabled={isSending.value} onClick={() => void sendAgain(told)}>Send the same bytes again</Button>
        </p>
      )}
      {refusal !== null && refusal.hashed.length > 0 && (
        <dl class="facts">
          {refusal.hashed.map(([label, value]) => <Fragment key={label}><dt>{label}, venue</dt><dd>{value}</dd></Fragment>)}
        </dl>
      )}
      {(refusal !== null || orders.some(({ isAccepted }) => !isAccepted)) && <Hashed told={told} />}
    </section>
  );
}

function Leftover({ orderIds }: { readonly orderIds: readonly number[] }) {
  if (orderIds.length === 0) return null;
  return (
    <p>
      The entry opened nothing, and its stop and target still wait.{' '}
      <Button onClick={() => void cancelLeftover(orderIds)}>Cancel both</Button>
    </p>
  );
}

function Told({ order: { isAccepted, orderId, sentence, text }, wallet }: { readonly order: OrderOutcome; readonly wallet: string }) {
  return (
    <div>
      <p>{sentence}</p>
      <p class={isAccepted ? 'good' : 'bad'}>
        {text}{orderId !== null && <span class="soft"> · order <span class="figure">{orderId}</span></span>}
      </p>
      {orderId !== null && <Fills orderId={orderId} wallet={wallet} />}
    </div>
  );
}

const FILLS_EVERY_MS = 5_000;
const FILLS_SHOWN = 20;

function Fills({ orderId, wallet }: { readonly orderId: number; readonly wallet: string }) {
  const { data, refresh } = useRead('/fills', { wallet, order_id: orderId, limit: FILLS_SHOWN }, { everyMs: FILLS_EVERY_MS });
  useStream('fills', {}, (fill) => { if (fill.order_id === orderId) refresh(); });
  const fills = data?.data ?? [];
  if (fills.length === 0) return null;
  return (
    <ul class="fills" aria-label={`Fills of order ${orderId}`}>
      {fills.map(({ fee, fill_id: id, price: at, size }) => (
        <li key={id}>
          Filled <span class="figure">{size}</span> at <span class="figure">{price(at)}</span>, fee <span class="figure">{fee}</span>
        </li>
      ))}
    </ul>
  );
}

function Hashed({ told: { reviewed: { orders, unsigned } } }: { readonly told: Outcome }) {
  return (
    <details>
      <summary>What was hashed</summary>
      {orders.map((_, at) => {
        const data = dataOf(unsigned, at);
        return (
          <dl key={at} class="facts">
            {[...readable(data).lines, { label: 'Digest', value: digestText(data) }].map(({ label, value }) => (
              <Fragment key={label}><dt>{label}</dt><dd>{value}</dd></Fragment>
            ))}
          </dl>
        );
      })}
    </details>
  );
}
