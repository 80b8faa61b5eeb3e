import { PostgresServer } from "@steward/test-postgres";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { Auditor } from "./auditor.js";
import { reportUsage, setFirstPrice, setLastPrice } from "./biller.js";
import { createLedger } from "./ledger.js";
import { expectMemoryTruth } from "./memory-truth.js";
import { driverOf } from "./plan-clients.js";
import { execute, type Acknowledged } from "./plan-driver.js";
import { expectLedgerTruth, expectPlanTruth, untilCaughtUp } from "./plan-truth.js";
import { seededRandom } from "@steward/kernel/testing/seeded-random.js";
import { ServerProcess } from "./server-process.js";
import { postgresView } from "./store-view.js";
import { TcpProxy } from "./tcp-proxy.js";
import { expectUsageTruth } from "./usage-truth.js";

/** Concurrent clients that drive plans and alternate between the nodes. */
const CLIENTS = 6;
/** Concurrent clients that report usage, price it again, and alternate between the nodes. */
const BILLERS = 2;
/** Where PostgreSQL listens unless its URL says otherwise. */
const POSTGRES_PORT = 5432;
/** Components of a vector. */
const DIMENSION = 8;
/** Maximum pause before a fault, in ms. */
const ROUND_MS = 700;
/** Maximum downtime of the database, in ms. */
const AWAY_MS = 300;

const TROUBLES = ["kill", "restart the database", "disturb connections"] as const;
type Trouble = (typeof TROUBLES)[number];

/** A server, and the proxy between it and the database. */
interface Node {
  readonly proxy: TcpProxy;
  readonly server: ServerProcess;
}

/**
 * Two servers on one PostgreSQL, a proxy between each and the database, and the faults to inject.
 */
class Cluster implements AsyncDisposable {
  readonly databaseUrl: string;
  /** Absent when the database is one that is not to be stopped. */
  readonly #postgres: PostgresServer | undefined;
  readonly #nodes: readonly Node[];

  private constructor(
    databaseUrl: string,
    postgres: PostgresServer | undefined,
    nodes: readonly Node[],
  ) {
    this.databaseUrl = databaseUrl;
    this.#postgres = postgres;
    this.#nodes = nodes;
  }

  /** @param database one that is there already; absent: a PostgreSQL of its own, which is stopped at times. */
  static async start(dir: string, database?: { readonly url: string }): Promise<Cluster> {
    const postgres =
      database === undefined
        ? await PostgresServer.start({ settings: { synchronous_commit: "on" } })
        : undefined;
    const databaseUrl = database?.url ?? postgres?.url ?? "";
    const keyFile = join(dir, "audit.key");
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    const start = async (name: string): Promise<Node> => {
      const url = new URL(databaseUrl);
      const proxy = await TcpProxy.start(Number(url.port || POSTGRES_PORT), url.hostname);
      url.hostname = "127.0.0.1";
      url.port = String(proxy.port);
      const server = await ServerProcess.start({
        SERVICE_DATABASE_URL: url.href,
        SERVICE_DATA_DIR: join(dir, name),
        SERVICE_DATA_SOURCES: `default=sqlite:${join(dir, "target.db")}`,
        SERVICE_EMBEDDING_PROVIDER: "hash",
        SERVICE_EMBEDDING_DIMENSION: String(DIMENSION),
        SERVICE_AUDIT_KEY_FILE: keyFile,
        SERVICE_LOG_LEVEL: "warn",
      });
      return { proxy, server };
    };
    return new Cluster(databaseUrl, postgres, [await start("a"), await start("b")]);
  }

  /** The address of one of the nodes. */
  anyUrl(random: () => number): string {
    return this.#any(random).server.url;
  }

  /** Kills a node, restarts the database, or disturbs a node's connections to it. */
  async strike(trouble: Trouble, random: () => number): Promise<void> {
    const { server, proxy } = this.#any(random);
    if (trouble === "kill") {
      await server.kill();
      await server.restart();
    } else if (trouble === "restart the database" && this.#postgres !== undefined) {
      await this.#postgres.stop(random() < 0.5 ? "fast" : "immediate");
      await delay(random() * AWAY_MS);
      await this.#postgres.start();
    } else {
      proxy.trouble(0.5, random);
    }
  }

