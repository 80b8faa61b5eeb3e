import type { SchemaObject, Value } from "../model/schema.js";
import type { Change } from "../model/schema-diff.js";
import type { PropertyName } from "../model/vocabulary.js";
import type { Finding, FindingCode, Report } from "./finding.js";
import { isRule, ruleFindings } from "./object-rules.js";

/** An object before and after a change, and the changed properties. */
export interface Alteration {
  readonly old: SchemaObject;
  readonly now: SchemaObject;
  readonly changes: readonly Change[];
}

/** Derives findings from the change of one property. */
type Rule = (change: Change, alteration: Alteration) => readonly (readonly [FindingCode, string])[];

/** Properties of a constraint that existing rows must satisfy. */
const DEMANDS: ReadonlySet<PropertyName> = new Set<PropertyName>([
  ...(["definition", "expression", "columns", "parts", "where", "isUnique", "target"] as const),
]);

/** Findings about an altered object, apart from data loss. */
export function alteredRules(alteration: Alteration, report: Report): readonly Finding[] {
  const { now, changes } = alteration;
  return [
    ...changes.flatMap((change) => {
      const rule = RULES[change.property];
      const found = rule?.(change, alteration) ?? [];
      return found.map(([code, message]) => report(code, message));
    }),
    ...(isRule(now) && changes.some(({ property }) => DEMANDS.has(property as PropertyName))
      ? ruleFindings(now, report)
      : []),
  ];
}

const RULES: Readonly<Partial<Record<Change["property"], Rule>>> = {
  type: ({ before }, { old }) =>
    old.kind === "Column" || old.kind === "Domain"
      ? [["backward-incompatible", `it was ${wordOf(before)}`]]
      : [],
  notNull: ({ after }) =>
    after === true
      ? [
          ["data-dependent", "rows with NULL stop the migration"],
          ["backward-incompatible", "writes of NULL fail"],
        ]
      : [
          ["backward-incompatible", "statements that read it may get NULL"],
          ["irreversible-down", "rows that have NULL by then stop the down migration"],
        ],
  default: ({ after }, { now }) =>
    after === undefined && now.values.notNull === true && now.values.identity === undefined
      ? [["backward-incompatible", "writes without a value for it fail"]]
      : [],
  generated: ({ after }) =>
    after === undefined ? [] : [["backward-incompatible", "writes with a value for it fail"]],
  identity: ({ after }) =>
    after === "always" ? [["backward-incompatible", "writes with a value for it fail"]] : [],
  collation: () => [
    [
      "data-dependent",
      "values that are equal under the new collation stop the migration if they must be unique",
    ],
    ["backward-incompatible", "comparisons and the order of rows change"],
  ],
  labels: (_, { old, now }) => {
    const kept = new Set((now.values.labels ?? []).map(({ label }) => label));
    const gone = (old.values.labels ?? []).filter(({ label }) => !kept.has(label));
    if (gone.length === 0) return [];
    const names = gone.map(({ label }) => label).join(", ");
    return [
      ["data-dependent", `rows with a removed value (${names}) stop the migration`],
      ["backward-incompatible", `statements that still use ${names} fail`],
    ];
  },
  attributes: () => [["backward-incompatible", "statements that access its attributes may fail"]],
  rowSecurity: ({ after }) => [
    after === undefined
      ? ["backward-incompatible", "every role that may read the table sees every row"]
      : ["backward-incompatible", "roles see and write only the rows that a policy allows"],
  ],
  replicaIdentity: ({ after }) => [
    after === "full"
      ? ["lock-heavy", "every update and delete writes the whole old row to the write-ahead log"]
      : [
          "backward-incompatible",
          "logical replication identifies old rows by other columns, or cannot identify them",
        ],
  ],
  persistence: ({ after }) =>
    after === "unlogged"
      ? [
          [
            "backward-incompatible",
            "its rows are lost when the server crashes, and no replica has them",
          ],
        ]
      : [],
  sequenceOptions: () => [
    ["data-dependent", "a counter beyond its new bounds stops the migration"],
  ],
  returns: ({ before }) => [["backward-incompatible", `it returned ${wordOf(before)}`]],
  signature: ({ before }) => [["backward-incompatible", `its arguments were ${wordOf(before)}`]],
  isStrict: ({ after }) =>
    after === true ? [["backward-incompatible", "writes of values of another type fail"]] : [],
  isWithoutRowid: ({ after }) =>
    after === true ? [["backward-incompatible", "statements that use its rowid fail"]] : [],
  version: ({ before }) => [["backward-incompatible", `it was version ${wordOf(before)}`]],
};

function wordOf(value: Value | undefined): string {
  return typeof value === "string" && value !== "" ? value : "of no type";
}
