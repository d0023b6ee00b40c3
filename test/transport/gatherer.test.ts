// The loop that lets records gather: news at every point of falling asleep is found, many at once, and nobody has to be sent a message
// while they come.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDoorbell, Doorbell, Ringer } from '../../shell/transport/doorbell.ts';
import { runGatherer } from '../../shell/transport/gatherer.ts';
import { News } from './news.ts';

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    assert.ok(tries < 10_000, 'never');
    await sleep(1);
  }
}

test('news at every point of falling asleep is found', async (t) => {
  for (let point = 0; point < 6; point++) {
    for (const early of [true, false]) {
      const { doorbell, ringers } = createDoorbell(1);
      const news = new News(new Ringer(ringers[0]!), point, early);
      const gatherer = runGatherer({ doorbell: new Doorbell(doorbell), drain: news.drain, everyMs: 1 });
      t.after(gatherer.stop);
      // It looks no more once it sleeps: what comes then wakes it, as often as the point asks for.
      await until(() => {
        if (news.looks <= point) news.publish();
        return news.looks > point;
      });
      await until(() => news.found === news.published);
    }
  }
});

test('while records come they are taken together and ring nobody; then it sleeps until the next', async (t) => {
  const { doorbell, ringers } = createDoorbell(1);
  const ringer = new Ringer(ringers[0]!);
  let [news, drains] = [0, 0];
  const taken: number[] = [];
  const drain = (): number => {
    drains++;
    const done = news;
    news = 0;
    if (done > 0) taken.push(done);
    return done;
  };
  const gatherer = runGatherer({ doorbell: new Doorbell(doorbell), drain, everyMs: 20 });
  t.after(gatherer.stop);
  for (let i = 0; i < 50; i++) {
    news++;
    ringer.ring();
  }
  await until(() => taken.length === 1);
  assert.deepEqual(taken, [50]);
  // A period without any puts it to sleep, and nothing is looked at from then on.
  await sleep(200);
  const asleep = drains;
  await sleep(200);
  assert.equal(drains, asleep);
  news++;
  ringer.ring();
  await until(() => taken.length === 2);
});
