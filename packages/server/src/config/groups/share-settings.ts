import {
  APPROVAL_VALID_MS,
  APPROVAL_VALID_MS_MAX,
  APPROVAL_VALID_MS_MIN,
} from "../../approvals/limits.js";
import {
  ORG_REQUESTS_PER_SECOND,
  ORG_REQUESTS_PER_SECOND_MAX,
  ORG_STEPS_MAX,
  ORG_STEPS_MAX_MAX,
  ORG_STREAMS_MAX,
  ORG_STREAMS_MAX_MAX,
  SESSIONS_MAX_MAX,
} from "../limits.js";
import {
  PLAN_DEADLINE_MS,
  ROWS_CHANGED_MAX,
  ROWS_CHANGED_MAX_MAX,
  STEP_TIMEOUT_MS,
  STEP_TIMEOUT_MS_MAX,
  STEP_WAIT_MS,
} from "../../plans/limits.js";
import { ORG_BYTES_MAX, ORG_BYTES_MAX_MAX } from "../../usage/limits.js";
import { bytes, integer, type SettingType } from "../setting-types.js";
import type { Setting } from "../settings.js";

/** Settings that limit the resources of an organization, a plan or a step. */
export interface ShareSettings {
  readonly orgRequestsPerSecond: Setting<number>;
  readonly orgStepsMax: Setting<number>;
  readonly orgStreamsMax: Setting<number>;
  readonly orgBytesMax: Setting<number>;
  readonly stepTimeoutMs: Setting<number>;
  readonly stepWaitMs: Setting<number>;
  readonly sessionsMax: Setting<number>;
  readonly planDeadlineMs: Setting<number>;
  readonly approvalValidMs: Setting<number>;
  readonly rowsChangedMax: Setting<number>;
}

/** Upper bound of a plan's deadline: a plan is a task, not an archive. */
const PLAN_DEADLINE_MS_MAX = 30 * 24 * 60 * 60 * 1000;

const stepTime: SettingType<number> = integer({
  min: 1,
  max: STEP_TIMEOUT_MS_MAX,
  unit: "milliseconds",
  placeholder: "ms",
  example: "30000",
});

export const SHARE_SETTINGS: ShareSettings = {
  orgRequestsPerSecond: {
    name: "SERVICE_ORG_REQUESTS_PER_SECOND",
    flag: "org-requests-per-second",
    type: integer({
      min: 1,
      max: ORG_REQUESTS_PER_SECOND_MAX,
      unit: "requests",
      placeholder: "n",
      example: String(ORG_REQUESTS_PER_SECOND),
    }),
    default: String(ORG_REQUESTS_PER_SECOND),
    help: "Requests that one organization may send to this server in a second; more are 429 with Retry-After.",
  },
  orgStepsMax: {
    name: "SERVICE_ORG_STEPS_MAX",
    flag: "org-steps-max",
    type: integer({
      min: 1,
      max: ORG_STEPS_MAX_MAX,
      unit: "steps",
      placeholder: "n",
      example: String(ORG_STEPS_MAX),
    }),
    default: String(ORG_STEPS_MAX),
    help: "Steps of one organization that this server executes at once, waiting ones included.",
  },
  orgStreamsMax: {
    name: "SERVICE_ORG_STREAMS_MAX",
    flag: "org-streams-max",
    type: integer({
      min: 1,
      max: ORG_STREAMS_MAX_MAX,
      unit: "streams",
      placeholder: "n",
      example: String(ORG_STREAMS_MAX),
    }),
    default: String(ORG_STREAMS_MAX),
    help: "Event streams that one organization may have open on this server at once.",
  },
  orgBytesMax: {
    name: "SERVICE_ORG_BYTES_MAX",
    flag: "org-bytes-max",
    type: bytes({ max: ORG_BYTES_MAX_MAX, example: "50GiB" }),
    default: String(ORG_BYTES_MAX),
    help: "How much one organization may store: plans with their outputs, memory, usage, state and audit records. 0: no quota.",
  },
  stepTimeoutMs: {
    name: "SERVICE_STEP_TIMEOUT_MS",
    flag: "step-timeout-ms",
    type: stepTime,
    default: String(STEP_TIMEOUT_MS),
    help: "How long one attempt of a step may run, in milliseconds; the wait for its turn does not count.",
  },
  stepWaitMs: {
    name: "SERVICE_STEP_WAIT_MS",
    flag: "step-wait-ms",
    type: stepTime,
    default: String(STEP_WAIT_MS),
    help: "How long a step may wait for its turn at its data source, in milliseconds.",
  },
  sessionsMax: {
    name: "SERVICE_SESSIONS_MAX",
    flag: "sessions-max",
    type: integer({
      min: 1,
      max: SESSIONS_MAX_MAX,
      unit: "sessions",
      placeholder: "n",
      example: "4",
    }),
    help:
      "Statements that run on one data source at once, unless the tools file sets another number; one organization may use " +
      "all but one of them. Unset: 4 that read a SQLite file, 10 on PostgreSQL.",
  },
  planDeadlineMs: {
    name: "SERVICE_PLAN_DEADLINE_MS",
    flag: "plan-deadline-ms",
    type: integer({
      min: 1000,
      max: PLAN_DEADLINE_MS_MAX,
      unit: "milliseconds",
      placeholder: "ms",
      example: "86400000",
    }),
    default: String(PLAN_DEADLINE_MS),
    help: "The deadline of a plan, in milliseconds after its creation.",
  },
  approvalValidMs: {
    name: "SERVICE_APPROVAL_VALID_MS",
    flag: "approval-valid-ms",
    type: integer({
      min: APPROVAL_VALID_MS_MIN,
      max: APPROVAL_VALID_MS_MAX,
      unit: "milliseconds",
      placeholder: "ms",
      example: "86400000",
    }),
    default: String(APPROVAL_VALID_MS),
    help: "How long after its request an approval can be given and used, in milliseconds.",
  },
  rowsChangedMax: {
    name: "SERVICE_ROWS_CHANGED_MAX",
    flag: "rows-changed-max",
    type: integer({
      min: 1,
      max: ROWS_CHANGED_MAX_MAX,
      unit: "rows",
      placeholder: "n",
      example: "10000",
    }),
    default: String(ROWS_CHANGED_MAX),
    help: "How many rows one step may change; a step that changes more is rolled back.",
  },
};
