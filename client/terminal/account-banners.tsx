// Banners of the account: its key, frozen quotes, restriction, liquidation. The venue tells a restriction only in reasons of refused or
// ended orders.

import { useSignal } from '@preact/signals';
import { session } from './account.tsx';
import { timeBoth, timeLeft } from './format.ts';
import { Banner } from './ui/notices.tsx';
import { portfolio } from './venue/account-data.ts';
import { venueTime } from './venue/clock.ts';
import { connection } from './venue/connection.ts';
import { useRead, useStream } from './venue/hooks.ts';

const EVERY_MS = 5_000;
type OfWallet = { readonly wallet: string };

export function AccountBanners() {
  const wallet = session.wallet.value;
  return (
    <>
      <KeyBanner />
      {wallet !== null && connection.account.value?.wallet === wallet && (
        <div key={wallet}><ProtectionBanners wallet={wallet} /><RestrictionBanner /><LiquidationBanner /></div>
      )}
    </>
  );
}

function KeyBanner() {
  const key = session.key.value;
  const state = session.state.value;
  const agents = useRead('/authorized-agents', key?.kind === 'agent' ? { wallet: key.wallet } : null, { everyMs: EVERY_MS });
  if (state === 'expired') {
    return (
      <Banner kind="bad" title="The agent key has expired.">
        It signs nothing more. Open the menu of keys, connect your wallet and approve a new one.
      </Banner>
    );
  }
  if (state !== 'agent' || key === null || agents.data === null) return null;
  if (agents.data.agents.some((agent) => agent.toLowerCase() === key.address)) return null;
  return (
    <Banner kind="bad" title="The agent key has been revoked.">
      The venue refuses what it signs. Open the menu of keys, connect your wallet and approve a new one.
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

const RESTRICTIONS: Readonly<Record<string, string>> = {
  'Wallet is blocked': 'The operator has blocked this wallet: its orders were cancelled and new ones are refused. Ask the operator.',
  'Wallet may only close': 'The operator lets this wallet only close positions. Send orders that reduce, or ask the operator.',
};

function RestrictionBanner() {
  const reason = useSignal<string | null>(null);
  useStream('order_updates', {}, ({ status, reason: told }) => {
    if (told !== null && told in RESTRICTIONS) reason.value = told;
    else if (status === 'ACKED') reason.value = null;
  });
  return reason.value === null ? null : <Banner kind="bad" title={`${reason.value}.`}>{RESTRICTIONS[reason.value]}</Banner>;
}

function LiquidationBanner() {
  const state = useSignal('healthy');
  useStream('liquidation', {}, ({ new_state: now }) => { state.value = now; });
  if (state.value === 'in_liquidation') {
    return (
      <Banner kind="bad" title="This account is being liquidated.">
        The venue sells its positions. Only more collateral ends it.
      </Banner>
    );
  }
  if (!(Number(portfolio.value?.margin_summary?.maintenance_margin ?? 0) < 0)) return null;
  return (
    <Banner kind="bad" title="This account is below its maintenance margin.">
      Close positions or add collateral now: otherwise the venue liquidates it.
    </Banner>
  );
}
