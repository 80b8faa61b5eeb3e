/** A declared metric: its help text and its type. */
export interface MetricDeclaration {
  readonly kind: "counter" | "histogram" | "gauge";
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in the metric's unit. */
  readonly buckets?: readonly number[];
}

/**
 * From one millisecond, a durable write to a local store, to ten seconds, the time limit of
 * draining.
 */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A step may take up to its time-out, which is 30 s by default. */
const STEP_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];

/** All metrics of this program. */
export const METRICS: readonly MetricDeclaration[] = [
  {
    kind: "counter",
    name: "steward_http_requests_total",
    help: "HTTP requests answered",
    labels: ["method", "route", "status"],
  },
  {
    kind: "histogram",
    name: "steward_http_request_duration_seconds",
    help: "Time from an HTTP request's head to the end of its answer",
    labels: ["method", "route"],
    buckets: REQUEST_SECONDS,
  },
  {
    kind: "counter",
    name: "steward_grpc_requests_total",
    help: "gRPC calls answered",
    labels: ["method", "code"],
  },
  {
    kind: "histogram",
    name: "steward_grpc_request_duration_seconds",
    help: "Time from a gRPC call's start to its status",
    labels: ["method", "code"],
    buckets: REQUEST_SECONDS,
  },
  {
    kind: "counter",
    name: "steward_webhook_attempts_total",
    help: "Attempts to deliver a webhook, by outcome: delivered, failed, or dead when none follows",
    labels: ["target", "outcome"],
  },
  {
    kind: "counter",
    name: "steward_audit_export_batches_total",
    help: "Batches of audit records that were sent to a sink, by outcome: sent, or failed and sent again",
    labels: ["sink", "outcome"],
  },
  {
    kind: "gauge",
    name: "steward_audit_export_waiting_records",
    help: "Audit records that the slowest sink does not have yet",
    labels: [],
  },
  {
    kind: "gauge",
    name: "steward_background_set_aside_items",
    help: "Items of background work, such as unreadable rows, that fail on their own and are tried again later",
    labels: [],
  },
  {
    kind: "gauge",
    name: "steward_background_failing_tasks",
    help: "Background tasks whose last batch failed as a whole",
    labels: [],
  },
  {
    kind: "gauge",
    name: "steward_audit_unwitnessed_records",
    help: "Audit records that the newest checkpoint of the slowest witness does not cover",
    labels: [],
  },
  {
    kind: "counter",
    name: "steward_plans_created_total",
    help: "Plans accepted and stored",
    labels: [],
  },
  {
    kind: "counter",
    name: "steward_step_attempts_total",
    help: "Attempts of steps that ended, by the step's intent and how they ended",
    labels: ["intent", "status"],
  },
  {
    kind: "counter",
    name: "steward_step_refusals_total",
    help: "Steps that were refused before an attempt: by policies, approvals or budgets, by the step's intent and the code",
    labels: ["intent", "code"],
  },
  {
    kind: "counter",
    name: "steward_step_retries_total",
    help: "Attempts of steps that failed and were followed by another one, by the step's intent and why they failed",
    labels: ["intent", "reason"],
  },
  {
    kind: "histogram",
    name: "steward_step_duration_seconds",
    help: "Time an attempt of a step took on its data source",
    labels: ["intent", "status"],
    buckets: STEP_SECONDS,
  },
  {
    kind: "counter",
    name: "steward_store_commits_total",
    help: "Commits of the store, each one fsync",
    labels: [],
  },
  {
    kind: "counter",
    name: "steward_storage_refusals_total",
    help: "Requests refused because their organization has used up its quota of bytes",
    labels: [],
  },
  {
    kind: "gauge",
    name: "steward_storage_quota_used_ratio",
    help: "Largest share of its quota of bytes that an organization of this server stores; 0 without a quota",
    labels: [],
  },
  {
    kind: "counter",
    name: "steward_memory_quarantined_total",
    help: "Stored vectors found damaged and left out of search",
    labels: [],
  },
  {
    kind: "counter",
    name: "steward_memory_forbidden_total",
    help: "Tool calls that policies keep out of the memory",
    labels: [],
  },
  {
    kind: "counter",
    name: "steward_memory_refused_total",
    help: "Tool calls whose embedding the provider refused for good",
    labels: [],
  },
  {
    kind: "gauge",
    name: "steward_memory_waiting_calls",
    help: "Tool calls that wait for their memory entry",
    labels: [],
  },
  {
    kind: "gauge",
    name: "steward_memory_quarantined_vectors",
    help: "Stored vectors known to be damaged, which search leaves out",
    labels: [],
  },
];
