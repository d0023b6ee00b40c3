// Choices that the browser remembers. Nothing secret, and the page works without the storage.

import { effect, signal, type Signal } from '@preact/signals';

const PREFIX = 'strikebook.';
const all: (() => void)[] = [];

/** Begins with the remembered value if `isValid` accepts it. */
export function remembered<T>(name: string, standard: T, isValid: (value: unknown) => value is T): Signal<T> {
  const value = signal(read(name, standard, isValid));
  effect(() => write(name, value.value));
  return value;
}

export function rememberedLayout<T>(name: string, standard: T, isValid: (value: unknown) => value is T): Signal<T> {
  const value = remembered(name, standard, isValid);
  all.push(() => { value.value = standard; });
  return value;
}

export function resetLayout(): void {
  for (const reset of all) reset();
}

function read<T>(name: string, standard: T, isValid: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
    return isValid(value) ? value : standard;
  } catch {
    return standard;
  }
}

function write(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden: the choice lasts until the page is closed.
  }
}
