import type { WebhookTarget } from "../../webhooks/index.js";
import { recordOf, RECORDED_OPERATIONS } from "../../transport/operations.js";

/** The organization that asks. */
export const ORG: string = "11111111-1111-4111-8111-111111111111";

/** Needs an approval that stands; standing-approvals.test.ts shows its record. */
export const NEEDS_APPROVAL: string = "revokeApproval";

/** Nobody listens there. */
export const TARGET: WebhookTarget = {
  ...{ name: "desk", url: "http://127.0.0.1:9/", secrets: [`whsec_${"A".repeat(32)}`] },
  events: [],
};

const ADA = {
  ...{ "x-org-id": ORG, "x-user-role": "operator", "x-user-id": "ada.lovelace" },
  "x-user-permissions": "manage:billing",
};

export interface Entry {
  readonly kind: string;
  readonly subject: string;
  readonly by?: Readonly<Record<string, unknown>>;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly detail: Readonly<Record<string, unknown>>;
  /** The id of the user, which is no part of the record itself. */
  readonly user: string | undefined;
}

export interface ApiRoute {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly mediaType: string | undefined;
  readonly example: object | undefined;
}

/** What a request has beside its route. */
interface More {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Asks a server for its recorded operations, each with the example of its own description, over REST. */
export class DescribedOperations {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  ask({ method, path }: Pick<ApiRoute, "method" | "path">, more: More = {}): Promise<Response> {
    return fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { ...ADA, ...more.headers },
      ...(more.body === undefined ? {} : { body: more.body }),
    });
  }

  /** @param ids what exists, for the parameters of the path. */
  askFor(
    route: ApiRoute,
    ids: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const { mediaType } = route;
    const path =
      route.path.replace(/\{(.+?)\}/g, (_all, name: string) => ids[name] ?? "1") + queryOf(route);
    if (mediaType === undefined) return this.ask({ ...route, path }, { headers });
    const typed = { "content-type": mediaType, ...headers };
    return this.ask({ ...route, path }, { headers: typed, body: bodyOf(route) });
  }

  /** The newest records of an organization, the newest first. */
  async entries(orgId: string = ORG, kind?: string): Promise<readonly Entry[]> {
    const filter = kind === undefined ? "" : `&kind=${kind}`;
    const path = `/api/audit/records?limit=500${filter}`;
    const answer = await this.ask({ method: "GET", path }, { headers: { "x-org-id": orgId } });
    const { data } = (await answer.json()) as {
      readonly data: {
        readonly records: readonly {
          readonly entry: string;
          readonly values?: Readonly<Record<string, string>>;
        }[];
      };
    };
    return data.records.map(({ entry, values }) => ({
      ...(JSON.parse(entry) as Omit<Entry, "user">),
      user: values?.["by.user"],
    }));
  }

  async routes(): Promise<readonly ApiRoute[]> {
    const described = (await (await this.ask({ method: "GET", path: "/openapi.json" })).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    };
    const found = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, requestBody }]) => {
        const [[mediaType, body] = [undefined, undefined]] = Object.entries(
          requestBody?.content ?? {},
        );
        const name = body?.schema.$ref?.split("/").at(-1) ?? "";
        const schema = described.components.schemas[name] ?? body?.schema;
        const example = schema?.examples?.[0];
        return { operation: operationId, method: method.toUpperCase(), path, mediaType, example };
      }),
    );
    return found.filter(
      ({ operation }) => RECORDED_OPERATIONS.includes(operation) && operation !== NEEDS_APPROVAL,
    );
  }

  /** Ids of things that exist, for the parameters of paths. */
  async existingIds(): Promise<Readonly<Record<string, string>>> {
    const make = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
      const headers = { "content-type": "application/json" };
      const more = { headers, body: JSON.stringify(body) };
      const answer = await this.ask({ method: "POST", path }, more);
      return ((await answer.json()) as { readonly data: Readonly<Record<string, unknown>> }).data;
    };
    const [key, hold, budget, entry] = await Promise.all([
      make("/api/keys", { name: "k", roles: ["agent"] }),
      make("/api/holds", { session_id: "held", reason: "a case" }),
      make("/billing/budgets", {
        ...{ scope: "organization", unit: "aau", period: "day", limit: "5", action: "warn" },
      }),
      make("/api/memory/entries", { session_id: "s", content: '{"note":"n"}' }),
    ]);
    return {
      key_id: String(key["key_id"]),
      hold_id: String(hold["hold_id"]),
      budget_id: String(budget["budget_id"]),
      entry_id: String(entry["entry_id"]),
      session_id: "s",
      migration_id: "bagunoneatall",
      pm_id: "pm_1",
      customer_id: "cus_1",
      "*": "000.p/1",
    };
  }
}

/** Whether a route's operation is recorded at one of these times. */
export function isRecorded({ operation }: ApiRoute, ...times: readonly string[]): boolean {
  return times.includes(recordOf(operation)?.time ?? "");
}

/** The number of what records count. */
export function countOf(records: readonly Entry[]): number {
  return records.reduce((sum, { detail }) => sum + Number(detail["count"]), 0);
}

interface Described {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly object[];
}

/** The example of the description, or one that fits to a store with nothing in it. */
function bodyOf({ operation, example }: ApiRoute): string {
  if (operation === "importStateDocument") return "<urn:a> <urn:b> <urn:c> .\n";
  if (operation.includes("Webhook")) return JSON.stringify({ target: TARGET.name });
  // The erasure of the examples' session would be held.
  if (operation === "placeHold") return JSON.stringify({ ...example, session_id: "held" });
  if (operation === "reportUsage") return JSON.stringify([USAGE_EVENT]);
  return JSON.stringify(operation === "putPolicies" ? { ...example, version: 0 } : (example ?? {}));
}

function queryOf({ operation }: ApiRoute): string {
  return operation === "importStateDocument" ? "?message=m" : "";
}

const USAGE_EVENT = {
  ...{ specversion: "1.0", id: "1", source: "shop", type: "tool-call" },
  ...{ time: "2026-02-03T10:00:00Z", data: { tool_name: "create_invoice" } },
};
