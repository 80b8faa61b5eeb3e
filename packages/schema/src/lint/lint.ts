import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { alteredRules } from "./alteration-rules.js";
import { type Finding, reportOn } from "./finding.js";
import { invalidIndexFindings } from "./invalid-index-findings.js";
import { lockFindings } from "./lock-findings.js";
import { lossFindings } from "./losses.js";
import { createdRules, droppedRules, newPartitionRules, renamedRules } from "./object-rules.js";
import { typeFindings } from "./type-findings.js";
import { viewFindings } from "./view-findings.js";
import { withoutChangedTies } from "../postgres/parents/ties.js";
import type { Script } from "../ports.js";
import type { Schema } from "../model/schema.js";
import { diffSchemas, type Operation } from "../model/schema-diff.js";

/** The findings about a script: data loss, locks, incompatibilities. */
export function lint(base: Schema, target: Schema, script: Script): readonly Finding[] {
  return withoutPauses(linting(base, target, script));
}

/** Like {@link lint}, but pauses regularly to yield the event loop. */
export function* linting(
  base: Schema,
  target: Schema,
  script: Script,
): Pausing<readonly Finding[]> {
  // A table that changes its parents keeps its columns, though they are no longer its own.
  const ties = withoutChangedTies(base, target);
  const operations = diffSchemas(ties.base, ties.target);
  yield;
  const losses = [...lossFindings(ties.base, ties.target), ...typeFindings(ties.base, ties.target)];
  yield;
  const findings = [
    ...losses,
    ...operations.flatMap((operation) => rulesFor(ties.base, ties.target, operation)),
    ...boundFindings(base, target),
    ...viewFindings(ties.base, ties.target),
    ...invalidIndexFindings(base, target),
    ...lockFindings(base, target, script),
  ];
  const seen = new Map(findings.map((each) => [JSON.stringify(each), each]));
  return [...seen.values()];
}

/** Findings about tables that keep their rows and get the bounds of a partition. */
function boundFindings(base: Schema, target: Schema): readonly Finding[] {
  return diffSchemas(base, target).flatMap((operation) => {
    const isBound =
      operation.action === "alter" &&
      operation.changes.some(
        ({ property, after }) => property === "partitionBound" && after !== undefined,
      );
    if (!isBound) return [];
    return [
      reportOn(operation.path)("data-dependent", "rows outside of its bounds stop the migration"),
    ];
  });
}

function rulesFor(base: Schema, target: Schema, operation: Operation): readonly Finding[] {
  const { id, path } = operation;
  const report = reportOn(path);
  switch (operation.action) {
    case "drop":
      return droppedRules(base.get(id), report);
    case "rename":
      return renamedRules(operation, report);
    case "create": {
      const created = target.get(id);
      return [
        ...createdRules(base, target, created, report),
        ...newPartitionRules(base, created, report),
      ];
    }
    case "alter": {
      const [old, now] = [base.get(id), target.get(id)];
      return alteredRules({ old, now, changes: operation.changes }, report);
    }
  }
}
