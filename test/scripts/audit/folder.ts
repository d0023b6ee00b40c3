// A small data folder of signed commands, made without a venue: orders in options and perps that rest and trade, replaces,
// cancels, mass quotes, agents, a margin mode, a protection, a tier by the token; frames of a few records, checkpoints, two snapshots.
// Records can be had again, to be forged and chained anew.

import { mkdirSync } from 'node:fs';
import {
  APPROVE_AGENT, CANCEL_ORDER, CANCEL_QUOTES, FLAG_BY_TOKEN, MASS_QUOTE, PLACE_ORDER, REPLACE_ORDER, RESET_MMP, REVOKE_AGENT,
  SET_MARGIN_MODE, SET_MMP, SET_TIER,
} from '../../../core/codec/commands.ts';
import { u64Of } from '../../../core/codec/fields.ts';
import { findAccount } from '../../../core/accounts/accounts.ts';
import { findOrder, orderAccount } from '../../../core/book/pool.ts';
import { viewsOf, type Views } from '../../../core/codec/record.ts';
import { createState, SEQ, TIME, type State } from '../../../core/engine/state.ts';
import { OK } from '../../../core/errors.ts';
import { PRODUCTION } from '../../../core/limits.ts';
import { ORDER_IDS } from '../../../core/orders/orders.ts';
import { createAdmission } from '../../../core/sequencer/admission.ts';
import { NEW_WALLETS_AN_HOUR } from '../../../core/sequencer/rate-budgets.ts';
import { createSequencer, runDue, takeCommand, takeVenueCommand, type OutPort, type Sequencer } from '../../../core/sequencer/sequencer.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { BEHAVIOUR, CODEC } from '../../../core/version.ts';
import { measureCommand, writeCommand, type VerifiedSignature } from '../../../shell/api/command.ts';
import { deriveFields } from '../../../shell/api/derive-fields.ts';
import { textsOf, type AnyValues } from '../../../shell/api/proof-texts.ts';
import { perpOrderOf } from '../../../shell/api/values.ts';
import type { MARGIN_MODES } from '../../../shell/ipc/enum-names.ts';
import { createHasher } from '../../../shell/api/auth/eip712.ts';
import { FLAG_WALLET_NAMED, type StructureName, type Values } from '../../../core/codec/signed-commands.ts';
import { digestPerpOrder, exchangeHasher } from '../../../shell/api/auth/perp-action.ts';
import { parseHex } from '../../../shell/http/hex.ts';
import type { Digest } from '../../../shell/storage/journal/digests.ts';
import { writeSnapshot } from '../../../shell/storage/journal/snapshot-write.ts';
import { JournalWriter } from '../../../shell/storage/journal/writer.ts';
import { snapshotSections } from '../../../shell/storage/recovery.ts';
import { createWallet, signDigest, type Wallet } from '../../../scripts/client.ts';
import { RecordWriter } from '../../support/records.ts';

const VENUE = '00c0ffee00c0ffee';
const NOW = Date.UTC(2026, 0, 5);
const SYMBOLS = ['BTC-20260109-100000-C', 'BTC-20260109-100000-P'];
const FRAME_RECORDS = 5;
const LOOPBACK = { network: '', digest: 0, loopback: true };

const hasher = createHasher('Strikebook', 998);
const bytes = (hex: string, length: number): Uint8Array => {
  const out = new Uint8Array(length);
  if (!parseHex(hex, out)) throw new RangeError(hex);
  return out;
};
const address = (wallet: Wallet): Uint8Array => bytes(wallet.address, 20);

function signatureOf(digest: Uint8Array, by: Wallet): Pick<VerifiedSignature, 'signature' | 'signer'> {
  return { signature: bytes(signDigest(digest, by.key), 65), signer: address(by) };
}

