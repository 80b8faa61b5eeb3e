import * as z from "zod";
import { operation } from "../operation.js";
import { memoryRetention, retentionShape } from "./memory-retention.js";

export const setMemoryRetention = operation({
  name: "setMemoryRetention",
  action: "memory:retention",
  audit: { kind: "retention.set", time: "withEffect" },
  summary: "Set how long entries are kept",
  description:
    "Entries that are older are deleted in the background, now and from now on. null removes the period of your " +
    "organization, so that the operator's applies.",
  tag: "Memory",
  input: z.strictObject(retentionShape).meta({
    id: "NewMemoryRetention",
    description: "The new retention of entries",
    examples: [{ days: 90 }],
  }),
  output: memoryRetention,
  errors: [],
  rest: { method: "PUT", path: "/api/memory/retention", answered: "How long entries are kept" },
  grpc: { method: "MemoryService/SetMemoryRetention" },
  retry: true,
});
