import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureWriters } from "./writers.js";
import { liveOneYear } from "./year.js";

/**
 * The size of an SQLite store over a year of tool calls, of which each is kept for 30 days, and how
 * long writers wait while a sweep deletes. The clock is moved a day at a time. A year of ten million
 * calls takes hours; fewer calls a day show the same curve. `--days 0` measures only the writers.
 *
 * node bench/dist/retention/main.js --days 365 --calls 27400
 */
const { values } = parseArgs({
  options: {
    days: { type: "string", default: "365" },
    calls: { type: "string", default: "200" },
    expired: { type: "string", default: "20000" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "6" },
  },
});
const directory = mkdtempSync(join(tmpdir(), "steward-bench-"));
try {
  print({ cores: availableParallelism(), node: process.version });
  const path = join(directory, "year.db");
  await liveOneYear({ path, days: Number(values.days), callsADay: Number(values.calls) }, print);
  const writers = join(directory, "writers.db");
  await measureWriters(
    {
      path: writers,
      expired: Number(values.expired),
      ...{ seconds: Number(values.seconds), rounds: Number(values.rounds) },
    },
    print,
  );
} finally {
  rmSync(directory, { recursive: true });
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
