import type { Relation } from "@steward/schema";
import type { FailedStatement } from "../correction.js";
import { isName } from "../statement/select.js";
import type { CodeToken } from "../statement/code.js";
import type { Scope } from "../statement/scope.js";

/** The write of a statement whose row a constraint refuses. */
export interface RefusedWrite {
  readonly kind: "insert" | "update" | "delete";
  readonly table: Relation;
  /** What the statement calls the table. */
  readonly written: string;
  /** The columns that it writes, in lower case; absent: all of them. */
  readonly columns?: ReadonlySet<string>;
  readonly scope: Scope;
}

/** The outermost write; `undefined` when its table is not known. */
export function refusedWrite({
  scopes,
}: Pick<FailedStatement, "scopes">): RefusedWrite | undefined {
  const [scope] = scopes;
  const [target] = scope?.known ?? [];
  if (scope === undefined || target === undefined || target.source !== scope.sources[0])
    return undefined;
  const { clauses } = scope;
  const insert = clauses.get("insert");
  const base = { table: target.table, written: target.source.written, scope };
  if (insert !== undefined) {
    const listed = insert.filter((token) => token.depth > 0 && isName(token));
    return { kind: "insert", ...base, ...(listed.length > 0 && { columns: namesOf(listed) }) };
  }
  const set = clauses.get("set");
  if (clauses.has("update") && set !== undefined) {
    const assigned = set.filter((token, index) => isAssigned(set, token, index));
    return { kind: "update", ...base, columns: namesOf(assigned) };
  }
  return clauses.has("delete") ? { kind: "delete", ...base } : undefined;
}

/** Whether SET assigns to this name, alone or in a list of names. */
function isAssigned(set: readonly CodeToken[], token: CodeToken, index: number): boolean {
  const next = set[index + 1]?.text;
  return isName(token) && (token.depth === 0 ? next === "=" : next === "," || next === ")");
}

function namesOf(tokens: readonly CodeToken[]): ReadonlySet<string> {
  return new Set(tokens.map(({ lower }) => lower));
}
