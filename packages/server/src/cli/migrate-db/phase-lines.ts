import type { MigrationLock, MigrationPhase } from "@steward/client";

/** Formats the statements of a script, with their transactions and locks. */
export function phaseLines(phases: readonly MigrationPhase[]): readonly string[] {
  return phases.flatMap(({ atomic, statements, locks }) => {
    if (atomic) {
      return [
        "in one transaction:",
        ...statements.map((sql) => `  ${sql};`),
        ...heaviest(locks).map((lock) => `  locks until its end: ${sayLock(lock)}`),
      ];
    }
    return [
      "each by itself:",
      ...statements.flatMap((sql, index) => [
        `  ${sql};`,
        ...locks
          .filter(({ statement }) => statement === index)
          .map((lock) => `  locks: ${sayLock(lock)}`),
      ]),
    ];
  });
}

/** For example `ACCESS EXCLUSIVE on orders: reads and writes wait`. */
function sayLock({ mode, table, effect }: MigrationLock): string {
  return `${mode}${table === "" ? "" : ` on ${table}`}: ${effect}`;
}

/** PostgreSQL's lock modes, the weakest first. SQLite has only one. */
const MODES = [
  ...["ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE"],
  ...["SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"],
];
/** Prefix of temporary tables to which the transaction copies rows. */
const OWN_PREFIX = "_steward_";
const WORKS = ["instant", "scan", "rewrite"];

/** The strongest lock on each table; a transaction holds it until its end. */
function heaviest(locks: readonly MigrationLock[]): readonly MigrationLock[] {
  const byTable = new Map<string, MigrationLock>();
  for (const lock of locks.filter(({ table }) => !table.startsWith(OWN_PREFIX))) {
    const known = byTable.get(lock.table);
    if (known === undefined || weight(lock) > weight(known)) byTable.set(lock.table, lock);
  }
  return [...byTable.values()];
}

function weight({ mode, holds_while }: MigrationLock): number {
  return MODES.indexOf(mode) * WORKS.length + WORKS.indexOf(holds_while);
}
