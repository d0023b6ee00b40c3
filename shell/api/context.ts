// What routes and sockets of one api thread share. Created once per thread by service.ts.

import type { Backend } from './auth/recover-signer.ts';
import type { Hasher } from './auth/eip712.ts';
import type { Config } from '../process/config.ts';
import { BUSY, INTERNAL, ANSWER_TIMEOUT, READ_TIMEOUT, sendRefusal, type Envelope } from '../http/errors.ts';
import type { Responder } from '../http/message.ts';
import type { SignatureCheckQueue } from './signature-checks.ts';
import type { Control } from './control.ts';
import type { Leadership } from './leadership.ts';
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
  /** By the perp's asset index (decision 1.5). */
  underlyings: readonly string[];
  readonly control: Control;
  readonly connectionNotices: ConnectionNotices;
  readonly sources: SourceQuotas;
  readonly upstream: UpstreamServices;
  readonly leadership: Leadership;
  /** Ms. */
  readonly now: () => number;
  fault(place: string, error: unknown): void;
};

export type Client = { readonly responder: Responder; readonly envelope: Envelope };

/** `work` answers the client now or later; an exception is a 500. */
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
  sendRefusal(responder, envelope, ANSWER_TIMEOUT);
}

export function sendLateRead({ responder, envelope }: Client): void {
  sendRefusal(responder, envelope, READ_TIMEOUT);
}
