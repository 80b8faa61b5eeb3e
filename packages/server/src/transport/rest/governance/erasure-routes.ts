import { isoTime } from "@steward/kernel/clock.js";
import {
  dataOf,
  erasureEstimateSchema,
  erasureSchema,
  newErasureSchema,
  type Erasure as ErasureMessage,
  type NewErasure,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { Erasure, ErasureRequest, ErasureService } from "../../../retention/index.js";
import { present } from "../../present.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Retention"];
const PATH = "/api/erasures";

/** The erasure of an organization's data. */
export function addErasureRoutes(app: RestApp, erasures: ErasureService): void {
  addEstimate(app, erasures);
  addBegin(app, erasures);
  addList(app, erasures);
  addGet(app, erasures);
}

function addEstimate(app: RestApp, erasures: ErasureService): void {
  const schema = {
    operationId: "estimateErasure",
    summary: "Show what an erasure would delete",
    description: "Counts the rows and their bytes. Nothing is deleted.",
    tags,
    body: newErasureSchema,
    response: {
      200: json("What would be deleted", dataOf(erasureEstimateSchema)),
      ...errors(403, 409),
    },
  };
  app.post(`${PATH}/estimate`, { schema }, async ({ body, context }) => {
    const { counts, bytes } = await erasures.estimate(context, requestOf(body));
    return {
      data: {
        ...{ plans: counts.plans, entries: counts.entries, usage_rows: counts.usage },
        ...{ plan_bytes: bytes.plans, entry_bytes: bytes.entries },
      },
    };
  });
}

function addBegin(app: RestApp, erasures: ErasureService): void {
  const schema = {
    operationId: "beginErasure",
    summary: "Erase data",
    description:
      "Deletes plans, their outputs, events, tool calls and idempotency keys, and memory entries with their " +
      "vectors; for an organization its usage rows too. Plans that run are cancelled first. The erasure goes on " +
      "in the background and after a restart, and leaves a receipt that does not contain what was deleted. A " +
      "legal hold forbids it.",
    tags,
    body: newErasureSchema,
    response: {
      202: json("The erasure is stored and goes on", dataOf(erasureSchema)),
      ...errors(403, 409),
    },
  };
  app.post(PATH, { schema }, async ({ body, context }, reply) => {
    const { erasure, salt } = await erasures.begin(context, requestOf(body));
    void reply.code(202).header("location", `${PATH}/${erasure.erasureId}`);
    return { data: { ...erasureMessage(erasure), salt } };
  });
}

function addList(app: RestApp, erasures: ErasureService): void {
  const schema = {
    operationId: "listErasures",
    summary: "List erasures",
    description: "The newest hundred erasures of your organization, with their receipts.",
    tags,
    response: {
      200: json("The erasures", dataOf(z.array(erasureSchema).readonly())),
      ...errors(403),
    },
  };
  app.get(PATH, { schema }, async ({ context }) => ({
    data: (await erasures.list(context)).map(erasureMessage),
  }));
}

function addGet(app: RestApp, erasures: ErasureService): void {
  const schema = {
    operationId: "getErasure",
    summary: "Read an erasure or its receipt",
    description: "How much was deleted so far, and whether the erasure has ended.",
    tags,
    params: z.object({ erasure_id: z.string().describe("Id of the erasure") }),
    response: { 200: json("The erasure", dataOf(erasureSchema)), ...errors(403, 404) },
  };
  app.get(`${PATH}/:erasure_id`, { schema }, async ({ params, context }) => ({
    data: erasureMessage(await erasures.get(context, params.erasure_id)),
  }));
}

function requestOf({ scope, subject }: NewErasure): ErasureRequest {
  return { scope, ...present({ subject }) };
}

function erasureMessage(erasure: Erasure): ErasureMessage {
  const { finishedAtMs, counts } = erasure;
  return {
    erasure_id: erasure.erasureId,
    scope: erasure.scope,
    requested_by: erasure.requestedBy,
    requested_at: isoTime(erasure.requestedAtMs),
    finished_at: finishedAtMs === undefined ? null : isoTime(finishedAtMs),
    ...{ plans: counts.plans, entries: counts.entries, usage_rows: counts.usage },
    subject_digest: erasure.subjectDigest,
  };
}
