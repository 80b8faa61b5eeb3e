import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fillToolCalls, fillUsage } from "./fill.js";
import { measureRecording } from "./recording.js";
import { measureReports } from "./reports.js";
import { measureSteps } from "./steps.js";

/**
 * Reports over many usage rows beside a scan of the same rows, how fast tool calls become rows, and
 * what that adds to the call that made them.
 *
 * node bench/dist/usage/main.js --rows 5000000 --calls 200000 --rounds 8 --plans 30
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    calls: { type: "string", default: "20000" },
    rounds: { type: "string", default: "2" },
    plans: { type: "string", default: "10" },
  },
});
const rows = Number(values.rows);
const calls = Number(values.calls);
const directory = mkdtempSync(join(tmpdir(), "steward-bench-"));

print({ cores: availableParallelism(), node: process.version, rows });
const usagePath = join(directory, "usage.db");
await fillUsage(usagePath, rows);
(await measureReports(usagePath)).forEach(print);
const callsPath = join(directory, "calls.db");
await fillToolCalls(callsPath, calls);
print({ "calls recorded": calls, "rows/s": await measureRecording(callsPath, calls) });
(await measureSteps(directory, Number(values.rounds), Number(values.plans))).forEach(print);
rmSync(directory, { recursive: true });

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
