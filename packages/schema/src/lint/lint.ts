import { type Pausing, withoutPauses } from "@steward/kernel/concurrency/pausing.js";
import { alteredRules } from "./alteration-rules.js";
import { type Finding, reportOn } from "./finding.js";
import { invalidIndexFindings } from "./invalid-index-findings.js";
import { lockFindings } from "./lock-findings.js";
import { lossFindings } from "./losses.js";
import { createdRules, droppedRules, newPartitionRules, renamedRules } from "./object-rules.js";
import { typeFindings } from "./type-findings.js";
import { viewFindings } from "./view-findings.js";
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
  const operations = diffSchemas(base, target);
  yield;
  const losses = [...lossFindings(base, target), ...typeFindings(base, target)];
  yield;
  const findings = [
    ...losses,
    ...operations.flatMap((operation) => rulesFor(base, target, operation)),
    ...viewFindings(base, target),
    ...invalidIndexFindings(base, target),
    ...lockFindings(base, target, script),
  ];
  const seen = new Map(findings.map((each) => [JSON.stringify(each), each]));
  return [...seen.values()];
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
