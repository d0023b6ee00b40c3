// The commands of `strikebook`, in JavaScript that any Node can read. Without a name it runs a venue. `isProgram`: not
// a venue, and its arguments begin behind its name.

export const COMMANDS = [
  { name: '', bundle: 'main.js', usage: 'strikebook [FLAGS]', does: 'runs a venue' },
  {
    name: 'scenario', bundle: 'main.js', usage: 'strikebook scenario FILE [FLAGS]',
    does: 'plays a scenario to its end (docs/SCENARIOS.md)',
  },
  {
    name: 'backup', bundle: 'backup.js', isProgram: true, usage: 'strikebook backup --to DIR [--token FILE] [--url URL]',
    does: 'copies a running venue into a new folder',
  },
  {
    name: 'conformance', bundle: 'conformance.js', isProgram: true,
    usage: 'strikebook conformance URL [--token TOKEN] [--limits] [--all]',
    does: 'asks a venue whether it keeps to the interface',
  },
];

/**
 * The command that the arguments name.
 * @param {readonly string[]} args
 */
export function commandOf(args) {
  return COMMANDS.find(({ name }) => name === args[0]) ?? COMMANDS[0];
}
