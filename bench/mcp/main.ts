import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createTarget, openApp } from "./server-modules.js";

/**
 * What MCP adds to executing a step, beside REST, in one process and one run.
 *
 *     node bench/dist/mcp/main.js [--steps 600]
 *
 * Each plan's steps are executed in turns over REST, over MCP 2026-07-28 and over MCP 2025-11-25, one at a time, so that
 * whatever else the machine does counts for all alike. Clients are bare `fetch`.
 */
const { values } = parseArgs({ options: { steps: { type: "string", default: "600" } } });

const WARM_UP = 60;
const wires = ["REST", "MCP 2026-07-28", "MCP 2025-11-25"] as const;

const dir = mkdtempSync(join(tmpdir(), "steward-bench-mcp-"));
createTarget(join(dir, "shop.db"));
const app = await openApp({
  port: 0,
  logLevel: "silent",
  dataDir: dir,
  databaseUrl: `sqlite:${join(dir, "steward.db")}`,
  dataSources: [{ name: "shop", url: `sqlite:${join(dir, "shop.db")}` }],
});
const base = `http://127.0.0.1:${String(app.address.port)}`;

await measured(WARM_UP);
report(await measured(Number(values.steps)));
await app[Symbol.asyncDispose]();
rmSync(dir, { recursive: true });

/** Executes the steps of a plan in turns. @returns the times of each wire, in ms. */
async function measured(steps: number): Promise<readonly (readonly number[])[]> {
  const plan = await submitted(steps);
  const times: number[][] = wires.map(() => []);
  for (let step = 0; step < steps; step += 1) {
    const wire = step % wires.length;
    const startedMs = performance.now();
    const text = await executed(wire, plan, `s${String(step)}`);
    times[wire]?.push(performance.now() - startedMs);
    if (!text.includes("completed")) throw new Error(`a step did not complete: ${text}`);
  }
  return times;
}

async function submitted(count: number): Promise<string> {
  const steps = Array.from({ length: count }, (_, index) => ({
    id: `s${String(index)}`,
    query_template: "SELECT id, name, city FROM customers LIMIT 10",
  }));
  const body = await sent("/api/plans", { steps });
  return (JSON.parse(body) as { data: { plan_id: string } }).data.plan_id;
}

function executed(wire: number, plan_id: string, step_id: string): Promise<string> {
  if (wire === 0) return sent(`/api/plans/${plan_id}/steps/${step_id}/execute`);
  const revision = wire === 1 ? "2026-07-28" : "2025-11-25";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const call = { name: "execute_step", arguments: { plan_id, step_id } };
  const params = wire === 1 ? { ...call, _meta } : call;
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
    ...(wire === 1 ? { "mcp-method": "tools/call", "mcp-name": "execute_step" } : {}),
  };
  return sent("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers);
}

async function sent(path: string, body?: object, headers: object = {}): Promise<string> {
  const response = await fetch(`${base}${path}`, {
    method: "POST",
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.text();
}

function report(times: readonly (readonly number[])[]): void {
  process.stdout.write(
    `${String(availableParallelism())} cores, Node ${process.version}; ms for one ExecuteStep\n`,
  );
  const restMs = quantile(times[0] ?? [], 0.5);
  for (const [index, name] of wires.entries()) {
    const own = times[index] ?? [];
    const [p50, p95] = [quantile(own, 0.5), quantile(own, 0.95)];
    process.stdout.write(
      `${name.padEnd(16)} p50 ${p50.toFixed(2)}  p95 ${p95.toFixed(2)}  p50 beside REST ${(p50 / restMs).toFixed(2)}\n`,
    );
  }
}

function quantile(list: readonly number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? NaN;
}
