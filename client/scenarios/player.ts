// Plays the moments of a scenario against its venue: first the operator's index prices and volatilities, then each participant in file
// order, one request at a time. Each request is noted before it is sent, so a run that goes on after a kill sends exactly that again, which
// the venue does only once.

import { createHash } from 'node:crypto';
import { smileAt, valueAt, type Participant, type Scenario } from '../../shell/process/scenario-file.ts';
import { Http, type Request } from '../src/http.ts';
import { connect, privateKeySigner, StrikebookError, type OrderUpdate, type Strikebook } from '../src/main.ts';
import { actsOf } from './personas.ts';

/** As sent; `isOperators`: with the admin token. */
type Act = Pick<Request<unknown>, 'method' | 'path' | 'body'> & { readonly isOperators: boolean };
/** `part`: 0 is the operator's, then a participant each. `left`: what is sent next and after it. */
export type Progress = { readonly since: number; readonly part: number; readonly left: readonly Act[] };
/** Kept beside the journal. */
export type Notes = { read(): Progress; write(progress: Progress): void };

type PlayerOptions = {
  readonly url: string; readonly token: string; readonly scenario: Scenario; readonly notes: Notes; readonly say: (text: string) => void;
};

const MICRO = 1_000_000;
/** Of one participant at one moment. */
const MOST_NONCES = 1_000;
/** The outcome is not known, or is the same later: sent again. */
const AGAIN = ['timeout', 'no_answer', 'engine_busy', 'not_ready', 'internal_error'];
const MAKERS = ['tight_maker', 'wide_maker'];

/** The same in every run. */
export function keyOf(seed: number, name: string): string {
  return createHash('sha256').update(`scenario ${seed} ${name}`).digest('hex');
}

export class Player {
  readonly #options: PlayerOptions;
  readonly #operator: Http;
  #venues: readonly Strikebook[] | null = null;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#operator = new Http(options.url, { headers: { authorization: `Bearer ${options.token}` } });
  }

  /** What is due at this venue time, or left of it. */
  async play(time: number): Promise<void> {
    const { notes, scenario: { end, participants, start, step } } = this.#options;
    const since = time - start;
    const noted = notes.read();
    const isBegun = noted.since === since;
    if (!isBegun && (noted.since > since || since > end || since % step !== 0)) return;
    let part = isBegun ? noted.part : 0;
    let left = isBegun ? noted.left : await this.#actsOf(part, since);
    for (;;) {
      for (; left.length > 0; left = left.slice(1)) {
        notes.write({ since, part, left });
        await this.#send(participants[part - 1]?.name ?? 'operator', left[0]!);
      }
      if (++part > participants.length) break;
      left = await this.#actsOf(part, since);
    }
    notes.write({ since, part, left });
  }

  /** A line a participant, exact. */
  async report(): Promise<readonly string[]> {
    const { participants } = this.#options.scenario;
    const venues = await this.#connect();
    return Promise.all(venues.map(async (venue, at) => {
      const { margin_summary: margin, positions } = await venue.get('/portfolio', { wallet: venue.wallet });
      const held = positions.map(({ amount, symbol }) => `${amount} ${symbol}`).join(', ');
      return `${participants[at]!.name} ${venue.wallet}: equity ${margin?.equity ?? '0'}, positions ${held === '' ? 'none' : held}`;
    }));
  }

  async #connect(): Promise<readonly Strikebook[]> {
    const { scenario: { participants, seed }, url } = this.#options;
    const connected = (name: string): Promise<Strikebook> => connect(url, { signer: privateKeySigner(keyOf(seed, name)) });
    return this.#venues ??= await Promise.all(participants.map(({ name }) => connected(name)));
  }

  async #actsOf(part: number, since: number): Promise<readonly Act[]> {
    const { scenario: { index, participants, start, step } } = this.#options;
    const venues = await this.#connect();
    if (part === 0) return [...this.#market(since), ...since > 0 ? [] : venues.map(({ wallet }, at) => tierOf(wallet, participants[at]!))];
    const [participant, venue] = [participants[part - 1]!, venues[part - 1]!];
    const time = start + since;
    let nonces = time * MOST_NONCES;
    const nonce = (): number => ++nonces;
    const opening = since > 0 ? [] : [
      venue.forms.requestUsername(participant.name, nonce()),
      ...MAKERS.includes(participant.persona) ? [venue.forms.setMarginMode('portfolio', nonce())] : [],
    ];
    const path = index.find(({ underlying }) => underlying === participant.underlying)!;
    const acts = await actsOf({ participant, venue, index: path, since, step, time, nonce });
    const signed = await Promise.all([...opening, ...acts].map((one) => venue.sign(one)));
    const credit = since > 0 ? [] : await creditOf(venue, participant);
    return [...credit, ...signed.map(({ body, method, path: to }): Act => ({ method, path: to, body: body!, isOperators: false }))];
  }

  #market(since: number): readonly Act[] {
    const { index, step, surface } = this.#options.scenario;
    const smiles = surface.filter(({ points }) => points.some(({ at }) => at > since - step && at <= since)).map((path) => {
      const { atm, curvature, skew } = smileAt(path, since);
      const shape = { atm_vol: text(atm), skew: text(skew), curvature: text(curvature) };
      return operators('/admin/vol-surface', { underlying: path.underlying, ...shape });
    });
    const prices = index.map((path) => operators('/admin/index-price', { underlying: path.underlying, price: text(valueAt(path, since)) }));
    return [...prices, ...smiles];
  }

  /** A refusal is part of the market: the venue refuses the same in every run. */
  async #send(name: string, { isOperators, ...request }: Act): Promise<void> {
    const { say } = this.#options;
    const venue = isOperators ? this.#operator : (await this.#connect())[0]!;
    for (;;) {
      try {
        const answer = await venue.send(request) as Partial<OrderUpdate> | null;
        if (answer?.status === 'REJECTED') say(`${name}: ${request.path} is rejected: ${answer.reason}`);
        return;
      } catch (error) {
        if (!(error instanceof StrikebookError)) throw error;
        if (AGAIN.includes(error.code)) continue;
        if (error.code === 'unauthorized') throw error;
        return say(`${name}: ${error.message}`);
      }
    }
  }
}

function operators(path: string, body: object): Act {
  return { method: 'POST', path, body: JSON.stringify(body), isOperators: true };
}

/** It opens the account too. */
function tierOf(wallet: string, { persona }: Participant): Act {
  return operators('/user-tier', { wallet, tier: MAKERS.includes(persona) ? 'market_maker' : 'default' });
}

async function creditOf(venue: Strikebook, { cash, name }: Participant): Promise<readonly Act[]> {
  if (cash === null) return [];
  const { available_balance: balance } = await venue.get('/portfolio', { wallet: venue.wallet });
  const amount = cash - Math.round(Number(balance) * MICRO);
  if (amount === 0) return [];
  return [operators('/admin/credit', { wallet: venue.wallet, amount: text(amount), reason: 'scenario', id: `scenario-${name}` })];
}

/** Of micros. */
function text(micros: number): string {
  const whole = Math.abs(micros).toString().padStart(7, '0');
  return `${micros < 0 ? '-' : ''}${whole.slice(0, -6)}.${whole.slice(-6)}`;
}
