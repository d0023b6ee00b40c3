// The header's menu of wallets and keys: who signs, until when, every action on it, and what a wallet is being asked to sign.

import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../ui/controls.tsx';
import { readable, timeText } from './readable.ts';
import type { KeyState, Session } from './session.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const isMenuOpen = signal(false);

export function openWalletMenu(): void {
  isMenuOpen.value = true;
}

export function WalletMenu({ session }: { readonly session: Session }) {
  const isOpen = isMenuOpen.value;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = (event: Event): void => {
      const isOutside = event.target instanceof Node && root.current?.contains(event.target) === false;
      if (isOutside || (event instanceof KeyboardEvent && event.key === 'Escape')) isMenuOpen.value = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
      session.dismissProblem();
    };
  }, [isOpen]);
  return (
    <div class="wallet-menu" ref={root}>
      <Button kind={session.state.value === 'none' ? 'primary' : 'plain'} isOpen={isOpen} onClick={() => { isMenuOpen.value = !isOpen; }}>
        <span class={`dot ${DOTS[session.state.value]}`} aria-hidden="true" />{summaryOf(session)}
      </Button>
      {isOpen && (
        <div class="wallet-panel" role="dialog" aria-label="Wallet and keys">
          <Signing session={session} />
          <Problem session={session} />
          <Waiting session={session} />
          <Actions session={session} />
        </div>
      )}
    </div>
  );
}

const SUMMARIES: Readonly<Record<KeyState, string>> = {
  none: 'Connect', wallet: 'Wallet', agent: 'Agent', throwaway: 'Throwaway', expired: 'Agent expired',
  revoked: 'Agent revoked', foreign: 'Key of another venue',
};

const DOTS: Readonly<Record<KeyState, string>> = {
  none: '', wallet: 'good', agent: 'good', throwaway: 'good', expired: 'bad', revoked: 'bad', foreign: 'bad',
};

function summaryOf(session: Session): string {
  const wallet = session.wallet.value;
  const summary = SUMMARIES[session.state.value];
  return wallet === null ? summary : `${summary} ${shortened(wallet)}`;
}

