// Data that clients of this thread request from external services: gas fees and candles. Each client is answered once.

import { sharedSteady } from '../process/clock.ts';
import type { Config } from '../process/config.ts';
import { CandleSource, type CandleRequest } from '../feeds/hyperliquid/candle-source.ts';
import type { Candle } from '../http/shapes/markets.ts';
import { GasProvider, type Estimate } from '../feeds/gas-provider.ts';
import type { Counter } from '../ipc/counters.ts';
import { UpstreamFailure } from '../feeds/upstream.ts';

type Fail = (why: string) => void;

export class UpstreamServices {
  readonly hasFees: boolean;
  readonly hasCandles: boolean;
  readonly #stopping = new AbortController();
  readonly #gas: GasProvider;
  readonly #candles: CandleSource;
  #waiting = 0;

  constructor({ chainId, feed, gasRpc, hyperliquidInfo }: Config, now: () => number, steady: () => number, candlesSpent: Counter) {
    const { signal: stop } = this.#stopping;
    this.hasFees = gasRpc !== null;
    this.hasCandles = feed === 'hyperliquid';
    this.#gas = new GasProvider({ url: gasRpc ?? '', chainId, now, steady, stop });
    this.#candles = new CandleSource({ url: hyperliquidInfo, spent: candlesSpent, steady: sharedSteady, stop });
  }

  get waiting(): number {
    return this.#waiting;
  }

  fees(settle: (estimate: Estimate) => void, fail: Fail): void {
    this.#track(this.#gas.estimate(), settle, fail);
  }

  candles(question: CandleRequest, settle: (candles: readonly Candle[]) => void, fail: Fail): void {
    this.#track(this.#candles.ask(question), settle, fail);
  }

  close(): void {
    this.#stopping.abort();
  }

  #track<T>(answer: Promise<T>, settle: (value: T) => void, fail: Fail): void {
    this.#waiting++;
    const ended = (act: () => void): void => {
      this.#waiting--;
      act();
    };
    answer.then((value) => ended(() => settle(value)), (error: unknown) => {
      if (!(error instanceof UpstreamFailure)) throw error;
      ended(() => fail(error.message));
    });
  }
}
