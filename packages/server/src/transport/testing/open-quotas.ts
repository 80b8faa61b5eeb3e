import { systemClock } from "@steward/kernel/clock.js";
import { OrganizationQuotas, type QuotaLimits } from "../organization-quotas.js";

/** Quotas that no test reaches, except the given ones. */
export function openQuotas(limits: Partial<QuotaLimits> = {}): OrganizationQuotas {
  const open = { requestsPerSecond: 1_000_000, stepsMax: 100_000, streamsMax: 100_000 };
  return new OrganizationQuotas({ ...open, ...limits }, systemClock);
}
