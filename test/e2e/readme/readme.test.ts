// README.md is true: its commands and its example run against a venue as they are. The table of docs/SETTINGS.md is that of --help, the
// figures of docs/PERFORMANCE.md are those of the saved run. Links and scripts of all documents: test/docs/citations.test.ts.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTable, type Baselines } from '../../../bench/table.ts';
import { Http } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { blocks, checkReads, read, ROOT, runModule, STATED } from './page.ts';

const README = read('README.md');
const COMMANDS = blocks(README, 'sh').flatMap((block) => block.trim().split('\n'));

const data = join(temporaryFolder({ after }), 'data');
let venue: VenueProcess;

before(async () => {
  venue = await VenueProcess.start({ data });
  await venue.ready();
  while (!venue.out.includes('npm run')) await sleep(5);
});
after(() => venue.kill());

function shell(command: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, `${command}: ${stdout}${stderr}`);
  return stdout;
}

test('the README has the two commands to start with', () => {
  for (const command of ['npm ci && npm start', 'npm ci && npm test']) assert.ok(COMMANDS.includes(command), command);
});

test('every command of the README is one that this test knows to be right', () => {
  const known = /^(npm ci && npm (start|test)|npm start -- --demo|npm run (-s order|demo)\b.*|curl '?http.*)$/;
  assert.deepEqual(COMMANDS.filter((command) => !known.test(command)), []);
});

test('the README shows what a start prints', () => {
  const [said] = blocks(README, '');
  const own = venue.out.replaceAll(venue.url, STATED).replaceAll(data, 'data').replace(/seq \d+/, 'seq 27').trim();
  assert.equal(said!.trim(), own);
});

test('every curl of the README is answered', () => checkReads(README, venue.url));

test('`npm run order` works as the README shows it', () => {
  const orders = COMMANDS.filter((command) => command.startsWith('npm run -s order'));
  assert.ok(orders.length > 0);
  for (const command of orders) {
    const out = shell(`${command}${command.includes(' -- ') ? '' : ' --'} --url ${venue.url}`);
    assert.match(out, /answer +200 .*"status":"ACKED"/, command);
  }
});

test('the README\'s example with ethers places an order', async () => {
  const out = runModule(blocks(README, 'js')[0]!, venue.url);
  assert.match(out, /^200 \{/);
  assert.match(out, /status: 'ACKED'/);
  const [, wallet] = /wallet_address: '(0x[0-9a-f]{40})'/.exec(out)!;
  // A connection of its own: the venue may have closed one that was idle while this process waited for the example.
  const http = new Http(venue.url);
  const { data: [order] } = (await http.get(`/orders?wallet=${wallet}`)).body as { data: { client_id: string }[] };
  http.close();
  assert.equal(order!.client_id, 'first');
});

test('the table of settings is what --help prints', () => {
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'shell', 'process', 'start.js'), '--help'], { encoding: 'utf8' });
  const settings = stdout.matchAll(/^ {2}--(\S+) +(\S+) +(.*?)(?: \(default ([^()]*)\))?$/gm);
  const printed = [...settings].map(([, flag, variable, help, value]) => (
    `| \`--${flag}\` | \`${variable}\` |${value === undefined ? '' : ` \`${value}\``} | ${help} |`
  ));
  assert.ok(printed.length > 10);
  assert.deepEqual(read('docs/SETTINGS.md').split('\n').filter((line) => line.startsWith('| `--')), printed);
});

test('the performance figures are those of the saved run', () => {
  const page = read('docs/PERFORMANCE.md');
  assert.equal(withTable(page, JSON.parse(read('bench/baselines.json')) as Baselines), page);
});

test('the folder of the stopped venue passes the audit', async () => {
  const { code } = await venue.stop();
  assert.equal(code, 0);
  assert.match(shell(`npm run audit -- ${data}`), /^audit: sound/m);
});
