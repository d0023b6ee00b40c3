// Answers of GET /candles, /instrument-candles, /vol-index and /vol-index/candles.

import type { State } from '../../core/engine/state.ts';
import { historyBusy, okData, refused, type GiveAnswer, type QueryAnswer } from './answers.ts';
import type { CandleParts } from './history/candle-parts.ts';
import { askCandles, candleRecord, instrumentCandle } from './history/candles.ts';
import type { HistoryLink } from './history/link.ts';
import type { Rows } from '../storage/history/protocol.ts';
import type { QueryParameters } from '../ipc/queries.ts';
import { canonicalSymbol, slotOfSymbol, underlyingOfSymbol, type Names } from './text.ts';
import type { CandlesData, InstrumentCandlesData, VolIndexData } from '../http/shapes/markets.ts';

type Parts = {
  readonly state: State; readonly names: Names; readonly rows: Rows; readonly history: HistoryLink; readonly candleParts: CandleParts;
};

export class CandleQueries {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  ofIndex(kind: 'index' | 'vol_index', { underlying, resolution, start, end }: QueryParameters['candles'], give: GiveAnswer): void {
    if (this.#numberOf(underlying) < 0) return give(unknownUnderlying(underlying));
    const isAsked = askCandles(this.#parts, { kind, of: underlying, resolution, start, end }, (candles) => {
      give(okData<CandlesData>({ underlying, resolution, candles: candles.map((candle) => candleRecord(underlying, resolution, candle)) }));
    });
    if (!isAsked) give(historyBusy('api'));
  }

  ofInstrument({ instrument_name: name, price, resolution, start, end }: QueryParameters['instrumentCandles'], give: GiveAnswer): void {
    const symbol = canonicalSymbol(name);
    if (symbol === null) return give(refused('api', 'invalid_parameter', `Invalid instrument_name: ${name}`));
    const contract = { underlying: underlyingOfSymbol(symbol), symbol, price, resolution };
    const isAsked = askCandles(this.#parts, { kind: price, of: symbol, resolution, start, end }, (candles) => {
      if (candles.length === 0 && slotOfSymbol(this.#parts.state, symbol) < 0) {
        return give(refused('api', 'not_found', `Instrument not found: ${name}`));
      }
      const shown = candles.map((candle) => instrumentCandle(contract, candle));
      return give(okData<InstrumentCandlesData>({ instrument_name: symbol, price, resolution, candles: shown }));
    });
    if (!isAsked) give(historyBusy('api'));
  }

  volIndex(underlying: string): QueryAnswer {
    const number = this.#numberOf(underlying);
    if (number < 0) return unknownUnderlying(underlying);
    const { value, time, expiries } = this.#parts.candleParts.volIndex.of(number);
    return okData<VolIndexData>({
      underlying, vol_index: value, timestamp: time,
      expiries: expiries.map(({ expiry, sigma, isStale }) => ({ expiration_timestamp: expiry, volatility: sigma, is_stale: isStale })),
    });
  }

  #numberOf(underlying: string): number {
    return this.#parts.names.underlyings().indexOf(underlying);
  }
}

function unknownUnderlying(underlying: string): QueryAnswer {
  return refused('api', 'invalid_parameter', `Unknown underlying: ${underlying}`);
}
