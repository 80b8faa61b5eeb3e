import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { intentCovers, type Dialect, type Intent } from "../../governance/index.js";
import { DialectAnalyzer, SqliteAnalyzer } from "./index.js";
import { PostgresAnalyzer } from "./postgres-analyzer.js";

const analyzer = new DialectAnalyzer({
  sqlite: new SqliteAnalyzer(),
  postgres: await PostgresAnalyzer.load(),
});
const folder = process.env["STEWARD_CHECK_DATA"];

describe("the collected examples (needs STEWARD_CHECK_DATA)", () => {
  it.skipIf(folder === undefined).each(["sqlite", "postgres"] as const)(
    "of %s are judged as their verdicts say",
    (dialect) => {
      const rows = parseCsv(readFileSync(join(folder ?? "", "sql-examples.csv"), "utf8"));
      const examples = rows.filter((row) => row["dialect"] === dialect);
      expect(examples.length).toBeGreaterThan(0);
      for (const { id, sql, declared_intent, expected, reason } of examples) {
        const verdict = expected === "allow" || NOT_THE_TEXT.has(reason ?? "") ? "allow" : reason;
        expect({
          id,
          verdict: verdictOf(sql ?? "", dialect, declared_intent as Intent),
        }).toEqual({ id, verdict });
      }
    },
  );
});

/**
 * Statements whose text looks harmless: only execution, or a policy that knows the tables, can
 * refuse them.
 */
const NOT_THE_TEXT: ReadonlySet<string> = new Set([
  "forbidden_column",
  "forbidden_table",
  "resource_limit",
  "unbounded_write",
]);

function verdictOf(sql: string, dialect: Dialect, intent: Intent): string {
  const analysis = analyzer.analyze(sql, dialect);
  if (analysis.kind === "statement") {
    if (intentCovers(intent, analysis.statementClass)) return "allow";
    if (analysis.because?.includes("locks rows") === true) return "locking";
    return analysis.because?.includes("function") === true
      ? "forbidden_function"
      : "intent_mismatch";
  }
  if (analysis.message.startsWith("The function")) return "forbidden_function";
  const verdicts = {
    multiple_statements: "multi_statement",
    forbidden: "forbidden_statement",
    unparsable: "intent_mismatch",
  };
  return verdicts[analysis.reason];
}

/** Rows by column name; quoted fields may hold commas and doubled quotes, but no line breaks. */
function parseCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...rows] = text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
      ),
    );
  return rows.map((row) =>
    Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])),
  );
}
