// A panel whose code is loaded when first shown, so that the first load of the page stays small.

import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

export function later(load: () => Promise<ComponentType>): ComponentType {
  const loaded = signal<{ readonly View: ComponentType } | null>(null);
  const problem = signal(false);
  const begin = (): void => {
    if (loaded.peek() !== null) return;
    problem.value = false;
    load().then((View) => { loaded.value = { View }; }, () => { problem.value = true; });
  };
  return function Later() {
    useEffect(begin, []);
    if (loaded.value !== null) return <loaded.value.View />;
    if (!problem.value) return <p class="empty">Loading …</p>;
    return <p class="empty">This panel could not be loaded. <button type="button" class="button" onClick={begin}>Try again</button></p>;
  };
}
