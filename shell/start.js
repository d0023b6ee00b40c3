// The only JavaScript file: says in one line what is wrong with the runtime before anything written in TypeScript is
// loaded. Under npm scripts the pinned Node of package.json runs; started by hand, whatever is installed does.

const [major, minor] = process.versions.node.split('.').map(Number);
const runsTypeScript = major === 22 && minor >= 18;
if (!runsTypeScript) {
  console.error(`strikebook needs Node 22.18 or a later 22, this is ${process.version}: run "npm ci && npm start", which brings its own`);
  process.exitCode = 2;
} else {
  await import('./main.ts');
}
