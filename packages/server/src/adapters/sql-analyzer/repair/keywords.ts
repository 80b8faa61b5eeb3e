/** Keywords of both dialects that a misspelt word may have meant, commonest first. */
export const KEYWORDS: readonly string[] = words(`
  SELECT FROM WHERE GROUP ORDER BY HAVING LIMIT OFFSET JOIN LEFT RIGHT INNER OUTER FULL CROSS ON USING AS AND OR
  NOT IN IS NULL LIKE BETWEEN EXISTS CASE WHEN THEN ELSE END DISTINCT UNION ALL EXCEPT INTERSECT WITH RECURSIVE
  INSERT INTO VALUES UPDATE SET DELETE RETURNING CONFLICT DO NOTHING DEFAULT CREATE TABLE VIEW INDEX TRIGGER ALTER
  DROP ADD COLUMN RENAME TO IF PRIMARY KEY FOREIGN REFERENCES UNIQUE CHECK CONSTRAINT CASCADE ASC DESC OVER
  PARTITION FILTER NULLS FIRST LAST CAST COLLATE EXPLAIN TRUNCATE INTEGER`);

/** Keywords that begin a part of a statement: one of them out of place is no name that lacks quotes. */
export const CLAUSE_KEYWORDS: ReadonlySet<string> = new Set(
  words(`SELECT FROM WHERE BY HAVING JOIN ON USING AS AND OR NOT IN IS NULL INSERT INTO VALUES UPDATE
  SET DELETE RETURNING THEN ELSE WHEN END UNION EXCEPT INTERSECT`),
);

/** Keywords that are forgotten in front of what they introduce. */
export const OMITTED_KEYWORDS: readonly string[] = words(
  `INTO FROM BY SET END AND ON VALUES TABLE`,
);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
