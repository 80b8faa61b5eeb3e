#!/usr/bin/env node
// A thin door: the program is built into dist/, and a checkout that was never built says so.
import { programFile } from "./program.js";

const program = programFile();
if (program === undefined) {
  process.stderr.write("steward is not built yet: run `npm run build` first\n");
  process.exit(2);
}
// Stack traces name the sources instead of the bundle, for 20 ms of a start.
process.setSourceMapsEnabled(true);
await import(program.href);
