import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "@steward/test-postgres";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { openApp } from "./app.js";
import { runSteward } from "../cli/testing/steward-process.js";
import { CAN_MOUNT, mountSmallDisk, type SmallDisk } from "../testing/small-disk.js";

const whySkipped = CAN_MOUNT ? "" : " (skipped: this user may not mount a disk)";

/** A service whose store is on a disk that a test fills; its data directory is on another disk. */
interface Place extends AsyncDisposable {
  readonly disk: SmallDisk;
  readonly databaseUrl: string;
  /** The expected reason in the error. */
  readonly reason: string;
}

function onSqlite(): Promise<Place> {
  const disk = mountSmallDisk(8);
  return Promise.resolve({
    disk,
    databaseUrl: `sqlite:${join(disk.directory, "steward.db")}`,
    reason: `the disk is full: free space in ${disk.directory}`,
    [Symbol.asyncDispose]: () => {
      disk[Symbol.dispose]();
      return Promise.resolve();
    },
  });
}

/**
 * A database in a tablespace on the small disk, on a PostgreSQL server of its own: while the disk
 * is full no checkpoint succeeds, which would disturb other tests.
 */
async function onPostgres(): Promise<Place> {
  const server = await PostgresServer.start();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const disk = mountSmallDisk(48);
  const name = `small_${randomBytes(6).toString("hex")}`;
  await client.query(`CREATE TABLESPACE ${name} LOCATION '${await tablespaceOn(disk, client)}'`);
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 TABLESPACE ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    disk,
    databaseUrl: url.href,
    reason: "PostgreSQL's disk is full: free space there",
    async [Symbol.asyncDispose]() {
      await client.end();
      await server[Symbol.asyncDispose]();
      disk[Symbol.dispose]();
    },
  };
}

/** @returns a directory owned by the server's user, as PostgreSQL requires. */
async function tablespaceOn(disk: SmallDisk, client: Client): Promise<string> {
  const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
  const { uid, gid } = statSync(String(rows[0]?.data_directory));
  const directory = join(disk.directory, "tablespace");
  mkdirSync(directory);
  chownSync(directory, uid, gid);
  chownSync(disk.directory, uid, gid);
  return directory;
}

/** A plan too large for the free space inside the store's files. */
function largePlan(): string {
  const statement = `SELECT '${randomBytes(24 * 1024).toString("hex")}'`;
  const steps = Array.from({ length: 10 }, (_, index) => ({
    id: `s${String(index)}`,
    query_template: statement,
  }));
  return JSON.stringify({ steps });
}

describe.skipIf(!CAN_MOUNT).each([
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const)(`a full disk under a store on %s${whySkipped}`, (_engine, open) => {
  it("is told by every write, by readiness and by the command line, until there is space", async () => {
    await using place = await open();
    const dataDir = mkdtempSync(join(tmpdir(), "steward-full-disk-"));
    writeFileSync(join(dataDir, "empty.db"), "");
    let passedMs = 0;
    const app = await openApp({
      port: 0,
      dataDir,
      logLevel: "silent",
      databaseUrl: place.databaseUrl,
      dataSources: [{ name: "empty", url: `sqlite:${join(dataDir, "empty.db")}` }],
      clock: { nowMs: () => Date.now() + passedMs },
    });
    const url = `http://127.0.0.1:${String(app.address.port)}`;
    const readiness = async (): Promise<readonly [number, string]> => {
      const response = await fetch(`${url}/readyz`);
      return [response.status, await response.text()];
    };
    const submit = async (): Promise<readonly [number, string]> => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/api/plans`, {
        method: "POST",
        headers,
        body: largePlan(),
      });
      return [response.status, await response.text()];
    };

    expect((await readiness())[0]).toBe(200);
    place.disk.fill();
    const [status, refusal] = await submit();
    expect([status, refusal]).toEqual([503, expect.stringContaining(place.reason)]);
    // A readiness result is cached for a second.
    passedMs += 1000;
    const [notReady, why] = await readiness();
    expect([notReady, why]).toEqual([503, expect.stringContaining(place.reason)]);
    const command = ["plan", "submit", "-", "--server", url];
    const { code, stderr } = await runSteward(command, { input: largePlan() });
    expect([code, stderr]).toEqual([1, expect.stringContaining(place.reason)]);

    place.disk.free();
    passedMs += 60_000;
    expect((await readiness())[0]).toBe(200);
    expect((await submit())[0]).toBe(201);
    await app[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true });
  });
});
