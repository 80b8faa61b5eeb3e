import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Client } from "../client.js";
import { expectRefusal, rowsOf, type ExpectedRefusal } from "../expectations.js";
import { LONG_TEXT, scenario, scenarioOver, step, type Scenario } from "../scenario.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A refused field of a memory request. */
const wrong = (field: string, message: RegExp): ExpectedRefusal => ({
  code: "INVALID_ARGUMENT",
  grpc: "INVALID_ARGUMENT",
  rest: 400,
  field,
  message,
});

const unknown = { code: "NOT_FOUND", grpc: "NOT_FOUND", rest: 404 };

/** A client of a new organization, and the organization. */
function member(client: Client): { readonly mine: Client; readonly org_id: string } {
  const org_id = randomUUID();
  return { mine: client.as({ "x-org-id": org_id }), org_id };
}

async function remember(client: Client, content: unknown, session_id = "s"): Promise<string> {
  const entry = await client.memory.add({ session_id, content: JSON.stringify(content) });
  return entry.entry_id;
}

/** Waits until the tool-call hook has made this many entries. */
async function untilRemembered(client: Client, count: number): Promise<void> {
  await expect.poll(async () => (await client.memory.list()).entries.length).toBe(count);
}

/** Memory entries and the search for them. */
export const memory: readonly Scenario[] = [
  scenario(
    ["C1-memory", "C2.7-fields", "C2.7-content", "C2.7-created-at", "C4.4-cascade", "D12-cascade"],
    "a search finds an entry like its query, with its content as it was stored",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      const content = '{ "note":  "unpaid invoices of ACME", "é":1.0 }';
      const { entry_id } = await mine.memory.add({ session_id: "s", content });
      await remember(mine, { note: "warehouse opening hours" });
      const results = await mine.memory.search({ query: "unpaid invoices", org_id });
      expect(results).toHaveLength(2);
      const [first] = results;
      expect(first).toEqual({
        entry_id: expect.stringMatching(UUID) as string,
        score: expect.any(Number) as number,
        content,
        created_at: expect.stringMatching(ISO_TIME) as string,
        related_cascade_targets: [],
      });
      expect(first?.entry_id).toBe(entry_id);
    },
  ),
  scenario(
    ["C4.4-order", "C4.4-query", "D12-repeatable"],
    "results come by falling score, and the same question gets the same answer",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      const notes = ["invoice", "an invoice is due", "hours", "invoices", "the due date", "voice"];
      for (const note of notes) await remember(mine, { note });
      const results = await mine.memory.search({ query: "invoice due", org_id });
      const scores = results.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(new Set(scores).size).toBeGreaterThan(3);
      expect(await mine.memory.search({ query: "invoice due", org_id })).toEqual(results);
    },
  ),
  scenario(
    ["C4.4-top-k", "C8-top-k", "D12-top-k"],
    "ten results unless told otherwise, at least one, at most a hundred",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      await Promise.all(Array.from({ length: 103 }, (_n, note) => remember(mine, { note })));
      const count = async (top_k?: number) =>
        (
          await mine.memory.search({
            query: "note",
            org_id,
            ...(top_k === undefined ? {} : { top_k }),
          })
        ).length;
      expect(await count()).toBe(10);
      expect(await count(3)).toBe(3);
      expect(await count(0)).toBe(1);
      expect(await count(-7)).toBe(1);
      expect(await count(1_000_000)).toBe(100);
    },
  ),
  scenario(
    ["C4.4-org", "D2-search-org"],
    "org_id leaves only that organization's entries, null and none leave all",
    async ({ client }) => {
      const [one, two] = [member(client), member(client)];
      const word = randomUUID();
      const mine = await remember(one.mine, { word });
      const others = await remember(two.mine, { word });
      const found = async (org_id?: string | null) =>
        (
          await one.mine.memory.search({
            query: word,
            top_k: 2,
            ...(org_id === undefined ? {} : { org_id }),
          })
        ).map(({ entry_id }) => entry_id);
      expect(await found(one.org_id)).toEqual([mine]);
      expect(await found(two.org_id.toUpperCase())).toEqual([others]);
      expect(await found(randomUUID())).toEqual([]);
      expect((await found()).toSorted()).toEqual([mine, others].toSorted());
      expect((await found(null)).toSorted()).toEqual([mine, others].toSorted());
    },
  ),
  scenario(
    ["C7-search-request", "D12-empty-query", "D12-org-uuid"],
    "a search that is not right is refused by its field",
    async ({ client }) => {
      const { wire, memory: asked } = client;
      await expectRefusal(wire, asked.search({}), wrong("query", /query/));
      await expectRefusal(wire, asked.search({ query: "" }), wrong("query", /empty/));
      const long = asked.search({ query: "x".repeat(64 * 1024 + 1) });
      await expectRefusal(wire, long, wrong("query", /65536 bytes/));
      const org = asked.search({ query: "x", org_id: "acme" });
      await expectRefusal(wire, org, wrong("org_id", /UUID/));
      const low = asked.search({ query: "x", min_score: 2 });
      await expectRefusal(wire, low, wrong("min_score", /-1 to 1/));
      const mode = asked.search({ query: "x", mode: "fuzzy" });
      await expectRefusal(wire, mode, wrong("mode", /vector/));
      const path = asked.search({ query: "x", filter: { content: { path: "a", equals: 1 } } });
      await expectRefusal(wire, path, wrong("filter.content.path", /\$\.output/));
      const time = asked.search({ query: "x", filter: { created_from: "yesterday" } });
      await expectRefusal(wire, time, wrong("filter.created_from", /\S/));
    },
  ),
  scenarioOver(
    "rest",
    ["C7-search-request", "D12-top-k-integer"],
    "a search over REST of the wrong types, or that is no JSON, is 400 with an error",
    async ({ steward }) => {
      const post = async (body: string) => {
        const response = await fetch(`${steward.url}/api/memory/search`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
        const answer = (await response.json()) as { error: string; details?: { field: string }[] };
        expect([response.status, typeof answer.error]).toEqual([400, "string"]);
        return answer.details?.map(({ field }) => field) ?? [];
      };
      expect(await post('{"query":"x","top_k":1.5}')).toEqual(["top_k"]);
      expect(await post('{"query":"x","top_k":"5"}')).toEqual(["top_k"]);
      expect(await post('{"query":7}')).toEqual(["query"]);
      expect(await post('{"query":"x","org_id":7}')).toEqual(["org_id"]);
      expect(await post('{"query":null}')).toEqual(["query"]);
      expect(await post("[]")).toEqual(["body"]);
      expect(await post('{"query":')).toEqual([]);
    },
  ),
  scenario(
    ["C2.8-hook", "D12-entry", "D12-embedded"],
    "each tool call, success or failure, makes one entry that says what was done",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      const { plan_id } = await mine.submit({
        session_id: "calls",
        steps: [
          step("read", "SELECT 'zebra' AS animal", { tool_name: "sql_zoo" }),
          step("bad", "DELETE FROM nowhere", { depends_on: ["read"] }),
        ],
      });
      await rowsOf(mine, plan_id, "read");
      await mine.execute(plan_id, "read");
      await mine.execute(plan_id, "bad");
      await untilRemembered(mine, 2);
      const { entries } = await mine.memory.list();
      expect(entries.map(({ session_id, tool_name }) => [session_id, tool_name])).toEqual([
        ["calls", "sql"],
        ["calls", "sql_zoo"],
      ]);
      const [bad, read] = entries.map(({ content }) => JSON.parse(content) as object);
      expect(read).toEqual({
        plan_id,
        step_id: "read",
        tool_name: "sql_zoo",
        intent: "read_select",
        query: "SELECT 'zebra' AS animal",
        status: "completed",
        row_count: 1,
        output: '[{"animal":"zebra"}]',
        error: null,
      });
      expect(bad).toMatchObject({
        step_id: "bad",
        status: "failed",
        error: expect.stringMatching(/nowhere/) as string,
      });
      const [found] = await mine.memory.search({ query: "zebra", org_id });
      expect(found?.entry_id).toBe(entries[1]?.entry_id);
    },
  ),
  scenario(["D12-cut"], "of a large output an entry keeps 8 KiB", async ({ client }) => {
    const { mine } = member(client);
    const sql = `SELECT ${LONG_TEXT} AS big`;
    const { plan_id } = await mine.submit({ session_id: "s", steps: [step("big", sql)] });
    await rowsOf(mine, plan_id, "big");
    await untilRemembered(mine, 1);
    const [entry] = (await mine.memory.list()).entries;
    const { output } = JSON.parse(entry?.content ?? "") as { output: string };
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(8 * 1024);
    expect(Buffer.byteLength(output)).toBeGreaterThan(7 * 1024);
  }),
  scenario(
    ["D12-add", "D12-get"],
    "an entry is added, read, and found by the very next search",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      const content = '{"note":"invoices are paid on Fridays"}';
      const added = await mine.memory.add({ session_id: "notes", content });
      expect(added).toMatchObject({ session_id: "notes", content });
      const [found] = await mine.memory.search({ query: "invoices", org_id });
      expect(found?.entry_id).toBe(added.entry_id);
      expect(await mine.memory.get(added.entry_id)).toEqual(added);
      const implied = mine.as({ "x-session-id": "implied" });
      expect(await implied.memory.add({ content })).toMatchObject({ session_id: "implied" });
      expect(await mine.memory.stats()).toEqual({
        entries: 2,
        waiting_calls: expect.any(Number) as number,
        quarantined_vectors: 0,
        model: "hash@768",
        dimension: 768,
      });
    },
  ),
  scenario(
    ["D12-add"],
    "an entry that is not right is refused by its field",
    async ({ client }) => {
      const { wire, memory: asked } = client;
      const add = (session_id: string, content: string) => asked.add({ session_id, content });
      await expectRefusal(wire, add("s", "no JSON"), wrong("content", /JSON/));
      const long = JSON.stringify("x".repeat(64 * 1024));
      await expectRefusal(wire, add("s", long), wrong("content", /65536 bytes/));
      await expectRefusal(wire, add("", "{}"), wrong("session_id", /255/));
      await expectRefusal(wire, add("s".repeat(256), "{}"), wrong("session_id", /255/));
      await expectRefusal(wire, asked.get("17"), wrong("entry_id", /UUID/));
      await expectRefusal(wire, asked.list({ cursor: "x" }), wrong("cursor", /next_cursor/));
      await expectRefusal(wire, asked.list({ limit: 201 }), wrong("limit", /200/));
      await expectRefusal(wire, asked.list({ limit: -1 }), wrong("limit", /1/));
      await expectRefusal(wire, asked.setRetention(0), wrong("days", /1/));
    },
  ),
  scenario(
    ["D12-list"],
    "entries are listed newest first, by session, tool and time, page by page",
    async ({ client }) => {
      const { mine } = member(client);
      const ids: string[] = [];
      for (const note of [1, 2, 3, 4, 5]) {
        ids.push(await remember(mine, { note }, note === 3 ? "odd" : "s"));
      }
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await mine.memory.list({
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
        });
        pages.push(page.entries.map(({ entry_id }) => entry_id));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(pages.flat()).toEqual(ids.toReversed());
      const odd = await mine.memory.list({ session_id: "odd" });
      expect(odd.entries.map(({ entry_id }) => entry_id)).toEqual([ids[2]]);
      const future = { created_from: new Date(Date.now() + 60_000).toISOString() };
      expect(await mine.memory.list(future)).toEqual({ entries: [] });
      expect(await mine.memory.list({ tool_name: "sql" })).toEqual({ entries: [] });
      expect(await mine.memory.list({ intent: "admin" })).toEqual({ entries: [] });
    },
  ),
  scenario(
    ["D12-delete"],
    "a deleted entry is gone for the next search, and the answer says how many went",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      const entryId = await remember(mine, { note: "invoice" });
      const kept = await remember(mine, { note: "invoice" });
      expect(await mine.memory.remove(entryId)).toBe(1);
      const results = await mine.memory.search({ query: "invoice", org_id });
      expect(results.map(({ entry_id }) => entry_id)).toEqual([kept]);
      await expectRefusal(client.wire, mine.memory.remove(entryId), unknown);
      await expectRefusal(client.wire, mine.memory.get(entryId), unknown);
      expect((await mine.memory.stats()).entries).toBe(1);
    },
  ),
  scenario(
    ["D12-delete-session"],
    "a session's entries go together, and the answer says how many went",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      for (const note of [1, 2, 3]) await remember(mine, { note }, "a/b c");
      const kept = await remember(mine, { note: 4 }, "other");
      expect(await mine.memory.removeSession("a/b c")).toBe(3);
      expect(await mine.memory.removeSession("a/b c")).toBe(0);
      const results = await mine.memory.search({ query: "note", org_id });
      expect(results.map(({ entry_id }) => entry_id)).toEqual([kept]);
    },
  ),
  scenario(
    ["D12-not-found"],
    "another organization's entries are answered as if they did not exist",
    async ({ client }) => {
      const [one, two] = [member(client), member(client)];
      const entryId = await remember(one.mine, { note: "secret" });
      const { wire } = client;
      await expectRefusal(wire, two.mine.memory.get(entryId), unknown);
      await expectRefusal(wire, two.mine.memory.remove(entryId), unknown);
      expect(await two.mine.memory.removeSession("s")).toBe(0);
      expect(await two.mine.memory.list()).toEqual({ entries: [] });
      expect((await two.mine.memory.stats()).entries).toBe(0);
      expect(await one.mine.memory.get(entryId)).toMatchObject({ entry_id: entryId });
    },
  ),
  scenario(
    ["D12-filter", "D12-min-score"],
    "a filter and a least score leave out what they say",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      const near = await remember(mine, { note: "unpaid invoices", paid: false }, "first");
      const far = await remember(mine, { note: "opening hours", paid: true }, "second");
      const query = "unpaid invoices";
      const found = async (more: object) =>
        (await mine.memory.search({ query, org_id, ...more })).map(({ entry_id }) => entry_id);
      expect(await found({})).toEqual([near, far]);
      expect(await found({ min_score: 0.4 })).toEqual([near]);
      expect(await found({ filter: { session_id: "second" } })).toEqual([far]);
      expect(await found({ filter: { created_from: "2000-01-01T00:00:00Z" } })).toHaveLength(2);
      expect(await found({ filter: { created_before: "2000-01-01T00:00:00+02:00" } })).toEqual([]);
      expect(await found({ filter: { tool_name: "sql" } })).toEqual([]);
      expect(await found({ filter: { intent: "read_select" } })).toEqual([]);
      const content = { path: "$.paid", equals: true };
      expect(await found({ filter: { content } })).toEqual([far]);
    },
  ),
  scenario(
    ["D12-hybrid", "D12-explain"],
    "hybrid mode ranks by words too, and explain says why each result stands where it does",
    async ({ client }) => {
      const { mine, org_id } = member(client);
      for (const number of [0, 1, 2, 3, 4]) await remember(mine, { ticket: `ZX-470${number}` });
      const exact = await remember(mine, { ticket: "ZX-4711" });
      const search = { query: "4711", org_id, explain: true };
      const [first, second] = await mine.memory.search({ ...search, mode: "hybrid" });
      expect(first?.entry_id).toBe(exact);
      expect(first?.explain).toMatchObject({ rank: 1, text_rank: 1 });
      const { vector_rank = NaN, fused_score } = first?.explain ?? {};
      expect(fused_score).toBe(1 / (60 + vector_rank) + 1 / 61);
      expect(second?.explain?.rank).toBe(2);
      expect(second?.explain?.text_rank).toBeUndefined();
      const [plain] = await mine.memory.search({ ...search, mode: "vector" });
      expect(plain?.explain).toEqual({ rank: 1, vector_rank: 1 });
      const [unasked] = await mine.memory.search({ query: "4711", org_id, mode: "hybrid" });
      expect(unasked?.explain).toBeUndefined();
    },
  ),
  scenario(
    ["D12-retention"],
    "each organization says for itself how long its entries are kept",
    async ({ client }) => {
      const [one, two] = [member(client), member(client)];
      expect(await one.mine.memory.retention()).toBe(365);
      expect(await one.mine.memory.setRetention(90)).toBe(90);
      expect(await one.mine.memory.retention()).toBe(90);
      expect(await two.mine.memory.retention()).toBe(365);
      expect(await one.mine.memory.setRetention(null)).toBe(365);
      expect(await one.mine.memory.retention()).toBe(365);
    },
  ),
];
