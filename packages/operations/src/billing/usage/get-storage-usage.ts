import * as z from "zod";
import { operation, type Infer } from "../../operation.js";

const STORED_BYTES = {
  plans: 734_003_200,
  memory: 52_428_800,
  usage: 8_388_608,
  state: 0,
  audit: 0,
};

const storedBytes = z
  .object({
    plans: z.int().describe("Plans with their outputs, events, tool calls and approvals"),
    memory: z.int().describe("Memory entries with their vectors"),
    usage: z.int().describe("The rows of single calls"),
    state: z.int().describe("Commits and their blocks"),
    audit: z.int().describe("Audit records"),
  })
  .meta({ id: "StoredBytes", description: "Bytes by kind of data", examples: [STORED_BYTES] });

/** What an organization stores; without bytes while it is measured for the first time since the server started. */
const storageUsage = z
  .object({
    stored_bytes: z
      .int()
      .exactOptional()
      .describe(
        "Bytes stored, those written since the measurement included; absent before it has ended",
      ),
    quota_bytes: z.int().exactOptional().describe("Bytes that may be stored; absent: no quota"),
    bytes: storedBytes
      .exactOptional()
      .describe("The measured bytes by kind of data; indexes do not count"),
    measured_at: z.string().exactOptional().describe("When they were measured, in RFC 3339"),
  })
  .meta({
    id: "StorageUsage",
    description: "What an organization stores, and how much it may store",
    examples: [
      {
        stored_bytes: 794_820_608,
        quota_bytes: 10_737_418_240,
        bytes: STORED_BYTES,
        measured_at: "2026-01-05T12:00:00.000Z",
      },
    ],
  });

export type StorageUsage = Infer<typeof storageUsage>;

export const getStorageUsage = operation({
  name: "getStorageUsage",
  action: "usage:read",
  summary: "What the organization stores, and its quota",
  description:
    "Bytes of texts, documents and vectors by kind of data. They are measured in the background; an organization " +
    "that was not measured yet is measured now, which takes seconds for a gigabyte.",
  tag: "Billing",
  input: z.strictObject({}),
  output: storageUsage,
  errors: [403],
  rest: { method: "GET", path: "/billing/usage/storage", answered: "The stored bytes" },
  grpc: { method: "UsageService/GetStorageUsage" },
});
