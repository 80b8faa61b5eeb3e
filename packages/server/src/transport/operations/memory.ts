import {
  memory,
  type InputOf,
  type MemoryEntry as MemoryEntryMessage,
  type MemoryResult,
} from "@steward/operations";
import { sessionFor } from "@steward/kernel/caller.js";
import { isoTime } from "@steward/kernel/clock.js";
import { present } from "../../kernel/present.js";
import type { EntryFilter, MemoryEntry, SearchResult } from "../../memory/index.js";
import { ResourceRights } from "../resource-rights.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations on memory do. */
export function memoryOperations({
  memory: service,
  retention,
  authorize,
}: Pick<Services, "memory" | "retention" | "authorize">): readonly Implemented[] {
  const rights = new ResourceRights(authorize);
  const daysOf = async (orgId: string) => ({
    days: (await retention.days(orgId, "memory")) ?? null,
  });
  return [
    implement(memory.searchMemory, async ({ input, context }) => {
      const { query, top_k: topK, org_id: orgId, mode, filter, min_score: scoreMin } = input;
      const request = {
        query,
        ...present({ topK, orgId: orgId ?? undefined, mode, scoreMin }),
        ...(filter && { filter: entryFilterOf(filter) }),
      };
      const results = await service.search(context, request, context.signal);
      return results.map((result, index) => ({
        ...resultMessage(result),
        ...(input.explain === true && { explain: explanationOf(result, index + 1) }),
      }));
    }),
    implement(memory.addMemoryEntry, async ({ input: { session_id = "", content }, context }) => {
      const { orgId, signal, operation } = context;
      const sessionId = sessionFor(context, session_id);
      await rights.changeSession(context, "memory:write", sessionId);
      return entryMessage(await service.addEntry(orgId, { sessionId, content }, signal, operation));
    }),
    implement(memory.listMemoryEntries, async ({ input, context }) => {
      const { limit, cursor, ...filter } = input;
      const page = present({ limit, cursor });
      const found = await service.listEntries(context, entryFilterOf(filter), page, context.signal);
      return {
        entries: found.entries.map(entryMessage),
        ...present({ next_cursor: found.nextCursor }),
      };
    }),
    implement(memory.getMemoryEntry, async ({ input: { entry_id }, context }) =>
      entryMessage(await service.getEntry(context, entry_id, context.signal)),
    ),
    implement(memory.deleteMemoryEntry, async ({ input: { entry_id }, context }) => {
      const { orgId, operation } = context;
      const sessionId = await service.sessionOf(orgId, entry_id);
      await rights.changeSession(context, "memory:purge", sessionId);
      await service.deleteEntry(orgId, entry_id, operation);
      return { deleted: 1 };
    }),
    implement(memory.deleteMemorySession, async ({ input: { session_id }, context }) => {
      await rights.changeSession(context, "memory:purge", session_id);
      const { orgId, operation } = context;
      return { deleted: await service.deleteSession(orgId, session_id, operation) };
    }),
    implement(memory.getMemoryStats, async ({ context }) => {
      const { entries, waiting, quarantined, model } = await service.state(context.orgId);
      return {
        ...{ entries, waiting_calls: waiting, quarantined_vectors: quarantined },
        ...{ model: model.name, dimension: model.dimension },
      };
    }),
    implement(memory.getMemoryRetention, ({ context }) => daysOf(context.orgId)),
    implement(memory.setMemoryRetention, async ({ input, context }) => {
      await retention.change(context, new Map([["memory", input.days ?? undefined]]), () => "days");
      return daysOf(context.orgId);
    }),
  ];
}

/** The conditions of a request. Its times are RFC 3339, because the schema has checked them. */
export function entryFilterOf(
  filter: NonNullable<InputOf<typeof memory.searchMemory>["filter"]>,
): EntryFilter {
  const { session_id: sessionId, created_from: from, created_before: before } = filter;
  const { tool_name: toolName, intent, content } = filter;
  return {
    ...present({ sessionId, toolName, intent, content }),
    ...(from === undefined ? {} : { createdFromMs: Date.parse(from) }),
    ...(before === undefined ? {} : { createdBeforeMs: Date.parse(before) }),
  };
}

/** A result of a search (Contract §2.7). */
function resultMessage(result: SearchResult): MemoryResult {
  return {
    entry_id: result.entryId,
    score: result.score,
    content: result.content,
    created_at: result.createdAt,
    related_cascade_targets: result.relatedCascadeTargets,
  };
}

function explanationOf(
  { ranks: { vector, text, fused } }: SearchResult,
  rank: number,
): NonNullable<MemoryResult["explain"]> {
  return { rank, ...present({ vector_rank: vector, text_rank: text, fused_score: fused }) };
}

function entryMessage(entry: MemoryEntry): MemoryEntryMessage {
  const { entryId, sessionId, content, createdAtMs, toolCall } = entry;
  return {
    ...{ entry_id: entryId, session_id: sessionId, content, created_at: isoTime(createdAtMs) },
    ...(toolCall && { tool_name: toolCall.toolName, intent: toolCall.intent }),
  };
}
