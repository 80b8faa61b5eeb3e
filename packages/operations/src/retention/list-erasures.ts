import * as z from "zod";
import { operation } from "../operation.js";
import { erasure } from "./erasure.js";

export const listErasures = operation({
  name: "listErasures",
  action: "retention:read",
  summary: "List erasures",
  description: "The newest hundred erasures of your organization, with their receipts.",
  tag: "Retention",
  input: z.strictObject({}),
  output: z.array(erasure).readonly(),
  errors: [403],
  rest: { method: "GET", path: "/api/erasures", answered: "The erasures" },
});
