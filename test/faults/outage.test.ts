import { PostgresServer } from "@steward/test-postgres";
import { DatabaseSync } from "@photostructure/sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { GrpcClient } from "../conformance/wires/grpc-client.js";
import { createLedger } from "./ledger.js";
import { drivePlan } from "./plan-driver.js";
import { ServerProcess } from "./server-process.js";

it("answers 503 and when to come back while its database is away, and goes on when it is back", async () => {
  const dir = mkdtempSync(join(tmpdir(), "steward-outage-"));
  createLedger(join(dir, "target.db"));
  {
    await using postgres = await PostgresServer.start();
    await using server = await ServerProcess.start({
      SERVICE_DATABASE_URL: postgres.url,
      SERVICE_DATA_DIR: dir,
      SERVICE_DATA_SOURCES: `default=sqlite:${join(dir, "target.db")}`,
      SERVICE_LOG_LEVEL: "error",
    });
    await drivePlan(server.url);
    using reader = GrpcClient.connect(new URL(server.url).host, { "x-user-role": "admin" });
    expect((await reader.list({})).plans).toHaveLength(1);
    await postgres.stop("immediate");
    // A readiness result is cached for a second.
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const refused = await fetch(`${server.url}/api/plans`);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expectRefused(server.url, reader);
    // Requests during the outage are answered if the database comes back in time.
    const driven = drivePlan(server.url);
    await postgres.start();
    await driven;
    expect((await reader.list({})).plans).toHaveLength(2);
    await vi.waitFor(async () => {
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    }, 60_000);
  }
  const target = new DatabaseSync(join(dir, "target.db"));
  expect(target.prepare("SELECT hits FROM ledger").all()).toEqual([{ hits: 1 }, { hits: 1 }]);
  target.close();
  rmSync(dir, { recursive: true });
});

/** Every part of the service returns an error, over both protocols. */
async function expectRefused(url: string, reader: GrpcClient): Promise<void> {
  const headers = { "content-type": "application/json", "x-user-role": "admin" };
  const event = {
    specversion: "1.0",
    id: "late",
    source: "urn:example:faults",
    type: "tool-call",
    data: { tool_name: "search" },
  };
  const requests: readonly (readonly [string, object | undefined])[] = [
    ["/billing/usage", undefined],
    ["/billing/usage/heatmap", undefined],
    ["/billing/events", [event]],
    ["/api/memory/entries", undefined],
    ["/api/memory/entries", { session_id: "s", content: "{}" }],
  ];
  const answers = await Promise.all(
    requests.map(async ([path, body]) => {
      const post = body && { method: "POST", body: JSON.stringify(body) };
      const { status, headers: told } = await fetch(url + path, { headers, ...post });
      return { path, status, comesBack: Number(told.get("retry-after")) > 0 };
    }),
  );
  expect(answers).toEqual(requests.map(([path]) => ({ path, status: 503, comesBack: true })));
  // Contract §7 defines the error of a search for every cause.
  const body = JSON.stringify({ query: "anything" });
  const searched = await fetch(`${url}/api/memory/search`, { method: "POST", headers, body });
  expect(await searched.json()).toMatchObject({ code: "MEMORY_SEARCH_FAILED" });
  await expect(reader.list({})).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await expect(reader.billing.prices()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
}
