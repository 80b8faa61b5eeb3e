import { fileURLToPath } from "node:url";
import { rolldown, type OutputChunk } from "rolldown";

/** What a runtime is to do with the client: submit a plan, run it, follow its events, and call a tool of LLMs. */
export const CLIENT_SCRIPT = `async ({ createClient }, baseUrl) => {
  const { plans, tools } = createClient({ baseUrl });
  const { plan_id } = await plans.submit({ steps: [{ id: "a", query_template: "SELECT 1 AS n" }] });
  const { status } = await plans.run(plan_id);
  const types = [];
  for await (const { event_type } of plans.watch(plan_id)) types.push(event_type);
  const { content } = await tools.call("query", { sql: "SELECT 2 AS n" });
  return { status, last: types.at(-1), rows: content.rows };
}`;
/** What {@link CLIENT_SCRIPT} resolves to. */
export const CLIENT_OUTCOME: object = {
  status: "completed",
  last: "PlanCompleted",
  rows: [{ n: 2 }],
};

const CLIENT = fileURLToPath(import.meta.resolve("@steward/client"));

/** Bundles the client for browsers. */
export async function bundledClient(format: "esm" | "iife"): Promise<OutputChunk> {
  const build = await rolldown({ input: CLIENT, platform: "browser" });
  const { output } = await build.generate({ format, name: "stewardClient", minify: true });
  await build.close();
  return output[0];
}
