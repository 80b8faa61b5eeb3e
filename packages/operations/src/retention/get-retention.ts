import * as z from "zod";
import { operation } from "../operation.js";
import { retentionPeriods } from "./retention-periods.js";

export const getRetention = operation({
  name: "getRetention",
  action: "retention:read",
  summary: "Show for how long data is kept",
  description:
    "The period of each class of data of your organization, with the operator's period and your " +
    "organization's own.",
  tag: "Retention",
  input: z.strictObject({}),
  output: retentionPeriods,
  errors: [403],
  rest: { method: "GET", path: "/api/retention", answered: "For how long data is kept" },
});
