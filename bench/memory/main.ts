import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * Memory search, figure by figure, each in a process of its own so that none lives on another's
 * memory: the index beside memory speed and other exact searches for every size and kind of data,
 * then the whole server over REST, its store on SQLite and on a PostgreSQL of its own, whose answers
 * must be the same; a large memory without an embedding provider on each store; and how long it takes
 * until one node finds what another has added.
 *
 * node bench/dist/memory/main.js --rows 10000,100000,500000 --data clustered,random --rest-rows 100000
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "10000,100000,500000" },
    data: { type: "string", default: "clustered,random" },
    dimension: { type: "string", default: "768" },
    queries: { type: "string", default: "50" },
    "rest-rows": { type: "string", default: "100000" },
    "rest-seconds": { type: "string", default: "10" },
    "large-rows": { type: "string", default: "100000" },
    stores: { type: "string", default: "sqlite,postgres" },
  },
});
const { dimension, queries } = values;

for (const rows of values.rows.split(",")) {
  for (const data of values.data.split(",")) {
    await run("search-child", { rows, data, dimension, queries });
  }
}
await run("rest-child", {
  rows: values["rest-rows"],
  seconds: values["rest-seconds"],
  stores: values.stores,
});
await run("large-child", { rows: values["large-rows"], stores: values.stores });
if (values.stores.includes("postgres")) await run("follow-child", {});

/** @throws Error when the child fails. */
async function run(name: string, flags: Readonly<Record<string, string>>): Promise<void> {
  const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
  const child = fork(fileURLToPath(new URL(`./${name}.js`, import.meta.url)), args);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`${name} ${args.join(" ")} ended with ${String(code)}`);
}
