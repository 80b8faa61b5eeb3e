import { freshDatabase } from "@steward/test-postgres";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "@steward/kernel/clock.js";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { embeddedEntry } from "../../memory/embedded-entry.js";
import type { PreparedStep } from "../../plans/index.js";
import type { PlanRef } from "../../plans/ports.js";
import { inDataDirectory } from "../../config/index.js";
import { type Hash, iri, quad, text, TripleStore } from "@steward/state";
import { openStateNode } from "../../storage/postgres/testing/state-node.js";
import { SqliteBlockStores } from "../../storage/sqlite/state/block-stores.js";
import { openTestStore } from "../../storage/postgres/testing/open-store.js";
import { openSqliteStore } from "../../storage/sqlite/store.js";
import type { Store } from "../../storage/store.js";
import type { AuditRecord } from "../../audit/index.js";
import { flushAudit, isVerified, newestRecords } from "../../storage/testing/append-audit.js";
import { recordToolCalls } from "../../storage/testing/record-tool-calls.js";
import { WEBHOOK_EVENTS, WebhookOutbox } from "../../webhooks/index.js";
import { runSteward } from "../testing/steward-process.js";

const ORG = "11111111-1111-4111-8111-111111111111";
const WAITING_FACT = { orgId: ORG, atMs: 1, kind: "test.fact", subject: "", detail: {} };
const cwd = mkdtempSync(join(tmpdir(), "steward-copy-"));
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

describe("steward copy", () => {
  it("moves a store to PostgreSQL, where everything goes on", async () => {
    const path = join(cwd, "store.db");
    const plan = { orgId: ORG, planId: randomUUID() };
    const entryId = randomUUID();
    const records: AuditRecord[] = [];
    {
      const target = {
        name: "ops",
        url: "https://h.example/",
        secrets: [],
        events: WEBHOOK_EVENTS,
      };
      const outbox = new WebhookOutbox([target]);
      await using store = openSqliteStore(path, systemClock, silentTelemetry, outbox);
      await fill(store, plan, entryId);
      await flushAudit(store);
      await recordToolCalls(store.plans, [{ orgId: ORG }]);
      await store.audit.sequence.add([WAITING_FACT]);
      await store.audit.exported.advance("file:/siem", { holder: "a server", from: 0 }, 3);
      records.push(...(await newestRecords(store, { orgId: ORG })));
    }
    expect(records.length).toBeGreaterThan(4);
    const head = keepState(join(cwd, ".steward"));
    await using database = await freshDatabase();
    const args = ["copy", database.url, "--database-url", `sqlite:${path}`, "--json"];
    const { code, stdout, stderr } = await runSteward(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      plans: 5,
      rows: {
        usage_events: 2,
        usage_prices: 1,
        memory_entries: 2,
        memory_vectors: 1,
        memory_entry_vectors: 2,
      },
      states: { [ORG]: { refs: 2 } },
    });

    await using store = await openTestStore(database.url);
    const replayed = await store.plans.claimStep({ ...plan, stepId: "a" }, "owner");
    expect(replayed).toMatchObject({
      kind: "finished",
      execution: { replayed: true, llmContextUpdate: { toolOutputJson: '[{"id":7}]' } },
    });
    expect(await store.plans.claimStep({ ...plan, stepId: "c" }, "owner")).toMatchObject({
      kind: "claimed",
      attempt: 1,
    });
    // Those that were not recorded before are now, and the others are not once more.
    expect(await store.usage.recording.recordPending(10)).toHaveLength(2);
    const times = { nowMs: Date.now() + 60_000, leaseUntilMs: Date.now() };
    const deliveries = await store.webhooks.take("ops", 10, times);
    expect(deliveries.map(({ body }) => JSON.parse(body) as unknown)).toContainEqual(
      expect.objectContaining({ type: "plan.completed" }),
    );
    await store.memory.useModel({ name: "hash", dimension: 2 });
    expect(await store.memory.toolCalls.waiting()).toBe(4);
    expect(await store.memory.findEntry(ORG, entryId)).toMatchObject({ content: '{"b":1.0}' });
    const embedding = Buffer.from(VECTOR.buffer);
    const vectors = "SELECT embedding FROM memory_entry_embeddings";
    expect(await database.query(vectors)).toEqual([{ embedding }, { embedding }]);
    expect((await runSteward(args, { cwd })).stderr).toContain("copy into an empty database");

    // The records are the same, their tree goes on, and what waited has its records once.
    expect(await newestRecords(store, { orgId: ORG })).toEqual(records);
    expect(await isVerified(store)).toBe(true);
    await flushAudit(store);
    expect(await isVerified(store)).toBe(true);
    const added = (await newestRecords(store, { orgId: ORG })).slice(0, -records.length);
    const kinds = added.map(({ entry }) => (JSON.parse(entry) as { kind: string }).kind);
    expect(kinds).toContain(WAITING_FACT.kind);
    expect(kinds.filter((kind) => kind === "plan.changed").length).toBeGreaterThan(1);

    // What was sent to a receiver is not sent again, and nobody holds its lease.
    const exported = store.audit.exported;
    expect(await exported.position("file:/siem")).toBe(3);
    expect(await exported.take("file:/siem", { holder: "another", from: 3 }, 1000)).toBe(true);

    await using node = openStateNode(database.url, join(cwd, "clones"));
    const { repositories } = node;
    expect(await repositories.check(ORG)).toEqual([]);
    const copied = await repositories.read(ORG, ({ store: state }) => ({
      refs: state.refs(),
      size: new TripleStore(state, systemClock).now.size,
    }));
    const refs = ["heads/main", "tags/v1"].map((name) => ({ name, commit: head }));
    expect(copied).toEqual({ refs, size: 500 });
  });

  it("ends with 2 and the fix when there is nothing to copy, or nowhere to", async () => {
    const nothing = await runSteward(["copy", "postgres://localhost/x"], { cwd });
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("sqlite:PATH") });
    const nowhere = await runSteward(["copy", "mysql://x", "--database-url", "sqlite:s.db"], {
      cwd,
    });
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("postgres://") });
  });
});

