import {
  CatalogService as CatalogServiceDescription,
  type ListCatalogResponse,
} from "@steward/protocol/grpc";
import type { CatalogListing, CatalogService } from "../../catalog/index.js";
import type { MethodRegistry } from "./method-registry.js";

/** The catalog's list. Not derived, because it has the schemas of tools as texts. */
export function addCatalogList(methods: MethodRegistry, catalog: CatalogService): void {
  const { listCatalog } = CatalogServiceDescription.method;
  methods.unary(listCatalog, async (_request, ctx) => listing(await catalog.list(ctx)));
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
