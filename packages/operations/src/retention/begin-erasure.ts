import { operation } from "../operation.js";
import { erasure, newErasure } from "./erasure.js";

export const beginErasure = operation({
  name: "beginErasure",
  action: "erasure:run",
  audit: { kind: "erasure.begin", time: "withEffect" },
  summary: "Erase data",
  description:
    "Deletes plans, their outputs, events, tool calls and idempotency keys, and memory entries with their " +
    "vectors; for an organization its usage rows too. Plans that run are cancelled first. The erasure goes on " +
    "in the background and after a restart, and leaves a receipt that does not contain what was deleted. A " +
    "legal hold forbids it.",
  tag: "Retention",
  input: newErasure,
  output: erasure,
  errors: [403, 409],
  rest: {
    method: "POST",
    path: "/api/erasures",
    status: 202,
    location: "/api/erasures/{erasure_id}",
    answered: "The erasure is stored and goes on",
  },
  // Each request begins an erasure.
  retry: false,
});
