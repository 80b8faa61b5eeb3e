import { isoTime } from "@steward/kernel/clock.js";
import {
  dataOf,
  systemStatusSchema,
  type Readiness,
  type SystemStatus as SystemStatusMessage,
} from "@steward/protocol/rest";
import type { NodeStatus, QueueStatus, SystemStatus } from "../../../system/index.js";
import { present } from "../../../kernel/present.js";
import type { Services } from "../../services.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";

/** The server as its operator sees it, over all organizations. */
export function addSystemRoute(app: RestApp, services: Pick<Services, "health" | "system">): void {
  const schema = {
    operationId: "getSystemStatus",
    summary: "Read nodes, queues, versions and settings",
    description:
      "The server as its operator sees it, over all organizations: it needs the role operator. Secret " +
      "parts of settings are masked.",
    tags: ["Service"],
    response: { 200: json("The server", dataOf(systemStatusSchema)), ...errors(403) },
  };
  app.get("/api/system", { schema }, async (_request, reply) => {
    void reply.header("cache-control", "no-store");
    const [health, status] = await Promise.all([
      services.health.readiness(),
      services.system.status(),
    ]);
    return { data: systemMessage(status, health) };
  });
}

function systemMessage(status: SystemStatus, health: Readiness): SystemStatusMessage {
  const { server, node, store, exports, settings } = status;
  return {
    health,
    versions: { server, node, ...present({ database: store?.database, schema: store?.schema }) },
    nodes: store?.nodes.map((each) => nodeMessage(each, store.nowMs)) ?? [],
    ...(store === undefined
      ? {}
      : { queues: queueMessage(store.queues), audit_records: store.audit.records }),
    exports: exports.map(({ sink, waiting }) => ({ sink, records_waiting: waiting })),
    ...present({ settings }),
  };
}

function nodeMessage(node: NodeStatus, nowMs: number): SystemStatusMessage["nodes"][number] {
  return {
    node_id: node.nodeId,
    ...present({ version: node.version }),
    is_answering: node.isSelf,
    has_lease: node.leaseUntilMs >= nowMs,
    last_seen_at: isoTime(node.seenAtMs),
    steps_running: node.stepsRunning,
  };
}

function queueMessage(queues: QueueStatus): NonNullable<SystemStatusMessage["queues"]> {
  return {
    plans_unfinished: queues.plansUnfinished,
    steps_running: queues.stepsRunning,
    usage_calls_waiting: queues.usageCalls,
    memory_calls_waiting: queues.memoryCalls,
    webhooks_waiting: queues.webhooksWaiting,
    webhooks_dead: queues.webhooksDead,
  };
}
