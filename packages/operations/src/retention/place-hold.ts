import * as z from "zod";
import { operation } from "../operation.js";
import { legalHold, newHoldShape } from "./legal-hold.js";

export const placeHold = operation({
  name: "placeHold",
  action: "holds:write",
  audit: { kind: "hold.place", time: "withEffect" },
  summary: "Place a legal hold",
  description:
    "Stops retention for your organization, or for one session of it, until the hold is lifted. When the " +
    "answer arrives, no deletion that the hold forbids is still running.",
  tag: "Retention",
  input: z.strictObject(newHoldShape).meta({
    id: "NewLegalHold",
    description: "A legal hold to place",
    examples: [{ session_id: "session-42", reason: "Case 2026-17" }],
  }),
  output: legalHold,
  errors: [403],
  rest: {
    method: "POST",
    path: "/api/holds",
    status: 201,
    location: "/api/holds/{hold_id}",
    answered: "The hold stands",
  },
  cli: {
    command: "hold set",
    summary: "Places a legal hold: nothing that it covers is deleted.",
    role: "admin",
    arguments: [{ member: "reason", description: "Why, for those who find the hold later." }],
    options: [
      {
        member: "session_id",
        flags: "--for <session>",
        description: "Only this session (default: the whole organization).",
      },
    ],
    print: "{hold_id}",
  },
  // Each request places a hold.
  retry: false,
});
