/**
 * The requirements, sentence by sentence: the contract's (docs/contract.md) and the decisions'
 * (docs/decisions). Scenarios cite them by id; coverage.test.ts fails when one has no scenario. A
 * new capability adds its entries here.
 */
export interface Requirement {
  readonly id: RequirementId;
  /** Such as `Contract §4.2` or `Decision §3`. */
  readonly source: string;
  readonly text: string;
}

const CONTRACT = {
  "Contract §1": {
    "C1-submit": "A client hands in a plan of several steps, some of which depend on others",
    "C1-one-by-one": "The client has the steps executed one at a time",
    "C1-status": "The client reads how the plan and each step stand",
    "C1-cancel": "The client cancels a plan",
    "C1-context": "Every executed step comes back with a context update",
    "C1-stream": "A plan's events can be followed as a stream",
    "C1-usage": "Every tool call is recorded as one usage row with an AAU weight",
    "C1-billing":
      "REST reports daily totals and a model-by-intent matrix, and manages saved payment methods",
    "C1-noop": "The default build answers every write with an explicit error",
    "C1-memory": "Memory search ranks stored entries by similarity to a query's embedding",
    "C1-provider": "The default embedding provider is a zero-vector stub",
  },
  "Contract §2.1": {
    "C2.1-fields": "A plan is submitted with session_id 1, name 2, description 3 and steps 4",
  },
  "Contract §2.2": {
    "C2.2-fields":
      "A step has step_id 1, name 2, tool_name 3, intent 4, query_template 5, depends_on 6, schema_table_hints 7",
    "C2.2-rest-id": "Over REST a step's id is named id, its other fields as over gRPC",
    "C2.2-placeholder": "{{step.<step_id>.output}} in a template is the output of an earlier step",
    "C2.2-listed": "A step that a placeholder names must be listed in depends_on",
    "C2.2-intent": "read_select is an intent",
  },
  "Contract §2.3": {
    "C2.3-plan-id": "The service assigns plan_id at creation; every later call refers to it",
    "C2.3-status": "A plan's status is pending on creation, and running",
    "C2.3-steps": "A plan's status lists step_id and status of each step",
  },
  "Contract §2.4": {
    "C2.4-fields": "step_result holds step_id, status, row_count and executed_at",
    "C2.4-row-count": "row_count is the number of rows the step produced",
    "C2.4-executed-at": "executed_at is an ISO 8601 timestamp in UTC",
  },
  "Contract §2.5": {
    "C2.5-fields":
      "llm_context_update holds plan_id, step_id, tool_output_json, schema_additions and augmentation_hints",
    "C2.5-output": "tool_output_json is the step's output serialized as a JSON string",
    "C2.5-empty": "schema_additions and augmentation_hints are empty arrays when there are none",
  },
  "Contract §2.6": {
    "C2.6-fields": "PlanEvent has plan_id 1, event_type 2, payload_json 3 and timestamp 4",
  },
  "Contract §2.7": {
    "C2.7-fields":
      "A result has entry_id, a UUID, score, content, created_at and related_cascade_targets",
    "C2.7-score":
      "The score is a cosine similarity: identical vectors 1, orthogonal 0, anti-aligned -1",
    "C2.7-content": "content is the entry's raw JSON string as stored",
    "C2.7-created-at": "created_at is an ISO 8601 datetime",
  },
  "Contract §2.8": {
    "C2.8-vector":
      "Each entry has one vector, a binary non-null column beside the entries' JSON content",
    "C2.8-size": "A vector takes dimension × 4 bytes: 3072 for 768, 6144 for 1536",
    "C2.8-raw": "The raw JSON content is embedded as it is",
    "C2.8-hook": "A tool call's entry is embedded and stored without being asked for",
  },
  "Contract §2.9": {
    "C2.9-columns":
      "usage_events has id, org_id, session_id, tool_name, intent, aau_weight, orm_model, cost_usd, created_at",
    "C2.9-id": "A usage row's id is a UUID v4",
    "C2.9-context": "org_id, session_id and orm_model are those of the request's context",
    "C2.9-tool-name": "tool_name is the raw name of the tool",
    "C2.9-created-at": "created_at is the server's time",
  },
  "Contract §2.10": {
    "C2.10-weights": "Reads weigh 1.0, writes 3.0, admin and cross-system transactions 5.0",
    "C2.10-intent": "The weight is resolved from the intent of the event's context",
    "C2.10-name": "Without an explicit intent the tool's name decides",
  },
  "Contract §2.11": {
    "C2.11-daily": "A daily row holds date, action_count, total_aau and total_cost_usd",
    "C2.11-heatmap":
      "A heat-map row holds orm_model, intent, aau_weight, total_aau and action_count",
  },
  "Contract §3": {
    "C3-plan": "A plan is pending when created, and running",
    "C3-step": "A step is pending, and completed",
  },
  "Contract §4": {
    "C4-json": "REST bodies are JSON with Content-Type application/json",
    "C4-data": "A successful REST answer is an object whose single key is data",
  },
  "Contract §4.1": {
    "C4.1-submit": "SubmitPlan answers with a plan_id",
    "C4.1-status": "GetPlanStatus answers how a plan stands",
    "C4.1-execute":
      "ExecuteStep takes plan_id 1 and step_id 2; answers success 1, step_result 2, llm_context_update 3, error_message 4",
    "C4.1-cancel": "CancelPlan cancels a plan",
    "C4.1-stream": "StreamPlanEvents takes plan_id 1 and streams PlanEvent messages",
  },
  "Contract §4.2": {
    "C4.2-submit": "POST /api/plans answers plan_id and the status pending",
    "C4.2-get": "GET /api/plans/:plan_id answers plan_id, status and steps",
    "C4.2-execute":
      "POST /api/plans/:plan_id/steps/:step_id/execute, without a body, answers step_result and llm_context_update",
    "C4.2-cancel": "DELETE /api/plans/:plan_id, without a body, cancels",
  },
  "Contract §4.3": {
    "C4.3-custom": "Any implementation of the four operations can stand in for the orchestrator",
    "C4.3-create": "create_plan is given the session's id and the definition; gives a plan record",
    "C4.3-get": "get_plan is given a plan's id; gives nothing when the plan is unknown",
    "C4.3-execute":
      "execute_step is given both ids and a context; gives a step result and a context update",
    "C4.3-cancel": "cancel_plan is given a plan's id; gives nothing",
    "C4.3-error": "An operation fails with an error that carries a message",
    "C4.3-noop": "The no-op orchestrator satisfies the contract and fails every write explicitly",
  },
  "Contract §4.4": {
    "C4.4-query": "POST /api/memory/search takes a query and answers data, an array of results",
    "C4.4-top-k": "top_k is 10 unless given, and is clamped to 1 to 100",
    "C4.4-org":
      "org_id leaves only that organization's entries; null or omitted filters nothing, where nobody vouches for identity",
    "C4.4-order": "Results come by descending score, at most top_k",
    "C4.4-cosine":
      "The score is (A . B) / (|A| x |B|) of the query's embedding and each stored vector",
    "C4.4-cascade": "related_cascade_targets is an empty array for every result",
  },
  "Contract §4.5": {
    "C4.5-usage": "GET /billing/usage reports the caller's organization between from and to",
    "C4.5-heatmap": "GET /billing/usage/heatmap sums by orm_model and intent",
    "C4.5-setup-intent":
      "POST /billing/setup-intent with customer_id answers id, client_secret and customer",
    "C4.5-payment-methods": "GET /billing/payment-methods lists the saved payment methods",
    "C4.5-detach": "DELETE /billing/payment-methods/<pm_id> detaches that payment method",
    "C4.5-one-row": "Each LlmToolCallAuditRecorded becomes exactly one usage row",
    "C4.5-cost": "cost_usd is 0.0 on every row until prices are configured",
  },
  "Contract §4.6": {
    "C4.6-operations": "A provider has two operations: embed a text, and tell its dimension",
    "C4.6-zero": "The default provider returns zeros of the configured dimension for any text",
    "C4.6-once": "The provider is registered once and shared by all requests",
    "C4.6-replace": "Any provider whose vectors have the configured dimension may replace it",
  },
  "Contract §5": {
    "C5-role": "X-User-Role admin, in whatever case, may use every billing endpoint",
    "C5-permission": "A comma-separated X-User-Permissions with manage:billing may, too",
    "C5-refused": "Anybody else gets 403",
  },
  "Contract §6": {
    "C6-types":
      "PlanCreated, PlanStepExecuted, PlanCompleted and PlanFailed are on a plan's stream",
    "C6-own": "A stream gives the events of the plan it names",
    "C6-audit":
      "A tool call is published as LlmToolCallAuditRecorded with tool_name and a context of org_id, session_id, orm_model and intent",
    "C6-fields": "Each message has plan_id, event_type, payload_json and timestamp",
  },
  "Contract §7": {
    "C7-billing": "A billing endpoint answers 403 to who is no billing admin",
    "C7-in-band": "ExecuteStepResponse tells a failure by success false and error_message",
    "C7-noop": "The no-op orchestrator's writes are errors with a message",
    "C7-search-request": "A search whose body is invalid, such as without query, is 400 with error",
    "C7-embedding-failed": "A provider that fails: 500 with Embedding failed: <detail>",
    "C7-lookup-failed": "A lookup that fails: 500 with Failed to query embeddings: <detail>",
    "C7-provider-errors":
      "A provider's errors are transport, a malformed response, a wrong length, a model not configured",
  },
  "Contract §8": {
    "C8-top-k": "top_k defaults to 10 and is clamped to 1 to 100",
    "C8-dimension": "The dimension is 768 unless SERVICE_EMBEDDING_DIMENSION says otherwise",
    "C8-size": "A stored vector takes dimension × 4 bytes",
    "C8-range": "A usage report without a range is of 1970-01-01 to 9999-12-31",
  },
} as const;

