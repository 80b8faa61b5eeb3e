import { PostgresServer } from "@steward/test-postgres";
import { DatabaseSync } from "@photostructure/sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { expectClusterTruth } from "./cluster-truth.js";
import { createLedger } from "./ledger.js";
import { drivePlan, execute, type Acknowledged } from "./plan-driver.js";
import { seededRandom } from "./random.js";
import { ServerProcess } from "./server-process.js";
import { TcpProxy } from "./tcp-proxy.js";

/** Clients that drive plans at once, each asking now one node and now the other. */
const CLIENTS = 6;
/** Something happens after up to this time, in ms. */
const ROUND_MS = 700;
/** How long the database stays away, at most, in ms. */
const AWAY_MS = 300;

/** A server and what stands between it and the database. */
interface Node {
  readonly proxy: TcpProxy;
  readonly server: ServerProcess;
}

/** Two servers on one PostgreSQL, a proxy between each and the database, and what may happen to them. */
class Cluster implements AsyncDisposable {
  readonly #postgres: PostgresServer;
  readonly #nodes: readonly Node[];

  private constructor(postgres: PostgresServer, nodes: readonly Node[]) {
    this.#postgres = postgres;
    this.#nodes = nodes;
  }

  static async start(dir: string): Promise<Cluster> {
    const postgres = await PostgresServer.start({ settings: { synchronous_commit: "on" } });
    const start = async (name: string): Promise<Node> => {
      const url = new URL(postgres.url);
      const proxy = await TcpProxy.start(Number(url.port));
      url.port = String(proxy.port);
      const server = await ServerProcess.start({
        SERVICE_DATABASE_URL: url.href,
        SERVICE_DATA_DIR: join(dir, name),
        SERVICE_DATA_SOURCES: `default=sqlite:${join(dir, "target.db")}`,
        SERVICE_EMBEDDING_PROVIDER: "hash",
        SERVICE_EMBEDDING_DIMENSION: "8",
        SERVICE_LOG_LEVEL: "warn",
      });
      return { proxy, server };
    };
    return new Cluster(postgres, [await start("a"), await start("b")]);
  }

  get databaseUrl(): string {
    return this.#postgres.url;
  }

  /** The address of either node. */
  anyUrl(random: () => number): string {
    return this.#any(random).server.url;
  }

  /** Kills a node, restarts the database, or troubles a node's connections to it. */
  async strike(random: () => number): Promise<void> {
    const kind = random();
    const { server, proxy } = this.#any(random);
    if (kind < 0.35) {
      await server.kill();
      await server.restart();
    } else if (kind < 0.55) {
      await this.#postgres.stop(random() < 0.5 ? "fast" : "immediate");
      await delay(random() * AWAY_MS);
      await this.#postgres.start();
    } else {
      proxy.trouble(0.5, random);
    }
  }

  /** Ends the servers as an operator would. @returns their exit codes. */
  stop(): Promise<readonly (number | null)[]> {
    return Promise.all(this.#nodes.map(({ server }) => server.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { server, proxy } of this.#nodes) {
      await server[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    }
    await this.#postgres[Symbol.asyncDispose]();
  }

  #any(random: () => number): Node {
    const node = this.#nodes[Math.floor(random() * this.#nodes.length)];
    if (node === undefined) throw new Error("a cluster has nodes");
    return node;
  }
}

/**
 * Has `rounds` things happen to two servers and their database, under clients that drive plans of reads
 * and writes, then checks that everything acknowledged is true, that no write was applied twice, that
 * every log is gapless and every tool call is one usage row and one memory entry.
 */
export async function clusterRounds(rounds: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const dir = mkdtempSync(join(tmpdir(), "steward-cluster-"));
  createLedger(join(dir, "target.db"));
  await using cluster = await Cluster.start(dir);
  const acknowledged: Acknowledged[] = [];
  let stopped = false;
  const clients = Promise.all(
    Array.from({ length: CLIENTS }, async (_each, index) => {
      const choose = seededRandom(seed + index + 1);
      while (!stopped) acknowledged.push(await drivePlan(() => cluster.anyUrl(choose)));
    }),
  );
  // Awaited below; a client that fails before then is not a rejection that nobody handles.
  clients.catch(() => undefined);
  for (let round = 0; round < rounds; round += 1) {
    await delay(random() * ROUND_MS);
    await cluster.strike(random);
  }
  stopped = true;
  await clients;
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const { planId, outputs } of acknowledged.slice(-20)) {
    for (const [stepId, output] of outputs) {
      expect(await execute(cluster.anyUrl(random), planId, stepId)).toBe(output);
    }
  }
  await expectClusterTruth(cluster.databaseUrl, acknowledged);
  expect(await cluster.stop()).toEqual([0, 0]);
  const target = new DatabaseSync(join(dir, "target.db"));
  // Each plan inserted one row and raised its counter once: no write lost, none applied twice.
  expect(target.prepare("SELECT count(*) AS n FROM ledger").all()).toEqual([
    { n: acknowledged.length },
  ]);
  expect(target.prepare("SELECT tag FROM ledger WHERE hits <> 1").all()).toEqual([]);
  target.close();
  rmSync(dir, { recursive: true });
}
