import { inOrder } from "../model/column-order.js";
import type { Statement, Work } from "../model/commands.js";
import type { Step } from "../model/row-check.js";
import type { PostgresObject, PostgresSchema } from "../model/schema.js";
import type { PropertyName } from "../model/vocabulary.js";
import { alterColumn, type ColumnChange, restart } from "./alter-column.js";
import { alterAttributes, alterDomain } from "./alter-type.js";
import { alteringTable, on, statement } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { isVolatile } from "./locks/volatility.js";
import { inDependencyOrder } from "./objects/dependency-order.js";
import { qualified, quoteName, quoteText, wordOf } from "./objects/names.js";
import type { RebuildPlan } from "./rebuild-plan.js";
import type { Renames } from "./renames.js";
import {
  alterOptions,
  columnClause,
  notNullState,
  ofType,
  rowSecurity,
} from "./table-statements.js";
import { parkColumns } from "./types/parked-columns.js";
import { changeType, retypingOf } from "./types/type-change.js";
import { columnType } from "./types/type-name.js";

/**
 * Statements in the main transaction, after it, and at the very end. Those of waiting columns are
 * the last ones of the main transaction.
 */
export interface Alterations {
  readonly now: Step[];
  readonly late: Step[];
  readonly after: Statement[];
  readonly last: Statement[];
}

/**
 * The statements that alter objects in place.
 * @param waiting columns that are altered when everything else has been.
 */
export function alterations(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
  renames: Renames,
  tables: LockedTables,
  waiting: ReadonlySet<string>,
): Alterations {
  const statements: Alterations = { now: [], late: [], after: [], last: [] };
  const surroundings = { base, target, rebuild, renames, waiting };
  const kept = rebuild.matched.filter(
    ({ now }) => !rebuild.recreated.has(now.id) && !rebuild.replaced.has(now.id),
  );
  const alterAll = (isNow: (now: PostgresObject) => boolean): Statement[] =>
    kept
      .filter(({ now }) => isNow(now))
      .flatMap(({ old, now }) => alter(target, old, now, rebuild.changed(old, now), tables));
  const tablesKept = kept.filter(({ now }) => now.kind === "Table");
  for (const { old, now } of tablesKept) {
    statements.now.push(...goneColumns(surroundings, old, now));
  }
  statements.now.push(
    ...alterAll(({ kind }) => kind === "CompositeType"),
    ...parkColumns(base, target, rebuild),
    ...tablesKept.flatMap(({ old, now }) => tableSettings(target, old, now)),
    ...alterAll(({ kind }) => kind !== "CompositeType"),
  );
  const order = inDependencyOrder(
    target,
    tablesKept.map(({ now }) => now),
  );
  for (const now of order) alterTable(statements, surroundings, base.get(now.id), now);
  return statements;
}

function alter(
  target: PostgresSchema,
  old: PostgresObject,
  now: PostgresObject,
  changed: readonly PropertyName[],
  tables: LockedTables,
): readonly Statement[] {
  if (now.kind === "CompositeType") {
    return changed.includes("attributes") ? alterAttributes(target, old, now) : [];
  }
  if (now.kind === "Domain") return alterDomain(target, now, changed, tables);
  if (now.kind !== "Extension" && now.kind !== "Sequence") return [];
  const head = `ALTER ${wordOf(now)} ${qualified(target, now)}`;
  const subject = on(target, now);
  if (now.kind === "Extension") {
    return extensionChanges(now, changed).map((action) =>
      statement("alter", `${head} ${action}`, subject),
    );
  }
  const options = now.values.sequenceOptions;
  return [
    ...(changed.includes("persistence") ? [`SET ${logged(now)}`] : []),
    ...(changed.includes("sequenceOptions") ? [`${options}${restart(old, options)}`] : []),
  ].map((action) => statement("alter_sequence", `${head} ${action}`, subject));
}

function extensionChanges(
  { values }: PostgresObject<"Extension">,
  changed: readonly PropertyName[],
): readonly string[] {
  return [
    ...(changed.includes("version") ? [`UPDATE TO ${quoteText(values.version)}`] : []),
    ...(changed.includes("schemaName") ? [`SET SCHEMA ${quoteName(values.schemaName)}`] : []),
  ];
}

function logged({ values }: PostgresObject): string {
  return values.persistence === undefined ? "LOGGED" : "UNLOGGED";
}

