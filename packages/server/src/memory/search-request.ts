import { isVouchedFor, type Caller } from "@steward/kernel/caller.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import { SEARCH_QUERY_BYTES_MAX, SEARCH_TOP_K_DEFAULT, SEARCH_TOP_K_MAX } from "./limits.js";
import type { EntryFilter } from "./vector-index.js";

/** A caller's search (Contract §4.4). */
export interface SearchRequest {
  readonly query: string;
  /** Absent: 10. Any integer; clamped to 1 to 100. */
  readonly topK?: number;
  /** UUID; only this organization's entries. Absent: no filter. */
  readonly orgId?: string;
  /** `hybrid` also ranks by words. Absent: `vector`, by exact cosine alone. */
  readonly mode?: "vector" | "hybrid";
  readonly filter?: EntryFilter;
  /** Only results of at least this score, in [-1, 1]. */
  readonly scoreMin?: number;
}

/** A validated search. */
export interface CheckedSearch {
  readonly query: string;
  /** 1 to `SEARCH_TOP_K_MAX`. */
  readonly limit: number;
  /** UUID, lower case. */
  readonly orgId?: string;
  readonly isHybrid: boolean;
  readonly filter?: EntryFilter;
  readonly scoreMin?: number;
}

/** A JSON path that SQLite and PostgreSQL interpret equally: members and array indexes. */
const JSON_PATH = /^\$(\.[A-Za-z_][A-Za-z0-9_]*|\[\d{1,6}\])+$/;

/**
 * Applies the rules of Decision §12 to a request.
 * @throws AppError `INVALID_ARGUMENT` naming the field.
 */
export function checkSearch(request: SearchRequest): CheckedSearch {
  const { query, topK = SEARCH_TOP_K_DEFAULT, orgId, mode, filter, scoreMin } = request;
  if (query === "") throw invalidField("query", "must not be empty");
  if (Buffer.byteLength(query) > SEARCH_QUERY_BYTES_MAX) {
    throw invalidField("query", `must have at most ${SEARCH_QUERY_BYTES_MAX} bytes`);
  }
  if (!Number.isInteger(topK)) throw invalidField("top_k", "must be an integer");
  if (orgId !== undefined && !isUuid(orgId)) throw invalidField("org_id", "must be a UUID");
  if (scoreMin !== undefined && !(Math.abs(scoreMin) <= 1)) {
    throw invalidField("min_score", "must be a number from -1 to 1");
  }
  if (filter !== undefined) checkFilter(filter);
  return {
    query,
    limit: Math.min(Math.max(topK, 1), SEARCH_TOP_K_MAX),
    isHybrid: mode === "hybrid",
    ...(orgId === undefined ? {} : { orgId: orgId.toLowerCase() }),
    ...(filter === undefined ? {} : { filter }),
    ...(scoreMin === undefined ? {} : { scoreMin }),
  };
}

/**
 * The search, restricted to the caller's organization when callers are authenticated; on
 * unauthenticated loopback `org_id` is used as given (Decision §2).
 * @throws AppError `POLICY_DENIED` when it asks for another organization's entries.
 */
export function narrowedTo(caller: Caller, search: CheckedSearch): CheckedSearch {
  if (!isVouchedFor(caller)) return search;
  const { orgId = caller.orgId } = search;
  if (orgId === caller.orgId) return { ...search, orgId };
  throw new AppError(
    "POLICY_DENIED",
    "org_id: names another organization than yours; leave it out to search your own entries",
    { details: [{ field: "org_id", reason: "is not the caller's organization" }] },
  );
}

/** @throws AppError `INVALID_ARGUMENT` naming the field. */
export function checkFilter({ content }: EntryFilter): void {
  if (content !== undefined && !JSON_PATH.test(content.path)) {
    throw invalidField("filter.content.path", "must be a path such as $.output or $.tags[0]");
  }
}
