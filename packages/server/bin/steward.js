#!/usr/bin/env node
// A thin door: the program is built into dist/, and a checkout that was never built says so.
import { programFile } from "./program.js";
import { nameSources } from "./source-maps.js";

const program = programFile();
if (program === undefined) {
  process.stderr.write("steward is not built yet: run `npm run build` first\n");
  process.exit(2);
}
nameSources(new URL("../../", import.meta.url).href);
await import(program.href);
