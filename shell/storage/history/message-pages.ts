// Messages of private streams that no other table holds, for clients that resume. A commit's messages of one stream are
// one page: texts of consecutive numbers, one per line. At least the newest KEPT_MESSAGES are kept; older ones go with
// their page.

import type { Statement } from 'better-sqlite3';
import type { Db } from './history-file.ts';
import { KEPT_MESSAGES, MESSAGE_CHANNELS, type KeptMessage, type MessageChannel, type MessageRow } from './protocol.ts';
import type { LookupTable, WalletEntry } from './lookup-tables.ts';

const INSERT = 'INSERT INTO messages (seq, body) VALUES (?, ?)';
const INSERT_PAGE = 'INSERT INTO message_pages VALUES (?, ?, ?, ?, ?)';
const REMOVE = `DELETE FROM messages WHERE id IN
  (SELECT page FROM message_pages WHERE wallet = @wallet AND channel = @channel AND last <= @last)`;
const REMOVE_PAGES = 'DELETE FROM message_pages WHERE wallet = @wallet AND channel = @channel AND last <= @last';
const PAGES = `SELECT first, body FROM message_pages CROSS JOIN messages ON id = page
  WHERE wallet = ? AND channel = ? AND last > ? ORDER BY last`;
const REMOVE_EVERY = 512;

type Gathered = { readonly channel: MessageChannel; readonly wallet: string; last: number; seq: number; readonly texts: string[] };

type Four = [Statement, Statement, Statement, Statement];

export class MessagePages {
  #gathered = new Map<string, Gathered>();
  readonly #write: (page: Gathered) => void;

  constructor(db: Db, wallets: LookupTable<WalletEntry>) {
    const [insert, insertPage, remove, removePages] = [INSERT, INSERT_PAGE, REMOVE, REMOVE_PAGES].map((text) => db.prepare(text)) as Four;
    this.#write = ({ channel, wallet, last, seq, texts }) => {
      const entry = wallets.findOrAdd(wallet);
      const number = MESSAGE_CHANNELS.indexOf(channel);
      const first = last - texts.length + 1;
      insertPage.run(entry.id, number, last, first, insert.run(seq, texts.join('\n')).lastInsertRowid);
      const isTime = Math.floor(last / REMOVE_EVERY) > Math.floor((first - 1) / REMOVE_EVERY);
      if (!isTime) return;
      const old = { wallet: entry.id, channel: number, last: last - KEPT_MESSAGES[channel] };
      remove.run(old);
      removePages.run(old);
    };
  }

  add({ channel, wallet, number, seq, text }: MessageRow): void {
    const stream = channel + wallet;
    const page = this.#gathered.get(stream);
    if (page === undefined) {
      this.#gathered.set(stream, { channel, wallet, last: number, seq, texts: [text] });
      return;
    }
    if (number !== page.last + 1) throw new RangeError(`${channel} of ${wallet}: message ${number} after ${page.last}`);
    page.last = number;
    page.seq = seq;
    page.texts.push(text);
  }

  flush(): void {
    for (const page of this.#gathered.values()) this.#write(page);
    this.#gathered = new Map();
  }
}

type MessageQuery = { readonly wallet: string; readonly channel: MessageChannel; readonly after: number; readonly limit: number };

export function prepareMessages(db: Db, wallets: LookupTable<WalletEntry>): (query: MessageQuery) => KeptMessage[] {
  const pages = db.prepare(PAGES);
  return ({ wallet, channel, after, limit }) => {
    const entry = wallets.find(wallet);
    const found: KeptMessage[] = [];
    if (entry === null || limit === 0) return found;
    for (const page of pages.iterate(entry.id, MESSAGE_CHANNELS.indexOf(channel), after)) {
      const { first, body } = page as { first: number; body: string };
      const texts = body.split('\n');
      for (let i = Math.max(0, after + 1 - first); i < texts.length; i++) {
        found.push({ number: first + i, text: texts[i]! });
        if (found.length === limit) return found;
      }
    }
    return found;
  };
}
