import * as z from "zod";
import { operation } from "../operation.js";

export const collectState = operation({
  name: "collectState",
  action: "state:maintain",
  audit: { kind: "state.collect", time: "around" },
  summary: "Delete what no ref leads to",
  description: "Blocks written within the grace period are kept.",
  tag: "State",
  input: z.strictObject({}),
  output: z
    .object({
      kept: z.int().describe("Number of blocks kept"),
      deleted: z.int().describe("Number of blocks deleted"),
    })
    .meta({
      id: "StateCollection",
      description: "Result of a garbage collection",
      examples: [{ kept: 120, deleted: 7 }],
    }),
  errors: [],
  rest: { method: "POST", path: "/api/state/gc", answered: "What went" },
  cli: {
    command: "state gc",
    summary: "Deletes what no branch or tag leads to, except what was written of late.",
    print: "{deleted} blocks deleted, {kept} in use",
  },
  retry: true,
});
