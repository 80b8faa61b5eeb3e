// Builds what has changed since the last time: `npm run build`.
import { spawnSync } from "node:child_process";

const STEPS = [
  ["compiling what has changed", "node_modules/typescript-native/bin/tsc", "-b"],
  ["bundling the console, if it has changed", "packages/console/scripts/build.js"],
  ["bundling the server, if it has changed", "packages/server/scripts/bundle.js"],
];

const begin = performance.now();
for (const [what, ...program] of STEPS) {
  console.log(`build: ${what}`);
  const { status } = spawnSync(process.execPath, program, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
console.log(`build: done in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
