// A row of the options chain from the reader to an api thread, which parses the first line and joins the others to
// send the call, the put or both. Every other message begins with a brace, so the first byte identifies a row.
//   ["BTC",1769760000000,"BTC-20260130-100000-C",null,1]     underlying, expiry (ms), call, put, changed legs
//   {"type":"OptionsChainUpdate",...,"row":{"strike":100000  before the legs; for a removed contract, all of it
//   ,"call":{...}                                            the call, or empty
//   ,"put":{...}                                             the put, or empty
//   },"timestamp":...,"seq":...}                             after the legs

export const CALL_LEG = 1;
export const PUT_LEG = 2;
export const BOTH_LEGS = CALL_LEG | PUT_LEG;

const BRACKET = 0x5b;
const NEW_LINE = 0x0a;

/** `expiry`: ms; `call`, `put`: canonical symbols. */
type ChainRowHead = {
  readonly underlying: string; readonly expiry: number; readonly call: string | null; readonly put: string | null; readonly changed: number;
};
type Texts = { readonly before: string; readonly call?: string; readonly put?: string; readonly after?: string };

type ChainRow = ChainRowHead & {
  message(legs: number): Uint8Array;
};

export function chainRowText({ underlying, expiry, call, put, changed }: ChainRowHead, texts: Texts): string {
  const head = JSON.stringify([underlying, expiry, call, put, changed]);
  return `${head}\n${texts.before}\n${texts.call ?? ''}\n${texts.put ?? ''}\n${texts.after ?? ''}`;
}

export function isChainRow(body: Uint8Array): boolean {
  return body[0] === BRACKET;
}

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
