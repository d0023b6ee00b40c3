// Who signs: the wallet, the page's key, until when it holds, why it may live in memory only. Each signer refuses a venue or domain other
// than its own. Secrets are never logged, and leave this module only by `exportKey`.

import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import {
  privateKeySigner, type ConnectOptions, type ExchangeInfo, type Signer, type Strikebook, type TypedData,
} from '../../src/main.ts';
import { Approvals, randomKey } from './approval.ts';
import { messageOf, type BrowserWallet } from './provider.ts';
import { timeText } from './readable.ts';
import { accountsOf, walletSigner } from './wallet-signer.ts';
import type { Domain, HeldKey, KeyFacts, Vault } from './vault.ts';

type Client = Pick<Strikebook, 'get' | 'approveAgent' | 'revokeAgent'>;
type SessionParts = {
  /** Changes when another venue answers after a restart. */
  readonly venue: ReadonlySignal<ExchangeInfo | null>;
  readonly timeMs: ReadonlySignal<number>;
  readonly wallets: ReadonlySignal<readonly BrowserWallet[]>;
  readonly vault: Vault;
  /** Between the tabs that share the vault. Absent: this is the only one. */
  readonly tabs?: Tabs;
  readonly connect: (options: ConnectOptions) => Promise<Client>;
};
/** `tell`: the key in the vault is another one now. */
export type Tabs = { tell(): void; hear(listener: () => void): void };
/** For `connect({ signer, wallet })`. */
type TradingKey = { readonly signer: Signer; readonly wallet: string; readonly kind: 'agent' | 'throwaway' | 'wallet' };
/** expired, revoked, foreign: there is a key, but it signs nothing. */
export type KeyState = 'none' | 'wallet' | 'agent' | 'throwaway' | 'expired' | 'revoked' | 'foreign';
type Connected = { readonly wallet: BrowserWallet; readonly address: string; readonly facts: Pick<KeyFacts, 'venue_id' | 'domains'> };

const AGENT_MS = 24 * 60 * 60_000;
const GONE = 'This page no longer has the key that should sign this.';
const REVOKED = 'The agent key of this page has been revoked. Approve a new one.';
/** The contract of every domain, and an address without an account. */
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

class KeyRefusal extends Error {
  override readonly name = 'KeyRefusal';
}

export class Session {
  readonly #parts: SessionParts;
  readonly #key = signal<HeldKey | null>(null);
  readonly #connected = signal<Connected | null>(null);
  readonly #revoked = signal<string | null>(null);
  readonly #agents = signal<readonly string[]>([]);
  readonly #approvals = new Approvals();
  readonly #whyMemory = signal<string | null>(null);
  readonly #problem = signal<string | null>(null);
  readonly #isBusy = signal(false);
  readonly #waiting = signal<TypedData | null>(null);
  readonly #isTestVenue = signal<boolean | null>(null);

