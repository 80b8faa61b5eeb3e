import { sessionFor } from "@steward/kernel/caller.js";
import {
  dataOf,
  deletedEntriesSchema,
  memoryEntryPageSchema,
  memoryEntrySchema,
  memoryPageQuerySchema,
  memoryResultSchema,
  memoryRetentionSchema,
  memorySearchRequestSchema,
  memoryStatsSchema,
  newMemoryEntrySchema,
  newMemoryRetentionSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { MemoryService } from "../../../memory/index.js";
import { errors, json } from "../described-replies.js";
import {
  entryFilterOf,
  entryMessage,
  entryPageMessage,
  resultMessages,
  searchRequestOf,
  statsMessage,
} from "./memory-messages.js";
import { pathText } from "../path-text.js";
import type { RetentionService } from "../../../retention/index.js";
import type { ResourceRights } from "../../resource-rights.js";
import type { RestApp } from "../rest-app.js";
import { present } from "../../present.js";

const tags = ["Memory"];
const entryParams = z.object({ entry_id: z.string().describe("Id of the entry") });

/** The memory endpoints (Contract §4.4, Decision §12). */
export function addMemoryRoutes(
  app: RestApp,
  memory: MemoryService,
  retention: RetentionService,
  rights: ResourceRights,
): void {
  addSearch(app, memory);
  addCreate(app, memory, rights);
  addList(app, memory);
  addGet(app, memory);
  addDeletions(app, memory, rights);
  addStats(app, memory);
  addRetention(app, retention);
}

function addSearch(app: RestApp, memory: MemoryService): void {
  const schema = {
    operationId: "searchMemory",
    summary: "Search memory",
    description:
      "The entries most similar to the query, best first: the service compares the query with every stored " +
      "vector, so no similar entry is missed. Among equal scores the newer entry comes first.",
    tags,
    body: memorySearchRequestSchema,
    response: {
      200: json("The results", dataOf(z.array(memoryResultSchema).readonly())),
      ...errors(413),
    },
  };
  app.post("/api/memory/search", { schema }, async ({ body, context }) => {
    const results = await memory.search(context, searchRequestOf(body), context.signal);
    return { data: resultMessages(results, body.explain ?? false) };
  });
}

function addCreate(app: RestApp, memory: MemoryService, rights: ResourceRights): void {
  const schema = {
    operationId: "addMemoryEntry",
    summary: "Remember an entry",
    description: "Embeds the entry and stores both durably; the next search finds it.",
    tags,
    body: newMemoryEntrySchema,
    response: {
      201: json("The entry is stored; Location names it", dataOf(memoryEntrySchema)),
      ...errors(413),
    },
  };
  app.post("/api/memory/entries", { schema }, async ({ body, context }, reply) => {
    const sessionId = sessionFor(context, body.session_id ?? "");
    await rights.changeSession(context, "memory:write", sessionId);
    const draft = { sessionId, content: body.content };
    const entry = await memory.addEntry(context.orgId, draft, context.signal);
    void reply.code(201).header("location", `/api/memory/entries/${entry.entryId}`);
    return { data: entryMessage(entry) };
  });
}

function addList(app: RestApp, memory: MemoryService): void {
  const schema = {
    operationId: "listMemoryEntries",
    summary: "List entries, newest first",
    description:
      "Entries of your organization, a page at a time; every filter that is given must hold.",
    tags,
    querystring: memoryPageQuerySchema,
    response: { 200: json("A page of entries", dataOf(memoryEntryPageSchema)), ...errors() },
  };
  app.get("/api/memory/entries", { schema }, async ({ query, context }) => {
    const { limit, cursor, ...filter } = query;
    const page = await memory.listEntries(context.orgId, entryFilterOf(filter), {
      ...present({ limit, cursor }),
    });
    return { data: entryPageMessage(page) };
  });
}

function addGet(app: RestApp, memory: MemoryService): void {
  const schema = {
    operationId: "getMemoryEntry",
    summary: "Read an entry",
    description: "One entry of your organization, its content as it was stored.",
    tags,
    params: entryParams,
    response: { 200: json("The entry", dataOf(memoryEntrySchema)), ...errors(404) },
  };
  app.get("/api/memory/entries/:entry_id", { schema }, async ({ params, context }) => ({
    data: entryMessage(await memory.getEntry(context.orgId, params.entry_id)),
  }));
}

function addDeletions(app: RestApp, memory: MemoryService, rights: ResourceRights): void {
  const response = { 200: json("The number of deleted entries", dataOf(deletedEntriesSchema)) };
  const one = {
    operationId: "deleteMemoryEntry",
    summary: "Forget an entry",
    description: "Deletes the entry and its vector, for every search that begins afterwards.",
    tags,
    params: entryParams,
    response: { ...response, ...errors(404, 409) },
  };
  app.delete("/api/memory/entries/:entry_id", { schema: one }, async ({ params, context }) => {
    const { sessionId } = await memory.getEntry(context.orgId, params.entry_id);
    await rights.changeSession(context, "memory:purge", sessionId);
    await memory.deleteEntry(context.orgId, params.entry_id);
    return { data: { deleted: 1 } };
  });
  const session = {
    operationId: "deleteMemorySession",
    summary: "Delete every entry of a session",
    description:
      "Deletes the entries and their vectors, for every search that begins afterwards. A session without entries is no error.",
    tags,
    params: z.object({ session_id: pathText("Id of the session") }),
    response: { ...response, ...errors(409) },
  };
  app.delete(
    "/api/memory/sessions/:session_id",
    { schema: session },
    async ({ params, context }) => {
      await rights.changeSession(context, "memory:purge", params.session_id);
      return { data: { deleted: await memory.deleteSession(context.orgId, params.session_id) } };
    },
  );
}

function addStats(app: RestApp, memory: MemoryService): void {
  const schema = {
    operationId: "getMemoryStats",
    summary: "Read the state of the memory",
    description:
      "The number of entries, the number of calls whose entries are not embedded yet, and the embedding model.",
    tags,
    response: { 200: json("The state of the memory", dataOf(memoryStatsSchema)), ...errors() },
  };
  app.get("/api/memory/stats", { schema }, async ({ context }) => ({
    data: statsMessage(await memory.state(context.orgId)),
  }));
}

function addRetention(app: RestApp, retention: RetentionService): void {
  const response = {
    200: json("How long entries are kept", dataOf(memoryRetentionSchema)),
    ...errors(),
  };
  const read = {
    operationId: "getMemoryRetention",
    summary: "How long entries are kept",
    description:
      "The age in days after which entries of your organization are deleted; null when they are kept without limit. " +
      "It is the period of the class memory, which GET /api/retention shows with the others.",
    tags,
  };
  app.get("/api/memory/retention", { schema: { ...read, response } }, async ({ context }) => ({
    data: { days: (await retention.days(context.orgId, "memory")) ?? null },
  }));
  const schema = {
    operationId: "setMemoryRetention",
    summary: "Set how long entries are kept",
    description:
      "Entries that are older are deleted in the background, now and from now on. null removes the period of your " +
      "organization, so that the operator's applies.",
    tags,
    body: newMemoryRetentionSchema,
    response,
  };
  app.put("/api/memory/retention", { schema }, async ({ body, context }) => {
    const days = body.days ?? undefined;
    await retention.change(context, new Map([["memory", days]]), () => "days");
    return { data: { days: (await retention.days(context.orgId, "memory")) ?? null } };
  });
}
