/**
 * The version of each node's program, for operators who replace one node after the other. Each
 * element is one statement.
 */
export const addNodeVersions: readonly string[] = [
  `ALTER TABLE nodes ADD COLUMN version text NOT NULL DEFAULT ''`,
];
