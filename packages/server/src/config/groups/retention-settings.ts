import {
  IDEMPOTENCY_KEYS_DAYS,
  MEMORY_DAYS,
  PLANS_DAYS,
  RETENTION_DAYS_MAX,
  USAGE_DETAIL_DAYS,
} from "../../retention/limits.js";
import { boolean, integer, type SettingType } from "../setting-types.js";
import type { Setting } from "../settings.js";

/** Settings of how long data is kept. */
export interface RetentionSettings {
  readonly retentionPlansDays: Setting<number>;
  readonly retentionKeysDays: Setting<number>;
  readonly retentionMemoryDays: Setting<number>;
  readonly retentionUsageDays: Setting<number>;
  readonly retentionLonger: Setting<boolean>;
}

const days = (example: number): SettingType<number> =>
  integer({
    min: 0,
    max: RETENTION_DAYS_MAX,
    unit: "days",
    placeholder: "days",
    example: String(example),
  });

export const RETENTION_SETTINGS: RetentionSettings = {
  retentionPlansDays: {
    name: "SERVICE_RETENTION_PLANS_DAYS",
    flag: "retention-plans-days",
    type: days(PLANS_DAYS),
    default: String(PLANS_DAYS),
    help: "Days for which an ended plan is kept with its outputs, events and tool calls; 0: without limit.",
  },
  retentionKeysDays: {
    name: "SERVICE_RETENTION_KEYS_DAYS",
    flag: "retention-keys-days",
    type: days(IDEMPOTENCY_KEYS_DAYS),
    default: String(IDEMPOTENCY_KEYS_DAYS),
    help: "Days for which an idempotency key is kept, at most as long as its plan; 0: as long as its plan.",
  },
  retentionMemoryDays: {
    name: "SERVICE_RETENTION_MEMORY_DAYS",
    flag: "retention-memory-days",
    type: days(MEMORY_DAYS),
    default: String(MEMORY_DAYS),
    help: "Days for which memory entries are kept; 0: without limit.",
  },
  retentionUsageDays: {
    name: "SERVICE_RETENTION_USAGE_DAYS",
    flag: "retention-usage-days",
    type: days(USAGE_DETAIL_DAYS),
    default: String(USAGE_DETAIL_DAYS),
    help: "Days for which the row of each call's usage is kept; the totals stay. 0: without limit.",
  },
  retentionLonger: {
    name: "SERVICE_RETENTION_LONGER",
    flag: "retention-longer",
    type: boolean,
    default: "false",
    help: "Whether an organization may keep its data for longer than these days; shorter it always may.",
  },
};
