import { prepareOnCluster } from "@steward/test-postgres";
import { runSteward } from "../conformance/steward-command.js";

// As an operator does it: the tables are made and distributed before the first server starts.
prepareOnCluster(async (url) => {
  const run = await runSteward(["migrate", "--distribute", "--database-url", url]);
  if (run.exitCode !== 0) throw new Error(run.stderr);
});
