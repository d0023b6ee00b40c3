// Nanoseconds per option price, greeks, implied volatility, elementary function and exact product.
//   node bench/pricing.ts
// Each figure is the median over samples of a loop of BATCH calls on varied inputs, divided by BATCH. All but the option rows
// include one indirect call, whose cost is the row `call`.
import { Bench } from 'tinybench';
import { addWide } from '../core/ledger/wide.ts';
import { exp, log, normalCdf } from '../core/math/elementary.ts';
import { mulDivFloor, mulDivHalfUp } from '../core/math/exact.ts';
import { SETTLEMENT_WINDOW, optionValue, valueGreeks } from '../core/pricing/averaged.ts';
import { GREEKS_LENGTH, optionGreeks, optionPrice } from '../core/pricing/black76.ts';
import { impliedVolatility } from '../core/pricing/implied.ts';
import { YEAR } from '../core/units.ts';
import { figure, heading } from './machine.ts';

const BATCH = 4_096;

function inputs(make: (i: number) => number): Float64Array {
  return Float64Array.from({ length: BATCH }, (_, i) => make((i * 2_654_435_761 % BATCH) / BATCH));
}

const strike = inputs((u) => 40_000 + 120_000 * u);
const years = inputs((u) => 0.002 + 0.6 * u * u);
const sigma = inputs((u) => 0.3 + 0.9 * (1 - u));
/** Strikes within two deviations of the forward and their prices: calls and puts in turn, in and out of the money. */
const near = inputs((u) => 4 * (7 * u % 1) - 2).map((away, i) => 100_000 * Math.exp(away * sigma[i]! * Math.sqrt(years[i]!)));
const premium = near.map((k, i) => optionPrice((i & 1) === 0, 100_000, k, years[i]!, sigma[i]!, 1));
/** Times to expiry outside of the settlement window, and in it. */
const later = years.map((t) => SETTLEMENT_WINDOW + t * YEAR);
const soon = inputs((u) => (1 - u) * SETTLEMENT_WINDOW);
const settling = inputs((u) => 99_000 + 2_000 * (7 * u % 1));
const average = inputs((u) => 99_500 + 1_000 * (3 * u % 1));
const x = inputs((u) => 8 * u - 6);
const positive = inputs((u) => 0.2 + 3 * u);
const size = inputs((u) => 1 + Math.floor(u * 1e7));
const hugeSize = inputs((u) => 1e12 + Math.floor(u * 1e13));
const price = inputs((u) => 1 + Math.floor(u * 2e8));
const out = new Float64Array(GREEKS_LENGTH);
const wide = new Float64Array(2);
let sink = 0;

function each(call: (i: number) => number): () => void {
  return () => {
    let sum = 0;
    for (let i = 0; i < BATCH; i++) sum += call(i);
    sink += sum;
  };
}

const bench = new Bench({ time: 500, warmupTime: 200 });
bench
  .add('optionPrice', () => {
    let sum = 0;
    for (let i = 0; i < BATCH; i++) sum += optionPrice((i & 1) === 0, 100_000, strike[i]!, years[i]!, sigma[i]!, 1);
    sink += sum;
  })
  .add('optionGreeks', () => {
    for (let i = 0; i < BATCH; i++) optionGreeks(out, (i & 1) === 0, 100_000, strike[i]!, years[i]!, sigma[i]!, 0.03);
    sink += out[0]!;
  })
  .add('impliedVolatility', () => {
    let sum = 0;
    for (let i = 0; i < BATCH; i++) sum += impliedVolatility((i & 1) === 0, 100_000, near[i]!, years[i]!, premium[i]!, 1);
    sink += sum;
  })
  .add('optionValue, before the window', () => {
    let sum = 0;
    for (let i = 0; i < BATCH; i++) sum += optionValue((i & 1) === 0, 100_000, strike[i]!, later[i]!, 0, 0, sigma[i]!);
    sink += sum;
  })
  .add('optionValue, in the window', () => {
    let sum = 0;
    for (let i = 0; i < BATCH; i++) sum += optionValue((i & 1) === 0, 100_000, settling[i]!, soon[i]!, 0, average[i]!, sigma[i]!);
    sink += sum;
  })
  .add('valueGreeks, in the window', () => {
    for (let i = 0; i < BATCH; i++) valueGreeks(out, (i & 1) === 0, 100_000, settling[i]!, soon[i]!, 0, average[i]!, sigma[i]!);
    sink += out[0]!;
  })
  .add('call', each((i) => x[i]!))
  .add('exp', each((i) => exp(x[i]!)))
  .add('log', each((i) => log(positive[i]!)))
  .add('normalCdf', each((i) => normalCdf(x[i]!)))
  .add('mulDivHalfUp, product below 2^53', each((i) => mulDivHalfUp(price[i]!, size[i]!, 1e6)))
  .add('mulDivHalfUp, product beyond 2^53', each((i) => mulDivHalfUp(price[i]!, hugeSize[i]!, 1e6)))
  .add('mulDivFloor, general divisor', each((i) => mulDivFloor(hugeSize[i]!, price[i]!, hugeSize[i]! - 7)))
  .add('addWide', each((i) => {
    addWide(wide, 0, hugeSize[i]!);
    return 0;
  }));
await bench.run();
heading(`one call, warm: loops of ${BATCH} over varied inputs; all but the option rows include one indirect call, the row \`call\``);
for (const task of bench.tasks) {
  const { result } = task;
  if (result.state !== 'completed') throw new Error(`${task.name}: ${result.state}`);
  figure(task.name, result.latency.p50 * 1e6 / BATCH, 'ns', `median of ${result.latency.samplesCount} samples`);
}
if (Number.isNaN(sink)) throw new Error('a result is no number');
