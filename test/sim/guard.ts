// Expected effects of the dead man's switch and of cancel on disconnect, computed from accepted commands and their times alone: when each
// fires and why, and what is set at any time. Also checks that no work stays due when the core reports none. Times in ms. Shares only
// layouts with the core.

import assert from 'node:assert/strict';
import { DONE_CANCEL_AFTER, DONE_DISCONNECTED, ENGINE_BUSY, INVALID_SCHEDULE, OK } from '../../core/errors.ts';
import { DISCONNECTED, RECONNECTED } from '../../core/codec/commands.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import { DAY } from '../../core/units.ts';
import { accountTotal } from '../support/raw.ts';
import { accountOf, type RunContext } from './draw.ts';

/** `connection`: its two words as a text, '0,0' for the last one; moments 0: none. */
type Row = { cancelAt: number; timeout: number; isOn: boolean; grace: number; connection: string; goneAt: number };

const ANY = '0,0';
/** How far ahead an item of a batch must schedule, ms; at most a day. */
const SCHEDULE_LEAST = 5_000;
const SILENT: Readonly<Row> = { cancelAt: 0, timeout: 0, isOn: false, grace: 0, connection: ANY, goneAt: 0 };

export class Guard {
  private readonly rows = new Map<number, Row>();

  /** Starts from the present state. */
  constructor(state: State) {
    for (let account = 0; account < accountTotal(state); account++) this.rows.set(account, rawRow(state, account));
  }

  /** Draws a deadline of a wallet that mostly has open orders, or a notice about its connection. */
  act(action: 'guard' | 'presence' | 'switch', { draw, random, venue, anyone, send }: RunContext): void {
    const { state, write } = venue;
    const wallet = random.chance(0.7) ? draw.openOrder(state).wallet : anyone;
    const account = accountOf(state, wallet);
    const [ms, connection, isOn] = [draw.patience(), [...draw.connection()], random.chance(0.85)];
    if (action === 'presence') {
      const kind = random.chance(0.6) ? DISCONNECTED : RECONNECTED;
      if (account < 0) return;
      venue.venue(write.presence(kind, account, connection));
      return this.setPresence(kind, account, connection, state.clock[TIME]!);
    }
    const nonce = draw.nonce(wallet);
    const isSwitch = action === 'switch';
    const code = send(isSwitch ? write.cancelAfter(wallet, nonce, ms) : write.cancelOnDisconnect(wallet, nonce, isOn, ms, connection));
    const time = state.clock[TIME]!;
    if (code === ENGINE_BUSY && account >= 0) assert.ok(this.isOverdue(account, time), 'guard: busy without a deadline that waits');
    if (code !== OK) return;
    const row = this.row(accountOf(state, wallet));
    if (isSwitch) Object.assign(row, { timeout: ms, cancelAt: ms === 0 ? 0 : time + ms });
    else turnOff(row, isOn ? { isOn, grace: ms, connection: connection.join() } : {});
  }

  /** An item of a batch named the time at which all orders are cancelled; 0: never. */
  schedule(account: number, at: number, code: number, time: number): void {
    const isFar = at !== 0 && (at < time + SCHEDULE_LEAST || at > time + DAY);
    assert.equal(code === INVALID_SCHEDULE, isFar, `guard: a schedule ${at - time} ms ahead is ${code}`);
    if (code === ENGINE_BUSY) assert.ok(this.isOverdue(account, time), 'guard: busy without a deadline that waits');
    if (code === OK) Object.assign(this.row(account), { timeout: at === 0 ? 0 : at - time, cancelAt: at });
  }

  private setPresence(kind: number, account: number, connection: readonly number[], time: number): void {
    const row = this.row(account);
    if (!row.isOn || row.connection !== connection.join()) return;
    if (kind === DISCONNECTED) row.goneAt ||= time + row.grace;
    else if (row.goneAt > time) row.goneAt = 0;
  }

  private isOverdue(account: number, time: number): boolean {
    return this.reasonDue(account, time) !== 0;
  }

  /** The reason of a passed deadline that no tick has fired yet; 0: none. */
  reasonDue(account: number, time: number): number {
    const { cancelAt, goneAt } = this.row(account);
    const isGone = goneAt !== 0 && goneAt <= time;
    if (cancelAt !== 0 && cancelAt <= time) return isGone && goneAt < cancelAt ? DONE_DISCONNECTED : DONE_CANCEL_AFTER;
    return isGone ? DONE_DISCONNECTED : 0;
  }

  /** A deadline of the account has fired. */
  fire(account: number, reason: number, time: number): void {
    const row = this.row(account);
    const [at, other] = reason === DONE_CANCEL_AFTER ? [row.cancelAt, row.goneAt] : [row.goneAt, row.cancelAt];
    assert.ok(at !== 0 && at <= time, 'guard: it fires when nothing is due');
    assert.ok(other === 0 || (reason === DONE_CANCEL_AFTER ? at <= other : at < other), 'guard: the later deadline fires first');
    if (reason === DONE_CANCEL_AFTER) Object.assign(row, { cancelAt: 0, timeout: 0 });
    else if (row.connection === ANY) row.goneAt = 0;
    else turnOff(row);
    assert.ok(reason === DONE_CANCEL_AFTER || reason === DONE_DISCONNECTED, 'guard: a reason');
  }

  /** The account is closed; the next owner of its row starts without deadlines. */
  close(account: number): void {
    this.rows.delete(account);
  }

  /** `isIdle`: the core reports no work due by `time`. */
  check(state: State, isIdle: boolean, time: number): void {
    for (let account = 0; account < accountTotal(state); account++) {
      assert.deepEqual(rawRow(state, account), this.row(account), `guard: what account ${account} has set`);
      assert.ok(!isIdle || !this.isOverdue(account, time), `guard: a deadline of account ${account} was not met`);
    }
  }

  private row(account: number): Row {
    const row = this.rows.get(account) ?? { ...SILENT };
    this.rows.set(account, row);
    return row;
  }
}

/** Cancel on disconnect is off, or what is set instead; the switch stays. */
function turnOff(row: Row, instead: Partial<Row> = {}): void {
  const { cancelAt, timeout } = row;
  Object.assign(row, SILENT, { cancelAt, timeout }, instead);
}

function rawRow({ safety }: State, account: number): Row {
  return {
    cancelAt: safety.cancelAt[account]!, timeout: safety.timeout[account]!, isOn: safety.enabled[account] === 1,
    grace: safety.grace[account]!, connection: safety.connection.subarray(account * 2, account * 2 + 2).join(),
    goneAt: safety.goneAt[account]!,
  };
}
