// The first file that runs, in JavaScript: says in one line what is wrong with the runtime, or with where it runs, before anything
// written in TypeScript is loaded, and gives the process what can only be set before it starts. Under npm scripts the pinned Node
// of package.json runs; started by hand, whatever is installed does.

/** Lets glibc ask the kernel for huge pages: the core's arrays are large and read at random (docs/decisions/0019). */
const HUGE_PAGES = 'glibc.malloc.hugetlb';
/** Strips types beside the threads of the venue and not in them (docs/decisions/0038); npm start has it in its command. */
const PRELOAD = 'shell/stripped.js';

const [major, minor] = process.versions.node.split('.').map(Number);
const runsTypeScript = major === 22 && minor >= 18;
if (!runsTypeScript) {
  console.error(`strikebook needs Node 22.18 or a later 22, this is ${process.version}: run "npm ci && npm start", which brings its own`);
  process.exitCode = 2;
} else if (!hasWorkingFolder()) {
  console.error('strikebook cannot use its working folder, which may have been removed: start it in one that is there');
  process.exitCode = 2;
} else {
  becomeTuned();
  await import('./main.ts');
}

/** Every thread asks for it, also where no path is relative to it. */
function hasWorkingFolder() {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

/** Runs this very command again in this process, once, with both; an operator's own setting stands. */
function becomeTuned() {
  const { GLIBC_TUNABLES: given = '' } = process.env;
  const hasPages = given.includes(HUGE_PAGES);
  const hasPreload = process.execArgv.some(flag => flag.endsWith(PRELOAD));
  if (process.platform !== 'linux' || (hasPages && hasPreload)) return;
  const env = hasPages ? process.env : { ...process.env, GLIBC_TUNABLES: [given, `${HUGE_PAGES}=1`].filter(text => text !== '').join(':') };
  const preload = hasPreload ? [] : [`--import=${new URL('../', import.meta.url).href}${PRELOAD}`];
  try {
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...preload, ...process.argv.slice(1)], env);
  } catch {
    // A system that does not let a process do so: the venue is slower, not worse.
  }
}
