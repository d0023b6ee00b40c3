// Banners that stand while something is wrong, toasts that pass, dialogs that ask for an answer.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';

type BannerProps = { readonly kind: 'bad' | 'warn'; readonly title: string; readonly children: ComponentChildren };

export function Banner({ kind, title, children }: BannerProps) {
  return <div class={`banner ${kind}`} role="status"><strong>{title}</strong> <span>{children}</span></div>;
}

type Toast = { readonly id: number; readonly kind: 'good' | 'bad' | 'plain'; readonly text: string };

const TOAST_MS = 6_000;
const TOASTS = 4;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Shows a text for some seconds. Screen readers read it when idle. */
export function showToast(text: string, kind: Toast['kind'] = 'plain'): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, kind, text }].slice(-TOASTS);
  setTimeout(() => close(id), TOAST_MS);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text }) => (
        <p key={id} class={kind}>{text} <Button label="Close this message" onClick={() => close(id)}>×</Button></p>
      ))}
    </div>
  );
}

type DialogProps = { readonly title: string; readonly onClose: () => void; readonly children: ComponentChildren };

/** Modal: the browser keeps the focus inside, closes by Escape, gives the focus back. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Before the next key: text typed after a dialog's key goes into it.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <header><h2 id={heading}>{title}</h2><Button label="Close" onClick={onClose}>×</Button></header>
      {children}
    </dialog>
  );
}
