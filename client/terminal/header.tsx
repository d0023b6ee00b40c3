// The header: underlying, index price, how the page stands to its venue, theme, and the menu of keys.

import { effect } from '@preact/signals';
import { AccountMenu } from './account.tsx';
import { ABSENT, momentBoth, price, timeBoth } from './format.ts';
import { Button } from './ui/controls.tsx';
import { remembered, resetLayout } from './ui/remembered.ts';
import { isPhone } from './ui/screen.ts';
import { venueTime } from './venue/clock.ts';
import { connection } from './venue/connection.ts';
import { indexOf, markets, select, selection } from './venue/store.ts';

const THEMES = ['system', 'dark', 'light'] as const;
type Theme = (typeof THEMES)[number];

const theme = remembered<Theme>('theme', 'system', (value): value is Theme => THEMES.includes(value as Theme));
effect(() => { document.documentElement.dataset['theme'] = theme.value; });

function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}

type HeaderProps = { readonly onFind: () => void; readonly onHelp: () => void };

export function Header({ onFind, onHelp }: HeaderProps) {
  return (
    <header class="top">
      <h1>Strikebook</h1>
      <Underlyings />
      <IndexPrice />
      <Button title="Find a contract: /" onClick={onFind}>Find</Button>
      <span class="space" />
      <VenueState />
      <Button title="Dark, light, or as the system" onClick={nextTheme}>Theme: {theme.value}</Button>
      {!isPhone.value && <Button title="Panels as they were at first" onClick={resetLayout}>Reset layout</Button>}
      {!isPhone.value && <Button label="Keys" title="Keys: ?" onClick={onHelp}>?</Button>}
      <a href="docs">API</a>
      <AccountMenu />
    </header>
  );
}

function Underlyings() {
  const names = [...new Set((markets.value ?? []).map(({ underlying }) => underlying))];
  const chosen = selection.value.underlying;
  return (
    <div class="switch" role="group" aria-label="Underlying">
      {(names.includes(chosen) ? names : [chosen, ...names]).map((name) => (
        <Button key={name} isPressed={name === chosen} onClick={() => select({ underlying: name, expiry: null, contract: null })}>
          {name}
        </Button>
      ))}
    </div>
  );
}

const MOVES = {
  '-1': { sign: '▾', kind: 'down', word: 'down' }, 0: { sign: ' ', kind: '', word: 'unchanged' }, 1: { sign: '▴', kind: 'up', word: 'up' },
} as const;

function IndexPrice() {
  const { underlying } = selection.value;
  const index = indexOf(underlying).value;
  const { sign, kind, word } = MOVES[index?.move ?? 0];
  return (
    <span class="index" title={index === null ? undefined : `${underlying} index, ${momentBoth(index.timestamp)}`}>
      <span class="soft">{underlying} index</span>{' '}
      <span class={`figure ${kind}`}>
        <span class="move" role="img" aria-label={word}>{sign}</span>{index === null ? ABSENT : price(index.price)}
      </span>
    </span>
  );
}

function VenueState() {
  const state = connection.state.value;
  const roundTrip = connection.roundTripMs.value;
  const [kind, text] = state.kind === 'live'
    ? ['good', `Live${roundTrip === null ? '' : ` · ${roundTrip < 10 ? roundTrip.toFixed(1) : Math.round(roundTrip)} ms`}`]
    : state.kind === 'away' ? ['bad', `Away since ${timeBoth(state.since)}`] : ['', 'Connecting …'];
  return (
    <span class="venue-state" title={`Venue time ${momentBoth(venueTime.value)}`}>
      <span class={`dot ${kind}`} aria-hidden="true" /><span role="status">{text}</span>
    </span>
  );
}
