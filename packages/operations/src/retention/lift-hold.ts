import * as z from "zod";
import { operation } from "../operation.js";
import { HOLD_ID } from "./legal-hold.js";

export const liftHold = operation({
  name: "liftHold",
  action: "holds:write",
  audit: { kind: "hold.lift", time: "withEffect" },
  summary: "Lift a legal hold",
  description: "Retention goes on, unless another hold covers the same data.",
  tag: "Retention",
  input: z
    .strictObject({ hold_id: z.string().describe("Id of the hold") })
    .meta({ examples: [{ hold_id: HOLD_ID }] }),
  output: z.object({ hold_id: z.string().describe("Id of the lifted hold") }).meta({
    id: "LiftedHold",
    description: "A legal hold that was lifted",
    examples: [{ hold_id: HOLD_ID }],
  }),
  errors: [403, 404],
  rest: {
    method: "DELETE",
    path: "/api/holds/{hold_id}",
    impossibleIds: "unknown",
    answered: "The hold is lifted",
  },
  cli: {
    command: "hold remove",
    summary: "Lifts a legal hold.",
    role: "admin",
    arguments: [
      { member: "hold_id", name: "hold", description: "Id of the hold, as in steward hold list." },
    ],
    print: "lifted {hold_id}",
  },
  // A second request finds no hold.
  retry: false,
});
