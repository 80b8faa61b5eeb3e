import { describe, expect, it } from "vitest";
import { distributionStatements, type StoreOnCluster } from "./statements.js";

const NOW = { signature: "steward_now_ms()", isOfOrganization: false };
const APPEND = { signature: "steward_append(uuid,uuid[])", isOfOrganization: true };
const NOTHING_PLACED: StoreOnCluster = {
  tables: new Set(["memory_models", "nodes", "plans", "sessions", "memory_entries"]),
  functions: [APPEND, NOW],
  placedTables: new Set(),
  placedFunctions: new Set(),
};

describe("what distributes a store", () => {
  it("places functions, tables that are on every server, and tables by organization, parents first", () => {
    expect(distributionStatements(NOTHING_PLACED)).toEqual([
      "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
      "SELECT create_distributed_function('steward_now_ms()')",
      "SELECT create_reference_table('memory_models')",
      "SELECT create_distributed_table('plans', 'org_id', colocate_with => 'none', shard_count => 16)",
      "SELECT create_distributed_table('sessions', 'org_id', colocate_with => 'plans')",
      "SELECT create_distributed_table('memory_entries', 'org_id', colocate_with => 'plans')",
      "SELECT create_distributed_function('steward_append(uuid,uuid[])', '$1', colocate_with => 'plans')",
    ]);
  });

  it("places only what is not placed yet, such as a table of a later migration", () => {
    const store = {
      ...NOTHING_PLACED,
      placedTables: new Set(["memory_models", "plans", "sessions"]),
      placedFunctions: new Set([NOW.signature, APPEND.signature]),
    };
    expect(distributionStatements(store)).toEqual([
      "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
      "SELECT create_distributed_table('memory_entries', 'org_id', colocate_with => 'plans')",
    ]);
  });

  it("is nothing the second time", () => {
    const store = {
      ...NOTHING_PLACED,
      placedTables: NOTHING_PLACED.tables,
      placedFunctions: new Set([NOW.signature, APPEND.signature]),
    };
    expect(distributionStatements(store)).toEqual([]);
  });
});
