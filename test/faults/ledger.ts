import { DatabaseSync } from "@photostructure/sqlite";

/** Creates the data source for the driven plans. */
export function createLedger(path: string): void {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(
    "CREATE TABLE ledger (id INTEGER PRIMARY KEY, tag TEXT NOT NULL, seen INTEGER, hits INTEGER NOT NULL)",
  );
  db.exec("CREATE INDEX ledger_tag ON ledger (tag)");
  db.close();
}
