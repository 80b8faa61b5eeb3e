import * as z from "zod";
import { operation } from "../operation.js";
import { legalHold } from "./legal-hold.js";

export const listHolds = operation({
  name: "listHolds",
  action: "retention:read",
  summary: "List the legal holds",
  description:
    "The holds of your organization, oldest first. While one stands, nothing it covers is deleted.",
  tag: "Retention",
  input: z.strictObject({}),
  output: z.array(legalHold).readonly(),
  errors: [403],
  rest: { method: "GET", path: "/api/holds", answered: "The holds" },
  cli: {
    command: "hold list",
    summary: "Lists the legal holds, oldest first.",
    role: "admin",
    columns: [
      { title: "HOLD", member: "hold_id" },
      { title: "COVERS", member: "session_id" },
      { title: "REASON", member: "reason" },
      { title: "BY", member: "placed_by" },
      { title: "SINCE", member: "placed_at" },
    ],
    empty: "no legal holds: expired data is deleted",
  },
});
