// The audit of a data folder: the chain of every frame; digest, signer and numbers of every signed record, derived again from its
// texts; a full replay, compared with every checkpoint of the output digest and with every snapshot; the ledger of accounts that moved
// after each command, of all at each snapshot and at the end; the sums at the end. Stops at the first difference from what was committed
// and names its seq. Reads only.

import { accountOf } from '../../core/trading/wallets.ts';
import {
  FLAG_BY_TOKEN, isSignedKind, QUARANTINE, readSafe, SET_TIER, WORD_NONCE, WORD_QUARANTINED_SEQ, WORD_TIER_FLAGS,
} from '../../core/codec/commands.ts';
import { recordKind, recordSeq, viewsOf, type Views } from '../../core/codec/record.ts';
import { apply, skipCommand } from '../../core/engine/apply.ts';
import { createState, SEQ, stateSections, type State } from '../../core/engine/state.ts';
import { findUnderlying } from '../../core/instruments/underlyings.ts';
import { PRODUCTION } from '../../core/limits.ts';
import { isUsed } from '../../core/nonces.ts';
import { hashSections } from '../../core/snapshot/hash.ts';
import { BEHAVIOUR, CODEC } from '../../core/version.ts';
import { verifyRecord } from '../../shell/api/verify-record.ts';
import { HistoryRefusal } from '../../shell/storage/history/history-errors.ts';
import type { KnownHead } from '../../shell/storage/journal/head-file.ts';
import { hashText } from '../../shell/storage/journal/chain.ts';
import { readDigests, type Digest } from '../../shell/storage/journal/digests.ts';
import { JournalDamage, JournalRefusal } from '../../shell/storage/journal/journal-errors.ts';
import { journalHead, readFrames, type Frame } from '../../shell/storage/journal/read.ts';
import { listSegments, readMetaOf, type SegmentMeta } from '../../shell/storage/journal/segment.ts';
import { snapshotHeads, type Snapshot } from '../../shell/storage/journal/snapshot-read.ts';
import type { SigningDomain } from '../../shell/storage/journal/venue-identity.ts';
import { knownHeads, recover } from '../../shell/storage/recovery.ts';
import { folderRefusal } from '../../shell/process/start-refusal.ts';
import { domainsOf, Judges, type GivenDomain } from './domains.ts';
import { MovementCheck } from './movements.ts';
import { snapshotFault, soundSnapshots } from './snapshots.ts';
import { sumFault } from './sums.ts';

/** Committed data has changed or is missing: `seq` is the first that is affected. */
export class Unsound extends Error {
  readonly seq: number;

  constructor(seq: number, reason: string) {
    super(reason);
    this.seq = seq;
  }
}

/** The audit cannot run with these options. */
export class CannotAudit extends Error {}

/** The signing domain is that of the seqs for which the folder names none. */
type AuditOptions = GivenDomain & {
  readonly dataFolder: string;
  /** Replay from the oldest snapshot that this BEHAVIOUR of the core can load; the records before it are verified, not applied. */
  readonly fromSnapshot: boolean;
  /** Hex of a head hash noted elsewhere, through which the chain must pass; null for none. */
  readonly knownHead: string | null;
  /** Called with the state before the replay, to listen to its events and to read it at the end. */
  readonly onState?: (state: State) => void;
  /** Called after each applied record, with its kind. */
  readonly onRecord?: (kind: number) => void;
  readonly onProgress: (stage: 'chain' | 'replay', seq: number, lastSeq: number) => void;
};

export type AuditReport = {
  readonly firstSeq: number;
  readonly appliedFrom: number;
  readonly lastSeq: number;
  /** Hex of the chain's hash at its end. */
  readonly head: string;
  /** The seq of `knownHead`; null without one. */
  readonly knownAt: number | null;
  readonly signatures: number;
  readonly checkpoints: number;
  readonly snapshots: number;
  readonly quarantined: readonly number[];
  readonly domains: readonly SigningDomain[];
  /** Hash of the replayed state, hex. */
  readonly stateHash: string;
};

type Chain = {
  readonly lastSeq: number; readonly head: string; readonly knownAt: number | null; readonly quarantined: readonly number[];
};

/** Throws Unsound, CannotAudit, or a refusal to read the folder (JournalRefusal, HistoryRefusal). */
export function auditFolder(options: AuditOptions): AuditReport {
  try {
    return audited(options);
  } catch (error) {
    throw verdictOf(options.dataFolder, error);
  }
}

/** Damaged and missing data are findings. Data of another version, which cannot be read, is not. */
function verdictOf(dataFolder: string, error: unknown): unknown {
  if (error instanceof JournalDamage) return new Unsound(error.seq, error.message);
  const refusal = folderRefusal(dataFolder, error);
  const isFinding = refusal instanceof HistoryRefusal || (refusal instanceof JournalRefusal && refusal.code !== 'unusable');
  return refusal === null || isFinding ? error : new CannotAudit(refusal.message);
}