const DECISIONS = {
  "Decision §1": {
    "D1-npx": "After a build npx steward works at the repository's root",
    "D1-dev": "steward dev has an embedded store and a sample database to run steps on",
    "D1-durable": "steward serve with SERVICE_DATABASE_URL keeps plans across a restart",
    "D1-noop": "Without it every write is refused, saying what is missing and how to provide it",
    "D1-noop-reads": "Without it a plan that is asked for is unknown",
    "D1-noop-memory": "Without it memory search answers 500 Failed to query embeddings",
    "D1-one-port": "One port carries gRPC over cleartext HTTP/2 and REST over HTTP/1.1",
    "D1-http2":
      "REST over HTTP/2 is served as over HTTP/1.1, on the shared port and beside a gRPC port",
    "D1-grpc-port": "SERVICE_GRPC_PORT gives gRPC a port of its own",
    "D1-ready": "Readiness names the store and the data directory, each with ok or the reason",
    "D1-flags": "A flag bears its variable's name and wins over it",
    "D1-default-source": "A tool name that is not listed is SQL on the default data source",
    "D1-tools-file": "A tools file binds a tool name to a data source and its intents",
    "D1-strict": "In strict mode a tool name that is not listed is refused",
  },
  "Decision §2": {
    "D2-loopback": "Headers mode refuses to listen beyond loopback, and says the fix",
    "D2-secret": "With a shared secret, who does not know it is unauthenticated",
    "D2-two-secrets": "Two proxy secrets may be valid at a time, so that one can replace the other",
    "D2-once": "An identity header that is sent more than once is refused",
    "D2-vouched-org":
      "Where a proxy vouches for identity, a request without an organization is 401",
    "D2-vouched-search":
      "Where identity is vouched for, memory search's null org_id means the caller's organization and another's is 403",
    "D2-vouched-session": "A body's session_id does not beat the session that a trusted proxy sets",
    "D2-jwt":
      "SERVICE_AUTH=jwt: organization, role and permissions come from a verified token; identity headers are dropped",
    "D2-apikey":
      "SERVICE_AUTH=apikey: organization, role and permissions come from the key, of which only a SHA-256 is stored",
    "D2-mtls":
      "With mtls a verified client certificate says who calls, and one that is known to nobody is refused",
    "D2-browsers": "A request that a page of another site has a browser send is refused",
    "D2-metrics": "Metrics need the right metrics:read where callers have rights",
    "D2-docs": "The descriptions of the API can be switched off",
    "D2-private":
      "A store or data directory that others have rights on stops the start, with the fix",
    "D2-attempts":
      "Wrong credentials are limited by the address they come from: 429 with Retry-After after twenty in a minute; a right one passes",
    "D2-data-sources":
      "Where identity is vouched for, a data source is open to the organizations that the tools file lists, or to SERVICE_ORGANIZATION",
    "D2-nil-org": "Who names no organization belongs to the nil UUID",
    "D2-uuid": "An x-org-id that is no UUID is refused",
    "D2-not-found": "Another organization's plan is answered as if it did not exist",
    "D2-search-org":
      "Where nobody vouches for identity, memory search's org_id filters exactly as the contract says",
    "D2-session": "A plan without a session_id belongs to the session of x-session-id",
    "D2-context":
      "QueryRuntimeContext carries organization, session, user, agent, roles, permissions, ORM model, request id, deadline and signal",
  },
  "Decision §3": {
    "D3-pending-running": "pending becomes running when the first step is claimed",
    "D3-completed": "running becomes completed when every step is completed",
    "D3-fail-fast": "A step that fails for good fails the plan; steps not yet run become skipped",
    "D3-cancelled": "A pending or running plan becomes cancelled by CancelPlan",
    "D3-cancel-skips": "Steps that never ran become skipped by a cancel",
    "D3-cancel-interrupts": "A cancel interrupts the running statement; its step becomes cancelled",
    "D3-final": "completed and cancelled are final",
    "D3-retry-plan": "A failed plan leaves failed by RetryPlan only, keeping completed outputs",
    "D3-attempt": "Claiming a step raises its attempt",
    "D3-read-after-crash": "A read that a crash interrupted can be run again",
    "D3-write-once": "A write whose acknowledgement a crash swallowed is not applied twice",
    "D3-step-timeout": "A statement that exceeds the step time-out is stopped and fails its step",
    "D3-wait":
      "A step that waits for its data source longer than it may is handed back with OVERLOADED, and can be executed again",
    "D3-fair":
      "Organizations have their turns at a data source one after the other, and none has all of it",
    "D3-sessions": "The tools file says how many statements run on a data source at once",
    "D3-quotas":
      "An organization that sends too many requests, or has too many steps or streams under way, is refused with QUOTA_EXCEEDED and Retry-After, 429 and RESOURCE_EXHAUSTED",
    "D3-deadline": "A plan past its deadline fails",
    "D3-dependencies": "Executing a step whose dependencies are not completed is refused",
    "D3-join": "Executing a running step joins the attempt under way",
    "D3-replay": "Executing a completed step gives the stored result byte for byte, replayed",
    "D3-replay-silent": "A replay makes no event",
    "D3-failed-again": "Executing a failed step gives the stored failure",
    "D3-over": "Executing a skipped or cancelled step, or one of a plan that is over, is refused",
  },
  "Decision §4": {
    "D4-nothing-stored": "A refused plan leaves nothing behind",
    "D4-field": "A refusal names the field path and the reason",
    "D4-unknown-field": "An unknown field is refused, and the field that was meant is named",
    "D4-no-steps": "A plan without steps is refused",
    "D4-ids": "Duplicate step ids, and ids that are not 1 to 64 of A-Za-z0-9_-, are refused",
    "D4-unknown-dependency": "A dependency on an unknown step, or on itself, is refused",
    "D4-cycle": "A cycle is refused by name",
    "D4-placeholder-dependency": "A placeholder whose step is not in depends_on is refused",
    "D4-placeholder-place": "A placeholder in a comment or a quoted identifier is refused",
    "D4-intent": "An unknown intent is refused",
    "D4-parse": "A template that does not parse is refused",
    "D4-repair":
      "The refusal of a template that does not parse marks the place and says what to write instead",
    "D4-one-statement": "A template of more than one statement is refused",
    "D4-intent-match": "A template that does not match its declared intent is refused",
    "D4-every-part":
      "Every part of a statement that changes rows is within the intent; TRUNCATE CASCADE, policies and privileges are admin",
    "D4-intents": "Each of the six intents is taken for a statement it covers",
    "D4-limit-steps": "More than 1000 steps are refused, 1000 are taken",
    "D4-limit-dependencies": "More than 100 dependencies of a step are refused",
    "D4-limit-template": "A template over 64 KiB is refused",
    "D4-limit-templates": "Templates over 512 KiB together are refused",
    "D4-limit-texts": "A name over 255, a description over 8 KiB, a session_id over 255 is refused",
    "D4-limit-request": "A request over 4 MiB is refused",
    "D4-limit-values":
      "A request of more than 250 000 values, 50 000 fields, 10 000 values in one list, or 100 levels is refused before it is checked",
    "D4-limit-rows": "A result over 10 000 rows is cut, and a hint says so",
    "D4-limit-columns": "A result of more than 1000 columns fails its step",
    "D4-limit-rows-changed":
      "A write that changes more than 10 000 rows is rolled back and says so",
    "D4-limit-output": "An output over 2 MiB is cut, and a hint says so",
    "D4-idempotent": "The same idempotency key and body give the first answer",
    "D4-idempotency-conflict": "The same idempotency key with another body is refused",
  },
  "Decision §5": {
    "D5-never-text": "What an output holds never changes the statement",
    "D5-whole": "{{step.a.output}} binds the rows as one JSON array, for json_each",
    "D5-scalar": "{{step.a.output[0].id}} binds one value",
    "D5-list": "{{step.a.output[*].id}} binds a list for IN (…)",
    "D5-literal": "A placeholder inside a string literal is concatenated as a parameter",
    "D5-missing-path": "A path that does not exist fails the step with a message that names it",
    "D5-rows": "tool_output_json is a JSON array of row objects",
    "D5-values": "Integers that do not fit a double are strings, blobs base64",
    "D5-types":
      "Values keep the engine's type: integers beyond 2^53, whole floats, infinities, NUL in text",
    "D5-output-cut":
      "A cut output that a later step binds fails it with OUTPUT_CUT, unless it says output_cut",
  },
  "Decision §6": {
    "D6-sequence": "sequence counts a plan's events from 1 without gaps",
    "D6-timestamp": "Timestamps are RFC 3339 in UTC with milliseconds and never decrease",
    "D6-success":
      "PlanCreated, PlanStarted, per step PlanStepStarted and PlanStepExecuted, PlanCompleted",
    "D6-executed":
      "PlanStepExecuted tells step_id, step_index, status, attempt, row_count, duration_ms",
    "D6-completed": "PlanCompleted tells session_id, total_steps and duration_ms",
    "D6-failure":
      "A failed PlanStepExecuted, PlanStepSkipped in topological order, PlanFailed with its step and reason",
    "D6-cancel":
      "PlanCancelRequested, then PlanStepCancelled or PlanStepExecuted, PlanStepSkipped, PlanCancelled",
    "D6-retried": "RetryPlan makes PlanRetried",
    "D6-replay": "A stream replays from the start or the cursor, then goes on live",
    "D6-end": "A stream ends right after the event that ends the plan",
    "D6-unknown": "A stream of an unknown plan is not found",
    "D6-out-of-range": "A cursor beyond the newest event is out of range",
    "D6-sse":
      "GET /api/plans/:plan_id/events is a stream of server-sent events whose id is the sequence",
    "D6-last-event-id": "Last-Event-ID resumes a stream",
  },
  "Decision §7": {
    "D7-once": "Each attempt that reached its tool is one published event, success or failure",
    "D7-none": "Replayed, joined and refused calls publish none",
    "D7-custom":
      "What a custom orchestrator runs is a tool call too, and the text of its errors reaches the caller",
    "D7-row": "Each tool call is one usage row, success or failure; replays and refusals make none",
    "D7-intent-statement": "A step without intent gets the class of its statement",
    "D7-intent-explicit": "An intent given with the step comes before the statement's class",
    "D7-intent-source": "The row keeps which rule decided the intent",
    "D7-intent-name": "A tool's name tells its intent by its verb and object",
    "D7-intent-unknown": "A name that tells nothing counts as write_update, 3.0",
    "D7-days": "Reports count UTC days, ascending, only days that have rows",
    "D7-range": "from and to are inclusive; a malformed date, or from after to, is 400",
    "D7-no-model": "A missing orm_model is reported as unknown",
    "D7-money": "Money does not drift: sums are exact to the nanodollar",
  },
  "Decision §8": {
    "D8-key": "Without PAYMENT_SECRET_KEY the answer is 503, after the 403 and 400 checks",
    "D8-customer": "A customer bound to another organization is 403",
    "D8-list":
      "Payment methods are listed as id, type, brand, last4, exp_month, exp_year, created; none known: empty",
    "D8-pm-id": "A payment method's id is pm_ and letters, digits or underscores, or 400",
    "D8-foreign": "Another customer's payment method is 404 and is not asked to be detached",
    "D8-detached": "Detaching answers {data:{id, detached:true}}",
    "D8-errors":
      "The provider's 401 is 502, resource_missing 404, 400 400, 429 429 with Retry-After, 5xx and unreachable 502",
    "D8-odd-answers":
      "An answer of the provider that cannot be read, whatever JSON it is, is 502 and ends no process",
    "D8-idempotency": "An idempotency conflict at the provider is 409",
    "D8-secrets": "Secrets never appear in a message or log",
  },
  "Decision §9": {
    "D9-body": "A REST error is {error, code} and, where fields were wrong, details",
    "D9-error-info": "A gRPC error carries ErrorInfo with the code",
    "D9-invalid": "An invalid plan is INVALID_ARGUMENT, 400",
    "D9-malformed": "Malformed JSON and wrong types are refused with 400",
    "D9-not-found": "An unknown plan is NOT_FOUND, 404; from ExecuteStep in band",
    "D9-step-not-found": "An unknown step is told in band, 404",
    "D9-precondition": "Dependencies, a plan that is over: in band, 409",
    "D9-failed-step":
      "A step that ran and failed is 200 with status failed and error; success false and error_code over gRPC",
    "D9-hints": "A failed step's context update has hints that help to repair it",
    "D9-noop": "A write on the no-op orchestrator is UNIMPLEMENTED, 501; from ExecuteStep in band",
    "D9-quota":
      "A used-up budget is 429 with Retry-After and QUOTA_EXCEEDED; from ExecuteStep in band",
    "D9-too-large": "A body too large is RESOURCE_EXHAUSTED, 413",
    "D9-idempotency": "An idempotency conflict is ALREADY_EXISTS, 422",
    "D9-unknown-path": "An unknown path is 404, a wrong method 405, both in the shape of an error",
    "D9-index": "GET / leads on to the documentation, the health and the metrics",
    "D9-created": "POST /api/plans is 201 with Location",
    "D9-cancel":
      "DELETE is 200 with plan_id and cancelled, repeated the same; of a plan that is over 409",
    "D9-list": "Plans are listed newest first, by status and session, in pages with a cursor",
    "D9-retry": "RetryPlan lets a failed plan run on; any other plan is refused",
    "D9-plan-fields":
      "A plan also tells name, description, session_id, times, and each step's row_count, attempt and error",
  },
  "Decision §10": {
    "D10-contract-client":
      "A client with nothing but the contract's and the decisions' numbers works",
    "D10-reflection": "Server reflection describes the service",
    "D10-health": "grpc.health.v1 answers SERVING",
  },
  "Decision §11": {
    "D11-new": "A created table that was hinted at is a NEW delta",
    "D11-modified": "An altered table is a MODIFIED delta",
    "D11-removed": "A dropped table is a REMOVED delta",
    "D11-definition": "table_def_json holds columns, types, keys, foreign keys and indexes",
    "D11-touched": "Tables that the statement touches are compared without a hint",
    "D11-migration": "An applied migration is told as the deltas of its tables",
    "D11-error-first": "The first hint of a step that failed is its error, whatever it failed with",
    "D11-dialect":
      "A form of another database and a text in double quotes are answered with what runs on this one",
    "D11-pages":
      "A request, or else the step, limits the rows and bytes handed out, and an offset reads on without running anything",
    "D11-correction":
      "The hint of a failed statement says in one sentence what to write, and names the candidate",
    "D11-warning":
      "A statement that ran and probably means something else gets such a sentence too",
    "D11-permitted": "Hints name no column that the caller's policies forbid",
    "D11-readable": "Hints name no table or column that the role of a data source may not read",
    "D11-hints": "augmentation_hints tell in sentences of new tables and near-miss names",
  },
  "Decision §12": {
    "D12-entry":
      "Each tool call makes one entry: JSON of plan_id, step_id, tool_name, intent, query, status, row_count, output and error",
    "D12-cut": "The output in an entry is cut to 8 KiB",
    "D12-embedded": "The tool-call hook embeds in the background, also after a failure or a crash",
    "D12-together": "Entry and vector appear together",
    "D12-refused-vector":
      "A vector of the wrong length, or with NaN or infinity, is refused and never stored",
    "D12-zero-norm": "A norm of zero on either side scores 0",
    "D12-ties": "Equal scores come newer first, then by entry_id",
    "D12-repeatable": "The same question gets the same answer",
    "D12-identical": "Scores are float64 over the float32 components; identical vectors give 1",
    "D12-top-k": "top_k below 1 is 1, above 100 is 100",
    "D12-top-k-integer": "A top_k that is no integer is refused",
    "D12-empty-query": "An empty query is refused",
    "D12-org-uuid": "An org_id that is no UUID is refused",
    "D12-blob": "Vectors are stored as little-endian float32, never null",
    "D12-cascade": "related_cascade_targets is empty unless SERVICE_CASCADE_ENRICHMENT=on",
    "D12-cascade-on":
      "With SERVICE_CASCADE_ENRICHMENT=on it has the tables that ON DELETE CASCADE reaches",
    "D12-add": "An entry can be added; the next search finds it",
    "D12-get": "An entry can be read by its id",
    "D12-list": "Entries are listed newest first, filtered, in pages with a cursor",
    "D12-delete": "A deletion removes row, vector and index slot, and answers how many",
    "D12-delete-session": "A session's entries are deleted together, and the answer says how many",
    "D12-not-found": "Another organization's entries are answered as if they did not exist",
    "D12-filter": "A search can be narrowed by session, time, tool, intent and a JSON path",
    "D12-min-score": "A search can ask for a least score",
    "D12-hybrid": "A search can rank by words too, by reciprocal rank fusion with k = 60",
    "D12-explain": "A search says why each result stands where it does when it is asked to",
    "D12-models": "A start with another model than the stored vectors' stops, with the fix",
    "D12-reembed":
      "steward memory reembed changes a store to another model; killed, it goes on where it was",
    "D12-retention": "An organization can say how many days its entries are kept",
  },
  "Decision §13": {
    "D13-same-root": "The same set of quads has the same root, however it came to be",
    "D13-formats": "Each format that goes out comes in again with the same root",
    "D13-rdf12": "RDF 1.2 is kept: triple terms, reifiers, annotations and base directions",
    "D13-json-ld": "Triple terms are refused in JSON-LD, which has none",
    "D13-blank": "The same document always makes the same quads, blank nodes included",
    "D13-alike":
      "Blank nodes that are much alike are told apart in no time, or refused with the limit; others are answered meanwhile",
    "D13-target": "An import whose branch is elsewhere is refused before its document is read",
    "D13-malformed": "Malformed RDF is refused whole, with line and column",
    "D13-history": "log, diff and at tell what was, by branch, tag or content id",
    "D13-refs": "A ref moves only from where it was expected; else 409",
    "D13-unknown": "A ref or commit there is none of is 404, another organization's included",
    "D13-query": "Patterns and SPARQL are answered in the shape of SPARQL's JSON results",
    "D13-query-terms": "SPARQL tells terms apart by their form and answers with them as stored",
    "D13-proof": "A proof shows to whoever trusts a commit's id that it has a quad, or has it not",
    "D13-merge": "A merge takes both sides' changes in",
    "D13-conflict": "A merge with conflicts changes nothing and is 409, each conflict a detail",
    "D13-documents":
      "Documents of any size that is allowed go in and out as they come, whole or not at all",
    "D13-remove-and-add": "One commit takes quads out and adds others",
    "D13-revert": "A revert undoes one commit as a new one, and keeps what came since",
    "D13-revert-conflict":
      "A revert of what has changed since changes nothing and is 409, each conflict a detail",
    "D13-base":
      "A change of a branch that is not where the caller saw it is 409, and names where it is",
    "D13-own-branches":
      "Callers read the branches migrations and schemas/<database>, and only the service moves them",
    "D13-upkeep": "fsck finds nothing wrong, and gc deletes nothing that a ref leads to",
  },
  "Decision §15": {
    "D15-proof": "A migration is tried up and down and kept only if the roots are equal",
    "D15-written":
      "A wanted schema is taken as the usual tools write it, and refused by its line where it is more",
    "D15-unchanged": "Proposing the schema that there is answers unchanged, and keeps nothing",
    "D15-dump": "The present schema is read as SQL; proposing that asks for nothing",
    "D15-locks":
      "A migration says which statements share a transaction, what they lock, and who waits",
    "D15-pinned": "A migration runs only on the very schema that it is for",
    "D15-digest":
      "A run names the digest of the migration that was reviewed, and is 409 for another migration",
    "D15-code":
      "A migration that defines or changes code needs the permission manage:code, or the role admin",
    "D15-drift": "A database that is not as it was left is refused, and the difference named",
    "D15-loss": "Losing rows or values needs accept_data_loss",
    "D15-values":
      "A change of type that would change values stops and names them, unless data loss is accepted",
    "D15-hint": "A rename hint is carried out with the rows kept, or refused with what to do",
    "D15-tool":
      "A step with the intent admin applies a migration by the tool state.apply_migration",
    "D15-tool-told": "The tool's call is metered and logged as any other, its output one row",
    "D15-tool-intent": "The tool is called with the intent admin and a JSON object, or refused",
    "D15-tool-who": "Who runs the step must be allowed to apply migrations",
    "D15-tool-unknown": "What is in a migration's way fails the step and says so",
    "D15-once": "A step applies its migration once, whenever the server is killed",
    "D15-commit": "A step that changes a schema leaves a commit that names plan and step",
    "D15-found": "What others changed before a step is a commit of its own",
    "D15-no-change": "A step that changes no schema leaves no commit",
    "D15-compare": "Two commits are compared as schemas: operations, and the statements both ways",
    "D15-half-way":
      "A run that stopped half way waits: it is resumed or undone when somebody asks for it",
    "D15-invalid":
      "An index that a failed statement left invalid is named, and the next migration replaces it",
    "D15-unmanaged":
      "An object that no migration makes stays as it is, and a change that it stands in the way of names it",
    "D15-others": "A run takes back only what its journal says it has done",
    "D15-made-up": "A commit that a killed server could not make is made when the step is settled",
  },
  "Decision 0014": {
    "D14-reports": "A report shows every call that had ended when it was asked for",
    "D22-storage":
      "An organization is told what it stores by kind of data: the bytes of its texts and vectors, measured in the background",
    "D14-verify": "steward usage verify proves that totals are what rows add up to, and repairs",
    "D14-zone": "tz takes the days of an IANA zone; an unknown one is 400",
    "D14-group": "group_by tool, session, intent or model names the group in each row",
    "D14-csv": "format=csv, or accept: text/csv, gives CSV with exact money and no formulas",
    "D14-guard": "403 comes before 400 on every billing endpoint and call",
    "D14-specific": "The most specific price at the call's time wins: tool, model, intent, AAU",
    "D14-periods": "Periods are half open and never overlap; a new price ends the open one",
    "D14-frozen":
      "A row keeps its price; pricing anew adds corrections, twice changes nothing more",
    "D14-cap": "Of twenty calls of 3 AAU at once a cap of 10 admits three",
    "D14-pending": "A call over a cap is refused before it runs; its step stays pending",
    "D14-replay": "Finished steps are replayed whatever the budget says",
    "D14-warn": "A warning budget tells the agent among the hints",
    "D14-session": "A session's budget caps each session for itself",
    "D14-remaining": "The list of budgets shows what is recorded against each, and what is left",
    "D14-organizations":
      "The operator is told what every organization used, a page at a time; an organization's admin is not",
    "D14-events": "source and id count once for ever; a late event counts on the day it occurred",
    "D15-prices":
      "Prices are the operator's to set, of any organization; its billing admins read them",
    "D15-customer":
      "Where an organization is vouched for, a customer is bound to it by proof; an operator rebinds one",
    "D15-ceiling":
      "An organization sets no budget higher than the operator's, which counts beside its own",
    "D14-no-store": "Without a store usage answers 503",
    "D14-drain": "A shutdown records what waits",
  },
  "Decision §19": {
    "D19-pause": "With on_failure pause a failed step waits for its revision and the plan goes on",
    "D19-open":
      "A plan with keep_open whose steps have all completed waits for further steps until it is finished or its deadline",
    "D19-time-limit":
      "A step may ask for a time limit up to the operator's maximum; a larger one is refused with its field",
    "D19-append": "Steps can be appended to a plan that is not over, and build on completed ones",
    "D19-revise":
      "A step that failed is revised, runs anew in its new form, and its plan completes",
    "D19-revive":
      "Revising a step of a plan that failed lets the plan run on, with the steps that were skipped",
    "D19-completed": "A completed step is not revised",
    "D19-running": "A running step is not revised",
    "D19-checked": "Appended and revised steps are checked as submitted ones are",
    "D19-conflict": "A change of a plan at another revision than expected is refused",
    "D19-key": "A change is made once under its idempotency key",
    "D19-events": "PlanStepAppended and PlanStepRevised tell what changed",
    "D19-fork":
      "A fork keeps the outputs of completed steps without running them again, but for the step that is named and its dependents",
    "D19-fork-event": "PlanForked tells the plan, the step and the steps taken over",
  },
  "Decision §21": {
    "D21-touched": "A check tells what each step of a plan touches, as its database tells",
    "D21-verdict": "A check tells what the policies decide on each step, and why",
    "D21-price": "A check tells the weight and the price of each step",
    "D21-stored": "A check stores nothing and runs nothing",
    "D21-problem": "A check tells what the database would refuse now",
    "D21-invalid": "A check refuses a plan as a submission does",
  },
  "Decision §16": {
    "D16-default-deny": "What no policy permits is denied, over every wire",
    "D16-named":
      "A denial names the role or permission that is missing, or the policy that forbids",
    "D16-roles": "The shipped policies give each role its rights",
    "D16-own-roles":
      "Roles of an organization's own are taken by one rule in every mode, and permit nothing",
    "D16-admin-intent":
      "The intent admin needs its right at submit and again at execute, and a step refused then stays pending",
    "D16-own":
      "An organization's own policies only forbid, and count for its callers alone, as soon as they are put",
    "D16-touched":
      "Policies count for the tables and columns that a statement really touches, such as those of a view",
    "D16-written":
      "A statement runs only if its caller and everybody who wrote it may run it, and the refusal says whose right is missing",
    "D16-cancel":
      "Whoever may cancel plans cancels any plan of their organization, and none of another one",
    "D16-remembered":
      "What a step did is remembered, and sent to the embedding provider, unless policies forbid it to whoever had it run",
    "D16-first":
      "Until an organization has put policies, an agent's credential only reads, and is told the command that makes policies",
    "D16-trying-out":
      "On plain loopback a caller who names no role may do everything but billing, until a role is named",
  },
  "Decision §17": {
    "D17-url": "MCP is served at /mcp, and clients of earlier revisions at the same URL",
    "D17-tool-call":
      "A tool call over MCP makes one usage row; one that runs a step has the step's",
    "D17-authorized": "Each tool performs operations that are authorized as on the other wires",
    "D17-errors": "What goes wrong is a result with isError, its code in the structured content",
    "D17-definitions": "The client's tools are those that /mcp lists for the same caller",
    "D17-repeated": "A tool call that is repeated with its idempotency key makes no second plan",
    "D17-app":
      "submit_plan and get_plan name a page that draws the plan, which loads nothing from elsewhere",
    "D17-pages": "Rows are handed out in pages, and reading on runs nothing again",
    "D17-revisions":
      "A plan submitted over MCP pauses on a failure, its hint names the call that corrects the step, and steps can be appended",
  },
  "Decision §20": {
    "D20-listed": "Only listed tools of other MCP servers are called, whatever the mode",
    "D20-pinned": "A tool is called only as an operator has accepted its definition",
    "D20-bound": "Outputs become values of a tool's arguments and never change their structure",
    "D20-intent": "A call has the intent and the weight that the tools file says",
    "D20-once": "A call is made once; when nobody can tell its outcome, the step says so",
  },
  "Decision §18, what decides": {
    "D18-kinds":
      "What a statement does decides, as parser and engine report it; a declared intent adds no permission",
    "D18-outputs": "A stored output is decided on for the present caller, by what it touched",
    "D18-others":
      "Reading the plans of others needs plans:read_all, which everybody has on plain loopback",
    "D18-approvers":
      "Author, reviser and requester are excluded as approvers, only named persons count, and an agent's credential governs nothing",
    "D18-rows":
      "An approval covers at most the rows that were shown, unless the approver names another number",
    "D18-definitions":
      "An approval is for the present definitions of the views and functions that its statement goes through",
    "D18-unknown-role":
      "On plain loopback in headers mode a role that no policy knows counts as none",
    "D18-data-source":
      "A step has a data_source on every wire; the name of one as tool_name is refused with that fix, and an unlisted tool runs on the default one, which the update says where there are several",
    "D18-credential": "A credential that the mode does not read is 401",
  },
  "Decision 0018": {
    "D18-search":
      "A question finds the tables that answer it, by words of names, columns and values",
    "D18-describe":
      "A table is described with columns, keys, values, joins and rows, and never beyond the token budget",
    "D18-visible":
      "The catalog neither shows nor searches what the caller's policies forbid to read",
    "D18-listed": "The catalog lists the data sources with the intents that policies permit",
  },
} as const;

export type RequirementId = IdsIn<typeof CONTRACT> | IdsIn<typeof DECISIONS>;

type IdsIn<Sections> = {
  [Section in keyof Sections]: keyof Sections[Section] & string;
}[keyof Sections];

/** Every requirement, in the order of the documents. */
export const REQUIREMENTS: readonly Requirement[] = Object.entries({
  ...CONTRACT,
  ...DECISIONS,
}).flatMap(([source, texts]) =>
  Object.entries(texts).map(([id, text]) => ({ id: id as RequirementId, source, text })),
);