class Port implements OutPort {
  readonly views: Views = viewsOf(new ArrayBuffer(4096));
  readonly kept: Uint8Array[] = [];
  hasRoom(): boolean { return true; }
  claim(): number { return 0; }
  commit(): void { this.kept.push(this.views.u8.slice(0, this.views.u32[0]!)); }
}

/** A core that writes what it sequences, as a venue's main and journal do together. */
class Scribe {
  readonly state: State = createState(PRODUCTION);
  readonly log = new Port();
  readonly digests: Digest[] = [];
  readonly #sequencer: Sequencer;
  readonly #reply = new Port();
  readonly #command = viewsOf(new ArrayBuffer(4096));
  readonly #write = new RecordWriter();
  now = NOW;
  /** Called after each command. */
  onTaken: () => void = () => undefined;
  #nonce = 0;

  constructor() {
    const rules = { table: DEFAULT_LIMITS, rated: false, adminWallets: new Uint32Array(0), newWallets: NEW_WALLETS_AN_HOUR };
    this.#sequencer = createSequencer(this.state, createAdmission(this.state, rules), this.log);
    takeVenueCommand(this.#sequencer, this.#write.configure(defaultSettings()), this.now);
    takeVenueCommand(this.#sequencer, this.#write.addUnderlying('BTC', 600_000), this.now);
    takeVenueCommand(this.#sequencer, this.#write.index(0, 100_000e6, 1), this.now);
    while (runDue(this.#sequencer, this.now)) { /* the listing is bounded */ }
  }

  signed<S extends StructureName>(
    kind: number, structure: S, wallet: Wallet, by: Wallet, values: Omit<Values<S>, 'nonce'>, flags = 0,
  ): void {
    const nonce = { lo: ++this.#nonce, hi: 0 };
    const all = { ...values, nonce } as unknown as Values<S>;
    const digest = new Uint8Array(32);
    hasher.digest(structure, all, digest);
    const members = all as unknown as AnyValues;
    const texts = textsOf(structure, members);
    const signed = { structure, texts, nonce, digest, structHash: hasher.structHash.slice(), ...signatureOf(digest, by) };
    this.#takeSigned(kind, wallet, signed, members, flags);
  }

  /** Of the perp on BTC, asset 0. */
  perp(wallet: Wallet, side: 'Buy' | 'Sell', price: string, size: string, by = wallet): void {
    const nonce = { lo: ++this.#nonce, hi: 0 };
    const texts = { symbol: 'BTC-PERP', side, size, price, tif: 'gtc', clientId: `0x${'5'.repeat(28)}${1_000 + nonce.lo}` };
    const digest = new Uint8Array(32);
    digestPerpOrder('b', perpOrderOf(0, texts, false), nonce, by === wallet ? null : address(wallet), digest);
    const signed = {
      structure: 'Agent', texts: textsOf('Agent', texts), nonce, digest, structHash: exchangeHasher.structHash.slice(),
      ...signatureOf(digest, by),
    } as const;
    this.#takeSigned(PLACE_ORDER, wallet, signed, texts, 0);
  }

  replace(wallet: Wallet, orderId: number, side: 'Buy' | 'Sell', price: string, size: string, symbol: string): void {
    const terms = { symbol, side, size, price, tif: 'gtc', clientId: '' };
    const values = { wallet: address(wallet), orderId: String(orderId), ...terms };
    this.signed(REPLACE_ORDER, 'ReplaceOrder', wallet, wallet, values);
  }

  mode(wallet: Wallet, mode: (typeof MARGIN_MODES)[number]): void {
    const values = { wallet: address(wallet), marginMode: mode };
    this.signed(SET_MARGIN_MODE, 'SetMarginMode', wallet, wallet, values);
  }

  protect(wallet: Wallet): void {
    const texts = { currency: 'BTC', qtyLimit: '100.0', deltaLimit: '', vegaLimit: '5000' };
    const values = { wallet: address(wallet), intervalMs: { lo: 60_000, hi: 0 }, frozenTimeMs: { lo: 0, hi: 0 }, ...texts };
    this.signed(SET_MMP, 'SetMmpConfig', wallet, wallet, values);
    const name = { wallet: address(wallet), currency: 'BTC' };
    this.signed(RESET_MMP, 'ResetMmp', wallet, wallet, name);
  }

  order(wallet: Wallet, side: 'Buy' | 'Sell', price: string, size: string, symbol: string, by = wallet): void {
    const terms = { symbol, side, size, price, tif: 'gtc', clientId: '' };
    this.signed(PLACE_ORDER, 'PlaceOrder', wallet, by, { wallet: address(wallet), ...terms });
  }

  /** The id of the wallet's youngest open order. */
  openOrder(wallet: Wallet): number {
    const { accounts, books, orders } = this.state;
    const account = findAccount(accounts, new Uint32Array(address(wallet).buffer), 0);
    for (let id = orders.counters[ORDER_IDS]!; id > 0; id--) {
      const slot = findOrder(books, id, 0);
      if (slot > 0 && orderAccount(books, slot) === account) return id;
    }
    throw new RangeError('no order is open');
  }

  /** A page of the set `main`, by `by`, and then the cancel of all its quotes in the second contract. */
  quotes(wallet: Wallet, lines: readonly string[], by: Wallet): void {
    const terms = { quoteSet: 'main', validUntil: u64Of(this.now + 10_000), crossing: 'slide', quotes: lines.join('\n') };
    this.signed(MASS_QUOTE, 'MassQuote', wallet, by, { wallet: address(wallet), ...terms });
    const scope = { wallet: address(wallet), quoteSet: 'main', scope: SYMBOLS[1]! };
    this.signed(CANCEL_QUOTES, 'CancelQuotes', wallet, wallet, scope);
  }

  cancel(wallet: Wallet, orderId: number): void {
    const values = { wallet: address(wallet), orderId: String(orderId) };
    this.signed(CANCEL_ORDER, 'CancelOrder', wallet, wallet, values);
  }

  agent(kind: number, wallet: Wallet, agent: Wallet): void {
    const structure = kind === APPROVE_AGENT ? 'ApproveAgent' : 'RevokeAgent';
    this.signed(kind, structure, wallet, wallet, { agent: address(agent) }, FLAG_WALLET_NAMED);
  }

  tier(wallet: Wallet, tier: number): void {
    const fields = { tier, flags: FLAG_BY_TOKEN };
    this.#take({ kind: SET_TIER, wallet: address(wallet), signed: null, source: LOOPBACK, code: OK, fields });
  }

  index(price: number): void {
    this.now += 1_000;
    takeVenueCommand(this.#sequencer, this.#write.index(0, price, 1), this.now);
  }

  #takeSigned(kind: number, wallet: Wallet, signed: VerifiedSignature, values: AnyValues, flags: number): void {
    this.#take({ kind, wallet: address(wallet), signed, source: LOOPBACK, ...deriveFields(kind, signed.structure, values, flags) });
  }

  #take(command: Parameters<typeof measureCommand>[0]): void {
    const length = measureCommand(command);
    writeCommand(this.#command, 0, length, command, 1, 1);
    takeCommand(this.#sequencer, this.#command, 0, ++this.now, this.#reply);
    this.onTaken();
  }
}

/** The records in order, and the seqs of the snapshots and the checkpoints. */
export type Folder = {
  readonly records: readonly Uint8Array[]; readonly lastSeq: number;
  readonly snapshots: readonly number[]; readonly digests: readonly number[];
};

/** Fills `dataFolder`. Its order of records is always the same; its wallets are not. */
export function makeFolder(dataFolder: string, segmentBytes = 1 << 30): Folder {
  mkdirSync(dataFolder, { recursive: true });
  const scribe = new Scribe();
  const writer = openWriter(dataFolder, segmentBytes);
  const [ann, ben, cat, agent] = [createWallet(), createWallet(), createWallet(), createWallet()];
  const digests: Digest[] = [];
  const snapshots: number[] = [];
  let written = 0;
  const step = (): void => {
    const seq = scribe.state.clock[SEQ]!;
    const [low, high] = scribe.state.events.digest;
    if (seq % 20 === 0 && digests.at(-1)?.seq !== seq) digests.push({ seq, low: low!, high: high! });
    if (scribe.log.kept.length - written < FRAME_RECORDS) return;
    const frame = scribe.log.kept.slice(written);
    writer.append(new Uint8Array(Buffer.concat(frame)), written + 1, seq, digests.filter((digest) => digest.seq > written));
    written = seq;
    if (snapshots.length < 2 && seq > 40 * (snapshots.length + 1)) snapshots.push(snapshot(dataFolder, scribe.state, writer.head.hash));
  };
  step();
  scribe.onTaken = step;
  scribe.agent(APPROVE_AGENT, ann!, agent!);
  scribe.mode(cat!, 'portfolio');
  scribe.protect(ann!);
  for (let i = 0; i < 30; i++) {
    scribe.order(ann!, 'Sell', `${3_000 + i}`, '0.2', SYMBOLS[i % 2]!, i % 3 === 0 ? agent : ann);
    scribe.order([ben!, cat!][i % 2]!, 'Buy', `${2_990 + 2 * i}`, '0.3', SYMBOLS[i % 2]!);
    if (i % 4 === 2) {
      scribe.perp(ann!, 'Sell', '100000', '0.02', i === 2 ? agent : ann);
      scribe.perp(ben!, 'Buy', '100000', '0.01');
    }
    if (i % 6 === 5) scribe.replace(ann!, scribe.openOrder(ann!), 'Sell', `${3_100 + i}`, '0.1', SYMBOLS[i % 2]!);
    if (i % 5 === 4) scribe.cancel(ann!, 2 * i + 1);
    if (i % 8 === 7) {
      const lines = [`${SYMBOLS[0]} 0.1 ${2_000 + i} 0.1 ${5_000 + i}`, `${SYMBOLS[1]} - - 0.2 ${5_000 + i}`, 'BTC-PERP 0 - 0.01 200000'];
      scribe.quotes(ann!, lines, i === 7 ? agent! : ann!);
    }
    if (i % 7 === 6) scribe.index(100_000e6 + i * 1e6);
    if (i === 10) scribe.tier(ben!, 3);
    if (i === 20) scribe.agent(REVOKE_AGENT, ann!, agent!);
    if (i === 21) scribe.agent(APPROVE_AGENT, ann!, agent!);
  }
  const lastSeq = scribe.state.clock[SEQ]!;
  if (lastSeq > written) writer.append(new Uint8Array(Buffer.concat(scribe.log.kept.slice(written))), written + 1, lastSeq);
  writer.close();
  return { records: scribe.log.kept, lastSeq, snapshots, digests: digests.map(({ seq }) => seq) };
}

export function openWriter(dataFolder: string, segmentBytes = 1 << 30, behaviour = BEHAVIOUR): JournalWriter {
  const made = { behaviour, codec: CODEC, durability: 'normal', time: NOW, segmentBytes } as const;
  return JournalWriter.open({ dataFolder, venue: VENUE, ...made });
}

function snapshot(dataFolder: string, state: State, headHash: Uint8Array): number {
  const seq = state.clock[SEQ]!;
  const [low, high] = state.events.digest;
  const head = { seq, headHash, behaviour: BEHAVIOUR, codec: CODEC, digest: [low!, high!] as const, meta: { time: state.clock[TIME]! } };
  writeSnapshot(dataFolder, head, snapshotSections(state));
  return seq;
}

/** A journal of these records with a chain of its own: what a forger with the code could make. */
export function chainAnew(dataFolder: string, records: readonly Uint8Array[]): void {
  const writer = openWriter(dataFolder);
  records.forEach((record, at) => writer.append(record, at + 1, at + 1));
  writer.close();
}
