import * as z from "zod";
import { operation, type Infer } from "../operation.js";

/** A damaged or missing block. */
const fault = z
  .object({
    ref: z.string().describe("The branch or tag that leads to it"),
    block: z.string().describe("Hash of the block concerned"),
    reason: z.string().describe("What is wrong with it"),
  })
  .meta({
    id: "StateFault",
    description: "A damaged or missing block",
    examples: [
      {
        ref: "heads/main",
        block: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
        reason: "missing",
      },
    ],
  });

export type StateFault = Infer<typeof fault>;

export const checkState = operation({
  name: "checkState",
  action: "state:maintain",
  audit: "nothing",
  summary: "Check every block that branches and tags reach",
  description:
    "Reads every block and compares it with its hash. An empty list means that no block is damaged or missing.",
  tag: "State",
  input: z.strictObject({}),
  output: z.array(fault).readonly(),
  errors: [],
  rest: { method: "POST", path: "/api/state/fsck", answered: "What is wrong" },
  retry: true,
});