  /** Without its secret. */
  readonly key = computed(() => this.#key.value?.facts ?? null);
  readonly walletName = computed(() => this.#connected.value?.wallet.name ?? null);
  readonly wallet = computed(() => this.#key.value?.facts.wallet ?? this.#connected.value?.address ?? null);
  readonly state = computed<KeyState>(() => this.#stateOf());
  /** Approved for the wallet, and not the key of this page: of an earlier approval, another browser, a program. */
  readonly otherAgents = computed(() => this.#agents.value.filter((agent) => agent !== this.#key.value?.facts.address));
  readonly trading = computed<TradingKey | null>(() => this.#tradingKey());
  readonly whyMemory: ReadonlySignal<string | null> = this.#whyMemory;
  readonly problem: ReadonlySignal<string | null> = this.#problem;
  readonly isBusy: ReadonlySignal<boolean> = this.#isBusy;
  readonly waiting: ReadonlySignal<TypedData | null> = this.#waiting;
  /** True if new wallets get a balance, so that a throwaway key can trade; null: not known yet. */
  readonly isTestVenue: ReadonlySignal<boolean | null> = this.#isTestVenue;
  readonly wallets: ReadonlySignal<readonly BrowserWallet[]>;
  readonly timeMs: ReadonlySignal<number>;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.wallets = parts.wallets;
    this.timeMs = parts.timeMs;
    this.#whyMemory.value = parts.vault.whyMemory;
    parts.tabs?.hear(() => void this.#takeUp());
  }

  /** Once the venue is known. Takes up a stored key; drops an agent that was revoked elsewhere. */
  async start(): Promise<void> {
    await this.#attempt(async () => {
      await this.#takeUp();
      const client = await this.#parts.connect({});
      const { available_balance: given } = await client.get('/portfolio', { wallet: ZERO_ADDRESS });
      this.#isTestVenue.value = Number(given) > 0;
      const { facts } = this.#key.value ?? {};
      if (facts?.kind !== 'agent' || this.#refusalOf(facts, facts.expires_at, facts.domains[0]!) !== null) return;
      const { agents } = await client.get('/authorized-agents', { wallet: facts.wallet });
      this.hearAgents(facts.address, agents);
      if (this.state.value !== 'revoked') return;
      await this.#drop();
      throw new KeyRefusal(REVOKED);
    });
  }

  hearAgents(address: string, agents: readonly string[]): void {
    if (address !== this.#key.value?.facts.address) return;
    const all = agents.map((agent) => agent.toLowerCase());
    batch(() => {
      this.#agents.value = all;
      this.#revoked.value = all.includes(address) ? null : address;
    });
  }

  async tryThrowaway(): Promise<boolean> {
    return this.#attempt(async () => {
      if (this.#key.value !== null) throw new KeyRefusal('This page has a key already. Forget it first.');
      const venue = this.#venueFacts();
      const { address, secret } = randomKey();
      await this.#adopt({ facts: { kind: 'throwaway', ...venue, wallet: address, address, expires_at: null }, secret });
    });
  }

  async connectWallet(wallet: BrowserWallet): Promise<boolean> {
    return this.#attempt(async () => {
      const facts = this.#venueFacts();
      const [address] = await accountsOf(wallet.provider, true);
      if (address === undefined) throw new KeyRefusal('The wallet lets this page use none of its accounts.');
      const { facts: key } = this.#key.value ?? {};
      if (key !== undefined && key.wallet !== address) {
        throw new KeyRefusal(`The key of this page belongs to ${key.wallet}, but the wallet offers ${address}. Choose that account, or `
          + 'forget the key.');
      }
      this.#connected.value = { wallet, address, facts };
      wallet.provider.on?.('accountsChanged', this.#hearAccounts);
      await this.#readAgents(address);
    });
  }

  disconnectWallet(): void {
    this.#connected.value?.wallet.provider.removeListener?.('accountsChanged', this.#hearAccounts);
    batch(() => {
      this.#connected.value = null;
      if (this.#key.value === null) this.#agents.value = [];
    });
  }

  /** A key of the page, approved by one signature of the wallet, for 24 hours. A second one revokes the key before it. */
  async approveAgent(): Promise<boolean> {
    return this.#attempt(async () => {
      const client = await this.#walletClient();
      const before = this.#key.value?.facts;
      const isLive = before?.kind === 'agent' && this.state.value === 'agent';
      const { address: wallet } = this.#connected.value!;
      const until = this.#parts.timeMs.value + AGENT_MS;
      await this.#adopt(await this.#approvals.approve(client, { ...this.#venueFacts(), wallet, until }));
      if (!isLive) return;
      const answer = await client.revokeAgent(before.address).catch((error: unknown) => ({ success: false, error: messageOf(error) }));
      if (!answer.success) throw new KeyRefusal(`The new agent key signs, but the one before it is still approved: ${answer.error}`);
    });
  }

  /** By a signature of its wallet; by default the key of this page. */
  async revokeAgent(agent = this.#key.value?.facts.kind === 'agent' ? this.#key.value.facts.address : null): Promise<boolean> {
    return this.#attempt(async () => {
      if (agent === null) throw new KeyRefusal('There is no agent key to revoke.');
      const client = await this.#walletClient();
      const answer = await client.revokeAgent(agent);
      if (!answer.success) throw new KeyRefusal(answer.error ?? 'The venue did not revoke the agent key.');
      this.#agents.value = this.#agents.value.filter((one) => one !== agent);
      if (agent === this.#key.value?.facts.address) await this.#drop();
    });
  }

  /** An agent stays approved at the venue until it expires; a throwaway key is lost for ever. */
  async forget(): Promise<boolean> {
    return this.#attempt(async () => {
      await this.#drop();
      this.disconnectWallet();
    });
  }

