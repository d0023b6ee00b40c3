// The last signed messages of the page, with what came back. In memory until the page is closed.

import { signal, type ReadonlySignal } from '@preact/signals';
import { StrikebookError, type SignedAct } from '../../src/main.ts';

export type Outcome = { readonly isError: boolean; readonly body: unknown; readonly text: string };
type SignedEntry = {
  readonly id: number; readonly sentMs: number; readonly act: SignedAct;
  readonly outcome: ReadonlySignal<Outcome | null>;
};

const KEPT = 12;
/** Only the newest is kept of what is sent again and again. */
const REPEATED: readonly string[] = ['/mass-quote', '/cancel-after'];
let lastId = 0;

export const signedLog = signal<readonly SignedEntry[]>([]);

export function noteSigned(act: SignedAct): void {
  const outcome = signal<Outcome | null>(null);
  void outcomeOf(act.outcome).then((told) => { outcome.value = told; });
  const { path } = act.request;
  const others = REPEATED.includes(path) ? signedLog.value.filter((one) => one.act.request.path !== path) : signedLog.value;
  signedLog.value = [{ id: ++lastId, sentMs: Date.now(), act, outcome }, ...others].slice(0, KEPT);
}

export async function outcomeOf(answer: Promise<unknown>): Promise<Outcome> {
  try {
    const body = await answer;
    return { isError: false, body, text: body === null ? 'Done (an answer without a body).' : JSON.stringify(body, null, 1) };
  } catch (error) {
    return { isError: true, body: error instanceof StrikebookError ? error.details : null, text: venueText(error) };
  }
}

export function venueText(error: unknown): string {
  const { details, message } = error as Partial<StrikebookError>;
  const told = (details as { readonly message?: unknown; readonly reason?: unknown } | null | undefined);
  const text = told?.message ?? told?.reason ?? message;
  return typeof text === 'string' ? text : String(error);
}
