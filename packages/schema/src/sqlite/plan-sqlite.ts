import type { Statement } from "../model/commands.js";
import { changesBetween } from "../model/schema-diff.js";
import type { Kind } from "../model/kinds.js";
import type { Step } from "../model/row-check.js";
import { nameOf, type SqliteObject, type SqliteSchema } from "../model/schema.js";
import { tokensOf } from "../sql/sql-tokens.js";
import { alterTable, goneName, type TableChange, tableChange } from "./alter-table.js";
import { statement } from "./commands.js";
import { namesIn, quoteName } from "./expression.js";
import {
  createIndex,
  createTable,
  createTrigger,
  createView,
  createVirtualTable,
} from "./statements.js";

/**
 * The steps between two schemas, in order. They must run in one transaction with foreign keys off,
 * which ends with a check of the foreign keys.
 */
export function planSqlite(base: SqliteSchema, target: SqliteSchema): readonly Step[] {
  return new SqlitePlan(base, target).steps();
}

class SqlitePlan {
  readonly #base: SqliteSchema;
  readonly #target: SqliteSchema;
  readonly #changes: readonly TableChange[];
  /** Views, triggers and indexes that are dropped first and recreated at the end. */
  readonly #recreated: ReadonlySet<string>;

  constructor(base: SqliteSchema, target: SqliteSchema) {
    this.#base = base;
    this.#target = target;
    this.#changes = this.#kept("Table").flatMap(({ before, after }) => {
      const change = tableChange(base, target, before, after);
      return change === undefined ? [] : [change];
    });
    this.#recreated = this.#findRecreated();
  }

  steps(): readonly Step[] {
    return [
      ...this.#drops("Trigger", "TRIGGER"),
      ...this.#drops("View", "VIEW").reverse(),
      ...this.#drops("Index", "INDEX"),
      ...this.#goneTables(),
      ...this.#renames(),
      ...this.#changes.flatMap((change) => alterTable(this.#base, this.#target, change)),
      ...this.#newTables(),
      ...this.#come("Index").map((index) => this.#newIndex(index)),
      ...inDependencyOrder(this.#come("View")).map((view) =>
        statement("create", createView(view), { object: this.#target.pathOf(view) }),
      ),
      ...this.#come("Trigger").map((trigger) => {
        const object = this.#target.pathOf(trigger);
        return statement("create", createTrigger(this.#target, trigger), { object });
      }),
    ];
  }

  #kept<K extends Kind>(
    kind: K,
  ): readonly { readonly before: SqliteObject<K>; readonly after: SqliteObject<K> }[] {
    const old = new Map(this.#base.all(kind).map((before) => [before.id, before]));
    return this.#target.all(kind).flatMap((after) => {
      const before = old.get(after.id);
      return before === undefined ? [] : [{ before, after }];
    });
  }

  #findRecreated(): ReadonlySet<string> {
    const recreated = new Set<string>();
    const others = [...this.#kept("View"), ...this.#kept("Trigger"), ...this.#kept("Index")];
    for (const { before, after } of others) {
      if (before.name !== after.name || changesBetween(before, after).length > 0)
        recreated.add(after.id);
    }
    const touched = this.#touchedNames();
    const rebuilt = new Set(
      this.#changes.filter(({ isRebuild }) => isRebuild).map(({ after }) => after.id),
    );
    for (let size = -1; size < recreated.size;) {
      size = recreated.size;
      for (const { before } of others) {
        if (recreated.has(before.id)) touched.add(nameOf(before).toLowerCase());
        const on = before.values.on?.ref;
        const isUnder =
          on !== undefined && (rebuilt.has(on) || (before.kind !== "Index" && recreated.has(on)));
        if (isUnder || (before.kind !== "Index" && speaksOf(this.#base, before, touched))) {
          recreated.add(before.id);
        }
      }
    }
    return recreated;
  }

  /** Names of tables that SQLite refuses to alter while views or triggers use them. */
  #touchedNames(): Set<string> {
    const changed = this.#changes
      .filter(
        ({ isRebuild, dropped, renamedColumns }) =>
          isRebuild || dropped.length + renamedColumns.length > 0,
      )
      .map(({ before }) => before);
    const renamed = this.#keptTables().filter(({ before, after }) => before.name !== after.name);
    const gone = [
      ...this.#base.all("Table"),
      ...this.#base.all("VirtualTable"),
      ...this.#base.all("View"),
    ].filter(({ id }) => this.#target.find(id) === undefined);
    const all = [...changed, ...renamed.map(({ before }) => before), ...gone];
    return new Set(all.map((object) => nameOf(object).toLowerCase()));
  }

  #newIndex(index: SqliteObject<"Index">): Statement {
    const table = nameOf(this.#target.get(index.values.on.ref));
    return statement("create_index", createIndex(this.#target, index), {
      ...{ object: this.#target.pathOf(index), table },
      rows: "scan",
    });
  }

  #drops(kind: "Trigger" | "View" | "Index", word: string): Statement[] {
    const all = kind === "View" ? inDependencyOrder(this.#base.all("View")) : this.#base.all(kind);
    return all
      .filter(({ id }) => this.#target.find(id) === undefined || this.#recreated.has(id))
      .map((object) => {
        const sql = `DROP ${word} ${quoteName(nameOf(object))}`;
        return statement("drop", sql, { object: this.#base.pathOf(object) });
      });
  }

  #come<K extends "Trigger" | "View" | "Index">(kind: K): readonly SqliteObject<K>[] {
    const isNew = ({ id }: SqliteObject): boolean => this.#base.find(id) === undefined;
    return this.#target.all(kind).filter((each) => isNew(each) || this.#recreated.has(each.id));
  }

  #goneTables(): readonly Statement[] {
    const virtual = this.#base.all("VirtualTable").filter((before) => {
      const after = this.#target.find(before.id);
      return after === undefined || isChanged(before, after);
    });
    const tables = this.#base.all("Table").filter(({ id }) => this.#target.find(id) === undefined);
    return [...tables, ...virtual].map(({ name }) =>
      statement("drop_table", `DROP TABLE ${quoteName(name)}`, { object: name }),
    );
  }

  #newTables(): readonly Statement[] {
    const virtual = this.#target.all("VirtualTable").filter((after) => {
      const before = this.#base.find(after.id);
      return before === undefined || isChanged(before, after);
    });
    return [
      ...this.#target
        .all("Table")
        .filter(({ id }) => this.#base.find(id) === undefined)
        .map((table) =>
          statement("create_table", createTable(this.#target, table), { object: table.name }),
        ),
      ...virtual.map((table) =>
        statement("create_table", createVirtualTable(table), { object: table.name }),
      ),
    ];
  }

  /**
   * Tables that both schemas have. A virtual table with another definition counts as another table.
   */
  #keptTables(): readonly { readonly before: SqliteObject; readonly after: SqliteObject }[] {
    const virtual = this.#kept("VirtualTable");
    return [
      ...this.#kept("Table"),
      ...virtual.filter(({ before, after }) => !isChanged(before, after)),
    ];
  }

  /** Renames tables, then columns. A temporary name is used when the new name is still taken. */
  #renames(): readonly Statement[] {
    const tables = this.#keptTables().map(
      ({ before, after }) => [nameOf(before), nameOf(after)] as const,
    );
    return [
      ...renameAll(tables, "_steward_table_", (from, to) => {
        const sql = `ALTER TABLE ${quoteName(from)} RENAME TO ${quoteName(to)}`;
        return statement("rename", sql, { object: from });
      }),
      ...this.#changes.flatMap(({ after, renamedColumns }) => {
        const columns = this.#base.partsOf(after.id, "Column").map((column) => {
          const now = this.#target.find(column.id);
          return [column.name, now?.name ?? goneName(column, renamedColumns)] as const;
        });
        const table = nameOf(after);
        return renameAll(columns, "_steward_column_", (from, to) => {
          const sql = `ALTER TABLE ${quoteName(table)} RENAME COLUMN ${quoteName(from)} TO ${quoteName(to)}`;
          return statement("rename", sql, { object: `${table}.${from}`, table });
        });
      }),
    ];
  }
}

