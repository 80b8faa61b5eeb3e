import {
  CatalogService as CatalogServiceDescription,
  type DescribeTableResponse,
  type ListCatalogResponse,
  type SearchCatalogResponse,
} from "@steward/protocol/grpc";
import type {
  CatalogListing,
  CatalogService,
  DescribedResult,
  FoundTable,
} from "../../catalog/index.js";
import type { MethodRegistry } from "./method-registry.js";

/** The catalog over gRPC, with the operations of `/api/catalog`. */
export function addCatalogService(methods: MethodRegistry, catalog: CatalogService): void {
  const { method } = CatalogServiceDescription;

  methods.unary(method.listCatalog, async (_request, ctx) => listing(await catalog.list(ctx)));

  methods.unary(method.searchCatalog, async ({ query, dataSource, limit }, ctx) => {
    const request = {
      query,
      ...(dataSource === "" ? {} : { dataSource }),
      ...(limit === 0 ? {} : { limit }),
    };
    return found(await catalog.search(ctx, request, ctx.signal));
  });

  methods.unary(method.describeTable, async ({ table, dataSource, tokenBudget }, ctx) => {
    const request = {
      table,
      ...(dataSource === "" ? {} : { dataSource }),
      ...(tokenBudget === 0 ? {} : { tokenBudget }),
    };
    return described(await catalog.describe(ctx, request, ctx.signal));
  });
}

function listing({ dataSources, tools, defaultDataSource }: CatalogListing): ListCatalogResponse {
  return {
    $typeName: "controlplane.v1.ListCatalogResponse",
    dataSources: dataSources.map(({ name, dialect, description = "", intents }) => ({
      $typeName: "controlplane.v1.CatalogDataSource",
      ...{ name, dialect, description, intents: [...intents] },
    })),
    tools: tools.map(({ name, dataSource, intents, description = "", inputSchema }) => ({
      $typeName: "controlplane.v1.CatalogTool",
      ...{ name, dataSource, intents: [...intents], description },
      inputSchemaJson: inputSchema === undefined ? "" : JSON.stringify(inputSchema),
    })),
    defaultDataSource: defaultDataSource ?? "",
  };
}

function found(tables: readonly FoundTable[]): SearchCatalogResponse {
  return {
    $typeName: "controlplane.v1.SearchCatalogResponse",
    tables: tables.map(({ description = "", earlierStatement = "", columns, ...table }) => ({
      $typeName: "controlplane.v1.CatalogMatch",
      ...{ ...table, description, earlierStatement },
      columns: columns.map((column) => ({
        $typeName: "controlplane.v1.CatalogColumn" as const,
        ...column,
      })),
    })),
  };
}

function described({ leftOut, ...described }: DescribedResult): DescribeTableResponse {
  return {
    $typeName: "controlplane.v1.DescribeTableResponse",
    ...described,
    leftOut: [...leftOut],
  };
}
