/** How long each organization keeps its memory entries; one that says nothing keeps them for ever. */
export const createMemoryRetention: string = `
CREATE TABLE memory_retention (
  org_id TEXT NOT NULL PRIMARY KEY,
  age_max_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
