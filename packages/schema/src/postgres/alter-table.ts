import { inOrder } from "../model/column-order.js";
import type { Step } from "../model/row-check.js";
import type { PostgresObject, PostgresSchema } from "../model/schema.js";
import type { PropertyName } from "../model/vocabulary.js";
import { alterColumn, restart } from "./alter-column.js";
import { alterAttributes, alterDomain } from "./alter-type.js";
import { needsOf } from "./objects/dependency-order.js";
import { qualified, quoteName, quoteText } from "./objects/names.js";
import type { RebuildPlan } from "./rebuild-plan.js";
import type { Renames } from "./renames.js";
import { alterOptions, columnClause, notNullState, ofType, rowSecurity } from "./statements.js";
import { changeType } from "./types/type-change.js";

/** Statements in the main transaction, after it, and at the very end. */
export interface Alterations {
  readonly now: Step[];
  readonly after: string[];
  readonly last: string[];
}

/** The statements that alter objects in place. */
export function alterations(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
  renames: Renames,
): Alterations {
  const statements: Alterations = { now: [], after: [], last: [] };
  for (const { old, now } of rebuild.matched) {
    if (rebuild.recreated.has(now.id) || rebuild.replaced.has(now.id)) continue;
    if (now.kind === "Table") alterTable(statements, { base, target, rebuild, renames }, old, now);
    else statements.now.push(...alter(target, old, now, rebuild.changed(old, now)));
  }
  return statements;
}

function alter(
  target: PostgresSchema,
  old: PostgresObject,
  now: PostgresObject,
  changed: readonly PropertyName[],
): readonly string[] {
  const name = qualified(target, now);
  if (now.kind === "CompositeType") {
    return changed.includes("attributes") ? alterAttributes(name, old, now) : [];
  }
  if (now.kind === "Domain") return alterDomain(name, now, changed);
  if (now.kind === "Extension") return alterExtension(name, now, changed);
  if (now.kind !== "Sequence") return [];
  const options = now.values.sequenceOptions;
  return [
    ...(changed.includes("persistence") ? [`ALTER SEQUENCE ${name} SET ${logged(now)}`] : []),
    ...(changed.includes("sequenceOptions")
      ? [`ALTER SEQUENCE ${name} ${options}${restart(old, options)}`]
      : []),
  ];
}

function alterExtension(
  name: string,
  { values }: PostgresObject<"Extension">,
  changed: readonly PropertyName[],
): readonly string[] {
  return [
    ...(changed.includes("version")
      ? [`ALTER EXTENSION ${name} UPDATE TO ${quoteText(values.version)}`]
      : []),
    ...(changed.includes("schemaName")
      ? [`ALTER EXTENSION ${name} SET SCHEMA ${quoteName(values.schemaName)}`]
      : []),
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
}

function alterTable(
  statements: Alterations,
  { base, target, rebuild, renames }: Surroundings,
  old: PostgresObject,
  now: PostgresObject,
): void {
  const name = qualified(target, now);
  const columns = inOrder(target.partsOf(now.id, "Column"));
  const gone = base
    .partsOf(old.id, "Column")
    .filter(({ id }) => target.find(id) === undefined || rebuild.anew.has(id))
    .filter((column) => !rebuild.isGeneratedAnew(column));
  statements.now.push(
    ...(old.values.accessMethod === now.values.accessMethod
      ? []
      : [`ALTER TABLE ${name} SET ACCESS METHOD ${now.values.accessMethod ?? "heap"}`]),
    ...rowSecurity(name, old.values.rowSecurity, now.values.rowSecurity),
    ...(old.values.persistence === now.values.persistence
      ? []
      : [`ALTER TABLE ${name} SET ${logged(now)}`]),
    ...alterOptions(`TABLE ${name}`, old, now),
    ...gone.map((column) => {
      return `ALTER TABLE ${name} DROP COLUMN ${quoteName(renames.newName(column) ?? column.name)}`;
    }),
  );
  for (const column of columns) {
    const was = base.find(column.id);
    if (was?.kind !== "Column" || rebuild.anew.has(column.id)) continue;
    const own = rebuild.changed(was, column);
    const isReset = rebuild.defaults.has(column.id) && column.values.default !== undefined;
    const changed: readonly PropertyName[] = isReset ? [...own, "default"] : own;
    const isTouched = rebuild.touched.has(column.id);
    if (changed.length === 0 && !isTouched) continue;
    const isReplaced = needsOf(was).some((id) => rebuild.replaced.has(id));
    const retyping = isTouched
      ? changeType({ base, target, old: was, now: column, isReplaced })
      : undefined;
    const change = alterColumn(name, was, column, changed, retyping);
    statements.now.push(...change.now);
    statements.after.push(...change.after);
    statements.last.push(...change.last);
  }
  const come = columns.filter(({ id }) => base.find(id) === undefined || rebuild.anew.has(id));
  statements.now.push(
    ...come.flatMap((column) => [
      `ALTER TABLE ${name} ADD COLUMN ${columnClause(column)}`,
      ...notNullState(name, column),
    ]),
    ...(rebuild.isRetyped(old, now) ? ofType(target, now) : []),
  );
}
