import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BIN, loadedModules, SCHEMA_WATCH, SERVER } from "./server-modules.js";

/**
 * What a start costs: the modules that the process loads, the time of the whole process (for a server: until it answers
 * and has closed again), its processor time and the most memory it held. Threads and child processes count for processor
 * time and memory as far as the operating system does, and not for the modules.
 */
const RUNS = 5;

const directory = mkdtempSync(join(tmpdir(), "steward-bench-startup-"));
/** Makes a process print its resource use when it ends. */
const REPORT = `process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    process.stderr.write("\\n" + JSON.stringify({ ms: performance.now(), cpuMs: (userCPUTime + systemCPUTime) / 1000, maxRSS }));
  });`;

const programs: readonly (readonly [string, readonly string[]])[] = [
  ["steward --version", [BIN, "--version"]],
  ["steward plan --help", [BIN, "plan", "--help"]],
  ["comparing the schema before and after a statement, on SQLite", [SCHEMA_WATCH]],
  ["openApp, without a store", [server("bare", "")]],
  ["openApp, on SQLite", [server("sqlite", 'databaseUrl: "sqlite:store.db",')]],
  [
    "openApp, on SQLite, with a data source on SQLite",
    [
      server(
        "source",
        'databaseUrl: "sqlite:store.db", dataSources: [{ name: "shop", url: "sqlite:shop.db" }],',
      ),
    ],
  ],
];

try {
  const report = join(directory, "report.mjs");
  writeFileSync(report, REPORT);
  writeFileSync(join(directory, "shop.db"), "");
  process.stdout.write(`Node ${process.version}; medians of ${String(RUNS)} runs\n`);
  process.stdout.write("modules      ms  CPU ms      MB\n");
  for (const [name, program] of programs) {
    const modules = loadedModules(program).length;
    const costs = Array.from({ length: RUNS }, () => costOf(["--import", report, ...program]));
    const figures = [
      modules,
      median(costs.map(({ ms }) => ms)),
      median(costs.map(({ cpuMs }) => cpuMs)),
      median(costs.map(({ maxRSS }) => maxRSS / 1024)),
    ];
    const row = figures.map((figure) => figure.toFixed(0).padStart(7)).join(" ");
    process.stdout.write(`${row}  ${name}\n`);
  }
} finally {
  rmSync(directory, { recursive: true });
}

/** Writes a program that starts a server in its own folder and closes it. @returns its file. */
function server(name: string, options: string): string {
  const file = join(directory, `${name}.mjs`);
  writeFileSync(
    file,
    `import { openApp } from ${JSON.stringify(SERVER)};
     process.chdir(import.meta.dirname);
     const app = await openApp({ port: 0, logLevel: "silent", dataDir: "data", ${options} });
     await app[Symbol.asyncDispose]();`,
  );
  return file;
}

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
  /** In KiB. */
  readonly maxRSS: number;
}

function costOf(program: readonly string[]): Cost {
  const { stderr } = spawnSync(process.execPath, program, { cwd: directory, encoding: "utf8" });
  // The last line is the report.
  return JSON.parse(stderr.split("\n").at(-1) ?? "") as Cost;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
