import { DatabaseSync } from "@photostructure/sqlite";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openApp, type EmbeddingProvider } from "@steward/server";
import { expect } from "vitest";
import type { Client, Wire } from "../client.js";
import { EmbeddingServer } from "../parties/embedding-server.js";
import { expectRefusal, rowsOf } from "../expectations.js";
import { step, type ProcessScenario } from "../scenario.js";
import { sharedSteward } from "../shared-steward.js";
import { Steward } from "../steward.js";
import { runSteward } from "../steward-command.js";

const WIRES: readonly Wire[] = ["grpc", "rest"];

/** Stores an entry with a vector, which the embedding server reads from the content. */
async function remember(client: Client, vector: string): Promise<string> {
  return (await client.memory.add({ session_id: "s", content: `{"v":${vector}}` })).entry_id;
}

/** Rows of the store, read directly. */
function stored(steward: Steward, query: string): readonly unknown[] {
  using database = new DatabaseSync(join(steward.directory, "steward.db"), { timeout: 5000 });
  return database.prepare(query).all();
}

/** Memory with its own embedding service, settings or store. */
export const memory: readonly ProcessScenario[] = [
  {
    cites: ["C2.7-score", "C4.4-cosine", "D12-identical", "D12-zero-norm"],
    title: "identical vectors score 1, orthogonal 0, opposite -1, and one without length 0",
    run: async () => {
      await using embedding = await EmbeddingServer.start(3);
      await using steward = await Steward.start(embedding.settings);
      for (const wire of WIRES) {
        const org_id = randomUUID();
        const client = steward.client(wire, { "x-org-id": org_id });
        const vectors = [
          "[1e-3,3e-3,7]",
          "[0.1,0.2,-0.3]",
          "[-1e-3,-3e-3,-7]",
          "[0,0,0]",
          "[3,-1,0]",
        ];
        const ids: string[] = [];
        for (const vector of vectors) ids.push(await remember(client, vector));
        const results = await client.memory.search({ query: "[1e-3,3e-3,7]", org_id });
        const scores = new Map(results.map(({ entry_id, score }) => [entry_id, score]));
        expect(scores.get(ids[0] ?? "")).toBe(1);
        expect(scores.get(ids[2] ?? "")).toBe(-1);
        expect(scores.get(ids[3] ?? "")).toBe(0);
        expect(scores.get(ids[4] ?? "")).toBeCloseTo(0, 6);
        const [a, b] = [Float32Array.of(1e-3, 3e-3, 7), Float32Array.of(0.1, 0.2, -0.3)];
        expect(scores.get(ids[1] ?? "")).toBe(cosine(a, b));
        const silent = await client.memory.search({ query: "[0,0,0]", org_id });
        expect(silent.map(({ score }) => score)).toEqual([0, 0, 0, 0, 0]);
      }
    },
  },
  {
    cites: ["D12-cascade-on"],
    title: "a search tells which tables deletions reach, of the schema as it is by now",
    run: async () => {
      await using steward = await Steward.start({ SERVICE_CASCADE_ENRICHMENT: "on" });
      await steward.sql(`CREATE TABLE customers (id INTEGER PRIMARY KEY);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, c REFERENCES customers ON DELETE CASCADE);
        CREATE TABLE notes (c REFERENCES customers ON DELETE SET NULL)`);
      for (const [round, wire] of WIRES.entries()) {
        const org_id = randomUUID();
        const client = steward.client(wire, { "x-org-id": org_id });
        const content = JSON.stringify({ query: "DELETE FROM Customers" });
        await client.memory.add({ session_id: "s", content });
        const other = JSON.stringify("nothing of interest");
        await client.memory.add({ session_id: "s", content: other });
        // The call of the step below gets an entry too, some time after it has ended.
        const targets = async (): Promise<readonly (readonly string[])[]> => {
          const results = await client.memory.search({ query: "customers", org_id });
          const own = results.filter((each) => [content, other].includes(each.content));
          return own.map((each) => each.related_cascade_targets);
        };
        const before = round === 0 ? ["orders"] : ["orders", "items0"];
        expect([...(await targets())].sort()).toEqual([[], before]);
        const table = `items${String(round)}`;
        const create = `CREATE TABLE ${table} (o REFERENCES orders ON DELETE CASCADE)`;
        const { plan_id } = await client.submit({ steps: [step("make", create)] });
        await client.execute(plan_id, "make");
        expect([...(await targets())].sort()).toEqual([[], [...before, table]]);
      }
    },
  },
  {
    cites: ["D12-ties"],
    title: "of equal scores the newer comes first",
    run: async () => {
      await using embedding = await EmbeddingServer.start(2);
      await using steward = await Steward.start(embedding.settings);
      const org_id = randomUUID();
      const client = steward.client("rest", { "x-org-id": org_id });
      const ids: string[] = [];
      for (let number = 0; number < 5; number += 1) ids.push(await remember(client, "[1,2]"));
      const entries = (await client.memory.list()).entries;
      const expected = entries.toSorted(
        (a, b) => b.created_at.localeCompare(a.created_at) || a.entry_id.localeCompare(b.entry_id),
      );
      const results = await client.memory.search({ query: "[2,4]", org_id });
      expect(results.map(({ entry_id }) => entry_id)).toEqual(
        expected.map(({ entry_id }) => entry_id),
      );
      expect(results).toHaveLength(ids.length);
    },
  },
  {
    cites: ["C1-provider", "C4.6-zero", "C8-dimension", "C8-size", "C2.8-size", "C2.8-vector"],
    title: "without settings vectors are 768 zeros, 3072 bytes, and a search gives the newest",
    run: async () => {
      await using steward = await Steward.start();
      const client = steward.client("rest");
      await client.memory.add({ session_id: "s", content: '"note"' });
      const [result] = await client.memory.search({ query: "anything" });
      expect(result).toMatchObject({ score: 0, content: '"note"' });
      const sql = `SELECT content, hex(embedding) = hex(zeroblob(3072)) AS zeros, length(embedding) AS bytes
        FROM memory_entries JOIN memory_entry_embeddings USING (entry_id)`;
      expect(stored(steward, sql)).toEqual([{ content: '"note"', zeros: 1, bytes: 3072 }]);
      const column = (of: string): string =>
        `SELECT type, "notnull" FROM pragma_table_info('${of}') WHERE name = 'embedding'`;
      // SQLite does not report that a view's column cannot be null; the underlying column cannot.
      expect(stored(steward, column("memory_entry_embeddings"))).toMatchObject([{ type: "BLOB" }]);
      expect(stored(steward, column("memory_vectors"))).toEqual([{ type: "BLOB", notnull: 1 }]);
    },
  },
  {
    cites: ["C2.8-size", "C8-dimension", "D12-blob", "C2.8-raw", "D12-together"],
    title: "a vector is stored as little-endian float32, dimension × 4 bytes, with its entry",
    run: async () => {
      await using embedding = await EmbeddingServer.start(1536);
      await using steward = await Steward.start(embedding.settings);
      const client = steward.client("rest");
      const content = '{ "v": [1.5,-2, 0.1] , "raw":  "\\u00e9" }';
      await client.memory.add({ session_id: "s", content });
      expect(embedding.requests.at(-1)?.texts).toEqual([content]);
      const sql = `SELECT embedding FROM memory_entries JOIN memory_entry_embeddings USING (entry_id)`;
      const [row] = stored(steward, sql) as { embedding: Uint8Array }[];
      const blob = Buffer.from(row?.embedding ?? []);
      expect(blob.length).toBe(6144);
      expect([blob.readFloatLE(0), blob.readFloatLE(4), blob.readFloatLE(8)]).toEqual([
        1.5,
        -2,
        Math.fround(0.1),
      ]);
    },
  },
  {
    cites: ["C7-embedding-failed", "C7-provider-errors", "D12-refused-vector"],
    title: "a provider that fails is told of as such, and nothing it spoilt is stored",
    run: async () => {
      await using embedding = await EmbeddingServer.start(2);
      await using steward = await Steward.start(embedding.settings);
      const misbehaviours = [
        [{ status: 503, body: "" }, /503/],
        [{ status: 429, body: "" }, /./],
        [{ status: 200, body: '{"data":[{"index":0,"embed' }, /cannot be used/],
        [vectorAnswer("1"), /length 1.*SERVICE_EMBEDDING_DIMENSION is 2/],
        [vectorAnswer("1e39,0"), /infinity/],
        [vectorAnswer('1,"x"'), /cannot be used/],
        [{ status: 404, body: "" }, /SERVICE_EMBEDDING_MODEL/],
      ] as const;
      for (const wire of WIRES) {
        const client = steward.client(wire);
        for (const [misbehaviour, detail] of misbehaviours) {
          embedding.misbehaviour = misbehaviour;
          const failure = { code: "EMBEDDING_FAILED", grpc: "INTERNAL", rest: 500 };
          const message = new RegExp(`^Embedding failed: .*${detail.source}`);
          const searching = client.memory.search({ query: "x" });
          await expectRefusal(wire, searching, { ...failure, message });
          const adding = client.memory.add({ session_id: "s", content: "{}" });
          await expectRefusal(wire, adding, { ...failure, message });
        }
        embedding.misbehaviour = undefined;
        expect(await client.memory.list()).toEqual({ entries: [] });
        expect(await client.memory.search({ query: "x", org_id: randomUUID() })).toEqual([]);
      }
    },
  },
  {
    cites: ["C7-lookup-failed", "D1-noop-memory"],
    title: "without a store a search fails to query the embeddings, and says what is missing",
    run: async () => {
      const steward = await sharedSteward({ SERVICE_DATABASE_URL: undefined });
      for (const wire of WIRES) {
        const client = steward.client(wire);
        await expectRefusal(wire, client.memory.search({ query: "x" }), {
          code: "MEMORY_SEARCH_FAILED",
          grpc: "INTERNAL",
          rest: 500,
          message: /^Failed to query embeddings: .*set SERVICE_DATABASE_URL$/,
        });
        await expectRefusal(wire, client.memory.add({ session_id: "s", content: "{}" }), {
          code: "STORE_UNAVAILABLE",
          grpc: "UNAVAILABLE",
          rest: 503,
          message: /SERVICE_DATABASE_URL/,
        });
      }
    },
  },
  {
    cites: ["C4.6-operations", "C4.6-replace", "C4.6-once"],
    title: "a provider of one's own stands in by its two operations, once for every request",
    run: async () => {
      const embedded: string[] = [];
      const provider: EmbeddingProvider = {
        embed: (text) => {
          embedded.push(text);
          return Promise.resolve(Float32Array.of(text.length, 1));
        },
        dimension: () => 2,
      };
      await using app = await openApp({
        port: 0,
        logLevel: "silent",
        embedding: { dimension: 2 },
        embeddingProvider: provider,
      });
      for (const query of ["one", "two"]) {
        const response = await fetch(`http://127.0.0.1:${app.address.port}/api/memory/search`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ query }),
        });
        expect(await response.json()).toMatchObject({ code: "MEMORY_SEARCH_FAILED" });
      }
      expect(embedded.slice(-2)).toEqual(["one", "two"]);
    },
  },
  {
    cites: ["C8-dimension", "C4.6-replace"],
    title: "a dimension that is not the model's stops the start, with the fix",
    run: async () => {
      await using embedding = await EmbeddingServer.start(3);
      const settings = { ...embedding.settings, SERVICE_EMBEDDING_DIMENSION: "4" };
      const { exitCode, stderr } = await runSteward(["serve"], settings);
      expect(exitCode).not.toBe(0);
      expect(stderr).toMatch(/length 3.*SERVICE_EMBEDDING_DIMENSION is 4: set it to 3/s);
    },
  },
  {
    cites: ["C2.8-hook", "D12-embedded"],
    title: "tool calls wait for a provider that is down, and none is lost or delayed by it",
    run: async () => {
      await using embedding = await EmbeddingServer.start(2);
      await using steward = await Steward.startProcess(embedding.settings);
      const client = steward.client("rest");
      embedding.misbehaviour = { status: 503, body: "" };
      const { plan_id } = await client.submit({
        session_id: "s",
        steps: [step("a", "SELECT 1"), step("b", "SELECT 2")],
      });
      await rowsOf(client, plan_id, "a");
      await rowsOf(client, plan_id, "b");
      const readiness = async () => (await fetch(`${steward.url}/readyz`)).text();
      await expect.poll(readiness).toContain("2 tool calls wait");
      await steward.server.kill();
      embedding.misbehaviour = undefined;
      await steward.server.restart();
      await expect.poll(async () => (await client.memory.list()).entries.length).toBe(2);
      expect(await readiness()).not.toContain("wait");
    },
  },
  {
    cites: ["D12-models", "D12-reembed"],
    title: "a store is changed to another model by a command that survives being killed",
    run: async () => {
      await using embedding = await EmbeddingServer.start(2);
      await using steward = await Steward.startProcess(embedding.settings);
      const org_id = randomUUID();
      const client = steward.client("rest", { "x-org-id": org_id });
      const count = 200;
      for (let number = 0; number < count; number += 1) await remember(client, `[1,${number}]`);
      expect(await steward.server.stop()).toBe(0);
      const settings = {
        ...embedding.settings,
        SERVICE_DATA_DIR: steward.directory,
        SERVICE_DATABASE_URL: `sqlite:${join(steward.directory, "steward.db")}`,
        SERVICE_EMBEDDING_MODEL: "another-model",
      };
      const refused = await runSteward(["serve", "--port", "0"], settings);
      expect(refused.stderr).toMatch(/openai:a-model@2.*steward memory reembed/s);
      embedding.delayMs = 200;
      embedding.requests.length = 0;
      const child = spawn(process.execPath, [STEWARD, "memory", "reembed"], { env: settings });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      await expect.poll(() => embedding.requests.length).toBeGreaterThan(2);
      child.kill("SIGKILL");
      await ended;
      const models = "SELECT name FROM memory_models WHERE is_active = 1";
      expect(stored(steward, models)).toEqual([{ name: "openai:a-model@2" }]);
      embedding.delayMs = 0;
      embedding.requests.length = 0;
      const again = await runSteward(["memory", "reembed", "--json"], settings);
      expect(JSON.parse(again.stdout)).toEqual({
        done: count,
        total: count,
        model: "openai:another-model@2",
      });
      const texts = embedding.requests.flatMap((request) => request.texts);
      expect(texts.length).toBeLessThan(count);
      expect(stored(steward, models)).toEqual([{ name: "openai:another-model@2" }]);
      const vectors = "SELECT count(*) AS n, count(DISTINCT model_id) AS m";
      const embeddings = `${vectors} FROM memory_entry_embeddings`;
      expect(stored(steward, embeddings)).toEqual([{ n: count, m: 1 }]);
      const once = `${vectors} FROM memory_vectors JOIN memory_codes USING (vector_key)`;
      expect(stored(steward, once)).toEqual([{ n: count, m: 1 }]);
    },
  },
];

const STEWARD = fileURLToPath(
  new URL("../../../../packages/server/bin/steward.js", import.meta.url),
);

function vectorAnswer(components: string): { readonly status: number; readonly body: string } {
  return { status: 200, body: `{"data":[{"index":0,"embedding":[${components}]}]}` };
}

/** Decision §12, implemented independently. */
function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}
