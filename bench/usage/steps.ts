import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import type { LoadOrder, LoadResult } from "../plans/load-order.js";

const MODES = ["with", "without"] as const;
const CUSTOMERS = 1000;

/** Duration of ExecuteStep with and without recording of usage. */
export async function measureSteps(
  directory: string,
  rounds: number,
  plansEach: number,
): Promise<readonly object[]> {
  makeTarget(`${directory}/target.db`);
  const load = fork(fileURLToPath(new URL("../plans/load.js", import.meta.url)));
  const servers = new Map<string, { process: ChildProcess; address: string }>();
  for (const mode of MODES) {
    const file = fileURLToPath(new URL("./usage-server.js", import.meta.url));
    const process = fork(file, [directory, mode]);
    const { port } = await answer<{ port: number }>(process);
    servers.set(mode, { process, address: `127.0.0.1:${port}` });
  }
  const lines: object[] = [];
  for (const concurrency of [1, 16]) {
    const latencies = new Map<string, number[]>(MODES.map((mode) => [mode, []]));
    // Alternating order, so that both servers see the same conditions.
    for (let round = 0; round <= rounds; round += 1) {
      for (const mode of round % 2 === 0 ? MODES : [...MODES].reverse()) {
        const { address = "" } = servers.get(mode) ?? {};
        const order: LoadOrder = { kind: "steps", addresses: [address], concurrency, plansEach };
        load.send(order);
        const { latenciesMs } = await answer<LoadResult>(load);
        if (round > 0) latencies.get(mode)?.push(...latenciesMs);
      }
    }
    const [recorded, bare] = MODES.map((mode) => median(latencies.get(mode) ?? []));
    lines.push(line(concurrency, recorded ?? 0, bare ?? 0));
  }
  load.kill();
  for (const { process } of servers.values()) process.disconnect();
  return lines;
}

function makeTarget(path: string): void {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT)");
  db.exec(`INSERT INTO customers WITH RECURSIVE c(n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${CUSTOMERS})
    SELECT n, 'Customer ' || n, 'customer-' || n || '@example.com' FROM c`);
  db.close();
}

function median(times: readonly number[]): number {
  const ascending = [...times].sort((a, b) => a - b);
  return ascending[Math.floor(ascending.length / 2)] ?? 0;
}

function line(plans: number, recorded: number, bare: number): object {
  return {
    plans,
    "ExecuteStep p50 ms": Math.round(recorded * 1000) / 1000,
    "without usage": Math.round(bare * 1000) / 1000,
    "added %": Math.round((recorded / bare - 1) * 1000) / 10,
  };
}

function answer<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (): void => {
      reject(new Error("a bench process has ended early"));
    };
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      resolve(message as T);
    });
  });
}