  /** 0x and 64 hex digits. An agent's key is never shown. */
  exportKey(): string | null {
    const { facts, secret } = this.#key.value ?? {};
    if (facts?.kind !== 'throwaway' || secret === undefined) return null;
    return `0x${Array.from(secret, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }

  dismissProblem(): void {
    this.#problem.value = null;
  }

  /** Those of other pages and programs too, so that their owner can revoke them. */
  async #readAgents(wallet: string): Promise<void> {
    const read = async () => (await this.#parts.connect({})).get('/authorized-agents', { wallet });
    const answer = await read().catch(() => null);
    if (answer === null || this.#connected.value?.address !== wallet) return;
    this.#agents.value = answer.agents.map((agent) => agent.toLowerCase());
  }

  readonly #hearAccounts = (accounts: unknown): void => {
    const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
    if (typeof first === 'string' && first.toLowerCase() === this.#connected.value?.address) return;
    this.disconnectWallet();
    this.#problem.value = 'The wallet has changed its account. Connect it again to sign with it.';
  };

  async #attempt(action: () => Promise<void>): Promise<boolean> {
    if (this.#isBusy.value) return false;
    batch(() => {
      this.#isBusy.value = true;
      this.#problem.value = null;
    });
    try {
      await action();
      return true;
    } catch (error) {
      this.#problem.value = messageOf(error);
      return false;
    } finally {
      this.#isBusy.value = false;
    }
  }

  async #walletClient(): Promise<Client> {
    const connected = this.#connected.value;
    if (connected === null) throw new KeyRefusal('Connect the wallet first: it has to sign this.');
    return this.#parts.connect({ signer: this.#walletSigner(connected), wallet: connected.address });
  }

  async #adopt(held: HeldKey): Promise<void> {
    await this.#parts.vault.keep(held);
    this.#hold(held);
    this.#parts.tabs?.tell();
  }

  async #drop(): Promise<void> {
    this.#hold(null);
    await this.#parts.vault.clear();
    this.#parts.tabs?.tell();
  }

  async #takeUp(): Promise<void> {
    const held = await this.#parts.vault.read();
    if (held !== null && held.facts.address === this.#key.value?.facts.address) held.secret.fill(0);
    else if (held !== null || this.#parts.vault.whyMemory === null) this.#hold(held);
    this.#whyMemory.value = this.#parts.vault.whyMemory;
  }

  #hold(held: HeldKey | null): void {
    const before = this.#key.value;
    batch(() => {
      this.#key.value = held;
      this.#agents.value = [];
      this.#whyMemory.value = this.#parts.vault.whyMemory;
    });
    before?.secret.fill(0);
  }

  #venueFacts(): Pick<KeyFacts, 'venue_id' | 'domains'> {
    const venue = this.#parts.venue.value;
    if (venue === null) throw new KeyRefusal('The venue has not said yet who it is. Try again when it answers.');
    return { venue_id: venue.venue_id, domains: domainsOf(venue) };
  }

  #stateOf(): KeyState {
    const { facts } = this.#key.value ?? {};
    if (facts === undefined) return this.#connected.value === null ? 'none' : 'wallet';
    const venue = this.#parts.venue.value;
    if (venue !== null && venue.venue_id !== facts.venue_id) return 'foreign';
    if (facts.expires_at !== null && this.#parts.timeMs.value >= facts.expires_at) return 'expired';
    return facts.address === this.#revoked.value ? 'revoked' : facts.kind;
  }

  #tradingKey(): TradingKey | null {
    const state = this.state.value;
    const held = this.#key.value;
    const connected = this.#connected.value;
    if (held !== null && (state === 'agent' || state === 'throwaway')) {
      return { signer: this.#keySigner(held), wallet: held.facts.wallet, kind: state };
    }
    return connected === null ? null : { signer: this.#walletSigner(connected), wallet: connected.address, kind: 'wallet' };
  }

  #keySigner(held: HeldKey): Signer {
    const { facts, secret } = held;
    const whyNot = (): string | null => {
      if (this.#key.value !== held) return GONE;
      return facts.address === this.#revoked.value ? REVOKED : null;
    };
    return this.#guarded(privateKeySigner(secret), whyNot, facts, facts.expires_at);
  }

  #walletSigner(connected: Connected): Signer {
    const { address, facts, wallet } = connected;
    const signer = walletSigner(wallet.provider, address);
    return this.#guarded({
      address,
      signTypedData: async (data) => {
        this.#waiting.value = data;
        try {
          return await signer.signTypedData(data);
        } finally {
          this.#waiting.value = null;
        }
      },
    }, () => (this.#connected.value === connected ? null : GONE), facts, null);
  }

  #guarded(
    signer: Signer, whyNot: () => string | null, facts: Pick<KeyFacts, 'venue_id' | 'domains'>, until: number | null,
  ): Signer {
    return {
      address: signer.address,
      signTypedData: async (data) => {
        const refusal = whyNot() ?? this.#refusalOf(facts, until, data.domain);
        if (refusal !== null) throw new KeyRefusal(refusal);
        return signer.signTypedData(data);
      },
    };
  }

  #refusalOf({ venue_id: id, domains }: Pick<KeyFacts, 'venue_id' | 'domains'>, until: number | null, domain: Domain): string | null {
    const venue = this.#parts.venue.value;
    if (venue === null) return 'The venue has not said yet who it is, so nothing is signed.';
    if (venue.venue_id !== id) return `This key is of venue ${id}, but venue ${venue.venue_id} answers now. Forget the key to go on.`;
    if (!domains.some((one) => isSameDomain(one, domain)) || !domainsOf(venue).some((one) => isSameDomain(one, domain))) {
      return `This would be signed for ${domain.name} on chain ${domain.chainId}, which this key was not made for.`;
    }
    if (until !== null && this.#parts.timeMs.value >= until) return `The agent key expired at ${timeText(until)}. Approve a new one.`;
    return null;
  }
}

function domainsOf({ chain_id: chainId, perp_signing_domain: perp, signing_domain: own }: ExchangeInfo): readonly Domain[] {
  return [
    { ...own, chainId, verifyingContract: ZERO_ADDRESS },
    { name: perp.name, version: perp.version, chainId: perp.chain_id, verifyingContract: ZERO_ADDRESS },
  ];
}

function isSameDomain(a: Domain, b: Domain): boolean {
  return a.name === b.name && a.version === b.version && a.chainId === b.chainId && a.verifyingContract === b.verifyingContract;
}
