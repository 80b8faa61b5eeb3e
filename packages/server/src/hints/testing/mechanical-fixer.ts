import type { Dialect } from "../../governance/index.js";
import { StatementEdits } from "./statement-edits.js";

/**
 * Edits a statement as the hints say, and knows nothing else: neither the schema nor what the
 * statement is for.
 * @returns undefined when no hint says what to write.
 */
export function fixedAsSaid(
  sql: string,
  hints: readonly string[],
  dialect: Dialect,
): string | undefined {
  let fixed = sql;
  // An error and its details may contain the same sentence.
  const said = [...new Set(hints)];
  for (const { pattern, edit } of SENTENCES) {
    for (const match of said.flatMap((hint) => [...hint.matchAll(pattern)])) {
      fixed = edit(new StatementEdits(fixed, dialect), match, fixed);
    }
  }
  if (fixed !== sql) return fixed;
  for (const { pattern, edit } of MESSAGES) {
    const [match] = said.flatMap((hint) => [...hint.matchAll(pattern)]);
    if (match !== undefined) fixed = edit(new StatementEdits(sql, dialect), match, sql);
    if (fixed !== sql) return fixed;
  }
  return undefined;
}

interface Instruction {
  readonly pattern: RegExp;
  readonly edit: (edits: StatementEdits, match: RegExpExecArray, sql: string) => string;
}

/** The sentences in which hints say what to write; fragments of SQL stand between backticks. */
const SENTENCES: readonly Instruction[] = [
  {
    pattern: /\bUse `([^`]+)` instead of `([^`]+)`/g,
    edit: (edits, [, by = "", fragment = ""]) => edits.replace(fragment, by),
  },
  {
    pattern: /\bAdd `([^`]+)` to (FROM|WHERE|GROUP BY|HAVING)/g,
    edit: (edits, [, fragment = "", clause]) =>
      // The pattern admits these words only.
      edits.addTo(clause as "FROM" | "WHERE" | "GROUP BY" | "HAVING", fragment),
  },
  {
    pattern: /\bMove `([^`]+)` from WHERE to HAVING/g,
    edit: (edits, [, fragment = ""]) => {
      return edits.addTo("HAVING", fragment);
    },
  },
  {
    pattern: /\bMove `([^`]+)` from WHERE to HAVING/g,
    edit: (edits, [, fragment = ""]) => edits.withoutCondition(fragment),
  },
  {
    pattern: /\bAdd `([^`]+)` at the end/g,
    edit: (_, [, fragment = ""], sql) => `${sql} ${fragment}`,
  },
  {
    pattern: /\bLeave out `([^`]+)`/g,
    edit: (edits, [, name = ""]) => edits.withoutItem(name),
  },
];

/** Sentences of an older form, which refer to the name in the engine's message. */
const MESSAGES: readonly Instruction[] = [
  {
    pattern:
      /(?:no such (?:column|table|function): (?:main\.)?|column |relation |named )"?([\w.]+?)"?(?: of relation "\w+")?(?: does not exist)?; did you mean ([\w."]+)\?/g,
    edit: (edits, [, written = "", meant = ""]) => {
      const qualifier = meant.includes(".") ? "" : written.slice(0, written.lastIndexOf(".") + 1);
      return edits.replace(written, qualifier + meant);
    },
  },
  {
    pattern: /(?:column name: |column reference ")(\w+)"?[^;]*; say which: ([\w."]+)/g,
    edit: (edits, [, written = "", meant = ""]) => edits.replace(written, meant),
  },
  {
    pattern: /; add ([\w.]+) to GROUP BY/g,
    edit: (edits, [, column = ""]) => edits.addTo("GROUP BY", column),
  },
  {
    pattern: /write CAST\(… AS ([\w ]+)\) for the [\w ]+ on the right of (\S+),/g,
    edit: (edits, [, type = "", operator = ""], sql) => {
      const right = edits.rightOf(operator);
      return right === undefined ? sql : edits.replace(right, `CAST(${right} AS ${type})`);
    },
  },
  {
    pattern: /("[^"]+") in double quotes is a name; if it is meant as a text, write ('[^']+')/g,
    edit: (edits, [, name = "", text = ""]) => edits.replace(name, text),
  },
  {
    pattern: /has no function (\w+); write, with your own names, `([^`]+)`/g,
    edit: (edits, [, name = "", fragment = ""], sql) => {
      const call = edits.call(name);
      return call === undefined
        ? sql
        : edits.replace(call.text, fragment.replace("value", call.argument));
    },
  },
  {
    pattern: /\): "…?(.*)>>>(.*)<<<(.*?)…?"; (.+)$/g,
    edit: (_, [, before = "", marked = "", , advice = ""], sql) => {
      const at = sql.indexOf(`${before}${marked}`) + before.length;
      return sql.slice(0, at) + replacementOf(marked, advice) + sql.slice(at + marked.length);
    },
  },
  {
    pattern: /it may still use (.+)$/g,
    edit: (edits, [, names = ""], sql) => {
      const columns = names
        .split(", ")
        .filter((name) => name.startsWith("column "))
        .map((name) => name.split(".").at(-1) ?? name);
      return /select \*/i.test(sql) ? edits.replace("*", columns.join(", ")) : sql;
    },
  },
  {
    pattern: /^column ([\w.]+) may not be used$/g,
    edit: (edits, [, name = ""]) => edits.withoutItem(name),
  },
];

/** The replacement for a mark, as the advice of a syntax error says. */
function replacementOf(marked: string, advice: string): string {
  const named = /^(?:did you mean|put) (\w+)/.exec(advice)?.[1] ?? "";
  if (advice.startsWith("did you mean")) return named;
  if (advice.startsWith("leave out")) return "";
  if (advice.startsWith("put a comma")) return `, ${marked}`;
  if (advice.startsWith("put a closing")) return `) ${marked}`;
  if (advice.startsWith("put ")) return `${named} ${marked}`;
  return advice.includes("reserved") ? `"${marked}"` : "''";
}