  /** Stops the servers gracefully. @returns their exit codes. */
  stop(): Promise<readonly (number | null)[]> {
    return Promise.all(this.#nodes.map(({ server }) => server.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { server, proxy } of this.#nodes) {
      await server[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    }
    await this.#postgres?.[Symbol.asyncDispose]();
  }

  #any(random: () => number): Node {
    const node = this.#nodes[Math.floor(random() * this.#nodes.length)];
    if (node === undefined) throw new Error("a cluster has nodes");
    return node;
  }
}

function drawTrouble(random: () => number): Trouble {
  const kind = random();
  if (kind < 0.35) return "kill";
  return kind < 0.55 ? "restart the database" : "disturb connections";
}

/**
 * Has `rounds` faults happen to two servers and their database, one of each kind first, under
 * clients that drive plans of reads and writes, revise and fork them, report usage and price it
 * anew. Then it checks that everything acknowledged is true, that no write was applied twice, that
 * every log is gapless, every tool call is one usage row and one memory entry, every total is what
 * the rows add up to, and money is what the prices say.
 * @param database one that is there already and keeps running; absent: one that is restarted too.
 */
export async function clusterRounds(
  rounds: number,
  seed: number,
  database?: { readonly url: string },
): Promise<void> {
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), "steward-cluster-"));
  createLedger(join(dir, "target.db"));
  await using cluster = await Cluster.start(dir, database);
  const acknowledged: Acknowledged[] = [];
  const auditor = new Auditor(dir, postgresView(cluster.databaseUrl));
  const requestIds: string[] = [];
  let reported = 0;
  let stopped = false;
  const asking = (client: number): (() => string) => {
    const choose = seededRandom(seed + client);
    return () => cluster.anyUrl(choose);
  };
  await setFirstPrice(asking(0));
  const clients = Promise.all([
    ...Array.from({ length: CLIENTS }, async (_each, index) => {
      const url = asking(index + 1);
      const drive = driverOf(index);
      while (!stopped) acknowledged.push(...(await drive(url)));
    }),
    ...Array.from({ length: BILLERS }, async (_each, index) => {
      // Read afterwards, because the other client may have added to it meanwhile.
      const usage = await reportUsage(asking(-1 - index), () => stopped);
      requestIds.push(...usage.requestIds);
      reported += usage.calls;
    }),
  ]);
  // Awaited below; a client that fails earlier must not cause an unhandled rejection.
  clients.catch(() => undefined);
  for (let round = 0; round < rounds; round += 1) {
    await delay(random() * ROUND_MS);
    await auditor.keepCheckpoint(cluster.anyUrl(random));
    await cluster.strike(TROUBLES[round] ?? drawTrouble(random), random);
  }
  stopped = true;
  await clients;
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(reported).toBeGreaterThan(0);
  const anyUrl = (): string => cluster.anyUrl(random);
  for (const { planId, outputs } of acknowledged.slice(-20)) {
    for (const [stepId, output] of outputs) {
      expect(await execute(anyUrl, planId, stepId)).toBe(output);
    }
  }
  await setLastPrice(anyUrl);
  const view = postgresView(cluster.databaseUrl);
  await untilCaughtUp(view);
  await auditor.expectWholeTruth(anyUrl, acknowledged);
  await auditor.expectVerified(anyUrl);
  auditor.expectOperations("usage.report", requestIds);
  expect(await cluster.stop()).toEqual([0, 0]);
  await expectPlanTruth(view, acknowledged);
  expectLedgerTruth(join(dir, "target.db"), acknowledged);
  await expectUsageTruth(view, reported);
  await expectMemoryTruth(view, DIMENSION);
  rmSync(dir, { recursive: true });
}
