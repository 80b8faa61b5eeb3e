import { describe, expect, it } from "vitest";
import type { Dialect } from "../../governance/index.js";
import { DialectAnalyzer, SqliteAnalyzer } from "./index.js";
import { PostgresAnalyzer } from "./postgres-analyzer.js";
import * as postgres from "./testing/postgres-examples.js";
import * as sqlite from "./testing/sqlite-examples.js";

const analyzer = new DialectAnalyzer({
  sqlite: new SqliteAnalyzer(),
  postgres: await PostgresAnalyzer.load(),
});

function verdictOf(sql: string, dialect: Dialect): string {
  const analysis = analyzer.analyze(sql, dialect);
  if (analysis.kind === "statement") return analysis.statementClass;
  return analysis.reason === "forbidden" ? "forbidden" : `${analysis.reason}: ${analysis.message}`;
}

describe.each([
  ["sqlite", sqlite],
  ["postgres", postgres],
] as const)("a statement of %s", (dialect, { READS, CHANGES, FORBIDDEN }) => {
  it.each(READS)("reads: %s", (sql) => {
    expect(verdictOf(sql, dialect)).toBe("read_select");
  });

  const changes = Object.entries(CHANGES).flatMap(([verdict, statements]) =>
    statements.map((sql) => [verdict, sql] as const),
  );
  it.each(changes)("is %s: %s", (verdict, sql) => {
    expect(verdictOf(sql, dialect)).toBe(verdict);
  });

  it.each(FORBIDDEN)("is forbidden: %s", (sql) => {
    expect(verdictOf(sql, dialect)).toBe("forbidden");
  });
});

it.each(postgres.FORBIDDEN_CALLS)(
  "a statement of postgres is forbidden wherever it calls %s",
  (call) => {
    for (const place of postgres.PLACES) {
      const sql = place.replaceAll("#", call);
      expect([sql, verdictOf(sql, "postgres")]).toEqual([sql, "forbidden"]);
    }
  },
);
