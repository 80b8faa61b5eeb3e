import type { Migration, MigrationFinding, SchemaOperation } from "@steward/client";
import type { Colors } from "../terminal.js";

/** A migration for reading: what happens, what to think about, and the statements. */
export function migrationLines(migration: Migration, colors: Colors): readonly string[] {
  const { migration_id, database, status, message, author } = migration;
  return [
    `${colors.bold(migration_id)}  ${database}  ${status}  ${message} (${author})`,
    `${migration.base_root.slice(0, 12)} → ${migration.target_root.slice(0, 12)}`,
    ...operationLines(migration.operations, colors),
    ...findingLines(migration.findings, colors),
    ...migration.up.flatMap(({ statements }) => statements.map((sql) => `${sql};`)),
  ];
}

/** One line for each object that something happens to. */
export function operationLines(
  operations: readonly SchemaOperation[],
  colors: Colors,
): readonly string[] {
  return operations.map((operation) => {
    const { action, kind, path } = operation;
    if (action === "create") return colors.green(`+ ${kind} ${path}`);
    if (action === "drop") return colors.red(`- ${kind} ${path}`);
    if (action === "rename") {
      return colors.yellow(`~ ${kind} ${operation.from ?? ""} → ${operation.to ?? ""}`);
    }
    const properties = (operation.changes ?? []).map(({ property }) => property).join(", ");
    return colors.yellow(`~ ${kind} ${path}: ${properties}`);
  });
}

function findingLines(findings: readonly MigrationFinding[], colors: Colors): readonly string[] {
  return findings.map(({ code, object, message }) => {
    const line = `! ${code}  ${object}: ${message}`;
    return code === "destructive" ? colors.red(line) : line;
  });
}
