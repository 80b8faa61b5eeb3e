import { formatDialect, postgresql, sqlite } from "sql-formatter";

const DIALECTS = { postgresql, sqlite };

/** A statement with one clause per line; one that the formatter cannot read stays as it is. */
export function formatSql(sql: string, dialect: keyof typeof DIALECTS = "sqlite"): string {
  try {
    return formatDialect(sql, {
      dialect: DIALECTS[dialect],
      paramTypes: { custom: [{ regex: String.raw`\{\{.*?\}\}` }, { regex: String.raw`[?$]\d+` }] },
    });
  } catch {
    return sql;
  }
}