function shortened(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

function Signing({ session }: { readonly session: Session }) {
  const key = session.key.value;
  const why = session.whyMemory.value;
  const others = session.otherAgents.value;
  return (
    <>
      <p>{explanationOf(session)}</p>
      <dl>
        {session.wallet.value !== null && <><dt>Wallet</dt><dd>{session.wallet.value}</dd></>}
        {session.walletName.value !== null && <><dt>Connected</dt><dd>{session.walletName.value}</dd></>}
        {key?.kind === 'agent' && <><dt>Agent key</dt><dd>{key.address}</dd></>}
        {key !== null && key.expires_at !== null && (
          <><dt>Signs until</dt><dd>{`${timeText(key.expires_at)} (${leftText(key.expires_at - session.timeMs.value)})`}</dd></>
        )}
        {others.length > 0 && <><dt>Other agents</dt><dd>{others.join(' ')}</dd></>}
      </dl>
      {others.length > 0 && (
        <p class="wallet-note">
          Other agents may sign for this wallet too: of another browser, of a program, or of this page before. Revoke those that you do not
          need{session.walletName.value === null && ': connect the wallet first'}.
        </p>
      )}
      {why !== null && <p class="wallet-note">{why}</p>}
    </>
  );
}

function explanationOf(session: Session): string {
  switch (session.state.value) {
    case 'none': return session.isTestVenue.value === true
      ? 'This venue gives every new wallet a balance to try with. A throwaway key made in this page is the quickest way in.'
      : 'Connect a wallet to trade. To look around, none is needed.';
    case 'wallet': return 'Your wallet asks you for every order. Approve an agent key to sign orders without a prompt for 24 hours.';
    case 'agent': return 'An agent key in this page signs for your wallet without a prompt.';
    case 'throwaway': return 'A throwaway key in this page is your wallet. Nobody can restore it if it is lost.';
    case 'expired': return 'The agent key has expired and signs nothing more. Connect your wallet and approve a new one.';
    case 'revoked': return 'The agent key has been revoked and signs nothing more. Connect your wallet and approve a new one.';
    case 'foreign': return 'The key in this page was made for another venue, so it signs nothing here. Forget it to go on.';
  }
}

function leftText(left: number): string {
  if (left <= 0) return 'expired';
  return left < HOUR ? `${Math.ceil(left / MINUTE)} min left` : `${Math.floor(left / HOUR)} h ${Math.floor(left % HOUR / MINUTE)} min left`;
}

function Problem({ session }: { readonly session: Session }) {
  const problem = session.problem.value;
  return (
    <div role="alert">
      {problem !== null && (
        <p class="wallet-problem">
          <span>{problem}</span> <Button onClick={() => session.dismissProblem()}>Dismiss</Button>
        </p>
      )}
    </div>
  );
}

function Waiting({ session }: { readonly session: Session }) {
  const data = session.waiting.value;
  if (data === null) return null;
  const { lines, title } = readable(data);
  return (
    <section aria-label="What your wallet is asked to sign">
      <p>{`Your wallet asks you to sign: ${title}`}</p>
      <dl>{lines.map(({ label, value }) => <><dt>{label}</dt><dd>{value}</dd></>)}</dl>
    </section>
  );
}

function Actions({ session }: { readonly session: Session }) {
  const key = session.key.value;
  const isBusy = session.isBusy.value;
  const isConnected = session.walletName.value !== null;
  const act = (label: string, action: () => void, isFirst = false) => (
    <Button kind={isFirst ? 'primary' : 'plain'} isDisabled={isBusy} onClick={action}>{label}</Button>
  );
  const isTest = session.isTestVenue.value === true;
  const throwaway = key === null && !isConnected && act('Try with a throwaway key', () => void session.tryThrowaway(), isTest);
  const approval = key === null ? 'Approve an agent key for 24 hours' : 'Approve a new agent key';
  return (
    <div class="wallet-actions">
      {isTest && throwaway}
      {!isConnected && key?.kind !== 'throwaway' && <Wallets session={session} />}
      {isConnected && act(approval, () => void session.approveAgent(), true)}
      {key?.kind === 'agent' && act('Revoke the agent key', () => void session.revokeAgent())}
      {isConnected && session.otherAgents.value.map((agent) => (
        act(`Revoke agent ${shortened(agent)}`, () => void session.revokeAgent(agent))
      ))}
      {isConnected && act('Disconnect the wallet', () => session.disconnectWallet())}
      {!isTest && throwaway}
      {key !== null && <Forget session={session} />}
    </div>
  );
}

function Wallets({ session }: { readonly session: Session }) {
  const wallets = session.wallets.value;
  if (wallets.length === 0) {
    return <p class="wallet-note">No wallet has announced itself to this page. Install a browser wallet to connect one.</p>;
  }
  return (
    <>
      {wallets.map((wallet) => (
        <Button key={wallet.id} isDisabled={session.isBusy.value} onClick={() => void session.connectWallet(wallet)}>
          {wallet.icon !== null && <img src={wallet.icon} alt="" width="16" height="16" />}{`Connect ${wallet.name}`}
        </Button>
      ))}
    </>
  );
}

function Forget({ session }: { readonly session: Session }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const isThrowaway = session.key.value?.kind === 'throwaway';
  return (
    <>
      {isThrowaway && secret === null && (
        <Button onClick={() => setSecret(session.exportKey())}>Show the private key</Button>
      )}
      {secret !== null && (
        <label>
          Private key: whoever sees it can trade as this wallet
          <input
            type="text" readOnly value={secret} autocomplete="off" spellcheck={false} onFocus={(event) => event.currentTarget.select()}
          />
        </label>
      )}
      {isAsked && (
        <p class="wallet-note">
          {isThrowaway ? 'Its balance and positions stay with a wallet that nobody can sign for, unless you have saved the private key.'
            : 'The venue goes on accepting the agent key until it expires. To end it, revoke it.'}
        </p>
      )}
      <Button kind="danger" isDisabled={session.isBusy.value} onClick={() => (isAsked ? void session.forget() : setAsked(true))}>
        {isAsked ? 'Forget it for good' : 'Forget this key'}
      </Button>
    </>
  );
}
