import * as z from "zod";
import { operation } from "../operation.js";
import { memoryRetention } from "./memory-retention.js";

export const getMemoryRetention = operation({
  name: "getMemoryRetention",
  action: "memory:read",
  summary: "How long entries are kept",
  description:
    "The age in days after which entries of your organization are deleted; null when they are kept without limit. " +
    "It is the period of the class memory, which GET /api/retention shows with the others.",
  tag: "Memory",
  input: z.strictObject({}),
  output: memoryRetention,
  errors: [],
  rest: { method: "GET", path: "/api/memory/retention", answered: "How long entries are kept" },
  grpc: { method: "MemoryService/GetMemoryRetention" },
});
