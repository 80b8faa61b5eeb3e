import { driveForkedPlan } from "./forked-plan.js";
import { drivePlan, type Acknowledged, type Address } from "./plan-driver.js";
import { driveRevisedPlan } from "./revised-plan.js";

/**
 * What a client does: a third of the clients drive their plans as they were submitted, a third revise them and append
 * steps, a third fork them.
 */
export function driverOf(client: number): (url: Address) => Promise<readonly Acknowledged[]> {
  if (client % 3 === 0) return driveForkedPlan;
  const drive = client % 3 === 1 ? drivePlan : driveRevisedPlan;
  return async (url) => [await drive(url)];
}
