import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { n3Run, oxigraphRun } from "./peer-runs.js";
import type { Figures } from "./figures.js";
import { stewardRun } from "./steward-run.js";

/**
 * Triples loaded from N-Triples, matched, changed and committed, beside N3.Store and Oxigraph where `peers/` is
 * installed. Each store has a process of its own, so that its memory is its own.
 *
 * node bench/dist/state/main.js --triples 1000000
 */
const RUNS: Readonly<Record<string, (triples: number) => Promise<Figures>>> = {
  steward: stewardRun,
  n3: n3Run,
  oxigraph: oxigraphRun,
};
const { values } = parseArgs({
  options: {
    triples: { type: "string", default: "1000000" },
    store: { type: "string" },
  },
});

const run = values.store === undefined ? undefined : RUNS[values.store];
if (run !== undefined) {
  print(await run(Number(values.triples)));
} else {
  print({ cores: availableParallelism(), node: process.version });
  for (const store of Object.keys(RUNS)) await inProcess(store);
}

async function inProcess(store: string): Promise<void> {
  const args = ["--store", store, "--triples", values.triples];
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv: ["--expose-gc"] });
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code !== 0) process.stderr.write(`left out: ${store}\n`);
}

function print(row: Figures): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
