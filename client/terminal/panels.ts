// The table of panels: a folder under panels/ and a row here. Data: see the heads of `venue/store.ts` and `venue/connection.ts`; keys:
// `useKeys`.

import type { ComponentType } from 'preact';
import { Book } from './panels/book/book.tsx';
import { Chain } from './panels/chain/chain.tsx';
import { Lists } from './panels/lists/lists.tsx';
import { Ticket } from './panels/ticket/ticket.tsx';
import { later } from './ui/later.tsx';
import type { Area } from './venue/store.ts';

/** Panels of one area are its tabs. */
type Panel = { readonly id: string; readonly title: string; readonly area: Area; readonly View: ComponentType };

export const PANELS: readonly Panel[] = [
  { id: 'chain', title: 'Chain', area: 'main', View: Chain },
  { id: 'chart', title: 'Chart', area: 'main', View: later(async () => (await import('./panels/chart/chart.tsx')).PriceChart) },
  { id: 'risk', title: 'Risk', area: 'main', View: later(async () => (await import('./panels/risk/risk.tsx')).Risk) },
  { id: 'smile', title: 'Volatility', area: 'main', View: later(async () => (await import('./panels/smile/smile.tsx')).Smile) },
  { id: 'book', title: 'Book', area: 'contract', View: Book },
  { id: 'ticket', title: 'Ticket', area: 'ticket', View: Ticket },
  { id: 'lists', title: 'Positions', area: 'account', View: Lists },
  { id: 'maker', title: 'Maker', area: 'main', View: later(async () => (await import('./panels/maker/maker.tsx')).Maker) },
  {
    id: 'connection', title: 'Connection', area: 'main',
    View: later(async () => (await import('./panels/connection/connection-panel.tsx')).ConnectionPanel),
  },
  {
    id: 'competitions', title: 'Competitions', area: 'main',
    View: later(async () => (await import('./panels/competitions/competitions.tsx')).Competitions),
  },
  {
    id: 'operator', title: 'Operator', area: 'main',
    View: later(async () => (await import('./panels/operator/operator-panel.tsx')).OperatorPanel),
  },
];

/** At phone width the areas are tabs with these titles. */
export const AREAS: readonly { readonly id: Area; readonly title: string }[] = [
  { id: 'main', title: 'Chain' },
  { id: 'contract', title: 'Contract' },
  { id: 'ticket', title: 'Ticket' },
  { id: 'account', title: 'Account' },
];