interface Surroundings {
  readonly base: PostgresSchema;
  readonly target: PostgresSchema;
  readonly rebuild: RebuildPlan;
  readonly renames: Renames;
  readonly waiting: ReadonlySet<string>;
}

function alterTable(
  statements: Alterations,
  surroundings: Surroundings,
  old: PostgresObject,
  now: PostgresObject,
): void {
  const { base, target, rebuild, waiting } = surroundings;
  const columns = inOrder(target.partsOf(now.id, "Column"));
  const stepsOf = ({ id }: PostgresObject): Step[] =>
    waiting.has(id) ? statements.late : statements.now;
  for (const column of columns) {
    const was = base.find(column.id);
    if (was?.kind !== "Column" || rebuild.anew.has(column.id)) continue;
    const change = changeColumn(surroundings, was, column);
    stepsOf(column).push(...change.now);
    statements.after.push(...change.after);
    statements.last.push(...change.last);
  }
  const come = columns.filter(({ id }) => base.find(id) === undefined || rebuild.anew.has(id));
  for (const column of come) {
    stepsOf(column).push(addColumn(target, column), ...notNullState(target, column));
  }
  const isLate = columns.some(({ id }) => waiting.has(id));
  const typed = rebuild.isRetyped(old, now) ? ofType(target, now) : [];
  (isLate ? statements.late : statements.now).push(...typed);
}

function changeColumn(
  { base, target, rebuild }: Surroundings,
  old: PostgresObject<"Column">,
  now: PostgresObject<"Column">,
): ColumnChange {
  const own = rebuild.changed(old, now);
  const others = own.filter((property) => property !== "default");
  // A default that has been dropped is set again, or is gone for good.
  const isReset = now.values.default !== undefined;
  const changed: readonly PropertyName[] = !rebuild.defaults.has(now.id)
    ? own
    : isReset
      ? [...others, "default"]
      : others;
  const retyping = rebuild.touched.has(now.id)
    ? changeType(retypingOf(base, target, rebuild, old, now))
    : undefined;
  return alterColumn(target, old, now, changed, retyping);
}

function tableSettings(
  target: PostgresSchema,
  old: PostgresObject,
  now: PostgresObject,
): readonly Statement[] {
  const rewritten = { rows: "rewrite" } as const;
  const method = `SET ACCESS METHOD ${now.values.accessMethod ?? "heap"}`;
  const { options } = now.values;
  return [
    ...(old.values.accessMethod === now.values.accessMethod
      ? []
      : [alteringTable("set_access_method", target, now, method, rewritten)]),
    ...rowSecurity(target, now, old.values.rowSecurity),
    ...(old.values.persistence === now.values.persistence
      ? []
      : [alteringTable("set_persistence", target, now, `SET ${logged(now)}`, rewritten)]),
    ...alterOptions(
      `TABLE ${qualified(target, now)}`,
      on(target, now),
      old.values.options,
      options,
    ),
  ];
}

function goneColumns(
  { base, target, rebuild, renames }: Surroundings,
  old: PostgresObject,
  now: PostgresObject,
): readonly Statement[] {
  return base
    .partsOf(old.id, "Column")
    .filter(({ id }) => target.find(id) === undefined || rebuild.anew.has(id))
    .filter((column) => !rebuild.isGeneratedAnew(column))
    .map((column) => {
      const name = quoteName(renames.newName(column) ?? column.name);
      const sql = `ALTER TABLE ${qualified(target, now)} DROP COLUMN ${name}`;
      const table = target.pathOf(now);
      return statement("drop_column", sql, { object: base.pathOf(column), table });
    });
}

function addColumn(target: PostgresSchema, column: PostgresObject<"Column">): Statement {
  const rows = additionWork(target, column);
  return alteringTable("add_column", target, column, `ADD COLUMN ${columnClause(column)}`, {
    rows,
  });
}

/** The work of ADD COLUMN on existing rows (PostgreSQL, "ALTER TABLE", Notes). */
function additionWork(target: PostgresSchema, { values }: PostgresObject<"Column">): Work {
  const preset = values.default;
  const isWritten =
    values.identity !== undefined ||
    values.storage === "stored" ||
    columnType(target, values.type).isConstrained ||
    (preset !== undefined && isVolatile(preset));
  if (isWritten) return "rewrite";
  return values.notNull === true && preset === undefined ? "scan" : "instant";
}
