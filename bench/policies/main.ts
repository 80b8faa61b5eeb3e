import { openPolicies, systemClock } from "./server-modules.js";

/**
 * Measures the cost of decisions: an operation and a statement with a cached decision, and the same
 * without. Executing a step over the network needs one of each kind.
 */
const ROUNDS = 20_000;
const NEW_ONES = 500;
const OWN = `@id("no-salaries")
  forbid (principal is Steward::Agent, action, resource == Steward::Table::"shop/salaries");`;

type Caller = Parameters<ReturnType<typeof openPolicies>["authorizer"]["authorize"]>[0];

const agent: Caller = {
  ...{ orgId: "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11", kind: "agent", authenticatedBy: "apikey" },
  ...{ agentId: "invoice-agent", userId: "ada", roles: ["agent"], permissions: [] },
};
const own = { orgId: agent.orgId, version: 1, text: OWN, changedBy: "", changedAtMs: 0 };
const touched = {
  tables: ["orders", "customers"].map((name) => ({ name, accesses: { read: [] }, columns: [] })),
  functions: [],
};
const statement = { dataSource: "shop", intent: "read_select" } as const;

const shipped = openPolicies({ clock: systemClock }).authorizer;
const narrowed = openPolicies({
  clock: systemClock,
  store: { latest: () => Promise.resolve(own), put: () => Promise.resolve(false) },
}).authorizer;

const rows = {
  "an operation": await cost(ROUNDS, async () => shipped.authorize(agent, "plans:execute")),
  "a statement": await cost(ROUNDS, async () => shipped.permit(agent, statement)),
  "a statement, by its two tables": await cost(ROUNDS, async () =>
    narrowed.permit(agent, { ...statement, touched }),
  ),
  "an operation never decided on": await cost(NEW_ONES, async (round) =>
    shipped.authorize({ ...agent, agentId: `agent-${String(round)}` }, "plans:execute"),
  ),
};
process.stdout.write(`Node ${process.version}; microseconds for each\n`);
for (const [name, us] of Object.entries(rows)) {
  process.stdout.write(`${us.toFixed(1).padStart(8)}  ${name}\n`);
}

/** Microseconds per round: the best of five runs, to reduce the influence of other processes. */
async function cost(rounds: number, ask: (round: number) => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let run = 0; run < 5; run += 1) {
    const startedMs = performance.now();
    for (let round = 0; round < rounds; round += 1) await ask(run * rounds + round);
    best = Math.min(best, ((performance.now() - startedMs) * 1000) / rounds);
  }
  return best;
}
