import type { Schema, SchemaObject } from "../model/schema.js";
import { type Finding, reportOn } from "./finding.js";

/**
 * Findings about view columns that disappear or change their type. The text of the view does not
 * show such a change.
 */
export function viewFindings(base: Schema, target: Schema): readonly Finding[] {
  return [...target.all("View"), ...target.all("MaterializedView")].flatMap((now) => {
    const old = base.find(now.id);
    return old === undefined ? [] : changedColumns(target.pathOf(now), old, now);
  });
}

function changedColumns(path: string, old: SchemaObject, now: SchemaObject): readonly Finding[] {
  const report = reportOn(path);
  const has = new Map((now.values.shownColumns ?? []).map((part) => [part.columnName, part.type]));
  return (old.values.shownColumns ?? []).flatMap((part) => {
    const { columnName: name, type } = part;
    if (!has.has(name))
      return [report("backward-incompatible", `it no longer has the column ${name}`)];
    if (has.get(name) === type) return [];
    return [report("backward-incompatible", `its column ${name} has another type`)];
  });
}
