// Faults that a competent engineer might make in scenarios, in the delay of answers, and in the conformance command.

import type { Mutant } from './fault.ts';

type Row = readonly [name: string, file: string, find: string, replace: string];

const of = (test: string, rows: readonly Row[], title?: string): Mutant[] => rows.map(([name, file, find, replace]) => ({
  name, file: file.endsWith('.js') ? file : `${file}.ts`, find, replace, tests: [`test/${test}.test.ts`],
  ...(title !== undefined && { title }),
}));
const SETTLED = 'when a scenario is stepped through an expiry and a liquidation, then settlement and payouts are those of its path';
const PLAYED = 'played as a command, a scenario ends by itself and tells each participant\'s end, and who was refused what';
const STRANGER = 'a stranger trades in a scenario between steps, and a folder of one scenario is refused to another';

export const SCENARIOS: readonly Mutant[] = [
  ...of('client/scenarios/file', [
    ['scenario: a path runs backwards', 'shell/process/scenario-file', 'BigInt(time - from.at)', 'BigInt(to.at - time)'],
    ['scenario: a smile begins too early', 'shell/process/scenario-file', 'points.findLast(({ at }) => at <= time)', 'points.at(-1)'],
  ]),
  ...of('client/scenarios/play', [
    ['scenario: participants do not act during a step',
      'shell/process/clock-steps', 'if (this.#time === moment) this.#state = \'unplayed\';', ''],
    ['scenario: the index stays where it began', 'client/scenarios/player', 'text(valueAt(path, since))', 'text(valueAt(path, 0))'],
    ['scenario: participants do not get the cash of the file',
      'client/scenarios/player', 'if (cash === null) return [];', 'if (cash !== 0) return [];'],
  ], SETTLED),
  ...of('client/scenarios/play', [
    ['scenario: a folder goes on with any file', 'shell/process/scenario', 'if (digest === scenario.digest) return;',
      'if (digest !== \'\') return;'],
    ['scenario: quotes are sent for the wall clock', 'client/scenarios/personas', 'valid_until: time + VALID_MS',
      'valid_until: Date.now()'],
  ], STRANGER),
  ...of('client/scenarios/play', [
    ['scenario: nobody is told of a rejected order', 'client/scenarios/player', 'answer?.status === \'REJECTED\'', 'answer === undefined'],
  ], PLAYED),
  ...of('shell/http/server/latency', [
    ['latency: answers leave at once', 'shell/http/server/http-exchange', 'latency.next());', '0);'],
    ['latency: bytes are those of a later message', 'shell/http/server/sockets', 'message : message.slice()', 'message : message'],
    ['latency: an empty queue is not reported', 'shell/http/server/sockets', 'if (delayed.isEmpty) this.drain();', ''],
    ['latency: delayed bytes are not counted', 'shell/http/server/sockets', ' + (this.#delayed?.bytes ?? 0)', ''],
  ]),
  ...of('shell/process/commands', [
    ['latency: the setting is not read', 'shell/process/threads/api', 'config.latency === null ? null', 'config.latency !== null ? null'],
    ['commands: a program is started as a venue', 'shell/process/commands.js', 'name === args[0]', 'name === args[1]'],
  ]),
  ...of('client/conformance/run', [
    ['conformance: fields are not looked at', 'client/conformance/endpoints', '...misfits(endpoint.shape, answer.body).slice(0, 5)', ''],
    ['conformance: texts of errors are not looked at', 'client/conformance/errors',
      ' && patternOf(text).test(String(textOf(code, answer)))', ''],
    ['conformance: rows of the operator are left out', 'client/conformance/errors',
      'return withToken ? OPERATOR_PROBES[when]!', 'return !withToken ? OPERATOR_PROBES[when]!'],
    ['conformance: a maximum is not looked at', 'client/conformance/endpoints', 'beyond.body?.pagination?.limit', 'parameter.max'],
    ['conformance: a fault is no failure', 'client/conformance/main', 'failed === 0 ? 0 : 1', '3'],
  ]),
];