/** The state of an organization, with a branch and a tag. @returns the commit. */
function keepState(dataDir: string): Hash {
  using state = new SqliteBlockStores(inDataDirectory(dataDir, "state"), systemClock).open(
    ORG,
    true,
  );
  if (state === undefined) throw new Error("It was to be made");
  const triples = new TripleStore(state, systemClock);
  triples.load(
    Array.from({ length: 500 }, (_, n) =>
      quad(iri(`e:${n}`), iri("e:p"), text(`${n} `.repeat(200))),
    ),
  );
  const head = triples.commit({ author: "ada", message: "all" });
  state.move({ name: "tags/v1", expected: undefined, next: head }, new Map());
  return head;
}

/** Two calls recorded, one not; a plan with a step retried, one failed and one to come. */
/** The vector of both entries, which is stored once. */
const VECTOR = Float32Array.of(1, 0.1);

async function fill({ plans, usage, memory }: Store, ref: PlanRef, entryId: string): Promise<void> {
  const createdAtMs = systemClock.nowMs();
  const price = { id: "p", scope: "aau", subject: "", amount: 7n, fromMs: 0 } as const;
  await usage.prices.change(ORG, () => ({
    added: { ...price, untilMs: undefined },
    ended: undefined,
  }));
  await recordToolCalls(plans, [{ orgId: ORG }, { orgId: ORG, ormModel: "Order" }]);
  await usage.recording.recordPending(10);
  await recordToolCalls(plans, [{ orgId: ORG, error: "boom", status: "failed" }]);
  await plans.createPlan({
    ref,
    sessionId: "s",
    name: "plan",
    description: "é",
    steps: ["a", "b", "c"].map(step),
    createdAtMs,
    deadlineMs: createdAtMs + 86_400_000,
  });
  const claim = async (stepId: string): Promise<number> => {
    const claimed = await plans.claimStep({ ...ref, stepId }, "owner");
    return claimed.kind === "claimed" ? claimed.attempt : 0;
  };
  const error = { code: "STEP_FAILED", message: "locked" } as const;
  const retried = { kind: "retried", error, durationMs: 1 } as const;
  await plans.finishStep({ ...ref, stepId: "a", attempt: await claim("a") }, retried, undefined);
  const context = {
    toolOutputJson: '[{"id":7}]',
    outputMetadata: { types: [{ name: "id", storage: "i" }] },
    schemaAdditions: [],
    augmentationHints: ["hint"],
  };
  await plans.finishStep(
    { ...ref, stepId: "a", attempt: await claim("a") },
    { kind: "completed", rowCount: 1, durationMs: 1.5, context },
    undefined,
  );
  await memory.useModel({ name: "hash", dimension: 2 });
  const content = '{"b":1.0}';
  const entry = { orgId: ORG, entryId, sessionId: "s", content, createdAtMs };
  const other = { ...entry, entryId: randomUUID() };
  await memory.addEntries([entry, other].map((each) => embeddedEntry(each, VECTOR)));
}

function step(id: string, index: number): PreparedStep {
  return {
    id,
    index,
    name: id,
    toolName: "sql",
    intent: "read_select",
    intentSource: "explicit",
    statementClass: "read_select",
    dataSource: "default",
    queryTemplate: "SELECT 1",
    dependsOn: [],
    schemaTableHints: [],
    statement: { sql: "SELECT 1", binds: [] },
  };
}
