#!/usr/bin/env node
// A thin door: the program is built into dist/, and a checkout that was never built says so.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);
if (!existsSync(main)) {
  process.stderr.write("steward-schema is not built yet: run `npm run build` first\n");
  process.exit(2);
}
await import(main.href);
