// A row of the options chain on its way from the reader to an api thread: five lines, so that an api thread makes the message of a
// client that wants the call, the put or both by joining lines, and parses only the first.
//
//   ["BTC",1769760000000,"BTC-20260130-100000-C",null,1]     underlying, expiry (ms), call, put, which of them have changed
//   {"type":"OptionsChainUpdate",...,"row":{"strike":100000  what stands before the contracts; of a contract that is gone all of it
//   ,"call":{...}                                            the call, empty without one
//   ,"put":{...}                                             the put
//   },"timestamp":...,"seq":...}                             what stands behind
//
// The first byte says that it is a row: every other message begins with a brace.

/** Contracts of a row, as bits. */
export const CALL_LEG = 1;
export const PUT_LEG = 2;
export const BOTH_LEGS = CALL_LEG | PUT_LEG;

const BRACKET = 0x5b;
const NEW_LINE = 0x0a;

/** `expiry` in ms; `call`, `put`: canonical symbols; `changed`: bits. */
type ChainRowHead = {
  readonly underlying: string; readonly expiry: number; readonly call: string | null; readonly put: string | null; readonly changed: number;
};
type Texts = { readonly before: string; readonly call?: string; readonly put?: string; readonly after?: string };

type ChainRow = ChainRowHead & {
  /** The message with these of its contracts. */
  message(legs: number): Uint8Array;
};

export function chainRowText({ underlying, expiry, call, put, changed }: ChainRowHead, texts: Texts): string {
  const head = JSON.stringify([underlying, expiry, call, put, changed]);
  return `${head}\n${texts.before}\n${texts.call ?? ''}\n${texts.put ?? ''}\n${texts.after ?? ''}`;
}

export function isChainRow(body: Uint8Array): boolean {
  return body[0] === BRACKET;
}

/** The messages are made of parts of the body. */
export function readChainRow(body: Uint8Array): ChainRow {
  const lines: Uint8Array[] = [];
  for (let from = 0; lines.length < 5;) {
    const end = body.indexOf(NEW_LINE, from);
    lines.push(body.subarray(from, end < 0 ? body.length : end));
    from = end < 0 ? body.length : end + 1;
  }
  const [head, before, callLine, putLine, after] = lines as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  const [underlying, expiry, call, put, changed] = JSON.parse(Buffer.from(head).toString('utf8')) as [
    string, number, string | null, string | null, number,
  ];
  const message = (legs: number): Uint8Array => Buffer.concat([
    before, ...((legs & CALL_LEG) === 0 ? [] : [callLine]), ...((legs & PUT_LEG) === 0 ? [] : [putLine]), after,
  ]);
  return { underlying, expiry, call, put, changed, message };
}
