import { isoTime } from "@steward/kernel/clock.js";
import {
  type Readiness,
  system as operations,
  type SystemStatus as SystemStatusMessage,
} from "@steward/operations";
import type { NodeStatus, QueueStatus, SystemStatus } from "../../system/index.js";
import { present } from "../../kernel/present.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations on the server itself do. */
export function systemOperations({
  health,
  system,
}: Pick<Services, "health" | "system">): readonly Implemented[] {
  return [
    implement(operations.getSystemStatus, async () => {
      const [ready, status] = await Promise.all([health.readiness(), system.status()]);
      return systemMessage(status, ready);
    }),
  ];
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
