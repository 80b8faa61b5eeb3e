import { randomUUID } from "node:crypto";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { STEPS } from "./workload.js";

/** Each step is a workflow with its own id, which makes the step run at most once. */
export async function startDbos(url, read) {
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
    runAdminServer: false,
    logLevel: "error",
  });
  const step = DBOS.registerWorkflow((id) => DBOS.runStep(() => read(id), { name: "read" }), {
    name: "step",
  });
  await DBOS.launch();
  return {
    async onePlan() {
      const planId = randomUUID();
      let id = 1;
      for (let n = 0; n < STEPS; n += 1) {
        const handle = await DBOS.startWorkflow(step, { workflowID: `${planId}-${n}` })(id);
        id = (await handle.getResult()).next;
      }
    },
    stop: () => DBOS.shutdown(),
  };
}
