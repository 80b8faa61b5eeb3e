import { DatabaseSync } from "@photostructure/sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApp, type App, type AppOptions } from "./app.js";
import { EmbeddingError, HashProvider, type EmbeddingProvider } from "../embedding/index.js";

/** The whole service on a new store. */
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "steward-app-"));
  new DatabaseSync(join(directory, "data.db")).close();
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("a start", () => {
  it("is stopped by a provider whose vectors have another length, with the fix", async () => {
    const starting = start({ embedding: { dimension: 8 }, embeddingProvider: new HashProvider(4) });
    await expect(starting).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/SERVICE_EMBEDDING_DIMENSION is 8: set it to 4/) as string,
    });
  });

  it("is stopped by a model that has no name, or whose package is not there", async () => {
    await expect(start({ embedding: { provider: "openai" } })).rejects.toThrow(
      /set SERVICE_EMBEDDING_MODEL/,
    );
    const local = { provider: "local", model: "some-model" } as const;
    await expect(start({ embedding: local })).rejects.toThrow(
      /npm install @huggingface\/transformers/,
    );
  });

  it("is stopped by another model than the one whose vectors are stored, with the fix", async () => {
    {
      await using app = await start({ embedding: { provider: "hash", dimension: 16 } });
      await callTool(app);
      await expect.poll(() => text(app, "/metrics")).toContain("steward_memory_waiting_calls 0");
    }
    const starting = start({ embedding: { provider: "hash", dimension: 32 } });
    await expect(starting).rejects.toThrow(/hash@16.*steward memory reembed/);
    await using _again = await start({ embedding: { provider: "hash", dimension: 16 } });
  });

  it("goes on without its provider, and readiness and metrics tell what waits", async () => {
    const provider = new Unreachable();
    await using app = await start({ embedding: { dimension: 8 }, embeddingProvider: provider });
    expect(await text(app, "/readyz")).toContain('"memory":"ok"');
    await callTool(app);
    await expect
      .poll(() => text(app, "/readyz"))
      .toContain('"memory":"1 tool calls wait for their memory; it is tried again"');
    expect(await text(app, "/metrics")).toContain("steward_memory_waiting_calls 1");
    provider.isBack = true;
    await expect.poll(() => text(app, "/metrics")).toContain("steward_memory_waiting_calls 0");
    // A readiness result is cached for a second.
    await expect.poll(() => text(app, "/readyz")).toContain('"memory":"ok"');
  });
});

describe("a stored vector that is damaged", () => {
  it("is left out and told of, and the others are found", async () => {
    const options = { embedding: { provider: "hash", dimension: 16 } } as const;
    {
      await using app = await start(options);
      for (const note of ["whole", "damaged", "whole too"]) {
        const content = JSON.stringify({ note });
        await post(app, "/api/memory/entries", { session_id: "s", content });
      }
    }
    const store = new DatabaseSync(join(directory, "store.db"));
    store.exec(`UPDATE memory_vectors SET embedding = x'000000'
                WHERE vector_key = (SELECT vector_key
                  FROM memory_entries JOIN memory_entry_vectors USING (entry_key)
                  WHERE content LIKE '%damaged%')`);
    store.close();
    await using app = await start(options);
    const found = JSON.stringify(await post(app, "/api/memory/search", { query: "whole damaged" }));
    expect(found).toContain("whole too");
    expect(found).not.toContain("damaged");
    expect(await text(app, "/readyz")).toContain("1 stored vectors are damaged and not searched");
    expect(await text(app, "/metrics")).toContain("steward_memory_quarantined_vectors 1");
    expect(await text(app, "/api/memory/stats")).toContain('"entries":2,');
  });
});

/** Fails at first; later embeds hashed words. */
class Unreachable extends HashProvider implements EmbeddingProvider {
  isBack = false;

  constructor() {
    super(8);
  }

  override embed(content: string): Promise<Float32Array> {
    if (this.isBack) return super.embed(content);
    return Promise.reject(new EmbeddingError("transport", "answered 503"));
  }
}

function start(options: AppOptions): Promise<App> {
  return openApp({
    port: 0,
    logLevel: "silent",
    databaseUrl: `sqlite:${join(directory, "store.db")}`,
    dataSources: [{ name: "data", url: `sqlite:${join(directory, "data.db")}` }],
    ...options,
  });
}

async function text(app: App, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${app.address.port}${path}`)).text();
}

async function post(app: App, path: string, body: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${app.address.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

async function callTool(app: App): Promise<void> {
  const steps = [{ id: "a", query_template: "SELECT 1" }];
  const { data } = (await post(app, "/api/plans", { steps })) as { data: { plan_id: string } };
  await post(app, `/api/plans/${data.plan_id}/steps/a/execute`, {});
}
