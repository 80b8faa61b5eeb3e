import { isPartitionedBy } from "./postgres/remaking.js";
import type { Schema, SchemaObject, Value } from "./schema.js";
import { diffSchemas, type Operation } from "./schema-diff.js";
import type { Finding, FindingCode } from "./lint/finding.js";
import { invalidIndexFindings } from "./lint/invalid-index-findings.js";
import { typeFindings } from "./lint/type-findings.js";
import type { Script } from "./ports.js";

/** What there is to think about in a script that leads from one schema to another. */
export function lint(base: Schema, target: Schema, script: Script): readonly Finding[] {
  const operations = diffSchemas(base, target);
  return [
    ...operations.flatMap((operation) => findingsOf(base, target, operation)),
    ...invalidIndexFindings(base, target),
    ...typeFindings(base, target),
    ...script.flatMap(({ statements }) => statements.flatMap(lockFindings)),
  ];
}

/** Kinds whose loss is a loss of data. */
const HOLDERS: readonly string[] = ["Table", "VirtualTable", "Column"];
/** Kinds that programs name in their statements. */
const NAMED: readonly string[] = [
  ...["Table", "VirtualTable", "Column", "View", "MaterializedView", "Schema", "Sequence"],
  ...["Function", "Type", "Domain"],
];
/** Properties that a table keeps for life: with another, it is another table. */
const REMAKING: readonly string[] = ["partitionKey", "partitionBound", "inherits", "definition"];
/** Kinds that every row must satisfy. */
const RULES: readonly string[] = [
  ...["PrimaryKey", "UniqueConstraint", "CheckConstraint", "ForeignKey", "ExclusionConstraint"],
];

function findingsOf(base: Schema, target: Schema, operation: Operation): readonly Finding[] {
  const { path: object, kind } = operation;
  const finding = (code: FindingCode, message: string): Finding => ({ code, object, message });
  switch (operation.action) {
    case "drop":
      return [
        ...(HOLDERS.includes(kind) ? lossOf(base.get(operation.id), finding) : []),
        ...(NAMED.includes(kind)
          ? [finding("backward-incompatible", "what still uses it fails")]
          : []),
      ];
    case "rename":
      if (!NAMED.includes(kind)) return [];
      return [finding("backward-incompatible", `what still calls it ${operation.from} fails`)];
    case "create":
      return creationFindings(base, target.get(operation.id), finding);
    case "alter":
      return [
        ...alterationFindings(operation, finding),
        ...(base.dialect === "postgres" ? remakingFindings(base, operation, finding) : []),
      ];
  }
}

/** Where the rows of a table are cannot be changed: the table is made anew. */
function remakingFindings(
  base: Schema,
  operation: Extract<Operation, { action: "alter" }>,
  finding: Report,
): readonly Finding[] {
  const { kind, id, changes } = operation;
  if (kind !== "Column" || !changes.some(({ property }) => property === "type")) return [];
  return isPartitionedBy(base, id) ? madeAnew(finding) : [];
}

function madeAnew(finding: Report): readonly Finding[] {
  return [
    finding("destructive", "it is made anew, without its rows"),
    finding("irreversible-down", "its rows are not brought back"),
  ];
}

type Report = (code: FindingCode, message: string) => Finding;

function lossOf({ kind, values }: SchemaObject, finding: Report): readonly Finding[] {
  if (values.generated !== undefined) return [];
  const what = kind === "Column" ? "its values are" : "its rows are";
  return [
    finding("destructive", `${what} lost`),
    finding("irreversible-down", `${what} not brought back`),
  ];
}

function creationFindings(
  base: Schema,
  created: SchemaObject,
  finding: Report,
): readonly Finding[] {
  const { kind, values, parent = "" } = created;
  const isOnOldTable = base.find(parent)?.kind === "Table";
  if (isOnOldTable && RULES.includes(kind)) {
    return [
      finding("data-dependent", "rows that break it stop the migration"),
      finding("backward-incompatible", "writes that break it fail"),
    ];
  }
  if (kind === "Index" && values.isUnique === true && isOld(base, values.on)) {
    return [finding("data-dependent", "equal rows stop the migration")];
  }
  const isFilled = values.default !== undefined || values.generated !== undefined;
  if (kind !== "Column" || !isOnOldTable || values.notNull !== true || isFilled) return [];
  if (values.identity !== undefined) return [];
  return [
    finding("data-dependent", "NOT NULL without a default: it works on an empty table only"),
    finding("backward-incompatible", "writes that leave it out fail"),
  ];
}

function isOld(base: Schema, on: unknown): boolean {
  return (
    typeof on === "object" && on !== null && "ref" in on && base.find(String(on.ref)) !== undefined
  );
}

function alterationFindings(
  operation: Extract<Operation, { action: "alter" }>,
  finding: Report,
): readonly Finding[] {
  return operation.changes.flatMap(({ property, before, after }): readonly Finding[] => {
    if (property === "type") return [finding("backward-incompatible", `it was ${wordOf(before)}`)];
    if (property === "notNull" && after === true) {
      return [
        finding("data-dependent", "rows with NULL stop the migration"),
        finding("backward-incompatible", "writes of NULL fail"),
      ];
    }
    if (REMAKING.includes(property) && HOLDERS.includes(operation.kind)) {
      return madeAnew(finding);
    }
    if (property === "labels") {
      return [finding("data-dependent", "rows with a value that goes stop the migration")];
    }
    if (property === "generated") return [finding("destructive", "its values are computed anew")];
    return [];
  });
}

function wordOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "of no type";
}

/** What a statement holds up, seen from its text, for both engines. */
function lockFindings(sql: string): readonly Finding[] {
  const rebuilt = /^INSERT OR ABORT INTO "_steward_new_.* FROM (".*")$/s.exec(sql)?.[1];
  if (rebuilt !== undefined) {
    return [{ code: "lock-heavy", object: unquoted(rebuilt), message: "the table is built anew" }];
  }
  const rewritten =
    /^ALTER TABLE (\S+) (.* (?:TYPE|SET DATA TYPE) .*|ADD COLUMN .*GENERATED.* STORED.*)$/s.exec(
      sql,
    );
  if (rewritten?.[1] !== undefined) {
    return [
      { code: "lock-heavy", object: unquoted(rewritten[1]), message: "the table is rewritten" },
    ];
  }
  const index = /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)\S+ ON (?:ONLY )?(\S+)/.exec(sql)?.[1];
  if (index === undefined) return [];
  return [{ code: "lock-heavy", object: unquoted(index), message: "writes wait for the index" }];
}

function unquoted(name: string): string {
  return name.replaceAll('"', "");
}
