import { type Stmt, withOptions } from "sqlite3-parser";
import { AppError } from "@steward/kernel/errors.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { ParsedText, SqlSyntax } from "../sql/sql-syntax.js";
import type {
  CatalogSyntax,
  ParsedIndex,
  ParsedTable,
  ParsedTrigger,
  ParsedView,
  ParsedVirtualTable,
} from "../sqlite/catalog-syntax.js";
import {
  indexDefinition,
  tableDefinition,
  triggerDefinition,
  viewDefinition,
  virtualTableDefinition,
} from "./definitions.js";
import { namedTables } from "./named-tables.js";

/** SQLite reads 1_000 as a number since 3.46; the parser does so on demand. */
const parser = withOptions({ digitSeparator: "_" });

/** Number of cached tables. A catalog is read again with every change, and most of it is as before. */
const TABLES_KEPT_MAX = 1000;
/** Length of the longest cached definition, in characters. It bounds the memory of the cache. */
const KEPT_LENGTH_MAX = 4096;
/** Characters of a definition shown in an error. */
const SHOWN_LENGTH_MAX = 200;

/** SQLite's own grammar, by `sqlite3-parser`. */
export class SqliteSyntax implements SqlSyntax<Stmt>, CatalogSyntax {
  readonly isReady = true;
  /** Cached tables by the text of their definitions. */
  readonly #tables = new RecentMap<ParsedTable>(TABLES_KEPT_MAX);

  parse(sql: string): ParsedText<Stmt> {
    const parsed = parser.parse(sql);
    if (parsed.status === "ok") return { kind: "parsed", statements: parsed.root.cmds };
    const [error] = parsed.errors;
    const hint = error?.hints?.[0]?.message;
    return {
      kind: "syntax_error",
      message: error?.message ?? "syntax error",
      at: error?.span.offset ?? 0,
      ...(hint === undefined ? {} : { hint }),
    };
  }

  tables(statement: Stmt): readonly string[] {
    return namedTables(statement);
  }

  table(sql: string): ParsedTable {
    return sql.length > KEPT_LENGTH_MAX
      ? this.#table(sql)
      : this.#tables.getOrMake(sql, () => this.#table(sql));
  }

  #table(sql: string): ParsedTable {
    const [statement] = this.#definition(sql);
    const table =
      statement?.type === "CreateTableStmt" ? tableDefinition(sql, statement) : undefined;
    return table ?? unread(sql, "it has no columns");
  }

  index(sql: string): ParsedIndex {
    const [statement] = this.#definition(sql);
    if (statement?.type !== "CreateIndexStmt") return unread(sql, "it is no index");
    return indexDefinition(sql, statement);
  }

  view(sql: string): ParsedView {
    const [statement] = this.#definition(sql);
    if (statement?.type !== "CreateViewStmt") return unread(sql, "it is no view");
    return viewDefinition(sql, statement);
  }

  trigger(sql: string): ParsedTrigger {
    const [statement] = this.#definition(sql);
    if (statement?.type !== "CreateTriggerStmt") return unread(sql, "it is no trigger");
    return triggerDefinition(sql, statement);
  }

  virtualTable(sql: string): ParsedVirtualTable {
    const [statement] = this.#definition(sql);
    if (statement?.type !== "CreateVirtualTableStmt") return unread(sql, "it is no virtual table");
    return virtualTableDefinition(sql, statement);
  }

  #definition(sql: string): readonly Stmt[] {
    const parsed = this.parse(sql);
    if (parsed.kind === "parsed") return parsed.statements;
    return unread(sql, parsed.kind === "syntax_error" ? parsed.message : parsed.kind);
  }
}

function unread(sql: string, reason: string): never {
  throw new AppError(
    "UNIMPLEMENTED",
    `SQLite holds a definition that Steward cannot read (${reason}): write it in a more common form: ${sql.slice(0, SHOWN_LENGTH_MAX)}`,
  );
}
