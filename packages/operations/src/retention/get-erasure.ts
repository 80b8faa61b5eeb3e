import * as z from "zod";
import { operation } from "../operation.js";
import { erasure, ERASURE_ID } from "./erasure.js";

export const getErasure = operation({
  name: "getErasure",
  action: "retention:read",
  summary: "Read an erasure or its receipt",
  description: "How much was deleted so far, and whether the erasure has ended.",
  tag: "Retention",
  input: z
    .strictObject({ erasure_id: z.string().describe("Id of the erasure") })
    .meta({ examples: [{ erasure_id: ERASURE_ID }] }),
  output: erasure,
  errors: [403, 404],
  rest: {
    method: "GET",
    path: "/api/erasures/{erasure_id}",
    impossibleIds: "unknown",
    answered: "The erasure",
  },
});
