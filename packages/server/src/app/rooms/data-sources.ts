import {
  DialectAnalyzer,
  ReadingThreads,
  SqliteAnalyzer,
} from "../../adapters/sql-analyzer/index.js";
import type { PostgresTarget } from "../../adapters/sql-target-postgres/index.js";
import { OrganizationTargets } from "../../adapters/sql-target/organization-targets.js";
import { TemporaryDirectory } from "../../adapters/temporary-directory.js";
import { SqliteTarget } from "../../adapters/sql-target-sqlite/index.js";
import { inDataDirectory, sqliteFile, type Config } from "../../config/index.js";
import type { SqlAnalyzer, StatementReader } from "../../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import type { OrganizationAccess } from "@steward/kernel/data-source-access.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { Log } from "@steward/kernel/log.js";
import type { MarkedSource, SqlTarget } from "../../plans/ports.js";

/** The databases that steps run on, with analyzers for their dialects. */
export interface DataSources {
  /** By name, in the order configured. */
  readonly targets: ReadonlyMap<string, SqlTarget & MarkedSource>;
  readonly analyzer: SqlAnalyzer;
  readonly reader: StatementReader;
}

/**
 * Opens the data sources. PostgreSQL's modules are loaded only if there is a data source on
 * PostgreSQL.
 */
export async function openDataSources(
  { dataSources, dataDir, rowsChangedMax, sessionsMax: usualMax }: Config,
  log: Log,
  opened: DisposalStack,
): Promise<DataSources> {
  const sqlite = new SqliteAnalyzer();
  const isAllSqlite = dataSources.every(({ url }) => sqliteFile(url) !== undefined);
  const postgres = isAllSqlite ? undefined : await loadPostgres();
  const temporaryDirectory = opened.use(
    new TemporaryDirectory(inDataDirectory(dataDir, "temporary")),
  ).path;
  const analyzer = new DialectAnalyzer({
    sqlite,
    ...(postgres === undefined ? {} : { postgres: postgres.analyzer }),
  });
  const reader = opened.use(new ReadingThreads(analyzer));
  const targets = new Map<string, SqlTarget & MarkedSource>();
  for (const { name, url, organizations = [], sessionsMax = usualMax, previews } of dataSources) {
    const shared = { name, analyzer, reader, rowsChangedMax, previews, log };
    const targetAt = (
      at: string,
      roles: ReadonlyMap<string, string> = new Map(),
    ): SqlTarget & MarkedSource => {
      const path = sqliteFile(at);
      if (path !== undefined) {
        const files = { path, temporaryDirectory, readersMax: sessionsMax };
        return new SqliteTarget({ ...shared, ...files });
      }
      assert(postgres !== undefined, "what PostgreSQL needs is loaded where it is used");
      const { PostgresTarget } = postgres;
      const roleOf = (orgId: string): string | undefined => roles.get(orgId);
      return new PostgresTarget({ ...shared, url: at, sessionsMax, roleOf });
    };
    const common = targetAt(url, rolesOf(organizations));
    const own = new Map(
      organizations.flatMap((each) =>
        each.url === undefined ? [] : [[each.orgId, targetAt(each.url)]],
      ),
    );
    targets.set(name, opened.use(own.size === 0 ? common : new OrganizationTargets(common, own)));
  }
  return { targets, reader, analyzer };
}

function rolesOf(organizations: readonly OrganizationAccess[]): ReadonlyMap<string, string> {
  return new Map(
    organizations.flatMap(({ orgId, role }) => (role === undefined ? [] : [[orgId, role]])),
  );
}

/** Parts of a PostgreSQL data source. */
interface PostgresParts {
  readonly analyzer: SqlAnalyzer;
  readonly PostgresTarget: typeof PostgresTarget;
}

async function loadPostgres(): Promise<PostgresParts> {
  const { PostgresAnalyzer } = await import("../../adapters/sql-analyzer/postgres-analyzer.js");
  const target = await import("../../adapters/sql-target-postgres/index.js");
  return {
    PostgresTarget: target.PostgresTarget,
    analyzer: await PostgresAnalyzer.load(),
  };
}
