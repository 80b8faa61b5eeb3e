import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from "./tables.js";

/**
 * Shards of each table. Statements over all organizations query every shard, so the number is
 * small: enough for two to four shards on each worker, with room to add workers by moving shards.
 */
const SHARDS = 16;

export interface StoreFunction {
  /** Its name with the types of its parameters, in the format of `regprocedure`. */
  readonly signature: string;
  /** Whether its first parameter is the organization. */
  readonly isOfOrganization: boolean;
}

/** The tables and functions of a store, and those that the cluster already manages. */
export interface StoreOnCluster {
  readonly tables: ReadonlySet<string>;
  readonly functions: readonly StoreFunction[];
  /** Tables that are distributed, or replicated to every server. */
  readonly placedTables: ReadonlySet<string>;
  /** Signatures of functions that are on every server. */
  readonly placedFunctions: ReadonlySet<string>;
}

/**
 * The remaining statements that distribute a store, in order, for one transaction. Functions come
 * before the tables whose indexes call them, reference tables before distributed ones, and
 * functions of an organization last, because Citus runs them where the organization's rows are.
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
  // Without this setting Citus would use several connections to a worker, which fails for several
  // tables in one transaction.
  const isolated = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";
  return statements.length === 0 ? [] : [isolated, ...statements];
}

/** The first table determines the number of shards; the others are co-located with it. */
function distributedTable(name: string): string {
  return name === DISTRIBUTED_TABLES[0]
    ? `SELECT create_distributed_table('${name}', 'org_id', colocate_with => 'none', shard_count => ${SHARDS})`
    : `SELECT create_distributed_table('${name}', 'org_id', colocate_with => '${DISTRIBUTED_TABLES[0]}')`;
}
