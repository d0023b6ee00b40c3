// The bodies of a wallet's dead man's switch and of its cancel on disconnect, as they are set and as they are read. Times ms; a
// moment of 0 is none.

export function cancelAfterBody(wallet: string, timeout: number, cancelAt: number): string {
  return body({ wallet_address: wallet, timeout_ms: timeout, cancel_at: moment(cancelAt) });
}

/** `cancelAt`: when, since the connection is gone. */
export function cancelOnDisconnectBody(wallet: string, enabled: boolean, grace: number, connection: string, cancelAt: number): string {
  return body({ wallet_address: wallet, enabled, grace_ms: grace, connection, cancel_at: moment(cancelAt) });
}

/** `upTo`: with all its digits, which a number may not hold. */
export function voidNoncesBody(wallet: string, upTo: string): string {
  return `{"success":true,"data":{"wallet_address":"${wallet}","up_to":${BigInt(upTo)}},"error":null}`;
}

function body(data: object): string {
  return JSON.stringify({ success: true, data, error: null });
}

function moment(time: number): number | null {
  return time === 0 ? null : time;
}
