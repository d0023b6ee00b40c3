// A client in its own thread: signed orders and reads at a steady rate over several connections, until told to stop. Then it posts how
// many requests got which answer, and how many got none. workerData: { url, rate }.

import { parentPort, workerData } from 'node:worker_threads';
import { createWallet, Http, NoAnswer, signerFor, type Request } from '../../../../scripts/client.ts';

const { url, rate } = workerData as { url: string; rate: number };
const http = new Http(url, { connections: 64, timeoutMs: 30_000 });
const signer = await signerFor(http);
const wallets = Array.from({ length: 20 }, () => createWallet());
const instruments = (await http.get('/instruments?currency=BTC')).body as { instrument_name: string }[];
const answers: Record<string, number> = {};
let sent = 0;
let waiting = 0;

function next(): Request {
  const wallet = wallets[sent % wallets.length]!;
  const symbol = instruments[(sent * 7) % instruments.length]!.instrument_name;
  if (sent % 4 === 3) return { method: 'GET', path: `/orders?wallet=${wallet.address}` };
  const tif = sent % 3 === 0 ? 'ioc' : 'gtc';
  return signer.placeOrder(wallet, { symbol, side: sent % 2 === 0 ? 'Buy' : 'Sell', size: '0.01', price: '500', tif });
}

function count(name: string): void {
  answers[name] = (answers[name] ?? 0) + 1;
  waiting--;
}

const pace = setInterval(() => {
  const request = next();
  sent++;
  waiting++;
  http.send(request).then(({ status }) => count(String(status)), (error: unknown) => count(error instanceof NoAnswer ? 'none' : 'fault'));
}, 1000 / rate);

parentPort!.on('message', async () => {
  clearInterval(pace);
  while (waiting > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  http.close();
  parentPort!.postMessage({ sent, answers });
  parentPort!.close();
});
parentPort!.postMessage('running');
