// Time series: equity, theoretical prices with greeks, competition sums. Theoretical prices are thinned every hour, to what the longest
// page of each interval can show: five-minute marks for 9 hours, hourly for 102 hours, then daily. A page ends at the contract's newest
// row, so expired contracts keep theirs. Times in ms, values in 1e-6.

import type Database from 'better-sqlite3';
import { DAY, HOUR } from '../../../core/units.ts';
import type { Db } from './history-file.ts';
import type {
  ContractPointRow, DealingRow, EquityPointRow, EquityRow, FutureEquityRow, LastSentStanding, PointRow, ScoreRow, SentStandingRow,
  SignerRow, StandingRow, TheoRow,
} from './protocol.ts';
import type { LookupTable, NameEntry, WalletEntry } from './lookup-tables.ts';

const KEPT_MARKS = 9 * HOUR;
const KEPT_HOURS = 102 * HOUR;

const UPSERT_EQUITY = 'INSERT OR REPLACE INTO equity VALUES (?, ?, ?, ?, ?)';
const UPSERT_THEO = `INSERT OR REPLACE INTO theos VALUES (@id, @time, @seq, @price, @markIv, @bidIv, @askIv, @delta, @gamma, @vega, @theta,
  @openInterest)`;
const THIN_THEOS = `DELETE FROM theos AS old WHERE symbol = @symbol AND time BETWEEN @from AND @to AND EXISTS (
  SELECT 1 FROM theos AS later WHERE later.symbol = @symbol AND later.time > old.time
    AND later.time < old.time + @interval - (old.time + @interval - 1) % @interval)`;
const ADD_SCORE = `INSERT INTO scores VALUES (@competition, @wallet, @seq, @volume, @adjustment)
  ON CONFLICT DO UPDATE SET seq = @seq, volume = volume + @volume, adjustment = adjustment + @adjustment`;
const ADD_DEALING = `INSERT INTO dealings VALUES (@competition, @one, @other, @seq, @amount)
  ON CONFLICT DO UPDATE SET seq = @seq, amount = amount + @amount`;
const ADD_SIGNER = 'INSERT OR IGNORE INTO signers VALUES (@competition, @signer, @wallet, @seq)';
const DEALINGS = `SELECT d.seq AS seq, competition, a.address AS one, b.address AS other, amount FROM dealings d
  CROSS JOIN wallets a ON a.id = d.one CROSS JOIN wallets b ON b.id = d.other WHERE competition = ?`;
const SIGNERS = `SELECT s.seq AS seq, competition, a.address AS signer, b.address AS wallet FROM signers s
  CROSS JOIN wallets a ON a.id = s.signer CROSS JOIN wallets b ON b.id = s.wallet WHERE competition = ?`;
const UPSERT_SENT_STANDING =
  'INSERT OR REPLACE INTO sent_standings VALUES (@wallet, @competition, @seq, @rank, @pnl, @volume, @gap, @number)';
const SENT_STANDING = 'SELECT rank, pnl, volume, gap FROM sent_standings WHERE wallet = ? AND competition = ?';
const LAST_NUMBER = 'SELECT ifnull(max(number), 0) FROM sent_standings WHERE wallet = ?';
const valueBefore = (time: string): string => (
  `(SELECT value - credited FROM equity e WHERE e.wallet = w.id AND time <= ${time} ORDER BY time DESC LIMIT 1)`
);
const WORTHS = `${valueBefore('@start')} AS atStart, ${valueBefore('@end')} AS atEnd,
    (SELECT value - credited FROM equity e WHERE e.wallet = w.id ORDER BY time LIMIT 1) AS opening`;
const STANDINGS = `SELECT w.address AS wallet, volume, adjustment, ${WORTHS}
  FROM scores s CROSS JOIN wallets w ON w.id = s.wallet WHERE competition = @competition`;
const STANDING = `SELECT address AS wallet, 0 AS volume, 0 AS adjustment, ${WORTHS} FROM wallets w WHERE address = @wallet`;
const EQUITY = 'SELECT seq, time, value, credited FROM equity WHERE wallet = ? AND time <= ? ORDER BY time DESC LIMIT 1';
const FUTURE_EQUITY = 'SELECT address AS wallet FROM wallets w WHERE (SELECT max(time) FROM equity e WHERE e.wallet = w.id) > ?';
const THEO = `SELECT seq, time, value, mark_iv AS markIv, bid_iv AS bidIv, ask_iv AS askIv, delta, gamma, vega, theta,
  open_interest AS openInterest FROM theos WHERE symbol = ? AND time <= ? ORDER BY time DESC LIMIT 1`;
const THEO_AT = 'SELECT 1 FROM theos WHERE symbol = ? AND time = ?';

type Texts = { readonly wallets: LookupTable<WalletEntry>; readonly names: LookupTable<NameEntry> };
type Span = { readonly interval: number; readonly to: number; readonly limit: number };
type StandingsQuery = { readonly competition: number; readonly start: number; readonly end: number; readonly wallets: readonly string[] };
type Series = {
  equity(wallet: string, span: Span): EquityPointRow[];
  theos(symbol: string, span: Span): ContractPointRow[];
  equityAt(wallet: string, times: readonly number[]): { point: EquityPointRow | null }[];
  futureEquity(time: number): FutureEquityRow[];
  standings(query: StandingsQuery): StandingRow[];
  sentStandings(competition: number, wallets: readonly string[]): LastSentStanding[];
  dealings(competition: number): DealingRow[];
  signers(competition: number): SignerRow[];
};
type SeriesInserts = {
  equity(row: EquityRow): void; theo(row: TheoRow): void; score(row: ScoreRow): void;
  sentStanding(row: SentStandingRow): void; dealing(row: DealingRow): void; signer(row: SignerRow): void;
};

