// Four areas side by side, with separators that are dragged or moved by arrow keys; tabs at phone width. An area without panels takes no
// room.

import { computed } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { chosenPanels, fitted, LEAST, MOST, SEPARATED, sizes, type Separated } from './arrangement.ts';
import { AREAS, PANELS } from './panels.ts';
import { Tabs } from './ui/controls.tsx';
import { isPhone, room } from './ui/screen.ts';
import { shownArea, showArea, type Area } from './venue/store.ts';

const STEP = 16;

const shownSizes = computed(() => fitted(sizes.value, room.value));
const USED = AREAS.filter(({ id }) => PANELS.some(({ area }) => area === id));
const has = (area: Area): boolean => USED.some(({ id }) => id === area);

export function Layout() {
  if (isPhone.value) return <PhoneLayout />;
  const { contract, ticket, account } = shownSizes.value;
  const tracks = (area: Area, px: number): readonly string[] => (has(area) ? ['5px', `${px}px`] : []);
  const columns = ['minmax(0, 1fr)', ...tracks('contract', contract), ...tracks('ticket', ticket)];
  const rows = ['minmax(0, 1fr)', ...tracks('account', account)];
  const left = has('contract') ? 'main split-contract contract' : 'main';
  const below = left.split(' ').map(() => 'account').join(' ');
  const right = has('ticket') ? ' split-ticket ticket' : '';
  const areas = has('account') ? [left + right, left.replace(/\S+/g, 'split-account') + right, below + right] : [left + right];
  const style = {
    gridTemplateColumns: columns.join(' '), gridTemplateRows: rows.join(' '), gridTemplateAreas: areas.map((row) => `"${row}"`).join(' '),
  };
  return (
    <main class="layout" style={style}>
      {USED.map(({ id }) => <AreaView key={id} area={id} />)}
      {SEPARATED.filter(has).map((area) => <Separator key={area} area={area} />)}
    </main>
  );
}

function PhoneLayout() {
  return (
    <main class="layout phone">
      <AreaView area={shownArea.value} />
      <nav>
        <Tabs label="Part of the page" tabs={USED} chosen={shownArea.value} onChoose={showArea} controls={`area-${shownArea.value}`} />
      </nav>
    </main>
  );
}

function AreaView({ area }: { readonly area: Area }) {
  const panels = PANELS.filter((panel) => panel.area === area);
  const chosen = panels.find(({ id }) => id === chosenPanels.value[area]) ?? panels[0]!;
  const { View } = chosen;
  return (
    <div class="area" id={`area-${area}`} style={{ gridArea: area }}>
      {panels.length > 1 && (
        <Tabs
          label={AREAS.find(({ id }) => id === area)!.title} tabs={panels} chosen={chosen.id} controls={`panel-${area}`}
          onChoose={(id) => { chosenPanels.value = { ...chosenPanels.value, [area]: id }; }}
        />
      )}
      <div key={chosen.id} class="panel" id={`panel-${area}`} data-panel={chosen.id}><View /></div>
    </div>
  );
}

function Separator({ area }: { readonly area: Separated }) {
  const isUpright = area !== 'account';
  const size = shownSizes.value[area];
  const set = (next: number): void => {
    sizes.value = { ...sizes.value, [area]: Math.round(Math.min(MOST[area], Math.max(LEAST[area], next))) };
  };
  const onPointerDown = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    const element = event.currentTarget;
    const [from, before] = [isUpright ? event.clientX : event.clientY, size];
    const move = (moved: PointerEvent): void => set(before + from - (isUpright ? moved.clientX : moved.clientY));
    element.setPointerCapture(event.pointerId);
    element.addEventListener('pointermove', move);
    element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', move), { once: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(size + step);
  };
  return (
    <div
      class={`split ${isUpright ? 'upright' : 'level'}`} style={{ gridArea: `split-${area}` }} role="separator" tabIndex={0}
      aria-label={`Size of ${area}`} aria-orientation={isUpright ? 'vertical' : 'horizontal'} aria-valuenow={size}
      aria-valuemin={LEAST[area]} aria-valuemax={MOST[area]} onPointerDown={onPointerDown} onKeyDown={onKeyDown}
    />
  );
}
