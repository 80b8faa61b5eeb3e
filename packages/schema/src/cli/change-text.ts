import type { Finding } from "../lint/finding.js";
import type { SchemaChange } from "../migrations/schema-change.js";
import type { Operation } from "../model/schema-diff.js";
import { stepsOf } from "../model/row-check.js";
import type { Dialect } from "../model/schema.js";
import type { ScriptText } from "../ports.js";

/** One line for each object that differs: `+` is in the second database only, `-` in the first only. */
export function operationLine(operation: Operation): string {
  const { action, kind, path } = operation;
  switch (action) {
    case "create":
      return `+ ${kind} ${path}`;
    case "drop":
      return `- ${kind} ${path}`;
    case "rename":
      return `~ ${kind} ${operation.from} → ${operation.to}`;
    case "alter":
      return `~ ${kind} ${path}: ${operation.changes.map(({ property }) => property).join(", ")}`;
  }
}

/** A script as SQL for `psql` or `sqlite3`. Findings, and checks of the existing rows, are comments. */
export function scriptText({ findings, up }: SchemaChange, dialect: Dialect): string {
  const lines = [
    ...findings.flatMap((finding) => comment(findingText(finding))),
    ...SETTINGS[dialect],
    ...up.flatMap((phase) => phaseLines(phase, dialect)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The settings that a script is written for: the same as when the server runs it. */
const SETTINGS: Readonly<Record<Dialect, readonly string[]>> = {
  postgres: ["SET search_path = '';", "SET check_function_bodies = off;"],
  sqlite: ["PRAGMA foreign_keys = OFF;"],
};

function phaseLines(phase: ScriptText[number], dialect: Dialect): readonly string[] {
  const statements = stepsOf(phase).flatMap((step) =>
    typeof step === "string"
      ? [`${step};`]
      : comment(`Stop here unless this count is 0, ${step.object}: ${step.count}`),
  );
  if (!phase.isAtomic) return statements;
  if (dialect === "postgres") return ["BEGIN;", ...statements, "COMMIT;"];
  const check = [...comment("Roll back if this prints a row."), "PRAGMA foreign_key_check;"];
  return ["BEGIN IMMEDIATE;", ...statements, ...check, "COMMIT;"];
}

function findingText({ code, object, message }: Finding): string {
  return `${code}: ${object}: ${message}`;
}

function comment(text: string): readonly string[] {
  return text.split("\n").map((line) => `-- ${line}`);
}
