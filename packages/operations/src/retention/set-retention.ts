import * as z from "zod";
import { operation } from "../operation.js";
import { RETENTION_DAYS_MAX, retentionPeriods } from "./retention-periods.js";

const days = z
  .int()
  .min(1)
  .max(RETENTION_DAYS_MAX)
  .nullable()
  .exactOptional()
  .describe("Days; null: the operator's; absent: as before");

export const setRetention = operation({
  name: "setRetention",
  action: "retention:write",
  audit: { kind: "retention.set", time: "withEffect" },
  summary: "Set for how long data is kept",
  description:
    "Changes the named periods of your organization; null removes one, so that the operator's applies. " +
    "Whatever is older is deleted in the background, now and from now on. A deleted plan is 404, and a " +
    "request under its idempotency key makes a new plan.",
  tag: "Retention",
  input: z
    .strictObject({ plans: days, idempotency_keys: days, memory: days, usage_detail: days })
    .meta({
      id: "NewRetention",
      description: "New retention periods of your organization",
      examples: [{ plans: 30, memory: null }],
    }),
  output: retentionPeriods,
  errors: [403],
  rest: { method: "PUT", path: "/api/retention", answered: "For how long data is kept" },
  retry: true,
});
