import type { Migration, MigrationFinding, SchemaDiff, SchemaOperation } from "@steward/client";
import type { Colors } from "../terminal/terminal.js";
import { phaseLines } from "./phase-lines.js";

/** Formats a migration: operations, findings, statements. */
export function migrationLines(migration: Migration, colors: Colors): readonly string[] {
  const { migration_id, database, status, message, author, digest } = migration;
  return [
    `${colors.bold(migration_id)}  ${database}  ${status}  ${message} (${author})`,
    `digest ${digest}`,
    ...unfinishedLines(migration, colors),
    ...changeLines(
      { ...migration, from_root: migration.base_root, to_root: migration.target_root },
      colors,
    ),
  ];
}

function unfinishedLines(
  { migration_id, unfinished_run: run }: Migration,
  colors: Colors,
): readonly string[] {
  if (run === undefined) return [];
  const { parts_done, part_count, under_way, activity, error, purpose } = run;
  const what = purpose === "undo" ? "is being undone" : "runs";
  const progress = `${String(parts_done)} of ${String(part_count)} parts have taken effect`;
  if (under_way) {
    const now = activity === undefined ? "" : `; ${activity}`;
    return [colors.yellow(`${what} now: ${progress}${now}`)];
  }
  const ways = [`steward migrate-db resume ${migration_id}`];
  if (purpose === "migrate") ways.push(`steward migrate-db undo ${migration_id}`);
  return [
    colors.red(`stopped before its end: ${progress} (${error ?? "its process died"})`),
    `resume it or undo it: ${ways.join("   or   ")}`,
  ];
}

/** Formats a schema change. */
export function changeLines(change: SchemaDiff, colors: Colors): readonly string[] {
  return [
    `${change.from_root.slice(0, 12)} → ${change.to_root.slice(0, 12)}`,
    ...operationLines(change.operations, colors),
    ...findingLines(change.findings, colors),
    ...phaseLines(change.up),
  ];
}

/** Describes the effects of a run, for the confirmation prompt. */
export function runLines(
  migration: Migration,
  way: "up" | "down",
  colors: Colors,
): readonly string[] {
  const { migration_id, database, message, digest, findings, down_findings } = migration;
  return [
    `${colors.bold(migration_id)}  ${database}  ${message}`,
    `digest ${digest}`,
    ...findingLines(way === "up" ? findings : down_findings, colors),
    ...phaseLines(migration[way]),
  ];
}

/** One line for each changed object. */
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
