import { noCatalogRows, TargetCatalogRows } from "../../adapters/catalog-rows.js";
import { CatalogService } from "../../catalog/index.js";
import type {
  CatalogMcpTool,
  CatalogSchemas,
  CatalogTool,
  EarlierStatement,
  EarlierStatements,
  SourceNotes,
} from "../../catalog/ports.js";
import { type Config, sqliteFile, type ToolConfig } from "../../config/index.js";
import type { BatchEmbeddingProvider } from "../../embedding/index.js";
import { argumentsSchema } from "../../governance/index.js";
import { present } from "../../kernel/present.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import type { MemoryService } from "../../memory/index.js";
import type { SqlTarget } from "../../plans/ports.js";
import type { Authorizer } from "../../policies/index.js";
import { type KnownSchemas, ownDatabaseKey } from "@steward/schema";

/** Dependencies of the catalog. */
export interface CatalogParts {
  readonly config: Pick<Config, "dataSources" | "tools">;
  readonly mcpTools: readonly CatalogMcpTool[];
  readonly access: DataSourceAccess;
  readonly policy: Authorizer;
  readonly schemas: KnownSchemas;
  readonly memory: MemoryService;
  readonly provider: BatchEmbeddingProvider;
  /** The databases that steps run on; absent: no rows are read. */
  readonly targets: ReadonlyMap<string, SqlTarget> | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/**
 * Opens the catalog, which tells agents about tools, data sources and tables. It reads schemas and
 * rows only on request.
 */
export function openCatalog(parts: CatalogParts, opened: DisposalStack): CatalogService {
  const { config, mcpTools, access, policy, schemas, memory, provider, targets, clock, ids, log } =
    parts;
  return opened.use(
    new CatalogService({
      ...{ access, policy, provider, clock, log },
      sources: config.dataSources.map(({ name, url }) => {
        return { name, dialect: sqliteFile(url) === undefined ? "postgres" : "sqlite" };
      }),
      tools: config.tools.tools.map(catalogTool),
      mcpTools,
      isStrict: config.tools.strict,
      schemas: catalogSchemas(schemas),
      rows:
        targets === undefined
          ? noCatalogRows
          : new TargetCatalogRows({ targets, policy, ids, log }),
      earlier: earlierStatements(memory, policy, log),
      notes: config.tools.notes ?? new Map<string, SourceNotes>(),
    }),
  );
}

function catalogTool({ name, dataSource, allowedIntents, vetted }: ToolConfig): CatalogTool {
  const tool = { name, dataSource };
  if (vetted === undefined) return { ...tool, ...present({ allowedIntents }) };
  const { description, intent, parameters } = vetted;
  return {
    ...{ ...tool, allowedIntents: [intent] },
    vetted: { description, inputSchema: argumentsSchema(parameters) },
  };
}

/** The schemas of the databases that callers' statements run on. */
export function catalogSchemas(schemas: KnownSchemas): CatalogSchemas {
  return {
    of: async ({ orgId }, dataSource) => {
      const own = ownDatabaseKey(dataSource, orgId);
      const [schema] = await schemas.of([schemas.databases.has(own) ? own : dataSource]);
      return schema;
    },
  };
}

/** Maximum number of statements from the memory that are compared with a question. */
const EARLIER_MAX = 20;

function earlierStatements(memory: MemoryService, policy: Authorizer, log: Log): EarlierStatements {
  return {
    like: async (caller, question, signal) => {
      try {
        await policy.authorize(caller, "memory:read");
        const request = {
          ...{ query: question, topK: EARLIER_MAX, orgId: caller.orgId },
          filter: { content: { path: "$.status", equals: "completed" } },
        };
        const results = await memory.search(caller, request, signal);
        return results.flatMap(({ content, score }) => statementIn(content, score));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        log.debug({ err: error }, "the catalog is searched without the memory");
        return [];
      }
    },
  };
}

/**
 * The statement in a memory entry that records a tool call. Entries that callers wrote may have any
 * content and give no statement.
 */
function statementIn(content: string, score: number): readonly EarlierStatement[] {
  const entry: unknown = JSON.parse(content);
  if (typeof entry !== "object" || entry === null) return [];
  const told = entry as Readonly<Record<string, unknown>>;
  const { query, tool_name: toolName, data_source: dataSource } = told;
  if (typeof query !== "string" || typeof toolName !== "string") return [];
  const where = typeof dataSource === "string" ? { dataSource } : {};
  return [{ statement: query, toolName, ...where, score }];
}
