// Parts of panels that are not grids: cards side by side where there is room, facts, the answer to an action.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export function Sheet({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return <div class="sheet" role="region" aria-label={label} tabIndex={0}>{children}</div>;
}

type CardProps = { readonly title: string; readonly isWide?: boolean; readonly children: ComponentChildren };

export function Card({ title, isWide, children }: CardProps) {
  const heading = useId();
  return (
    <section class={isWide === true ? 'card wide' : 'card'} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  );
}

export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return <dl class="facts">{rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

export type Told = { readonly isError: boolean; readonly text: string };

/** Keeps its place while there is nothing. */
export function Answer({ told }: { readonly told: Told | null }) {
  return <p class={`answer ${told === null ? '' : told.isError ? 'bad' : 'good'}`} role="status">{told?.text ?? ''}</p>;
}
