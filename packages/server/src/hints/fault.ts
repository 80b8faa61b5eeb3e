import { codeIn, nameAt, placeIn } from "../kernel/name-at.js";
import type { StatementError } from "../plans/ports.js";
import type { ObjectKind } from "./schema/known-objects.js";

/** What an engine refuses in a statement. */
export type Fault =
  | { readonly kind: "unknown column" | "ambiguous column"; readonly name: FaultyName }
  /** In FROM, or on PostgreSQL in front of a column. */
  | { readonly kind: "unknown table"; readonly name: FaultyName }
  | { readonly kind: "unknown target"; readonly table: string; readonly name: FaultyName }
  | { readonly kind: "ungrouped column"; readonly name: FaultyName }
  /** A place in the statement, in UTF-16 units. */
  | { readonly kind: "operator" | "function" | "value" | "date"; readonly at: number }
  /** One of these kinds, which no query names. */
  | {
      readonly kind: "unknown object";
      readonly kinds: readonly ObjectKind[];
      /** Absent: the engine does not tell which name it is. */
      readonly name?: FaultyName;
    }
  | { readonly kind: "number of values"; readonly table: string; readonly count: number }
  | { readonly kind: OtherFault };

/** Failures of which the rest is in the statement. */
type OtherFault =
  | "unknown join column"
  | "aggregate condition"
  | "window condition"
  | "conflict target"
  | "several rows"
  | "several columns"
  | "foreign key"
  | "access denied";

/** A name that the engine refuses. */
export interface FaultyName {
  /** As the statement writes it; from SQLite, as its message has it. */
  readonly text: string;
  /** Without quotes, in lower case. */
  readonly lower: string;
  /** Its place in the statement, in UTF-16 units; absent where the engine reports none. */
  readonly at?: number;
}

/**
 * What the engine refuses in a failed statement. PostgreSQL writes its messages in its operator's language, so only its
 * SQLSTATE and place are read. SQLite has neither, but always the same words.
 * @returns `undefined` for other failures.
 */
export function faultOf(
  { message, cause }: Pick<StatementError, "message" | "cause">,
  sql: string,
): Fault | undefined {
  const code = codeIn(cause);
  return code === undefined ? sqliteFault(message) : postgresFault(code, sql, placeIn(sql, cause));
}

/** By SQLSTATE (PostgreSQL manual, appendix A). */
function postgresFault(code: string, sql: string, at: number | undefined): Fault | undefined {
  if (code === "21000") return { kind: "several rows" };
  if (code === "42501") return { kind: "access denied" };
  if (code === "42P20") return { kind: "window condition" };
  if (code === "42P10") return { kind: "conflict target" };
  if (code === "23503" || code === "23001") return { kind: "foreign key" };
  if (at === undefined) return unplacedFault(code);
  const written = nameAt(sql, at);
  const lower = written?.path.join(".").toLowerCase();
  const name = lower === undefined ? undefined : { text: written?.text ?? "", lower, at };
  switch (code) {
    case "42P01":
      return name ? { kind: "unknown table", name } : unplacedFault(code);
    case "42703":
      return name ? { kind: "unknown column", name } : unplacedFault(code);
    case "42702":
      return name && { kind: "ambiguous column", name };
    case "3F000":
      return unplacedFault(code);
    case "42704":
      return name && { kind: "unknown object", kinds: ["type"], name };
    case "42803":
      if (name === undefined) return undefined;
      return /^\s*\(/.test(sql.slice(at + name.text.length))
        ? { kind: "aggregate condition" }
        : { kind: "ungrouped column", name };
    case "42883":
      return { kind: name === undefined || isWordOperator(name) ? "operator" : "function", at };
    case "22P02":
      return { kind: "value", at };
    case "22007":
    case "22008":
      return { kind: "date", at };
    case "42601":
      return { kind: "several columns" };
    default:
      return undefined;
  }
}

/** For the columns of USING, and most names outside of queries, the server reports no place, or that of a parenthesis. */
function unplacedFault(code: string): Fault | undefined {
  if (code === "42703") return { kind: "unknown join column" };
  const kinds = OBJECTS_BY_CODE[code];
  return kinds && { kind: "unknown object", kinds };
}

const OBJECTS_BY_CODE: Readonly<Record<string, readonly ObjectKind[]>> = {
  "42P01": ["table", "view", "materialized view", "sequence", "index"],
  "42704": ["index", "constraint", "trigger", "policy", "type"],
  "42883": ["function", "trigger function"],
  "3F000": ["schema"],
};

/** Whether an operator is written as a word. */
function isWordOperator({ lower }: FaultyName): boolean {
  return /^(?:in|not|like|ilike|between|similar|is)$/.test(lower);
}

function sqliteFault(message: string): Fault | undefined {
  for (const { pattern, fault } of SQLITE_MESSAGES) {
    const match = pattern.exec(message);
    if (match !== null) return fault(match);
  }
  return undefined;
}

interface SqliteMessage {
  readonly pattern: RegExp;
  readonly fault: (match: RegExpExecArray) => Fault;
}

const SQLITE_MESSAGES: readonly SqliteMessage[] = [
  {
    pattern: /^no such column: "?(.+?)"?(?: - should this be .*)?$/,
    fault: ([, column = ""]) => ({ kind: "unknown column", name: named(column) }),
  },
  {
    pattern: /^no such table: (?:main\.)?(.+)$/,
    fault: ([, table = ""]) => ({ kind: "unknown table", name: named(table) }),
  },
  {
    pattern: /^table (.+) has no column named (.+)$/,
    fault: ([, table = "", name = ""]) => ({ kind: "unknown target", table, name: named(name) }),
  },
  {
    pattern: /^ambiguous column name: (.+)$/,
    fault: ([, name = ""]) => ({ kind: "ambiguous column", name: named(name) }),
  },
  {
    pattern: /^cannot join using column .+? - column not present/,
    fault: () => ({ kind: "unknown join column" }),
  },
  {
    pattern: /^no such (index|trigger|view): /,
    fault: ([, kind]) => ({
      kind: "unknown object",
      // The pattern admits these words only.
      kinds: [kind as "index" | "trigger" | "view"],
    }),
  },
  { pattern: /^FOREIGN KEY constraint failed$/, fault: () => ({ kind: "foreign key" }) },
  {
    pattern: /^misuse of (?:aliased )?window function/,
    fault: () => ({ kind: "window condition" }),
  },
  {
    pattern: /^ON CONFLICT clause does not match any/,
    fault: () => ({ kind: "conflict target" }),
  },
  { pattern: /^misuse of (?:aliased )?aggregate/, fault: () => ({ kind: "aggregate condition" }) },
  {
    pattern: /^sub-select returns \d+ columns - expected 1$/,
    fault: () => ({ kind: "several columns" }),
  },
  {
    pattern: /^table (.+) has (\d+) columns but (\d+) values were supplied$/,
    fault: ([, table = "", , count]) => ({ kind: "number of values", table, count: Number(count) }),
  },
];

function named(text: string): FaultyName {
  return { text, lower: text.replaceAll('"', "").toLowerCase() };
}
