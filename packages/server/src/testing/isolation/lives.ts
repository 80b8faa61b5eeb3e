import { setTimeout as pause } from "node:timers/promises";
import { KnownValues } from "./known-values.js";
import type { Organization, World } from "./world.js";

/** The actions of an organization, with all answers that it got. */
export interface Life {
  readonly known: KnownValues;
  /** All answers that it got. */
  readonly answers: string;
}

/**
 * Makes an organization use every service, with its marker in everything it writes, and read the
 * results.
 */
export async function live(world: World, who: Organization): Promise<Life> {
  const known = new KnownValues();
  let answers = "";
  const { marker: m } = who;
  known.learn({ org_id: who.id, iri: `<urn:${m}>`, "idempotency-key": `idem-${m}` });
  const send = async (request: string, body?: unknown, headers: object = {}): Promise<unknown> => {
    known.learn(body);
    const answer = await ask(world, who, request, body, headers);
    answers += answer;
    const parsed: unknown = answer.startsWith("{") ? JSON.parse(answer) : answer;
    known.learn(parsed);
    return parsed;
  };
  await submitPlans(m, send);
  const note = { session_id: `session-${m}`, content: JSON.stringify({ note: `memory of ${m}` }) };
  await send("POST /api/memory/entries", note);
  await send("PUT /api/memory/retention", { days: 300 });
  const document = { format: "turtle", content: `<urn:${m}> <urn:p:says> "${m}" .`, message: m };
  await send("POST /api/state/import", document);
  await send("POST /api/state/import", { ...document, branch: `branch-${m}` });
  await send("POST /api/state/refs", { name: `tags/tag-${m}`, commit: "main", expected: null });
  await migrate(m, send);
  await send("POST /api/keys", { name: `key ${m}`, agent_id: `agent-${m}`, roles: ["agent"] });
  await send("POST /billing/budgets", {
    ...{ scope: "session", unit: "aau", period: "month" },
    ...{ limit: "1000", action: "warn" },
  });
  await send("POST /billing/events", [
    {
      ...{ specversion: "1.0", id: `event-${m}`, source: `urn:${m}`, type: "com.example.call" },
      time: new Date().toISOString(),
      data: { tool_name: `tool-${m}`, session_id: `session-${m}`, orm_model: `Model${m}` },
    },
  ]);
  await memoryIsUpToDate(world, who);
  for (const request of LOOKS) await send(`GET ${request}`);
  return { known, answers };
}

/** The data that an organization sees of its own, without values that change with time. */
export async function sees(world: World, who: Organization): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const request of LOOKS) {
    const answer = await ask(world, who, `GET ${request}`);
    seen.push(`${request}: ${answer.replace(/"(last_used_at|rotated_at)":"[^"]*",?/g, "")}`);
  }
  return seen;
}

const LOOKS: readonly string[] = [
  ...["/api/plans?limit=1", "/api/plans", "/api/memory/entries?limit=1", "/api/memory/entries"],
  ...["/api/memory/retention", "/api/state/refs", "/api/state/log", "/api/state/at"],
  ...[
    "/api/state/migrations",
    "/api/state/log?from=migrations",
    "/api/state/log?from=schemas/shop",
  ],
  ...["/api/keys", "/api/keys?limit=1", "/billing/budgets"],
];

type Send = (request: string, body?: unknown, headers?: object) => Promise<unknown>;

async function submitPlans(m: string, send: Send): Promise<void> {
  const step = (id: string, query_template: string): object => ({
    ...{ id: `${id}${m}`, name: `step ${m}`, tool_name: `tool-${m}`, query_template },
  });
  const plans = [
    [step("read", `SELECT name, '${m}' AS mark FROM things`), step("later", "SELECT 1")],
    [step("failing", `SELECT * FROM none_${m}`)],
    [step("writing", `INSERT INTO things VALUES ('written ${m}')`)],
  ];
  for (const [index, steps] of plans.entries()) {
    const plan = { session_id: `session-${m}`, name: `plan ${m}`, description: m, steps };
    const key = { "idempotency-key": `idem-${m}${index === 0 ? "" : String(index)}` };
    const { data } = (await send("POST /api/plans", plan, key)) as { data: { plan_id: string } };
    const [first] = steps as { id: string }[];
    await send(`POST /api/plans/${data.plan_id}/steps/${first?.id ?? ""}/execute`);
  }
}

async function migrate(m: string, send: Send): Promise<void> {
  const sql = `CREATE TABLE things (name TEXT); CREATE TABLE made_${m} (id INTEGER PRIMARY KEY)`;
  const proposal = { database: "shop", sql, message: `wish of ${m}` };
  const { data } = (await send("POST /api/state/migrations", proposal)) as {
    data: { migration_id: string; digest: string };
  };
  const { migration_id: id, digest } = data;
  await send(`POST /api/state/migrations/${id}/apply`, { digest });
}

async function memoryIsUpToDate(world: World, who: Organization): Promise<void> {
  for (;;) {
    if ((await ask(world, who, "GET /api/memory/stats")).includes('"waiting_calls":0')) return;
    await pause(50);
  }
}

async function ask(
  world: World,
  { identity }: Organization,
  request: string,
  body?: unknown,
  headers: object = {},
): Promise<string> {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(`${world.url}${path}`, {
    method,
    headers: { ...identity.proxy, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 400) throw new Error(`${request}: ${text}`);
  return text;
}
