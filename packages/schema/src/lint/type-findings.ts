import { isForeign } from "../postgres/objects/names.js";
import { rebuildPlanBetween } from "../postgres/rebuild-plan.js";
import type { Conversion } from "../postgres/types/conversions.js";
import { conversionIn, retypingOf } from "../postgres/types/type-change.js";
import {
  isPostgres,
  isSqlite,
  type PostgresSchema,
  type Schema,
  type SqliteSchema,
} from "../model/schema.js";
import { conversionIn as copyingOf } from "../sqlite/conversions.js";
import type { Finding, FindingCode } from "./finding.js";

/**
 * Findings about the values of columns whose type changes, or whose type is recreated under the
 * same name.
 */
export function typeFindings(base: Schema, target: Schema): readonly Finding[] {
  if (isPostgres(base) && isPostgres(target)) return postgresFindings(base, target);
  return isSqlite(base) && isSqlite(target) ? sqliteFindings(base, target) : [];
}

function postgresFindings(base: PostgresSchema, target: PostgresSchema): readonly Finding[] {
  const rebuild = rebuildPlanBetween(base, target);
  return [...rebuild.touched].flatMap((id) => {
    const [old, now] = [base.find(id), target.find(id)];
    if (old?.kind !== "Column" || now?.kind !== "Column" || rebuild.anew.has(id)) return [];
    const table = target.get(now.parent);
    // A recreated table has a finding of its own.
    if (rebuild.recreated.has(table.id) || isForeign(table)) return [];
    const conversion = conversionIn(retypingOf(base, target, rebuild, old, now));
    return findingsOf(target.pathOf(now), now.values.type, conversion);
  });
}

function sqliteFindings(base: SqliteSchema, target: SqliteSchema): readonly Finding[] {
  return target.all("Column").flatMap((now) => {
    const old = base.find(now.id);
    if (old?.kind !== "Column" || now.values.generated !== undefined) return [];
    const type = now.values.type ?? "of any type";
    return findingsOf(target.pathOf(now), type, copyingOf({ base, target, old, now }));
  });
}

function findingsOf(
  object: string,
  type: string,
  { outcome, reason }: Pick<Conversion, "outcome" | "reason">,
): readonly Finding[] {
  const finding = (code: FindingCode, message: string): Finding => ({ code, object, message });
  const stays = finding(
    "irreversible-down",
    "values that changed with the type are not changed back",
  );
  switch (outcome) {
    case "kept":
      return [];
    case "refused":
      return [finding("data-dependent", `its values become ${type}: ${reason}`)];
    case "checked":
      return [
        finding(
          "data-dependent",
          `its values become ${type}: ${reason}; the rows are checked first, and where a value would ` +
            "change the migration stops unless data loss is accepted",
        ),
        stays,
      ];
    case "lost":
      return [finding("destructive", `its values become ${type}: ${reason}`), stays];
  }
}
