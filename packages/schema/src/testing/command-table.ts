import { readFileSync } from "node:fs";
import { lint } from "../lint/lint.js";
import {
  type Command,
  LOCK_MODES,
  POSTGRES_COMMANDS,
  SQLITE_COMMANDS,
  type TableLock,
  type Work,
} from "../model/commands.js";
import type { Dialect, Schema } from "../model/schema.js";
import { scriptBetween } from "../scripts/script.js";

const DOCUMENT = new URL("../../../../docs/migration-locks.md", import.meta.url);
const ROWS: Readonly<Record<Work, string>> = {
  instant: "untouched",
  scan: "read",
  rewrite: "rewritten",
};

/** What the documentation's table says of a command: its lock, its work on rows, and what it may lose. */
interface Row {
  readonly command: string;
  readonly lock: string;
  readonly rows: string;
  readonly loss: string;
}

function documented(dialect: Dialect): readonly Row[] {
  const title = dialect === "postgres" ? "## PostgreSQL" : "## SQLite";
  const [, section = ""] = readFileSync(DOCUMENT, "utf8").split(`${title}\n`);
  const [own = ""] = section.split("\n## ");
  const lines = own.split("\n").filter((line) => line.startsWith("| `"));
  return lines.flatMap((line) => {
    const [, commands = "", lock = "", rows = "", loss = ""] = line
      .split("|")
      .map((cell) => cell.trim());
    return [...commands.matchAll(/`(\w+)`/g)].map(([, command = ""]) => ({
      ...{ command, lock, rows: rows || "untouched", loss: loss || "nothing" },
    }));
  });
}

/** Commands whose row in the documentation is missing or names another lock. */
export function mistakenRows(dialect: Dialect): readonly string[] {
  const commands = dialect === "postgres" ? POSTGRES_COMMANDS : SQLITE_COMMANDS;
  const wanted = Object.entries(commands).map(([name, lock]) => `${name}: ${lock ?? "none"}`);
  const found = documented(dialect).map(({ command, lock }) => `${command}: ${lock}`);
  return [
    ...wanted.filter((each) => !found.includes(each)).map((each) => `no row says ${each}`),
    ...found.filter((each) => !wanted.includes(each)).map((each) => `no command is ${each}`),
  ];
}

/** Effects of a script that the documentation does not mention. */
export function unsaid(base: Schema, target: Schema): readonly string[] {
  const rows = new Map(documented(target.dialect).map((row) => [row.command, row]));
  const script = scriptBetween(base, target);
  const commands = script.flatMap((phase) => phase.commands);
  const mistakes = commands.flatMap((command) => {
    const row = rows.get(command.command);
    if (row === undefined) return [`no row for ${command.command}`];
    return command.locks.flatMap((lock) => mistake(row, lock, command));
  });
  const mayLose = commands.some(
    ({ command }) => rows.get(command)?.loss.startsWith("nothing") === false,
  );
  const lost = lint(base, target, script).filter(({ code }) => code === "destructive");
  const unnamed = mayLose ? [] : lost.map(({ object, message }) => `${object}: ${message}`);
  return [...mistakes, ...unnamed];
}

function mistake(
  row: Row,
  { mode, holdsWhile }: TableLock,
  { command, object }: Command,
): string[] {
  const modes: readonly string[] = LOCK_MODES;
  const isStronger = row.lock === "none" || modes.indexOf(mode) > modes.indexOf(row.lock);
  const isWithin = holdsWhile === "instant" || row.rows.includes(ROWS[holdsWhile]);
  return [
    ...(isStronger ? [`${mode} instead of ${row.lock}: ${command} ${object}`] : []),
    ...(isWithin ? [] : [`rows are ${ROWS[holdsWhile]}: ${command} ${object}`]),
  ];
}
