import type { MigrationLock, MigrationPhase } from "@steward/client";

/** The statements of a script for reading: which of them share a transaction, and what they lock. */
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

/** `ACCESS EXCLUSIVE on orders: reads and writes wait`. */
function sayLock({ mode, table, effect }: MigrationLock): string {
  return `${mode}${table === "" ? "" : ` on ${table}`}: ${effect}`;
}

/** How much a lock of PostgreSQL excludes, least first; the one of SQLite has no other beside it. */
const MODES = [
  ...["ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE"],
  ...["SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"],
];
/** Tables that the transaction itself makes, to copy rows into. */
const OWN_PREFIX = "_steward_";
const WORKS = ["instant", "scan", "rewrite"];

/** The lock on each table that holds others up most: a transaction holds it to its end. */
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
