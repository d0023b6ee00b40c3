// What the routes and the socket of one api thread work with: settings, the ways to main and reader, the checks, the
// budgets of sources. Made once per thread by service.ts.

import type { Backend } from './auth/recover-signer.ts';
import type { Hasher } from './auth/eip712.ts';
import type { Config } from '../process/config.ts';
import { BUSY, INTERNAL, LATE, LATE_READ, sendRefusal, type Envelope } from '../http/errors.ts';
import type { Responder } from '../http/message.ts';
import type { SignatureCheckQueue } from './signature-checks.ts';
import type { Control } from './control.ts';
import type { UpstreamServices } from './upstream-services.ts';
import type { ReaderClient } from './reader-client.ts';
import type { ConnectionNotices } from './connection-notices.ts';
import type { SourceQuotas } from './source-quotas.ts';
import type { CommandSender } from './command-sender.ts';

export type ApiContext = {
  readonly config: Config;
  readonly token: string;
  readonly hasher: Hasher;
  readonly backend: Backend;
  readonly checks: SignatureCheckQueue;
  readonly writes: CommandSender;
  readonly reads: ReaderClient;
  /** In the order in which the venue has added them (decision 1.5): a perp's place here is its asset index. */
  underlyings: readonly string[];
  readonly control: Control;
  readonly connectionNotices: ConnectionNotices;
  readonly sources: SourceQuotas;
  readonly upstream: UpstreamServices;
  /** The venue's time, ms: not the wall's where the venue has a clock of its own. */
  readonly now: () => number;
  /** For the operator: an exception of ours; its client has an answer. */
  fault(place: string, error: unknown): void;
};

/** Who is to be answered, and in which shape of error. */
export type Client = { readonly responder: Responder; readonly envelope: Envelope };

/** Runs `work`, which answers the client now or later; what it throws is the client's 500. */
export function guarded(api: ApiContext, place: string, { responder, envelope }: Client, work: () => void): void {
  try {
    work();
  } catch (error) {
    api.fault(place, error);
    sendRefusal(responder, envelope, INTERNAL);
  }
}

export function sendBusy({ responder, envelope }: Client): void {
  sendRefusal(responder, envelope, BUSY);
}

export function sendTimeout({ responder, envelope }: Client): void {
  sendRefusal(responder, envelope, LATE);
}

export function sendLateRead({ responder, envelope }: Client): void {
  sendRefusal(responder, envelope, LATE_READ);
}
