import { join } from "node:path";
import { openApp } from "../../packages/server/dist/index.js";
import { STEPS } from "./workload.js";

const ORGANIZATION = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";
/** A request limit that the load does not reach. */
const ANY_NUMBER = 1_000_000;

const READ = "SELECT id, name, email FROM customers WHERE id =";

const steps = Array.from({ length: STEPS }, (_, n) => ({
  id: `s${n}`,
  query_template: n === 0 ? `${READ} 1` : `${READ} {{step.s${n - 1}.output[0].id}} + 1`,
  depends_on: n === 0 ? [] : [`s${n - 1}`],
}));

/** Steward in this process, without a port: one call for each step, as the peers have it. */
export async function startSteward(dir, target) {
  const app = await openApp({
    port: false,
    logLevel: "warn",
    organization: ORGANIZATION,
    dataDir: join(dir, "steward"),
    databaseUrl: `sqlite:${join(dir, "steward.db")}`,
    dataSources: [{ name: "default", url: `sqlite:${target}` }],
    quotas: { requestsPerSecond: ANY_NUMBER, stepsMax: ANY_NUMBER, streamsMax: ANY_NUMBER },
  });
  const { plans } = app.as({ agentId: "bench", userId: "bench", role: "agent" });
  return {
    async onePlan() {
      const { plan_id } = await plans.submit({ name: "bench", steps });
      for (const { id } of steps) {
        const { step_result } = await plans.execute(plan_id, id);
        if (step_result.status !== "completed") throw new Error(step_result.error?.message);
      }
    },
    stop: () => app[Symbol.asyncDispose](),
  };
}
