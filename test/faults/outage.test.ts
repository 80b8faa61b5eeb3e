import { PostgresServer } from "@steward/test-postgres";
import { DatabaseSync } from "@photostructure/sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createLedger } from "./ledger.js";
import { drivePlan } from "./plan-driver.js";
import { ServerProcess } from "./server-process.js";

it(
  "answers 503 and when to come back while its database is away, and goes on when it is back",
  { timeout: 60_000 },
  async () => {
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
      await postgres.stop("immediate");
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      const refused = await fetch(`${server.url}/api/plans`);
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ code: "STORE_UNAVAILABLE" });
      // What is asked for meanwhile is answered when the database is back in time.
      const driven = drivePlan(server.url);
      await postgres.start();
      await driven;
      await vi.waitFor(async () => {
        expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      });
    }
    const target = new DatabaseSync(join(dir, "target.db"));
    expect(target.prepare("SELECT hits FROM ledger").all()).toEqual([{ hits: 1 }, { hits: 1 }]);
    target.close();
    rmSync(dir, { recursive: true });
  },
);
