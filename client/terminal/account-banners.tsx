// Banners of the account: its key, frozen quotes, restriction, liquidation. Each follows the venue's present state, so it survives a
// reload.

import { useEffect } from 'preact/hooks';
import type { RiskInputs } from '../src/main.ts';
import { session } from './account.tsx';
import { size, timeBoth, timeLeft } from './format.ts';
import { isMenuOpen } from './keys/wallet-menu.tsx';
import { cancel } from './panels/lists/acting.ts';
import { restsOf } from './panels/ticket/bracket.ts';
import { Button } from './ui/controls.tsx';
import { Banner } from './ui/notices.tsx';
import { portfolio, workingOrders } from './venue/account-data.ts';
import { venueTime } from './venue/clock.ts';
import { connection } from './venue/connection.ts';
import { useRead, useStream } from './venue/hooks.ts';

const EVERY_MS = 5_000;
type OfWallet = { readonly wallet: string };

export function AccountBanners() {
  const wallet = session.wallet.value;
  return (
    <>
      <KeyProblem /><KeyBanner />
      {wallet !== null && connection.account.value?.wallet === wallet && (
        <div key={wallet}><ProtectionBanners wallet={wallet} /><StateBanners wallet={wallet} /><RestBanners /></div>
      )}
    </>
  );
}

function KeyProblem() {
  const problem = session.problem.value;
  if (problem === null || isMenuOpen.value) return null;
  return <Banner kind="bad" title={problem}><Button onClick={() => session.dismissProblem()}>Dismiss</Button></Banner>;
}

function KeyBanner() {
  const key = session.key.value;
  const state = session.state.value;
  if (key === null) return null;
  if (state === 'expired') {
    return (
      <Banner kind="bad" title="The agent key has expired.">
        It signs nothing more. Open the menu of keys, connect your wallet and approve a new one.
      </Banner>
    );
  }
  if (state !== 'agent' && state !== 'revoked') return null;
  return <Revocation key={key.address} address={key.address} wallet={key.wallet} />;
}

function Revocation({ address, wallet }: OfWallet & { readonly address: string }) {
  const { data } = useRead('/authorized-agents', { wallet }, { everyMs: EVERY_MS });
  useEffect(() => { if (data !== null) session.hearAgents(address, data.agents); }, [data]);
  if (session.state.value !== 'revoked') return null;
  return (
    <Banner kind="bad" title="The agent key has been revoked.">
      It signs nothing more. Open the menu of keys, connect your wallet and approve a new one.
    </Banner>
  );
}

function ProtectionBanners({ wallet }: OfWallet) {
  const { data } = useRead('/mmp/config', { wallet }, { everyMs: EVERY_MS });
  const frozen = (data?.data ?? []).filter(({ is_frozen }) => is_frozen);
  return frozen.map(({ currency, frozen_until: until }) => (
    <Banner key={currency} kind="warn" title={`Protection has frozen your orders of ${currency}.`}>
      {until === null
        ? 'New ones that take part in it are refused until you reset it.'
        : `New ones that take part in it are refused until ${timeBoth(until)}, ${timeLeft(until - venueTime.value)} from now, or a reset.`}
    </Banner>
  ));
}

const RESTRICTIONS: Readonly<Record<RiskInputs['wallet_mode'], readonly [title: string, text: string] | null>> = {
  open: null,
  blocked: [
    'Wallet is blocked.', 'The operator has blocked this wallet: its orders were cancelled and new ones are refused. Ask the operator.',
  ],
  close_only: [
    'Wallet may only close.', 'The operator lets this wallet only close positions. Send orders that reduce, or ask the operator.',
  ],
};

/** Read at once when the venue says something that a changed state could cause. */
function StateBanners({ wallet }: OfWallet) {
  const { data, refresh } = useRead('/risk/inputs', { wallet }, { everyMs: EVERY_MS });
  useStream('order_updates', {}, ({ reason }) => { if (reason !== null) refresh(); });
  useStream('liquidation', {}, refresh);
  const { liquidation_state: state, wallet_mode: mode } = data?.data ?? { liquidation_state: 'healthy', wallet_mode: 'open' };
  const restriction = RESTRICTIONS[mode];
  return (
    <>
      {restriction !== null && <Banner kind="bad" title={restriction[0]}>{restriction[1]}</Banner>}
      <LiquidationBanner state={state} />
    </>
  );
}

function RestBanners() {
  return restsOf(workingOrders.value ?? [], venueTime.value).map(({ filled_size: filled, order_id: id, side, size: all, symbol }) => (
    <Banner key={id} kind="warn" title={`The bracket in ${symbol} has closed, but a rest of its entry is in the book.`}>
      {`${side} order ${id}: filled ${size(filled)} of ${size(all)}. No stop and no target wait for what it fills from now on.`}{' '}
      <Button onClick={() => cancel(id, `the rest of order ${id}`)}>Cancel the rest</Button>
    </Banner>
  ));
}

type LiquidationState = RiskInputs['liquidation_state'];

const LIQUIDATION: Partial<Record<LiquidationState, readonly [title: string, text: string]>> = {
  pre_liquidation: [
    'This account is about to be liquidated.',
    'Orders that open are cancelled, only closing ones are taken. Close positions or add collateral now: the venue begins after a wait.',
  ],
  in_liquidation: [
    'This account is being liquidated.',
    'The venue closes its positions while equity is below the maintenance margin, and takes only closing orders until equity meets the '
      + 'initial margin again.',
  ],
};
const BELOW = [
  'This account is below its maintenance margin.', 'Close positions or add collateral now: otherwise the venue liquidates it.',
] as const;

function LiquidationBanner({ state }: { readonly state: LiquidationState }) {
  const isBelow = Number(portfolio.value?.margin_summary?.maintenance_margin ?? 0) < 0;
  const told = LIQUIDATION[state] ?? (isBelow ? BELOW : null);
  return told === null ? null : <Banner kind="bad" title={told[0]}>{told[1]}</Banner>;
}