function audited(options: AuditOptions): AuditReport {
  const { dataFolder } = options;
  const [oldest] = listSegments(dataFolder);
  if (oldest === undefined) throw whatIsMissing(dataFolder);
  const { sound, faults } = soundSnapshots(dataFolder);
  const meta = readMetaOf(dataFolder, oldest);
  const { firstSeq, venue } = meta;
  const domains = domainsOf(dataFolder, venue, options);
  const chain = readChain(options, meta, knownHeads(dataFolder, venue));
  // Also checks the bytes after the end of the chain.
  journalHead(dataFolder);
  const [fault] = [...faults].sort((a, b) => a.seq - b.seq);
  if (fault !== undefined) throw new Unsound(fault.seq, fault.reason);
  const state = startState(options, firstSeq, sound);
  const appliedFrom = state.clock[SEQ]! + 1;
  options.onState?.(state);
  const replay = new Replay(options, { state, chain, snapshots: sound, domains });
  replay.run(firstSeq);
  const wrong = replay.ledgerFault() ?? sumFault(state);
  if (wrong !== null) throw new Unsound(chain.lastSeq, wrong);
  const stateHash = Buffer.from(hashSections(stateSections(state)).buffer).toString('hex');
  const { signatures, checkpoints, snapshots } = replay;
  return { firstSeq, appliedFrom, ...chain, signatures, checkpoints, snapshots, domains, stateHash };
}

/** The error for a folder without a segment: data that refers to a lost one, or nothing to audit. */
function whatIsMissing(dataFolder: string): Error {
  try {
    journalHead(dataFolder, snapshotHeads(dataFolder));
  } catch (error) {
    if (error instanceof JournalRefusal) return error;
    throw error;
  }
  return new CannotAudit(`${dataFolder} has no journal`);
}

/** The first pass: checks that every frame follows from the one before, and collects quarantined seqs. */
function readChain({ dataFolder, knownHead, onProgress }: AuditOptions, oldest: SegmentMeta, known: readonly KnownHead[]): Chain {
  const { firstSeq } = oldest;
  const quarantined: number[] = [];
  let lastSeq = firstSeq - 1;
  let head = hashText(oldest.previousHash);
  let knownAt = head === knownHead ? lastSeq : null;
  for (const frame of readFrames(dataFolder, firstSeq, { known })) {
    ({ lastSeq } = frame);
    head = hashText(frame.hash);
    if (head === knownHead) knownAt = lastSeq;
    eachRecord(frame, (views, at) => {
      if (recordKind(views, at) === QUARANTINE) quarantined.push(readSafe(views, (at >>> 2) + WORD_QUARANTINED_SEQ));
    });
    onProgress('chain', lastSeq, lastSeq);
  }
  if (knownHead !== null && knownAt === null) {
    if (firstSeq > 1) throw new CannotAudit(`the head given may lie before seq ${firstSeq}, whose segments are not here`);
    throw new Unsound(lastSeq, `the chain never has the head ${knownHead}; it ends with ${head}`);
  }
  return { lastSeq, head, knownAt, quarantined };
}

function eachRecord(frame: Frame, visit: (views: Views, at: number) => void): void {
  const views = viewsOf(frame.bytes.buffer, frame.bytes.byteOffset, frame.bytes.byteLength);
  for (let at = 0; at < frame.bytes.length; at += views.u32[at >>> 2]!) visit(views, at);
}

/** False for the venue's own commands, and for commands by admin token instead of a signature. */
function carriesSignature(views: Views, at: number): boolean {
  const kind = recordKind(views, at);
  return isSignedKind(kind) && (kind !== SET_TIER || (views.u32[(at >>> 2) + WORD_TIER_FLAGS]! & FLAG_BY_TOKEN) === 0);
}

function startState({ dataFolder, fromSnapshot }: AuditOptions, firstSeq: number, snapshots: readonly Snapshot[]): State {
  if (!fromSnapshot) {
    if (firstSeq === 1) return createState(PRODUCTION);
    throw new CannotAudit(`the oldest segment starts at seq ${firstSeq}: bring back those before it, or use --from-snapshot`);
  }
  const oldest = Math.max(firstSeq - 1, endOfOthers(dataFolder));
  const start = snapshots.find(({ seq, codec }) => seq >= oldest && codec === CODEC);
  if (start === undefined) throw new CannotAudit(`there is no snapshot of seq ${oldest} or later to start from`);
  return recover({ dataFolder, limits: PRODUCTION, toSeq: start.seq }).state;
}

/** The last seq written by another BEHAVIOUR of the core, which cannot be applied; 0 if there is none. */
function endOfOthers(dataFolder: string): number {
  const metas = listSegments(dataFolder).map((segment) => readMetaOf(dataFolder, segment));
  const last = metas.findLastIndex(({ behaviour }) => behaviour !== BEHAVIOUR);
  if (last < 0) return 0;
  return last + 1 < metas.length ? metas[last + 1]!.firstSeq - 1 : journalHead(dataFolder)!.seq;
}

