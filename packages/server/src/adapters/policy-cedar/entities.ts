import type {
  CedarValueJson,
  Context,
  EntityJson,
  TypeAndId,
} from "@cedar-policy/cedar-wasm/nodejs";
import type { CallerKind } from "@steward/kernel/caller.js";
import type { PolicyPrincipal, PolicyRequest, PolicyResource } from "../../policies/ports.js";

const NAMESPACE = "Steward";

const PRINCIPAL_TYPES: Readonly<Record<CallerKind, string>> = {
  person: "Person",
  agent: "Agent",
  apiKey: "ApiKey",
  anonymous: "Anonymous",
};

/** The id of an entity in our namespace. */
export function uid(type: string, id: string): TypeAndId {
  return { type: `${NAMESPACE}::${type}`, id };
}

export function principalUid({ kind, id }: PolicyPrincipal): TypeAndId {
  return uid(PRINCIPAL_TYPES[kind], id);
}

export function resourceUid(resource: PolicyResource): TypeAndId {
  return lineageOf(resource)[0];
}

/**
 * The entities that Cedar needs to decide a request: the principal with its roles, the action with
 * its groups, and the resource with everything that contains it. The groups are included because
 * decisions are made without the schema, which would take most of the time.
 */
export function entitiesOf({
  principal,
  action,
  actionGroups,
  resource,
}: PolicyRequest): EntityJson[] {
  return [
    {
      uid: principalUid(principal),
      attrs: {
        organization: { __entity: uid("Organization", principal.orgId) },
        permissions: [...principal.permissions],
        isAgent: principal.isAgent,
        namedByHeaders: principal.namedByHeaders,
        tryingOut: principal.tryingOut,
        onPlainLoopback: principal.onPlainLoopback,
        ...(principal.user === undefined ? {} : { user: principal.user }),
      },
      parents: principal.roles.map((role) => uid("Role", role)),
    },
    {
      uid: uid("Action", action),
      attrs: {},
      parents: actionGroups.map((group) => uid("Action", group)),
    },
    ...lineageOf(resource).map((each, index, lineage) => {
      const parent = lineage[index + 1];
      return { uid: each, attrs: {}, parents: parent === undefined ? [] : [parent] };
    }),
  ];
}

export function contextOf({ context }: PolicyRequest): Context {
  const values: Record<string, CedarValueJson> = {};
  for (const [name, value] of Object.entries(context)) {
    // A context contains texts, integers, booleans and lists of texts only.
    values[name] = value as CedarValueJson;
  }
  return values;
}

/** A resource and everything that contains it, its organization last. */
function lineageOf(resource: PolicyResource): readonly [TypeAndId, ...TypeAndId[]] {
  const organization = uid("Organization", resource.orgId);
  switch (resource.kind) {
    case "organization":
      return [organization];
    case "dataSource":
      return [uid("DataSource", resource.dataSource), organization];
    case "table": {
      const { orgId, dataSource, table } = resource;
      return [
        uid("Table", `${dataSource}/${table}`),
        ...lineageOf({ kind: "dataSource", orgId, dataSource }),
      ];
    }
    case "column": {
      const { orgId, dataSource, table, column } = resource;
      return [
        uid("Column", `${dataSource}/${table}/${column}`),
        ...lineageOf({ kind: "table", orgId, dataSource, table }),
      ];
    }
    case "branch":
      return [uid("Branch", resource.branch), organization];
    case "memorySession":
      return [uid("MemorySession", resource.session), organization];
  }
}
