import type {
  MemoryEntry as MemoryEntryMessage,
  MemoryEntryPage,
  MemoryExplanation,
  MemoryFilter,
  MemoryResult,
  MemorySearchRequest,
  MemoryStats,
} from "@steward/protocol/rest";
import { isoTime } from "@steward/kernel/clock.js";
import type {
  EntryFilter,
  EntryPage,
  MemoryEntry,
  MemoryState,
  SearchRequest,
  SearchResult,
} from "../../../memory/index.js";
import { present } from "../../present.js";

export function searchRequestOf(body: MemorySearchRequest): SearchRequest {
  const { query, top_k: topK, org_id: orgId, mode, filter, min_score: scoreMin } = body;
  return {
    query,
    ...present({ topK }),
    ...(orgId === undefined || orgId === null ? {} : { orgId }),
    ...present({ mode }),
    ...(filter === undefined ? {} : { filter: entryFilterOf(filter) }),
    ...present({ scoreMin }),
  };
}

/** The conditions of a request. Its times are RFC 3339, because the schema has checked them. */
export function entryFilterOf(filter: MemoryFilter): EntryFilter {
  const { session_id: sessionId, created_from: from, created_before: before } = filter;
  const { tool_name: toolName, intent, content } = filter;
  return {
    ...present({ sessionId }),
    ...(from === undefined ? {} : { createdFromMs: Date.parse(from) }),
    ...(before === undefined ? {} : { createdBeforeMs: Date.parse(before) }),
    ...present({ toolName, intent, content }),
  };
}

/** The results of a search (Contract §2.7), with explanations if requested. */
export function resultMessages(
  results: readonly SearchResult[],
  explain: boolean,
): readonly MemoryResult[] {
  return results.map((result, index) => ({
    entry_id: result.entryId,
    score: result.score,
    content: result.content,
    created_at: result.createdAt,
    related_cascade_targets: result.relatedCascadeTargets,
    ...(explain ? { explain: explanationMessage(result, index + 1) } : {}),
  }));
}

function explanationMessage({ ranks }: SearchResult, rank: number): MemoryExplanation {
  const { vector, text, fused } = ranks;
  return {
    rank,
    ...present({ vector_rank: vector, text_rank: text, fused_score: fused }),
  };
}

export function entryMessage(entry: MemoryEntry): MemoryEntryMessage {
  const { entryId, sessionId, content, createdAtMs, toolCall } = entry;
  return {
    entry_id: entryId,
    session_id: sessionId,
    content,
    created_at: isoTime(createdAtMs),
    ...(toolCall === undefined ? {} : { tool_name: toolCall.toolName, intent: toolCall.intent }),
  };
}

export function entryPageMessage({ entries, nextCursor }: EntryPage): MemoryEntryPage {
  return {
    entries: entries.map(entryMessage),
    ...present({ next_cursor: nextCursor }),
  };
}

export function statsMessage({ entries, waiting, quarantined, model }: MemoryState): MemoryStats {
  return {
    entries,
    waiting_calls: waiting,
    quarantined_vectors: quarantined,
    model: model.name,
    dimension: model.dimension,
  };
}
