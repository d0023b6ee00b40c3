// The book of the chosen contract, or of the underlying's perp: its facts, ladder and last trades.

import { useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { price, timeBoth } from '../../format.ts';
import { Button } from '../../ui/controls.tsx';
import { connection } from '../../venue/connection.ts';
import { select, selection } from '../../venue/store.ts';
import { useBook } from './follow-book.ts';
import { LadderModel } from './ladder-model.ts';
import { LadderView, type Move } from './ladder-view.tsx';
import { textOf } from './ladder.ts';
import { moveOrders, ordersInBook } from './own-orders.ts';
import { TickerLine, useTicker } from './ticker.tsx';
import { Trades } from './trades.tsx';

export function Book() {
  const { contract, underlying } = selection.value;
  const perp = connection.info.value?.perp_assets.find((one) => one.underlying === underlying)?.symbol ?? null;
  const symbol = contract ?? perp;
  if (symbol === null) {
    const isKnown = connection.info.value !== null;
    return <p class="empty">{isKnown ? `Choose a contract of ${underlying} in the chain.` : 'Asking the venue …'}</p>;
  }
  return <BookOf key={symbol} symbol={symbol} perp={perp} />;
}

function BookOf({ symbol, perp }: { readonly symbol: string; readonly perp: string | null }) {
  const model = useMemo(() => new LadderModel(), []);
  const state = useBook(symbol, ({ bids, asks }) => model.set({ bids, asks })).value;
  const { ticker, problem } = useTicker(symbol);
  useSignalEffect(() => model.set({ mark: ticker.value?.mark ?? null }));
  useSignalEffect(() => model.set({ own: ordersInBook(symbol) }));
  const move = ({ side, from, to }: Move): void => moveOrders(model.ownAt(side, from), to);
  const isEmpty = model.rows.value.length === 0;
  return (
    <section class="book" aria-label={`Book of ${symbol}`}>
      <div class="bar">
        <h2>{symbol}</h2>
        {perp !== null && perp !== symbol && <Button title={`The book of ${perp}`} onClick={() => select({ contract: perp })}>Perp</Button>}
      </div>
      <TickerLine symbol={symbol} ticker={ticker} />
      <div class="bar">
        <span class="soft" role="status">{problem ?? textOfState(state)}</span>
        <Steps model={model} />
      </div>
      <div class="book-parts">
        <div class="ladder-part">
          <LadderView symbol={symbol} model={model} isOld={state.kind === 'old'} onMove={move} />
          {isEmpty && state.kind === 'live' && <p class="empty">No orders and no mark yet: place the first order with the ticket.</p>}
        </div>
        <Trades symbol={symbol} />
      </div>
    </section>
  );
}

function textOfState(state: ReturnType<typeof useBook>['value']): string {
  switch (state.kind) {
    case 'waiting': return 'Asking for the book …';
    case 'refused': return state.message;
    case 'old': return 'Out of date: a new snapshot is asked for';
    case 'live': return state.mendedAt === null ? 'Live' : `Live · snapshot again at ${timeBoth(state.mendedAt)} (${state.resyncs})`;
  }
}

function Steps({ model }: { readonly model: LadderModel }) {
  const [steps, step] = [model.steps.value, model.step.value];
  if (step === null) return null;
  const at = steps.indexOf(step);
  const choose = (next: number | undefined): void => { if (next !== undefined) model.set({ chosenStep: next }); };
  return (
    <span class="steps" role="group" aria-label="Step of prices">
      <Button label="Smaller step of prices" isDisabled={at <= 0} onClick={() => choose(steps[at - 1])}>−</Button>
      <Button title="Step of prices, USD; a click chooses it by the spread" onClick={() => model.set({ chosenStep: null })}>
        {price(textOf(step))}
      </Button>
      <Button label="Larger step of prices" isDisabled={at >= steps.length - 1} onClick={() => choose(steps[at + 1])}>+</Button>
    </span>
  );
}
