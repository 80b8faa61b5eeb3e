import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from "./tables.js";

/**
 * Shards of each table. Statements over all organizations ask every shard, so few are enough: two to
 * four for each worker, and room to add workers by moving shards.
 */
const SHARDS = 16;

/** A function of the store. */
export interface StoreFunction {
  /** Its name with the types of its parameters, as `regprocedure` prints it. */
  readonly signature: string;
  /** Whether its first parameter is the organization. */
  readonly isOfOrganization: boolean;
}

/** What of a store there is, and what of it a cluster has taken over. */
export interface StoreOnCluster {
  readonly tables: ReadonlySet<string>;
  readonly functions: readonly StoreFunction[];
  /** Tables that are distributed, or on every server. */
  readonly placedTables: ReadonlySet<string>;
  /** Signatures of functions that are on every server. */
  readonly placedFunctions: ReadonlySet<string>;
}

/**
 * What remains to be done until a store is distributed, in order, for one transaction. Functions come
 * before the tables whose indexes call them, tables that are on every server before those that are
 * distributed, and functions of an organization last: Citus runs them where its rows are.
 */
export function distributionStatements(store: StoreOnCluster): readonly string[] {
  const { tables, functions, placedTables, placedFunctions } = store;
  const isLeft = (name: string): boolean => tables.has(name) && !placedTables.has(name);
  const left = functions.filter(({ signature }) => !placedFunctions.has(signature));
  const statements = [
    ...left
      .filter(({ isOfOrganization }) => !isOfOrganization)
      .map(({ signature }) => `SELECT create_distributed_function('${signature}')`),
    ...REFERENCE_TABLES.filter(isLeft).map((name) => `SELECT create_reference_table('${name}')`),
    ...DISTRIBUTED_TABLES.filter(isLeft).map(distributedTable),
    ...left
      .filter(({ isOfOrganization }) => isOfOrganization)
      .map(
        ({ signature }) =>
          `SELECT create_distributed_function('${signature}', '$1', colocate_with => 'plans')`,
      ),
  ];
  // Several tables in one transaction: Citus would else use several connections to a worker.
  const isolated = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";
  return statements.length === 0 ? [] : [isolated, ...statements];
}

/** The first table decides how many shards there are; the others stand beside it. */
function distributedTable(name: string): string {
  return name === DISTRIBUTED_TABLES[0]
    ? `SELECT create_distributed_table('${name}', 'org_id', colocate_with => 'none', shard_count => ${SHARDS})`
    : `SELECT create_distributed_table('${name}', 'org_id', colocate_with => '${DISTRIBUTED_TABLES[0]}')`;
}