export function prepareSeries(db: Db, { wallets, names }: Texts): Series {
  const [equity, theo] = [db.prepare(EQUITY), db.prepare(THEO)];
  const futureEquity = db.prepare(FUTURE_EQUITY);
  const [sentStanding, lastNumber] = [db.prepare(SENT_STANDING), db.prepare(LAST_NUMBER).pluck()];
  const [dealings, signers] = [db.prepare(DEALINGS), db.prepare(SIGNERS)];
  const [standings, standing] = [db.prepare(STANDINGS), db.prepare(STANDING)];
  return {
    equity: (wallet, span) => {
      const entry = wallets.find(wallet);
      return entry === null ? [] : lastOfEach(span, (time) => equity.get(entry.id, time) as EquityPointRow | undefined);
    },
    theos: (symbol, span) => {
      const entry = names.find(symbol);
      return entry === null ? [] : lastOfEach(span, (time) => theo.get(entry.id, time) as ContractPointRow | undefined);
    },
    equityAt: (wallet, times) => {
      const entry = wallets.find(wallet);
      return times.map((time) => ({ point: entry === null ? null : (equity.get(entry.id, time) as EquityPointRow | undefined) ?? null }));
    },
    futureEquity: (time) => futureEquity.all(time) as FutureEquityRow[],
    sentStandings: (competition, wanted) => wanted.map((wallet) => {
      const id = wallets.find(wallet)?.id ?? 0;
      const row = sentStanding.get(id, competition) as LastSentStanding['standing'] | undefined;
      return { wallet, number: lastNumber.get(id) as number, standing: row ?? null };
    }),
    dealings: (competition) => dealings.all(competition) as DealingRow[],
    signers: (competition) => signers.all(competition) as SignerRow[],
    standings: ({ competition, start, end, wallets: more }) => {
      const found = standings.all({ competition, start, end }) as StandingRow[];
      const known = new Set(found.map(({ wallet }) => wallet));
      const others = more.filter((wallet) => !known.has(wallet)).map((wallet) => (
        standing.get({ wallet, start, end }) as StandingRow | undefined
          ?? { wallet, volume: 0, adjustment: 0, atStart: null, atEnd: null, opening: null }
      ));
      return [...found, ...others];
    },
  };
}

function endOfInterval(time: number, interval: number): number {
  return Math.ceil(time / interval) * interval;
}

function lastOfEach<Row extends PointRow>({ interval, to, limit }: Span, before: (time: number) => Row | undefined): Row[] {
  const found: Row[] = [];
  let until = to;
  while (found.length < limit) {
    const row = before(until);
    if (row === undefined) break;
    found.push(row);
    until = endOfInterval(row.time, interval) - interval;
  }
  return found.reverse();
}

export function prepareSeriesInserts(db: Db, { wallets, names }: Texts): SeriesInserts {
  const [equity, theo, thin] = [UPSERT_EQUITY, UPSERT_THEO, THIN_THEOS].map((text) => db.prepare(text)) as Three;
  const theoAt = db.prepare(THEO_AT);
  const [dealing, signer] = [db.prepare(ADD_DEALING), db.prepare(ADD_SIGNER)];
  const [score, sentStanding] = [db.prepare(ADD_SCORE), db.prepare(UPSERT_SENT_STANDING)];
  return {
    equity: ({ wallet, time, seq, equity: value, credited }) => void equity.run(wallets.findOrAdd(wallet).id, time, seq, value, credited),
    theo: ({ symbol, ...row }) => {
      const [{ id }, { time }] = [names.findOrAdd(symbol), row];
      theo.run({ ...row, id });
      if (time % HOUR !== 0) return;
      // Rows that aged since the last run, plus an hour; all older rows if a run was missed.
      const reach = theoAt.get(id, time - HOUR) === undefined ? time : 2 * HOUR;
      thin.run({ symbol: id, from: time - KEPT_MARKS - reach, to: time - KEPT_MARKS, interval: HOUR });
      thin.run({ symbol: id, from: time - KEPT_HOURS - reach, to: time - KEPT_HOURS, interval: DAY });
    },
    dealing: ({ one, other, ...row }) => void dealing.run({ ...row, one: wallets.findOrAdd(one).id, other: wallets.findOrAdd(other).id }),
    signer: ({ signer: by, wallet, ...row }) => void signer.run({
      ...row, signer: wallets.findOrAdd(by).id, wallet: wallets.findOrAdd(wallet).id,
    }),
    sentStanding: ({ wallet, ...row }) => void sentStanding.run({ ...row, wallet: wallets.findOrAdd(wallet).id }),
    score: ({ wallet, ...row }) => void score.run({ ...row, wallet: wallets.findOrAdd(wallet).id }),
  };
}

type Statement = Database.Statement<unknown[]>;
type Three = [Statement, Statement, Statement];