type ReplayParts = {
  readonly state: State; readonly chain: Chain; readonly snapshots: readonly Snapshot[]; readonly domains: readonly SigningDomain[];
};

/** The second pass: verifies every record, and applies those after the seq of the state. */
class Replay {
  signatures = 0;
  checkpoints = 0;
  snapshots = 0;
  readonly #options: AuditOptions;
  readonly #state: State;
  readonly #chain: Chain;
  readonly #quarantined: ReadonlySet<number>;
  readonly #snapshots: ReadonlyMap<number, Snapshot>;
  readonly #digests: ReadonlyMap<number, Digest>;
  readonly #judges: Judges;
  readonly #movements: MovementCheck;

  constructor(options: AuditOptions, { state, chain, snapshots, domains }: ReplayParts) {
    this.#options = options;
    this.#state = state;
    this.#chain = chain;
    this.#quarantined = new Set(chain.quarantined);
    this.#movements = new MovementCheck(state);
    const { listener } = state.events;
    state.events.listener = (kind, slots) => {
      this.#movements.onEvent(kind, slots);
      listener?.(kind, slots);
    };
    this.#snapshots = new Map(snapshots.map((snapshot) => [snapshot.seq, snapshot]));
    const from = state.clock[SEQ]! + 1;
    this.#digests = new Map([...readDigests(options.dataFolder, from)].map((digest) => [digest.seq, digest]));
    this.#judges = new Judges(domains, (underlyingLo, underlyingHi) => findUnderlying(state.underlyings, underlyingLo, underlyingHi));
  }

  run(firstSeq: number): void {
    const { dataFolder, onProgress } = this.#options;
    const { lastSeq } = this.#chain;
    this.#compare(this.#state.clock[SEQ]!);
    for (const frame of readFrames(dataFolder, firstSeq, { toSeq: lastSeq })) {
      const { segment, codec, behaviour } = frame;
      if (codec !== CODEC) throw new CannotAudit(`segment ${segment} holds records of codec ${codec}, this reads ${CODEC}`);
      if (behaviour !== BEHAVIOUR && frame.lastSeq > this.#state.clock[SEQ]!) {
        throw new CannotAudit(`segment ${segment} was written by behaviour ${behaviour}, this is ${BEHAVIOUR}: try --from-snapshot`);
      }
      eachRecord(frame, (views, at) => this.#record(views, at));
      onProgress('replay', frame.lastSeq, lastSeq);
    }
  }

  /** Of every account. */
  ledgerFault(): string | null {
    return this.#movements.wholeFault();
  }

  #record(views: Views, at: number): void {
    const seq = recordSeq(views, at);
    const isSigned = carriesSignature(views, at);
    const { judge, domain: { name, chainId } } = this.#judges.of(seq);
    const fault = isSigned ? verifyRecord(views, at, judge) : null;
    if (fault !== null) throw new Unsound(seq, `${fault} (domain "${name}", chain ${chainId})`);
    if (isSigned) this.signatures++;
    if (seq <= this.#state.clock[SEQ]!) return;
    if (this.#quarantined.has(seq)) skipCommand(this.#state, views, at);
    else this.#apply(views, at, seq, isSigned);
    this.#options.onRecord?.(recordKind(views, at));
    this.#compare(seq);
  }

  /** `apply` checks the signer's authority at the time of the command; this checks that its nonce was unused. */
  #apply(views: Views, at: number, seq: number, isSigned: boolean): void {
    const state = this.#state;
    const account = isSigned && recordKind(views, at) !== SET_TIER ? accountOf(state, views, at) : -1;
    const nonce = (at >>> 2) + WORD_NONCE;
    if (account >= 0 && isUsed(state.nonces, account, views.u32[nonce]!, views.u32[nonce + 1]!)) {
      throw new Unsound(seq, 'its nonce was used before');
    }
    try {
      apply(state, views, at);
    } catch (error) {
      throw new Unsound(seq, `fails when applied: ${error instanceof Error ? error.message : String(error)}`);
    }
    const wrong = this.#movements.fault();
    if (wrong !== null) throw new Unsound(seq, wrong);
  }

  #compare(seq: number): void {
    const digest = this.#digests.get(seq);
    if (digest !== undefined) {
      const [low, high] = this.#state.events.digest;
      if (low !== digest.low || high !== digest.high) throw new Unsound(seq, 'the checkpoint states another output digest than the replay');
      this.checkpoints++;
    }
    const snapshot = this.#snapshots.get(seq);
    if (snapshot === undefined) return;
    const fault = this.ledgerFault() ?? snapshotFault(this.#state, snapshot);
    if (fault !== null) throw new Unsound(seq, fault);
    this.snapshots++;
  }
}
