import { DialectAnalyzer, SqliteAnalyzer } from "./adapters/sql-analyzer/index.js";
import type { PostgresTarget } from "./adapters/sql-target-postgres/index.js";
import { SqliteTarget } from "./adapters/sql-target-sqlite/index.js";
import { sqliteFile, type Config } from "./config/index.js";
import type { SqlAnalyzer } from "./governance/index.js";
import type { DisposalStack } from "./kernel/disposal.js";
import type { Log } from "./kernel/log.js";
import type { SqlTarget } from "./plans/ports.js";

/** The databases that steps run on, and who reads statements of their dialects. */
export interface DataSources {
  /** By name, in the order configured. */
  readonly targets: ReadonlyMap<string, SqlTarget>;
  readonly analyzer: SqlAnalyzer;
}

/** Opens the data sources; what PostgreSQL needs is loaded only where there is one. */
export async function openDataSources(
  { dataSources }: Config,
  log: Log,
  opened: DisposalStack,
): Promise<DataSources> {
  const sqlite = new SqliteAnalyzer();
  const isAllSqlite = dataSources.every(({ url }) => sqliteFile(url) !== undefined);
  const postgres = isAllSqlite ? undefined : await loadPostgres();
  const targets = new Map<string, SqlTarget>();
  for (const { name, url } of dataSources) {
    const path = sqliteFile(url);
    if (path !== undefined) {
      targets.set(name, opened.use(new SqliteTarget({ name, path, analyzer: sqlite, log })));
    } else if (postgres !== undefined) {
      const { PostgresTarget, analyzer } = postgres;
      targets.set(name, opened.use(new PostgresTarget({ name, url, analyzer, log })));
    }
  }
  return {
    targets,
    analyzer: new DialectAnalyzer({
      sqlite,
      ...(postgres === undefined ? {} : { postgres: postgres.analyzer }),
    }),
  };
}

/** What a PostgreSQL data source is made of. */
interface PostgresParts {
  readonly analyzer: SqlAnalyzer;
  readonly PostgresTarget: typeof PostgresTarget;
}

async function loadPostgres(): Promise<PostgresParts> {
  const { PostgresAnalyzer } = await import("./adapters/sql-analyzer/postgres-analyzer.js");
  const target = await import("./adapters/sql-target-postgres/index.js");
  return { PostgresTarget: target.PostgresTarget, analyzer: await PostgresAnalyzer.load() };
}
