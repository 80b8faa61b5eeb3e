import { invalidField } from "../kernel/errors.js";
import { isUuid } from "../kernel/ids.js";
import {
  SEARCH_QUERY_BYTES_MAX,
  SEARCH_TOP_K_DEFAULT,
  SEARCH_TOP_K_MAX,
} from "../kernel/limits.js";

/** A search as a caller asks for it (Contract §4.4). */
export interface SearchRequest {
  readonly query: string;
  /** Absent: 10. Any integer; brought into 1 to 100. */
  readonly topK?: number;
  /** UUID; only this organization's entries. Absent: no filtering. */
  readonly orgId?: string;
}

/** A search that can be carried out. */
export interface CheckedSearch {
  readonly query: string;
  /** 1 to `SEARCH_TOP_K_MAX`. */
  readonly limit: number;
  /** UUID, lower case. */
  readonly orgId: string | undefined;
}

/**
 * Applies the rules of Decision §12 to a request.
 * @throws AppError `INVALID_ARGUMENT` naming the field.
 */
export function checkSearch(request: SearchRequest): CheckedSearch {
  const { query, topK = SEARCH_TOP_K_DEFAULT, orgId } = request;
  if (query === "") throw invalidField("query", "must not be empty");
  if (Buffer.byteLength(query) > SEARCH_QUERY_BYTES_MAX) {
    throw invalidField("query", `must have at most ${SEARCH_QUERY_BYTES_MAX} bytes`);
  }
  if (!Number.isInteger(topK)) throw invalidField("top_k", "must be an integer");
  if (orgId !== undefined && !isUuid(orgId)) throw invalidField("org_id", "must be a UUID");
  return {
    query,
    limit: Math.min(Math.max(topK, 1), SEARCH_TOP_K_MAX),
    orgId: orgId?.toLowerCase(),
  };
}
