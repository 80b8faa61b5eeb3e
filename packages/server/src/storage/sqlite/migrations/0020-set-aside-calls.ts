/**
 * Tool calls that a consumer has passed over because it could not read them. They are not counted
 * yet, and each is tried again.
 */
export const createSetAsideCalls: string = `
CREATE TABLE set_aside_calls (
  consumer TEXT NOT NULL,
  change INTEGER NOT NULL,
  PRIMARY KEY (consumer, change)
) STRICT, WITHOUT ROWID;
`;
