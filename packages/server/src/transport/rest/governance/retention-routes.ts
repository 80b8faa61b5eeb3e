import { isoTime } from "@steward/kernel/clock.js";
import {
  dataOf,
  legalHoldSchema,
  liftedHoldSchema,
  newLegalHoldSchema,
  newRetentionSchema,
  retentionSchema,
  type LegalHold as LegalHoldMessage,
  type NewRetention,
  type Retention,
} from "@steward/protocol/rest";
import * as z from "zod";
import {
  RETENTION_CLASSES,
  type PeriodChanges,
  type RetentionService,
  type ShownRetention,
} from "../../../retention/index.js";
import type { LegalHold } from "../../../retention/ports.js";
import { present } from "../../present.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";

const tags = ["Retention"];
const HOLDS = "/api/holds";

/** For how long the caller's organization keeps its data, and its legal holds. */
export function addRetentionRoutes(app: RestApp, retention: RetentionService): void {
  addShow(app, retention);
  addSet(app, retention);
  addListHolds(app, retention);
  addPlaceHold(app, retention);
  addLiftHold(app, retention);
}

const response = {
  200: json("For how long data is kept", dataOf(retentionSchema)),
  ...errors(403),
};

function addShow(app: RestApp, retention: RetentionService): void {
  const schema = {
    operationId: "getRetention",
    summary: "Show for how long data is kept",
    description:
      "The period of each class of data of your organization, with the operator's period and your " +
      "organization's own.",
    tags,
    response,
  };
  app.get("/api/retention", { schema }, async ({ context }) => ({
    data: retentionMessage(await retention.show(context)),
  }));
}

function addSet(app: RestApp, retention: RetentionService): void {
  const schema = {
    operationId: "setRetention",
    summary: "Set for how long data is kept",
    description:
      "Changes the named periods of your organization; null removes one, so that the operator's applies. " +
      "Whatever is older is deleted in the background, now and from now on. A deleted plan is 404, and a " +
      "request under its idempotency key makes a new plan.",
    tags,
    body: newRetentionSchema,
    response,
  };
  app.put("/api/retention", { schema }, async ({ body, context }) => ({
    data: retentionMessage(await retention.change(context, changesOf(body))),
  }));
}

function addListHolds(app: RestApp, retention: RetentionService): void {
  const schema = {
    operationId: "listHolds",
    summary: "List the legal holds",
    description:
      "The holds of your organization, oldest first. While one stands, nothing it covers is deleted.",
    tags,
    response: {
      200: json("The holds", dataOf(z.array(legalHoldSchema).readonly())),
      ...errors(403),
    },
  };
  app.get(HOLDS, { schema }, async ({ context }) => ({
    data: (await retention.holds(context)).map(holdMessage),
  }));
}

function addPlaceHold(app: RestApp, retention: RetentionService): void {
  const schema = {
    operationId: "placeHold",
    summary: "Place a legal hold",
    description:
      "Stops retention for your organization, or for one session of it, until the hold is lifted. When the " +
      "answer arrives, no deletion that the hold forbids is still running.",
    tags,
    body: newLegalHoldSchema,
    response: { 201: json("The hold stands", dataOf(legalHoldSchema)), ...errors(403) },
  };
  app.post(HOLDS, { schema }, async ({ body, context }, reply) => {
    const { session_id: sessionId, reason } = body;
    const hold = await retention.placeHold(context, { reason, ...present({ sessionId }) });
    void reply.code(201).header("location", `${HOLDS}/${hold.holdId}`);
    return { data: holdMessage(hold) };
  });
}

function addLiftHold(app: RestApp, retention: RetentionService): void {
  const schema = {
    operationId: "liftHold",
    summary: "Lift a legal hold",
    description: "Retention goes on, unless another hold covers the same data.",
    tags,
    params: z.object({ hold_id: z.string().describe("Id of the hold") }),
    response: {
      200: json("The hold is lifted", dataOf(liftedHoldSchema)),
      ...errors(403, 404),
    },
  };
  app.delete(`${HOLDS}/:hold_id`, { schema }, async ({ params, context }) => {
    await retention.liftHold(context, params.hold_id);
    return { data: { hold_id: params.hold_id } };
  });
}

function retentionMessage({ periods, own }: ShownRetention): Retention {
  return {
    version: own?.version ?? 0,
    ...(own && { changed_by: own.changedBy, changed_at: isoTime(own.changedAtMs) }),
    periods: periods.map((period) => ({
      class: period.class,
      days: period.days ?? null,
      operator_days: period.operatorDays ?? null,
      own_days: period.ownDays ?? null,
    })),
  };
}

/** Only the classes that the request names. */
function changesOf(body: NewRetention): PeriodChanges {
  return new Map(
    RETENTION_CLASSES.flatMap((of) => {
      const days = body[of];
      return days === undefined ? [] : [[of, days ?? undefined] as const];
    }),
  );
}

function holdMessage({
  holdId,
  sessionId,
  reason,
  placedBy,
  placedAtMs,
}: LegalHold): LegalHoldMessage {
  return {
    hold_id: holdId,
    ...present({ session_id: sessionId }),
    reason,
    placed_by: placedBy,
    placed_at: isoTime(placedAtMs),
  };
}
