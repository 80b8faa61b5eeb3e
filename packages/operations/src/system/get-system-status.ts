import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { readiness } from "./readiness.js";

/** Each queue is counted to here. */
const QUEUE_COUNT_MAX = 10_000;
/** Where the value of a setting comes from. */
const SETTING_SOURCES = ["flag", "environment", "file", "default", "unset"] as const;

const count = z.int().min(0).max(QUEUE_COUNT_MAX);

const versionsShape = {
  server: z.string().describe("Version of the server's program"),
  node: z.string().describe("Version of Node.js"),
  database: z
    .string()
    .exactOptional()
    .describe("Engine and version of the store; absent: there is none"),
  schema: z.string().exactOptional().describe("Newest migration of the store's schema"),
};

const nodeShape = {
  node_id: z.string().describe("Id of the node; a restarted one has a new id"),
  version: z
    .string()
    .exactOptional()
    .describe("Version of its program; absent: older than this field"),
  is_answering: z.boolean().describe("Whether this node has answered the request"),
  has_lease: z.boolean().describe("Whether it may work on plans and steps now"),
  last_seen_at: z.string().meta({ format: "date-time" }).describe("Its last heartbeat"),
  steps_running: z.int().describe("Steps that it runs now"),
};

const queuesShape = {
  plans_unfinished: count.describe("Plans that have not ended"),
  steps_running: count.describe("Steps that run now"),
  usage_calls_waiting: count.describe("Tool calls without their usage row"),
  memory_calls_waiting: count.describe("Tool calls that the memory has not read"),
  webhooks_waiting: count.describe("Webhooks before their next attempt"),
  webhooks_dead: count.describe("Webhooks that failed for good"),
};

const exportShape = {
  sink: z.string().describe("The receiver, without the secret parts of its address"),
  records_waiting: z.int().describe("Records of the audit log that it does not have yet"),
};

const settingShape = {
  name: z.string().describe("Name of the environment variable"),
  flag: z.string().exactOptional().describe("Name of the flag; a secret has none"),
  value: z
    .string()
    .exactOptional()
    .describe("The value as text, secret parts as ***; absent: unset"),
  source: z.enum(SETTING_SOURCES).describe("Where the value comes from"),
  help: z.string().describe("What the setting does"),
};

/** The server as its operator sees it, over all organizations. */
const systemStatus = z
  .object({
    health: readiness.describe("Whether the server can serve requests, as in /readyz"),
    versions: z.object(versionsShape).describe("What runs"),
    nodes: z
      .array(z.object(nodeShape))
      .readonly()
      .describe("Processes that work on the store; no node leads the others"),
    queues: z
      .object(queuesShape)
      .exactOptional()
      .describe(`What waits in all organizations, each counted to ${String(QUEUE_COUNT_MAX)}`),
    audit_records: z.int().exactOptional().describe("Records in the audit log"),
    exports: z.array(z.object(exportShape)).readonly().describe("The receivers of the audit log"),
    settings: z
      .array(z.object(settingShape))
      .readonly()
      .exactOptional()
      .describe("Every setting; absent: a program has started the server with options of its own"),
  })
  .meta({
    id: "SystemStatus",
    description: "The server as its operator sees it, over all organizations",
    examples: [
      {
        health: { ready: true, checks: { store: "ok", data_dir: "ok", memory: "ok" } },
        versions: {
          ...{ server: "0.1.0", node: "20.19.5" },
          ...{ database: "PostgreSQL 17.2", schema: "v5-store" },
        },
        nodes: [
          {
            node_id: "0b8f5a4e-6d0f-4c38-9a52-2f7c0f5d6b1a",
            ...{ version: "0.1.0", is_answering: true, has_lease: true },
            ...{ last_seen_at: "2026-11-23T16:38:12.345Z", steps_running: 2 },
          },
        ],
        queues: {
          ...{ plans_unfinished: 3, steps_running: 2, usage_calls_waiting: 0 },
          ...{ memory_calls_waiting: 1, webhooks_waiting: 0, webhooks_dead: 0 },
        },
        audit_records: 1042,
        exports: [{ sink: "file:/var/log/steward/audit.jsonl", records_waiting: 0 }],
        settings: [
          {
            ...{ name: "SERVICE_PORT", flag: "port", value: "8080", source: "default" },
            help: "Port of REST and, unless gRPC has its own, of gRPC.",
          },
        ],
      },
    ],
  });

export type SystemStatus = Infer<typeof systemStatus>;

export const getSystemStatus = operation({
  name: "getSystemStatus",
  action: "system:read",
  audit: { kind: "system.read", time: "before" },
  summary: "Read nodes, queues, versions and settings",
  description:
    "The server as its operator sees it, over all organizations: it needs the role operator. Secret " +
    "parts of settings are masked.",
  tag: "Service",
  input: z.strictObject({}),
  output: systemStatus,
  errors: [403],
  rest: { method: "GET", path: "/api/system", answered: "The server", isCached: false },
});
