import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  INTENTS,
  intentCovers,
  type Intent,
  type StatementClass,
} from "../../../governance/index.js";
import {
  CHANGES,
  READS,
  REFUSED_BY_ENGINE,
  SCHEMA,
} from "../../sql-analyzer/testing/sqlite-examples.js";
import { AgentConnection } from "./agent-connection.js";

/** Tests the engine and its guard alone: the statements have not passed the analyzer. */
describe("SQLite and its guard", () => {
  let db: DatabaseSyncInstance;
  let agent: AgentConnection;

  beforeEach(() => {
    db = new DatabaseSync(":memory:", { defensive: true, limits: { attach: 0 } });
    db.exec(SCHEMA);
    agent = new AgentConnection(db);
  });
  afterEach(() => {
    db.close();
  });

  /** Runs the statement and rolls it back. @returns "done", or the reason of its failure. */
  const run = (sql: string, intent: Intent): string => {
    db.exec("SAVEPOINT before");
    try {
      agent.run({ sql, binds: [], intent, statementClass: "admin", tables: [] });
      return "done";
    } catch (error) {
      return (error as { readonly reason: string }).reason;
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK TO before; RELEASE before");
    }
  };

  it.each(READS)("run what is said to read: %s", (sql) => {
    db.exec("PRAGMA query_only = ON");
    expect(run(sql, "read_select")).toBe("done");
  });

  const changes = Object.entries(CHANGES).flatMap(([statementClass, statements]) =>
    // The keys are classes.
    statements.map((sql) => [statementClass as StatementClass, sql] as const),
  );
  it.each(changes)("run as %s what is said to be, and not as a read: %s", (statementClass, sql) => {
    for (const intent of INTENTS.filter((each) => intentCovers(each, statementClass))) {
      expect([intent, run(sql, intent)]).toEqual([intent, "done"]);
    }
    expect(run(sql, "read_select")).toBe("intent");
  });

  it.each(REFUSED_BY_ENGINE)("run under no intent: %s", (sql) => {
    for (const intent of INTENTS) expect(run(sql, intent)).toMatch(/^(intent|statement)$/);
  });
});
