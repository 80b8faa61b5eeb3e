import type * as proto from "@steward/protocol/grpc";
import { isoTime } from "@steward/kernel/clock.js";
import { invalidField } from "@steward/kernel/errors.js";
import { ENTRIES_PAGE_MAX } from "../../memory/limits.js";
import type {
  EntryFilter,
  EntryPage,
  MemoryEntry,
  MemoryState,
  SearchRequest,
  SearchResult,
} from "../../memory/index.js";
import { present } from "../present.js";

/** The search of a request. @throws AppError `INVALID_ARGUMENT`. */
export function searchRequestOf(request: proto.SearchMemoryRequest): SearchRequest {
  const { query, filter } = request;
  const topK = request.optionalTopK.value;
  const orgId = request.optionalOrgId.value;
  const minScore = request.optionalMinScore.value;
  return {
    query,
    mode: modeOf(request.mode),
    ...present({ topK, orgId }),
    ...(filter === undefined ? {} : { filter: entryFilterOf(filter, "filter.") }),
    ...present({ scoreMin: minScore }),
  };
}

/** The filter fields of searches and listings; an empty field is no condition. */
type FilterFields = Pick<
  proto.MemoryFilter,
  "sessionId" | "createdFrom" | "createdBefore" | "toolName" | "intent"
> &
  Partial<Pick<proto.MemoryFilter, "content">>;

/**
 * The conditions of a request.
 * @param path of the filter within the request, with its dot.
 * @throws AppError `INVALID_ARGUMENT`.
 */
export function entryFilterOf(filter: FilterFields, path: string): EntryFilter {
  const { sessionId, createdFrom, createdBefore, toolName, intent, content } = filter;
  return {
    ...(sessionId === "" ? {} : { sessionId }),
    ...(createdFrom === "" ? {} : { createdFromMs: instantOf(createdFrom, `${path}created_from`) }),
    ...(createdBefore === ""
      ? {}
      : { createdBeforeMs: instantOf(createdBefore, `${path}created_before`) }),
    ...(toolName === "" ? {} : { toolName }),
    ...(intent === "" ? {} : { intent }),
    ...(content === undefined ? {} : { content: conditionOf(content, `${path}content`) }),
  };
}

/** The requested page. @throws AppError `INVALID_ARGUMENT`. */
export function entryPageOf({ limit, cursor }: proto.ListMemoryEntriesRequest): {
  readonly limit?: number;
  readonly cursor?: string;
} {
  if (limit < 0) throw invalidField("limit", `must be from 1 to ${String(ENTRIES_PAGE_MAX)}`);
  return { ...(limit === 0 ? {} : { limit }), ...(cursor === "" ? {} : { cursor }) };
}

/** The results of a search (Contract §2.7), with explanations if requested. */
export function searchMessage(
  results: readonly SearchResult[],
  explain: boolean,
): proto.SearchMemoryResponse {
  return {
    $typeName: "controlplane.v1.SearchMemoryResponse",
    results: results.map((result, index) => ({
      $typeName: "controlplane.v1.MemoryResult",
      entryId: result.entryId,
      score: result.score,
      content: result.content,
      createdAt: result.createdAt,
      relatedCascadeTargets: [...result.relatedCascadeTargets],
      ...(explain ? { explain: explanationMessage(result, index + 1) } : {}),
    })),
  };
}

export function entryMessage(entry: MemoryEntry): proto.MemoryEntry {
  return {
    $typeName: "controlplane.v1.MemoryEntry",
    entryId: entry.entryId,
    sessionId: entry.sessionId,
    content: entry.content,
    createdAt: isoTime(entry.createdAtMs),
    toolName: entry.toolCall?.toolName ?? "",
    intent: entry.toolCall?.intent ?? "",
  };
}

export function entryPageMessage(page: EntryPage): proto.ListMemoryEntriesResponse {
  return {
    $typeName: "controlplane.v1.ListMemoryEntriesResponse",
    entries: page.entries.map(entryMessage),
    nextCursor: page.nextCursor ?? "",
  };
}

export function statsMessage(state: MemoryState): proto.GetMemoryStatsResponse {
  return {
    $typeName: "controlplane.v1.GetMemoryStatsResponse",
    entries: BigInt(state.entries),
    waitingCalls: BigInt(state.waiting),
    quarantinedVectors: BigInt(state.quarantined),
    model: state.model.name,
    dimension: state.model.dimension,
  };
}

/** The retention in days; `undefined`: entries are kept. */
export function retentionField(days: number | undefined): { readonly optionalDays: Given<"days"> } {
  return { optionalDays: given("days", days) };
}

/** A oneof with one field, the form of an optional field in plain proto3. */
type Given<Field extends string> = { case: Field; value: number } | { case: undefined };

function given<Field extends string>(field: Field, value: number | undefined): Given<Field> {
  return value === undefined ? { case: undefined } : { case: field, value };
}

function explanationMessage({ ranks }: SearchResult, rank: number): proto.MemoryExplanation {
  const { vector, text, fused } = ranks;
  return {
    $typeName: "controlplane.v1.MemoryExplanation",
    rank,
    optionalVectorRank: given("vectorRank", vector),
    optionalTextRank: given("textRank", text),
    optionalFusedScore: given("fusedScore", fused),
  };
}

function modeOf(mode: string): "vector" | "hybrid" {
  if (mode === "" || mode === "vector") return "vector";
  if (mode === "hybrid") return "hybrid";
  throw invalidField("mode", "must be vector or hybrid");
}

function conditionOf(
  { path, equalsJson }: { readonly path: string; readonly equalsJson: string },
  field: string,
): NonNullable<EntryFilter["content"]> {
  const equals = scalarOf(equalsJson);
  if (equals !== undefined) return { path, equals };
  throw invalidField(
    `${field}.equals_json`,
    "must be the JSON text of a string, a number, true, false or null",
  );
}

/** `undefined` for a text that is not the JSON of a scalar, because no JSON value is undefined. */
function scalarOf(json: string): string | number | boolean | null | undefined {
  try {
    const value = JSON.parse(json) as unknown;
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    return typeof value === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds since the epoch. */
function instantOf(text: string, field: string): number {
  const ms = RFC_3339.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) throw invalidField(field, "must be an RFC 3339 date-time with its offset");
  return ms;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
