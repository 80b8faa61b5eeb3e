import {
  retention,
  type Erasure as ErasureMessage,
  type InputOf,
  type LegalHold as LegalHoldMessage,
  type Retention,
} from "@steward/operations";
import { isoTime } from "@steward/kernel/clock.js";
import {
  RETENTION_CLASSES,
  type Erasure,
  type ErasureRequest,
  type PeriodChanges,
  type ShownRetention,
} from "../../retention/index.js";
import type { LegalHold } from "../../retention/ports.js";
import { present } from "../../kernel/present.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations on retention periods and legal holds do. */
export function retentionOperations({
  retention: service,
}: Pick<Services, "retention">): readonly Implemented[] {
  return [
    implement(retention.getRetention, async ({ context }) =>
      retentionMessage(await service.show(context)),
    ),
    implement(retention.setRetention, async ({ input, context }) =>
      retentionMessage(await service.change(context, changesOf(input))),
    ),
    implement(retention.listHolds, async ({ context }) =>
      (await service.holds(context)).map(holdMessage),
    ),
    implement(retention.placeHold, async ({ input, context }) => {
      const { session_id: sessionId, reason } = input;
      return holdMessage(await service.placeHold(context, { reason, ...present({ sessionId }) }));
    }),
    implement(retention.liftHold, async ({ input: { hold_id }, context }) => {
      await service.liftHold(context, hold_id);
      return { hold_id };
    }),
  ];
}

/** What the operations on erasures do. */
export function erasureOperations({
  erasures,
}: Pick<Services, "erasures">): readonly Implemented[] {
  return [
    implement(retention.estimateErasure, async ({ input, context }) => {
      const { counts, bytes } = await erasures.estimate(context, requestOf(input));
      return { ...countsOf(counts), plan_bytes: bytes.plans, entry_bytes: bytes.entries };
    }),
    implement(retention.beginErasure, async ({ input, context }) => {
      const { erasure, salt } = await erasures.begin(context, requestOf(input));
      return { ...erasureMessage(erasure), salt };
    }),
    implement(retention.listErasures, async ({ context }) =>
      (await erasures.list(context)).map(erasureMessage),
    ),
    implement(retention.getErasure, async ({ input: { erasure_id }, context }) =>
      erasureMessage(await erasures.get(context, erasure_id)),
    ),
  ];
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
function changesOf(input: InputOf<typeof retention.setRetention>): PeriodChanges {
  return new Map(
    RETENTION_CLASSES.flatMap((of) => {
      const days = input[of];
      return days === undefined ? [] : [[of, days ?? undefined] as const];
    }),
  );
}

function holdMessage(hold: LegalHold): LegalHoldMessage {
  return {
    hold_id: hold.holdId,
    ...present({ session_id: hold.sessionId }),
    reason: hold.reason,
    placed_by: hold.placedBy,
    placed_at: isoTime(hold.placedAtMs),
  };
}

function requestOf({ scope, subject }: InputOf<typeof retention.beginErasure>): ErasureRequest {
  return { scope, ...present({ subject }) };
}

function erasureMessage(erasure: Erasure): ErasureMessage {
  const { finishedAtMs } = erasure;
  return {
    erasure_id: erasure.erasureId,
    scope: erasure.scope,
    requested_by: erasure.requestedBy,
    requested_at: isoTime(erasure.requestedAtMs),
    finished_at: finishedAtMs === undefined ? null : isoTime(finishedAtMs),
    ...countsOf(erasure.counts),
    subject_digest: erasure.subjectDigest,
  };
}

function countsOf({ plans, entries, usage }: Erasure["counts"]) {
  return { plans, entries, usage_rows: usage };
}
