import { needsOf } from "../postgres/dependency-order.js";
import { isForeign } from "../postgres/names.js";
import { remakingBetween } from "../postgres/remaking.js";
import type { Conversion } from "../postgres/types/conversions.js";
import { conversionIn } from "../postgres/types/type-change.js";
import { type Schema, textOf } from "../schema.js";
import { conversionIn as copyingOf } from "../sqlite/conversions.js";
import type { Finding, FindingCode } from "./finding.js";

/** What becomes of the values of columns whose type changes, or is made anew under its name. */
export function typeFindings(base: Schema, target: Schema): readonly Finding[] {
  return base.dialect === "postgres"
    ? postgresFindings(base, target)
    : sqliteFindings(base, target);
}

function postgresFindings(base: Schema, target: Schema): readonly Finding[] {
  const remaking = remakingBetween(base, target);
  return [...remaking.touched].flatMap((id) => {
    const [old, now] = [base.find(id), target.find(id)];
    if (old === undefined || now === undefined || remaking.anew.has(id)) return [];
    const table = target.get(now.parent ?? "");
    // A table that is made anew has a finding of its own.
    if (remaking.remade.has(table.id) || isForeign(table)) return [];
    const isReplaced = needsOf(old).some((need) => remaking.replaced.has(need));
    const conversion = conversionIn({ base, target, old, now, isReplaced });
    const type = textOf(now.values, "type") ?? "of any type";
    return findingsOf(target.pathOf(now), type, conversion);
  });
}

function sqliteFindings(base: Schema, target: Schema): readonly Finding[] {
  return target.all("Column").flatMap((now) => {
    const old = base.find(now.id);
    if (old === undefined || now.values.generated !== undefined) return [];
    const type = textOf(now.values, "type") ?? "of any type";
    return findingsOf(target.pathOf(now), type, copyingOf({ base, target, old, now }));
  });
}

function findingsOf(
  object: string,
  type: string,
  { outcome, reason }: Pick<Conversion, "outcome" | "reason">,
): readonly Finding[] {
  const finding = (code: FindingCode, message: string): Finding => ({ code, object, message });
  const stays = finding("irreversible-down", "values that changed with the type stay changed");
  switch (outcome) {
    case "kept":
      return [];
    case "refused":
      return [finding("data-dependent", `its values become ${type}: ${reason}`)];
    case "checked":
      return [
        finding(
          "data-dependent",
          `its values become ${type}: ${reason}; the rows are looked at first, and where a value would ` +
            "change the migration stops unless data loss is accepted",
        ),
        stays,
      ];
    case "lost":
      return [finding("destructive", `its values become ${type}: ${reason}`), stays];
  }
}
