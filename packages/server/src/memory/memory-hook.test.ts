import { NOBODY } from "@steward/kernel/testing/nobody.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  EmbeddingError,
  HashProvider,
  type BatchEmbeddingProvider,
  type EmbedOptions,
} from "../embedding/index.js";
import { AppError } from "@steward/kernel/errors.js";
import type { ToolCallRecord } from "../kernel/tool-call.js";
import { toolCallRecord } from "../kernel/testing/tool-call-record.js";
import { toolCallEntryId } from "./entry.js";
import { MemoryRoom, TestDirectory } from "./testing/memory-room.js";

const ORG = "11111111-1111-4111-8111-111111111111";
/** A signal that never aborts. */
const SIGNAL = new AbortController().signal;

/** A generous time limit for a busy machine; usually it is much faster. */

/** The hook on a real SQLite store and a real search thread; the provider can be made to fail. */
let directory: TestDirectory;
let room: MemoryRoom;
let provider: FailingProvider;

beforeEach(async () => {
  directory = new TestDirectory();
  provider = new FailingProvider();
  room = await MemoryRoom.open(directory, provider);
});

afterEach(async () => {
  await room[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

describe("the tool-call hook", () => {
  it("makes each recorded tool call one entry with the content that Decision §12 lists", async () => {
    const [record] = await called("SELECT 0");
    room.startHook();
    await remembered(1);
    const [entry] = (
      await room.service.listEntries({ ...NOBODY, orgId: ORG }, {}, { limit: 10 }, SIGNAL)
    ).entries;
    expect(entry).toMatchObject({
      entryId: record && toolCallEntryId(record),
      sessionId: "s",
      createdAtMs: 0,
      toolCall: { toolName: "sql.query", intent: "read_select" },
    });
    expect(JSON.parse(entry?.content ?? "")).toEqual({
      plan_id: "p",
      step_id: "step",
      tool_name: "sql.query",
      intent: "read_select",
      query: "SELECT 0",
      status: "completed",
      row_count: 1,
      output: "[1]",
      error: null,
    });
    await expect.poll(() => found("SELECT 0")).toContain(record && toolCallEntryId(record));
  });

  it("embeds in batches, as documents", async () => {
    await called(...numbered(100));
    room.startHook();
    await remembered(100);
    expect(provider.batches).toEqual([64, 36]);
    expect(provider.inputTypes).toEqual(new Set(["document"]));
  });

  it("asks policies once about calls of a batch that do not differ for them", async () => {
    await called(...numbered(3));
    await room.recordToolCalls([toolCallRecord({ query: "SELECT 3", dataSource: "other" })]);
    const asked: string[] = [];
    room.startHook(({ dataSource }) => {
      asked.push(dataSource);
      return Promise.resolve(true);
    });
    await remembered(4);
    expect(asked.toSorted()).toEqual(["default", "other"]);
  });

  it("loses nothing while the provider is down, and says so", async () => {
    provider.failure = () => new EmbeddingError("transport", "answered 503");
    await called(...numbered(3));
    const hook = room.startHook();
    await expect.poll(() => hook.backlog()).toEqual({ waiting: 3, failing: true });
    expect(await room.service.listEntries({ ...NOBODY, orgId: ORG }, {}, {}, SIGNAL)).toEqual({
      entries: [],
    });
    provider.failure = () => undefined;
    await remembered(3);
    await expect.poll(() => hook.backlog()).toEqual({ waiting: 0, failing: false });
  });

  it("sends a call that may not be remembered to no provider, and makes no entry of it", async () => {
    await room.recordToolCalls([
      toolCallRecord({ query: "SELECT secret", dataSource: "secrets" }),
      toolCallRecord({ query: "SELECT 1" }),
    ]);
    let isDown = true;
    const hook = room.startHook((call) => {
      if (isDown) return Promise.reject(new AppError("STORE_UNAVAILABLE", "no policies"));
      return Promise.resolve(call.dataSource !== "secrets");
    });
    await expect.poll(() => hook.backlog()).toEqual({ waiting: 2, failing: true });
    isDown = false;
    await expect.poll(() => hook.backlog()).toEqual({ waiting: 0, failing: false });
    const { entries } = await room.service.listEntries({ ...NOBODY, orgId: ORG }, {}, {}, SIGNAL);
    expect(entries.map(({ content }) => content)).toEqual([expect.stringContaining("SELECT 1")]);
    expect(provider.batches).toEqual([1]);
  });

  it("goes on after a restart where it was, and makes nothing twice", async () => {
    provider.failure = () => new EmbeddingError("transport", "answered 503");
    const first = await called("SELECT 1");
    const hook = room.startHook();
    await expect.poll(() => hook.backlog()).toMatchObject({ failing: true });
    await room[Symbol.asyncDispose]();
    provider.failure = () => undefined;
    room = await MemoryRoom.open(directory, provider);
    room.startHook();
    await remembered(1);
    await room[Symbol.asyncDispose]();
    room = await MemoryRoom.open(directory, provider);
    const second = await called("SELECT 2");
    room.startHook();
    await remembered(2);
    const ids = [...first, ...second].map(toolCallEntryId);
    await expect.poll(async () => (await found("SELECT 1")).toSorted()).toEqual(ids.toSorted());
  });

  it("does not make an entry again that was deleted", async () => {
    const [record] = await called("SELECT 1");
    room.startHook();
    await remembered(1);
    await room.service.deleteEntry(ORG, record === undefined ? "" : toolCallEntryId(record));
    await room[Symbol.asyncDispose]();
    room = await MemoryRoom.open(directory, provider);
    expect(await room.startHook().backlog()).toEqual({ waiting: 0, failing: false });
    expect(await found("SELECT 1")).toEqual([]);
  });

  it("keeps a call whose text the provider refuses, without holding up the others", async () => {
    provider.failure = (text) =>
      text.includes("too long")
        ? new EmbeddingError("transport", "answered 400", { retryable: false })
        : undefined;
    const records = await called("SELECT 1", "SELECT 'too long'", "SELECT 3");
    room.startHook();
    await remembered(3);
    const [refused] = records.slice(1, 2).map(toolCallEntryId);
    const { service } = room;
    const signal = new AbortController().signal;
    const scoreOfRefused = async (): Promise<number | undefined> =>
      (await service.search(NOBODY, { query: "SELECT 1" }, signal)).find(
        (result) => result.entryId === refused,
      )?.score;
    await expect.poll(scoreOfRefused).toBe(0);
  });

  it.each(["model_not_configured", "dimension_mismatch", "malformed_response"] as const)(
    "waits while every text fails with %s: the provider is wrong, not the texts",
    async (reason) => {
      provider.failure = () => new EmbeddingError(reason, "for every text");
      await called("SELECT 1");
      const hook = room.startHook();
      await expect.poll(() => hook.backlog()).toEqual({ waiting: 1, failing: true });
      expect(await room.service.listEntries({ ...NOBODY, orgId: ORG }, {}, {}, SIGNAL)).toEqual({
        entries: [],
      });
    },
  );
});

/** Hashed words, except for texts that `failure` rejects. */
class FailingProvider extends HashProvider implements BatchEmbeddingProvider {
  failure: (text: string) => EmbeddingError | undefined = () => undefined;
  readonly batches: number[] = [];
  readonly inputTypes = new Set<string | undefined>();

  constructor() {
    super(64);
  }

  override embed(text: string): Promise<Float32Array> {
    const failure = this.failure(text);
    return failure === undefined ? super.embed(text) : Promise.reject(failure);
  }

  embedMany(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]> {
    this.batches.push(texts.length);
    this.inputTypes.add(options?.inputType);
    return Promise.all(texts.map((text) => this.embed(text)));
  }
}

/** Records a tool call for each query. The index of a query is the time of its call, in ms. */
async function called(...queries: readonly string[]): Promise<readonly ToolCallRecord[]> {
  const records = queries.map((query, finishedAtMs) => toolCallRecord({ query, finishedAtMs }));
  await room.recordToolCalls(records);
  return records;
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_query, number) => `SELECT ${number}`);
}

/** Resolves when this many entries exist. */
async function remembered(count: number): Promise<void> {
  const countEntries = async (): Promise<number> =>
    (await room.service.listEntries({ ...NOBODY, orgId: ORG }, {}, { limit: 200 }, SIGNAL)).entries
      .length;
  await expect.poll(countEntries).toBe(count);
}

async function found(query: string): Promise<readonly string[]> {
  const results = await room.service.search(NOBODY, { query }, new AbortController().signal);
  return results.map((result) => result.entryId);
}
