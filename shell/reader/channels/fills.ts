// fills: both sides of every trade, each to its wallet and numbered by its fills. A liquidation order's fills wait for
// the end of the order, when its fee is known.

import { fillSeq } from '../../../core/account-streams.ts';
import { ACCOUNT, FILL, FILL_MAKER, FILL_SIZE, FILL_TAKER, FILL_TAKER_ORDER, FORCED, FUND_POSTED, ORDER_ACCEPTED, ORDER_DONE, ORDER_ID,
  ORDER_SLOT, POSTED_AMOUNT, POSTED_FEE, POSTED_WHY } from '../../../core/codec/events.ts';
import { shareFee } from '../history/moves.ts';
import { fillMessage } from '../history/messages.ts';
import { resumeFills } from './resume.ts';
import { openWallet, walletSeq, type ChannelSource, type SourceParts } from './source.ts';

type Held = { readonly slots: Float64Array; readonly account: number; readonly seq: number; readonly time: number; fee: number };

export function fillsSource(parts: SourceParts): ChannelSource {
  const { state, names, topics } = parts;
  const seqOf = (account: number): number => fillSeq(state.streams.accounts, account);
  let held: Held[] = [];
  let forced = 0;
  const share = (account: number, amount: number): void => {
    if (held[0]?.account !== account) return;
    shareFee(amount, held.map(({ slots }) => slots[FILL_SIZE]!)).forEach((part, i) => { held[i]!.fee = part; });
  };
  const sendHeld = (): void => {
    for (const { slots, account, seq, time, fee } of held) {
      topics.publish(account, seq, () => fillMessage(names, slots, true, time, seq, fee));
    }
    held = [];
  };
  return {
    events: [FILL, FUND_POSTED, ORDER_ACCEPTED, ORDER_DONE],
    onEvent: (kind, f, { time }) => {
      if (kind === ORDER_ACCEPTED) {
        if (f[ORDER_SLOT] === FORCED) forced = f[ORDER_ID]!;
        return;
      }
      if (kind === FUND_POSTED) {
        if (f[POSTED_WHY] === POSTED_FEE) share(f[ACCOUNT]!, f[POSTED_AMOUNT]!);
        return;
      }
      if (kind === ORDER_DONE) {
        if (held[0]?.slots[FILL_TAKER_ORDER] === f[ORDER_ID]) sendHeld();
        return;
      }
      const [taker, maker] = [f[FILL_TAKER]!, f[FILL_MAKER]!];
      if (f[FILL_TAKER_ORDER] === forced) held.push({ slots: f.slice(), account: taker, seq: seqOf(taker), time, fee: 0 });
      else topics.publish(taker, seqOf(taker), () => fillMessage(names, f, true, time, seqOf(taker), 0));
      topics.publish(maker, seqOf(maker), () => fillMessage(names, f, false, time, seqOf(maker), 0));
    },
    open: (key) => openWallet(state, key),
    snapshot: resumeFills(parts, (key) => walletSeq(state, seqOf, key)),
  };
}
