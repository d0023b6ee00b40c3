// The ticket: what to trade, its effect on the account, what is signed, and what became of it. Only the button of the review sends.

import { effect, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { priceText, sizeText, type RiskInputs, type Side } from '../../../src/main.ts';
import { fromPercent } from '../../format.ts';
import { useKeys } from '../../keyboard.ts';
import { openWalletMenu } from '../../keys/wallet-menu.tsx';
import { Button } from '../../ui/controls.tsx';
import { venueTime } from '../../venue/clock.ts';
import { connection } from '../../venue/connection.ts';
import { useStream } from '../../venue/hooks.ts';
import { indexOf, markets, select, selection, showArea, ticketFill, type TicketFill } from '../../venue/store.ts';
import type { WhatIf, WhatIfOrder } from '../../whatif/what-if.ts';
import { linkIdAt } from './bracket.ts';
import {
  fieldsFor, filledWith, isComplete, missingOf, ordersOf, problemsOf, underlyingOf, withSide, type PricedFields, type TicketFields,
} from './fields.ts';
import { Figures } from './figures.tsx';
import { Head, useQuote } from './head.tsx';
import { Check, KindAndSide, MoreFields, PriceFields, SizeFields, TriggerFields } from './inputs.tsx';
import { NOBODY, useAnswer, useConfirmation, useWhatIf } from './judge.ts';
import { Note } from './note.tsx';
import { NoPayoff, PayoffView } from './payoff.tsx';
import { Result } from './result.tsx';
import { Review } from './review.tsx';
import { canSign, outcome, review, type Reviewed } from './sending.ts';
import { warningsOf } from './warnings.ts';

const REVIEW_MS = 60_000;

const fields = signal<TicketFields>(fieldsFor(''));
let taken: TicketFill | null = null;

/** Takes each fill once. */
effect(() => {
  const { contract } = selection.value;
  const fill = ticketFill.value;
  const before = fields.peek();
  if (fill !== null && fill !== taken && fill.symbol === contract) {
    taken = fill;
    fields.value = filledWith(before, fill);
    outcome.value = null;
  } else if ((contract ?? '') !== before.symbol) fields.value = fieldsFor(contract ?? '', before);
});

export function Ticket() {
  const { symbol } = fields.value;
  const { underlying } = selection.value;
  if (symbol !== '') return <Form key={symbol} />;
  return (
    <div class="empty">
      <p>Choose a bid or an ask in the chain to fill the ticket.</p>
      <Button onClick={() => select({ contract: `${underlying}-PERP` })}>Trade {underlying}-PERP</Button>
    </div>
  );
}

function Form() {
  const { symbol, isReduceOnly, kind } = fields.value;
  const account = connection.account.value;
  const wallet = account?.wallet ?? NOBODY;
  const { whatIf, inputs, error, refresh } = useWhatIf(wallet, symbol);
  const quote = useQuote(symbol);
  const priced = { ...fields.value, price: priceOf(fields.value, whatIf) };
  const orders = simulated(priced);
  const { answer, problem } = useAnswer(whatIf, orders);
  const before = useMemo(() => whatIf?.account() ?? null, [whatIf]);
  const confirmation = useConfirmation(wallet, orders);
  const reviewed = useSignal<Reviewed | null>(null);
  const refused = useSignal<string | null>(null);
  useEffect(() => { if (outcome.value !== null) refresh(); }, [outcome.value]);

  const { mark, position } = seenIn(inputs, symbol);
  const underlying = underlyingOf(symbol);
  useStream('market_updates', {}, ({ action }) => { if (action === 'TradingMode') refresh(); });
  const band = useMemo(() => whatIf?.priceBand(symbol) ?? null, [whatIf]);
  const warnings = warningsOf(priced, {
    ...quote, mark: numberOf(mark), index: numberOf(indexOf(underlying).value?.price ?? null), position: numberOf(position),
    now: venueTime.value, mode: modeOf(inputs, symbol), walletMode: inputs?.wallet_mode ?? 'open', band, answer,
  });
  const ask = (): void => {
    refused.value = null;
    if (account === null || account.signer === null) return openWalletMenu();
    if (!canSign.value || !isComplete(priced)) return;
    try {
      reviewed.value = review(kind, ordersOf(priced, connection.now() + REVIEW_MS, linkIdAt(connection.now())));
    } catch (failure) {
      refused.value = (failure as Error).message;
    }
  };
  const open = reviewed.value;
  // Of this review: another may be open by the time its answer comes.
  const close = (): void => { if (reviewed.peek() === open) reviewed.value = null; };
  useTicketKeys(ask, open !== null);
  return (
    <form class="ticket" aria-label="Order ticket" onSubmit={(event) => { event.preventDefault(); ask(); }}>
      <div class="ticket-body">
        <Head
          symbol={symbol} side={priced.side} quote={quote} mark={mark} position={position}
          onPrice={(typed) => set({ driver: 'price', typed })}
        />
        <KindAndSide fields={fields} />
        {kind !== 'limit' && <TriggerFields fields={fields} priced={priced} />}
        <PriceFields fields={fields} priced={priced} whatIf={whatIf} />
        <SizeFields fields={fields} priced={priced} />
        <div class="rules">
          <details class="more"><summary>More</summary><MoreFields fields={fields} /></details>
          {(kind === 'limit' || kind === 'stop') && (
            <Check label="Reduce-only" isOn={isReduceOnly} onChange={(isOn) => set({ isReduceOnly: isOn })} />
          )}
        </div>
        <Figures before={before} answer={answer} underlying={underlying} />
        <Note confirmation={confirmation} problem={problem ?? error?.message ?? null} isVisitor={account === null} kind={kind} />
        {outcome.value !== null
          ? <Result told={outcome.value} />
          : whatIf !== null && answer !== null ? <PayoffView whatIf={whatIf} orders={orders} /> : <NoPayoff />}
      </div>
      <Foot priced={priced} texts={[...(refused.value === null ? [] : [refused.value]), ...warnings]} />
      {open !== null && <Review reviewed={open} warnings={warnings} onClose={close} />}
    </form>
  );
}

type FootProps = { readonly priced: PricedFields; readonly texts: readonly string[] };

function Foot({ priced, texts }: FootProps) {
  const account = connection.account.value;
  const isReady = canSign.value && isComplete(priced);
  return (
    <footer>
      <div class="warnings" role="status">{texts.map((text) => <p key={text} class="warning">{text}</p>)}</div>
      {account === null || account.signer === null
        ? <Button kind="primary" onClick={openWalletMenu}>{account === null ? 'Connect to trade' : 'Approve a key to trade'}</Button>
        : (
          <Button isSubmit kind="primary" isDisabled={!isReady}>
            {isReady ? `Review ${priced.side} ${priced.size}` : canSign.value ? missing(priced) : 'Taking up the key …'}
          </Button>
        )}
    </footer>
  );
}

function set(change: Partial<TicketFields>): void {
  fields.value = { ...fields.value, ...change };
}

/** Of the contract, which is the strictest; of its underlying until that is known. */
function modeOf(inputs: RiskInputs | null, symbol: string): string {
  const ofContract = inputs?.contracts.find((one) => one.symbol === symbol)?.trading_mode;
  return ofContract ?? markets.value?.find(({ underlying }) => underlying === underlyingOf(symbol))?.trading_mode ?? 'orderbook';
}

function seenIn(inputs: RiskInputs | null, symbol: string): { readonly mark: string | null; readonly position: string | null } {
  if (inputs === null) return { mark: null, position: null };
  const holding = inputs.holdings.find((one) => one.symbol === symbol);
  return { mark: inputs.contracts.find((one) => one.symbol === symbol)?.mark_price ?? null, position: holding?.amount ?? '0' };
}

/** Typed, or what the typed volatility or premium comes to. */
function priceOf({ driver, side, size, symbol, typed }: TicketFields, whatIf: WhatIf | null): string {
  if (driver === 'price') return typed;
  if (whatIf === null || typed === '') return '';
  if (driver === 'volatility') {
    const volatility = fromPercent(typed);
    return Number.isNaN(volatility) ? '' : whatIf.priceAtVolatility(symbol, volatility, side) ?? '';
  }
  return isAmount(typed) && isAmount(size) ? whatIf.priceOfPremium(typed, size, side) ?? '' : '';
}

function isAmount(text: string): boolean {
  try {
    return sizeText(text) === text;
  } catch {
    return false;
  }
}

/** A pair is judged by its target: only one of the two trades. */
function simulated(priced: PricedFields): readonly WhatIfOrder[] {
  const { kind, side, size, symbol, target } = priced;
  const at = kind === 'pair' ? target : priced.price;
  const { price: wrongPrice, size: wrongSize, target: wrongTarget } = problemsOf(priced);
  const isWrong = wrongSize !== null || (kind === 'pair' ? wrongTarget : wrongPrice) !== null;
  return at === '' || size === '' || isWrong ? [] : [{ symbol, side, size, price: priceText(at) }];
}

const FIELD_NAMES = { size: 'a size', price: 'a price', trigger: 'a trigger', target: 'a target', worst: 'a worst price for the exit' };

function missing(priced: PricedFields): string {
  const name = missingOf(priced);
  return name === null ? 'Mend what is marked' : `Type ${FIELD_NAMES[name]}`;
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

function useTicketKeys(ask: () => void, isReviewing: boolean): void {
  const choose = (side: Side): void => {
    if (isReviewing) return;
    showArea('ticket');
    fields.value = withSide(fields.value, side);
  };
  useKeys([
    { key: 'b', what: 'Ticket: buy', run: () => choose('Buy') },
    { key: 's', what: 'Ticket: sell', run: () => choose('Sell') },
    { key: 'Enter', what: 'Ticket: review the order', run: () => { if (!isReviewing) ask(); } },
  ]);
}