function renameAll(
  pairs: readonly (readonly [string, string])[],
  prefix: string,
  rename: (from: string, to: string) => Statement,
): readonly Statement[] {
  const inUse = new Set(pairs.map(([from]) => from.toLowerCase()));
  const first: Statement[] = [];
  const second: Statement[] = [];
  for (const [index, [from, to]] of pairs.entries()) {
    if (from === to) continue;
    const between = inUse.has(to.toLowerCase()) ? `${prefix}${index}` : to;
    first.push(rename(from, between));
    if (between !== to) second.push(rename(between, to));
  }
  return [...first, ...second];
}

/** Sorts views after the views that they read. */
function inDependencyOrder(
  views: readonly SqliteObject<"View">[],
): readonly SqliteObject<"View">[] {
  const ordered = new Set<SqliteObject<"View">>();
  const open = new Set<SqliteObject<"View">>();
  const visit = (view: SqliteObject<"View">): void => {
    if (ordered.has(view) || open.has(view)) return;
    open.add(view);
    const names = namesIn(tokensOf(view.values.definition));
    for (const other of views)
      if (other !== view && names.has(nameOf(other).toLowerCase())) visit(other);
    ordered.add(view);
  };
  views.forEach(visit);
  return [...ordered];
}

function speaksOf(
  schema: SqliteSchema,
  { values }: SqliteObject,
  names: ReadonlySet<string>,
): boolean {
  const on = values.on?.ref;
  if (on !== undefined && names.has(nameOf(schema.get(on)).toLowerCase())) return true;
  const sql = [values.definition, values.body, values.when].filter((text) => text !== undefined);
  const own = namesIn(tokensOf(sql.join(" ")));
  return [...names].some((name) => own.has(name));
}

function isChanged(before: SqliteObject, after: SqliteObject): boolean {
  return changesBetween(before, after).length > 0;
}
