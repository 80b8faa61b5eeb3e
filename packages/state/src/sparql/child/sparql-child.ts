import { Worker } from "node:worker_threads";
import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import { failureOf } from "@steward/kernel/concurrency/worker-protocol.js";
import { BlockCache } from "../../index.js";
import type { QueryAnswer } from "../../ports.js";
import { answerMessages } from "../answer-messages.js";
import type { FromProcess, ProcessSettings, QueryRequest } from "../query-protocol.js";
import { QueryAnswerer } from "./answer-query.js";
import type { Oxigraph } from "./oxigraph.js";
import { ServerPipe } from "./server-pipe.js";

/**
 * A child process that evaluates queries, so that an endless query, or one that needs too much
 * memory, does not affect the server. It reads the dataset's blocks from the server.
 */
const [, , settingsText] = process.argv;
assert(settingsText !== undefined, "the first argument has the settings");
// The server has the same version.
const settings = JSON.parse(settingsText) as ProcessSettings;
const pipe = new ServerPipe();
// A separate thread, because this one is blocked while a query runs.
new Worker(new URL("./watch-worker.js", import.meta.url), { workerData: settings });
const answer = await answererOf(settings);
pipe.say({ kind: "ready" });
for (let request = pipe.next(); request !== undefined; request = pipe.next()) {
  for (const message of replyTo(request)) pipe.say(message);
}
process.exit(0);

function replyTo(request: QueryRequest): Iterable<FromProcess> {
  try {
    return answerMessages(answer(request));
  } catch (error) {
    return [{ kind: "failed", failure: failureOf(error) }];
  }
}

async function answererOf({
  packageName,
  ...limits
}: ProcessSettings): Promise<(request: QueryRequest) => QueryAnswer> {
  let oxigraph: Oxigraph;
  try {
    oxigraph = ((await import(packageName)) as { default: Oxigraph }).default;
  } catch {
    return () => {
      throw new AppError(
        "UNIMPLEMENTED",
        `SPARQL needs the package ${packageName}, which is not installed: npm install ${packageName}`,
      );
    };
  }
  const answerer = new QueryAnswerer(oxigraph, new BlockCache(pipe), limits);
  return (request) => answerer.answer(request);
}
