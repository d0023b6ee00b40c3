// Competitions and their leaderboards, and the profile of the wallet with its name.

import { useSignal } from '@preact/signals';
import type { Competition, Leaderboard } from '../../../src/main.ts';
import { ABSENT, momentBoth, price, signed, timeLeft } from '../../format.ts';
import { openWalletMenu } from '../../keys/wallet-menu.tsx';
import { Answer, Card, Facts, Sheet, type Told } from '../../ui/card.tsx';
import { Button, Field } from '../../ui/controls.tsx';
import { DataGrid } from '../../ui/grid.tsx';
import { venueTime } from '../../venue/clock.ts';
import { connection } from '../../venue/connection.ts';
import { useRead } from '../../venue/hooks.ts';
import { venueText } from '../../venue/signed-log.ts';

type Row = Leaderboard['data'][number];
type Metric = Leaderboard['sort_by'];

const LIST_EVERY_MS = 15_000;
const BOARD_EVERY_MS = 5_000;
const BOARD_ROWS = 100;
const STATES = { pre: 'Begins in', active: 'Ends in', post: 'Ended' } as const;
const METRICS: Readonly<Record<Metric, string>> = { pnl: 'Profit', volume: 'Volume', efficiency: 'Efficiency' };
const MEDALS = ['', 'gold', 'silver', 'bronze'];

export function Competitions() {
  const wallet = connection.account.value?.wallet ?? null;
  const listed = useRead('/competitions', { limit: 50 }, { everyMs: LIST_EVERY_MS });
  const chosen = useSignal<number | null>(null);
  const competitions = listed.data?.data ?? [];
  const shown = competitions.find(({ id }) => id === chosen.value) ?? competitions.find(({ state }) => state === 'active')
    ?? competitions[0];
  const nothing = listed.data === null ? 'Asking the venue …' : 'None yet. The operator creates them.';
  return (
    <Sheet label="Competitions and profile">
      <Card title="Competitions" isWide>
        {shown === undefined
          ? <p class="hint">{listed.error?.message ?? nothing}</p>
          : (
            <>
              <Field label="Competition">
                {(id) => (
                  <select
                    id={id} class="select" value={shown.id} onChange={(event) => { chosen.value = Number(event.currentTarget.value); }}
                  >
                    {competitions.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
                  </select>
                )}
              </Field>
              <About competition={shown} />
              <Board key={shown.id} competition={shown} wallet={wallet} />
            </>
          )}
      </Card>
      {wallet === null ? <NoProfile /> : <ProfileCard key={wallet} wallet={wallet} />}
    </Sheet>
  );
}

function About({ competition }: { readonly competition: Competition }) {
  const { description, end_ts_ms: end, primary_win_condition: primary, rules_content: rules, start_ts_ms: start, state } = competition;
  const moment = state === 'pre' ? start : end;
  return (
    <>
      {description !== null && description !== '' && <p>{description}</p>}
      <p class="hint">
        Won by {METRICS[primary].toLowerCase()}. {STATES[state]}{' '}
        {state === 'post' ? momentBoth(end) : `${timeLeft(moment - venueTime.value)}, at ${momentBoth(moment)}`}.
      </p>
      {rules !== null && rules !== '' && <p class="hint">{rules}</p>}
    </>
  );
}

type BoardProps = { readonly competition: Competition; readonly wallet: string | null };

function Board({ competition: { id, primary_win_condition: primary, win_conditions: conditions }, wallet }: BoardProps) {
  const by = useSignal<Metric>(primary);
  const query = { competition_id: id, sort_by: by.value, limit: BOARD_ROWS, ...(wallet !== null && { wallet }) };
  const { data, error } = useRead('/competitions/leaderboard', query, { everyMs: BOARD_EVERY_MS });
  const own = data?.connected_user ?? null;
  const columns = [
    {
      id: 'rank', title: 'Rank',
      cell: ({ medal, rank }: Row) => <>{rank}{medal !== null && <small class="soft"> {MEDALS[medal]}</small>}</>,
    },
    { id: 'name', title: 'Name', isText: true, cell: ({ username }: Row) => username },
    { id: 'wallet', title: 'Wallet', isText: true, cell: ({ wallet: address }: Row) => address },
    { id: 'pnl', title: 'Profit, USDC', cell: ({ pnl }: Row) => signed(pnl) },
    { id: 'volume', title: 'Volume, USDC', cell: ({ volume }: Row) => price(volume) },
    { id: 'efficiency', title: 'Efficiency', cell: ({ efficiency }: Row) => signed(efficiency) },
  ];
  return (
    <>
      <span class="switch" role="group" aria-label="Ranking by">
        {conditions.map((metric) => (
          <Button key={metric} isPressed={metric === by.value} onClick={() => { by.value = metric; }}>{METRICS[metric]}</Button>
        ))}
      </span>
      <DataGrid
        label="Leaderboard" columns={columns} rows={data?.data ?? []} rowKey={(row) => row.wallet}
        isSelected={(row) => row.wallet === wallet}
        empty={error?.message ?? (data === null ? 'Asking the venue …' : 'Nobody has traded in it yet. A first fill puts you on the list.')}
      />
      {own !== null && (
        <p class="hint">
          You: {own.rank === null ? 'not ranked yet' : `rank ${own.rank}`}, profit {signed(own.pnl)}, volume {price(own.volume)}.
        </p>
      )}
    </>
  );
}

function NoProfile() {
  return (
    <Card title="Profile">
      <p class="hint">A key gives you a profile with a name for the leaderboard.</p>
      <div class="bar"><Button onClick={openWalletMenu}>Choose a key</Button></div>
    </Card>
  );
}

function ProfileCard({ wallet }: { readonly wallet: string }) {
  const { data, refresh } = useRead('/profile', { wallet }, { everyMs: BOARD_EVERY_MS });
  const profile = data?.data ?? null;
  const typed = useSignal('');
  const told = useSignal<Told | null>(null);
  const save = async (): Promise<void> => {
    try {
      const answer = await connection.client.peek()!.setUsername(typed.value);
      told.value = { isError: false, text: `Your name is ${answer.data.username}.` };
    } catch (error) {
      told.value = { isError: true, text: venueText(error) };
    }
    refresh();
  };
  return (
    <Card title="Profile">
      <Facts rows={[
        ['Name', profile === null ? ABSENT : profile.username === '' ? 'none yet' : profile.username],
        ['Wallet', wallet],
        ['Here for', profile?.account_age_days === null || profile === null ? ABSENT : `${profile.account_age_days} d`],
        ['Profit of 24 hours', signed(profile?.pnl.pnl_24h)],
        ['Realised so far', signed(profile?.pnl.lifetime_realized)],
        ['Unrealised', signed(profile?.pnl.unrealized)],
      ]} />
      <form class="action" onSubmit={(event) => { event.preventDefault(); void save(); }}>
        <Field label="New name">
          {(id) => (
            <input
              id={id} class="text-input" type="text" autocomplete="off" spellcheck={false} value={typed.value}
              onInput={(event) => { typed.value = event.currentTarget.value; }}
            />
          )}
        </Field>
        <Button kind="primary" isSubmit isDisabled={typed.value.trim() === '' || connection.account.value?.signer === null}>
          Set name
        </Button>
      </form>
      <Answer told={told.value} />
    </Card>
  );
}
