// The log in memory that keeps its promises, as every engine behind the port does.

import { promises } from '../../../cluster/port-promises.ts';
import { FakeLog } from './fake-log.ts';

promises('log that keeps its promises', (work) => {
  const log = new FakeLog();
  return work({ one: log.port(), two: log.port(), until: async (isTrue) => isTrue() });
});
