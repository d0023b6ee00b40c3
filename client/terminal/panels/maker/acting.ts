// Sends a signed request and keeps what came of it, in the venue's own words if it was refused.

import type { Signal } from '@preact/signals';
import type { Told } from '../../ui/card.tsx';
import { venueText } from '../../venue/signed-log.ts';

export async function acting(told: Signal<Told | null>, done: string, send: () => Promise<unknown>): Promise<void> {
  try {
    const { success = true, error } = (await send() ?? {}) as { readonly success?: boolean; readonly error?: unknown };
    told.value = success ? { isError: false, text: done } : { isError: true, text: String(error) };
  } catch (error) {
    told.value = { isError: true, text: venueText(error) };
  }
}
