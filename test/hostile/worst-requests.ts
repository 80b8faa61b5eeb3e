import { Attacker } from "./attacker.js";
import { endingOf, HOSTILE_CONNECTIONS } from "./hostile-connections.js";
import { statementRequests, statementShapes } from "./hostile-statements.js";
import { fillLargeAnswers, largeAnswers } from "./large-answers.js";
import { gets, grpc, posts, times, type To, type WorstRequests } from "./sent-together.js";

/** The statuses of a request that is one too many: of HTTP, and of gRPC. */
export const REFUSED: readonly number[] = [429, 503, 8, 14];

/** Number of plans in the store, each of a thousand steps. */
const PLANS = 20;

/** Fills the store with what the requests list and search. */
export async function fillStore(attacker: Attacker): Promise<void> {
  for (let n = 0; n < PLANS; n += 1) {
    await attacker.send("POST", "/api/plans", largePlan(`plan ${n}`));
  }
  for (let n = 0; n < 20; n += 1) {
    const content = `${"word ".repeat(12_000)}${n}`;
    await attacker.send("POST", "/api/memory/entries", { session_id: "s", content });
  }
  const triples = times(12, (n) => `<urn:s:${n}> <urn:p> "${"long ".repeat(4000)}${n}" .\n`);
  await attacker.importState("main", triples.join(""));
  await fillLargeAnswers(attacker.url);
}

/** A plan of half a megabyte. */
function largePlan(name: string): object {
  const query = `SELECT ${"1 + ".repeat(100)}1`;
  const steps = times(1000, (n) => ({
    ...{ id: `s${n}`, tool_name: "sql", query_template: query },
    schema_table_hints: [`table_${n}`],
  }));
  return { name, steps };
}

/** @param share of the number of requests that is sent. */
export function worstRequests(share: number): readonly WorstRequests[] {
  return [...reads(share), ...largeAnswers(share), ...statements(share), ...FLOODS];
}

/** The hostile statements: all lengths of a shape at once, several times, and some by the thousand. */
function statements(share: number): readonly WorstRequests[] {
  const copies = Math.ceil(5 * share);
  const together = statementShapes().map(([name, texts]) => ({
    name: `statements: ${name}`,
    statuses: [200, 400],
    send: async ({ url, orgId }: To) => {
      const attacker = new Attacker(url, orgId);
      const sent = texts.flatMap((sql) => times(copies, (n) => attacker.run(`${sql} -- ${n}`)));
      return (await Promise.all(sent)).map(({ status }) => status);
    },
  }));
  const thousands = statementRequests().filter(({ isLong = false }) => isLong && share === 1);
  return [
    ...together,
    ...thousands.map(({ name, send }) => ({
      name,
      send: async ({ url, orgId }: To) => [(await send(new Attacker(url, orgId))).status],
    })),
  ];
}

/** Frames without end, each on a connection that the server ends; of the resets, before the 75 000th. */
const FLOODS: readonly WorstRequests[] = HOSTILE_CONNECTIONS.filter(({ isFlood }) => isFlood).map(
  (hostile) => ({
    name: hostile.name,
    send: async ({ url }) => [(await endingOf(url, hostile)).isClosed ? 200 : 0],
  }),
);

function reads(share: number): readonly WorstRequests[] {
  const many = (count: number): number => Math.ceil(count * share);
  return [
    {
      name: "lists of plans over gRPC",
      statuses: [0],
      send: (to) => grpc(to, "ControlPlaneService/ListPlans", Buffer.alloc(0), many(3000)),
    },
    { name: "catalogs", send: (to) => gets(to, "/api/catalog", many(1000)) },
    {
      name: "tables of the catalog",
      send: (to) => gets(to, "/api/catalog/tables?data_source=shop", many(300)),
    },
    {
      name: "searches of the catalog",
      send: (to) => posts(to, "/api/catalog/search", { query: "filled ".repeat(100) }, many(300)),
    },
    { name: "checks of data sources", send: (to) => gets(to, "/api/catalog/check", many(300)) },
    {
      name: "deliveries of webhooks",
      send: (to) => gets(to, "/api/webhooks/deliveries?limit=200", many(1000)),
    },
    {
      name: "lists of plans over REST",
      send: (to) => gets(to, "/api/plans?limit=200", many(1000)),
    },
    { name: "searches of plans", send: (to) => gets(to, "/api/plans?text=nothing", many(1000)) },
    { name: "a plan of a thousand steps", send: anyPlan(many(200)) },
    {
      name: "pages of the audit log",
      send: (to) => gets(to, "/api/audit/records?limit=500", many(200)),
    },
    {
      // The first records after that of the key: those of the plans that the store was filled with.
      name: "pages of the audit log with large plans",
      send: (to) => gets(to, `/api/audit/records?limit=500&cursor=${PLANS + 1}`, many(200)),
    },
    { name: "lists of approvals", send: (to) => gets(to, "/api/approvals", many(1000)) },
    { name: "lists of memory", send: (to) => gets(to, "/api/memory/entries?limit=200", many(200)) },
    { name: "reports of usage", send: (to) => gets(to, "/billing/usage", many(1000)) },
    {
      name: "memory searches with long texts",
      send: (to) => posts(to, "/api/memory/search", { query: "word ".repeat(13_000) }, many(50)),
    },
    {
      name: "a query of the state whose answer is large",
      statuses: [400],
      send: (to) => {
        const patterns = times(32, (n) => ({
          subject: `?s${n}`,
          predicate: `?p${n}`,
          object: `?o${n}`,
        }));
        return posts(to, "/api/state/query", { patterns }, many(100));
      },
    },
    {
      name: "MCP initialize",
      send: (to) =>
        posts(
          to,
          "/mcp",
          {
            ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
            params: {
              ...{ protocolVersion: "2025-06-18", capabilities: {} },
              clientInfo: { name: "test", version: "1" },
            },
          },
          many(300),
        ),
    },
    {
      name: "bodies of 4 MiB",
      statuses: [400],
      send: (to) => posts(to, "/api/plans", { name: "x".repeat(4_000_000), steps: [] }, many(20)),
    },
    {
      name: "bodies of 200 000 values",
      statuses: [400],
      send: (to) =>
        posts(to, "/api/plans", { steps: times(20, () => times(9_999, () => 1)) }, many(20)),
    },
    {
      name: "streams whose answers are not taken",
      send: (to) => gets(to, "/openapi.json", many(1000), { initialWindowSize: 0 }),
    },
    {
      name: "requests for nothing",
      statuses: [404],
      send: (to) => gets(to, "/api/nothing", many(1000)),
    },
  ];
}

function anyPlan(count: number): WorstRequests["send"] {
  return async (to) => {
    const response = await fetch(`${to.url}/api/plans?limit=1`, {
      headers: { "x-org-id": to.orgId },
    });
    const { data } = (await response.json()) as {
      readonly data: { readonly plans: readonly { readonly plan_id: string }[] };
    };
    return gets(to, `/api/plans/${data.plans[0]?.plan_id ?? ""}`, count);
  };
}
