/**
 * The content of each row as a function of its number `n` in SQL: a year of calls in the order of
 * time, by 40 tools in sessions of 250 calls, four of five of them from one organization.
 */
export const LARGE_ORG = "11111111-1111-4111-8111-111111111111";
const SMALL_ORG = "22222222-2222-4222-8222-222222222222";

/** The reported year. */
export const YEAR = { from: "2025-01-01", to: "2025-12-31" } as const;
const YEAR_START_MS = Date.parse("2025-01-01T00:00:00Z");
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** The columns of one call as SQL expressions of its number `n`, from 0 to `rows` - 1. */
export function callColumns(rows: number) {
  const intent = `CASE n % 10 WHEN 7 THEN 'write_insert' WHEN 8 THEN 'write_update' WHEN 9 THEN 'admin'
    ELSE 'read_select' END`;
  return {
    id: `printf('%08x-0000-4000-8000-%012x', (n * 2654435761) % 4294967296, n)`,
    org_id: `CASE WHEN n % 5 = 0 THEN '${SMALL_ORG}' ELSE '${LARGE_ORG}' END`,
    session_id: `'session-' || (n / 250)`,
    tool_name: `'tool_' || (n * 7919 % 40)`,
    intent,
    aau_weight: `CASE ${intent} WHEN 'read_select' THEN 1 WHEN 'admin' THEN 5 ELSE 3 END`,
    orm_model: `CASE n * 31 % 13 WHEN 0 THEN NULL ELSE 'Model' || (n * 31 % 13) END`,
    occurred_at_ms: `${YEAR_START_MS} + CAST(n * ${YEAR_MS / rows} AS INTEGER)`,
  } as const;
}

/** The numbers from 0 to `rows` - 1. */
export function numbers(rows: number): string {
  return `WITH RECURSIVE numbers(n) AS
    (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${rows})`;
}
