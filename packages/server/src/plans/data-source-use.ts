import type { Caller } from "@steward/kernel/caller.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { AppError } from "@steward/kernel/errors.js";
import { fieldInPlan, type FieldOfStep } from "./dag.js";
import type { PreparedStep } from "./plan.js";

/**
 * Refuses steps on data sources that are not open to the caller's organization, and of tools that are not for the caller.
 * @throws AppError `POLICY_DENIED`, with every refused step after the first in its details.
 */
export function requireDataSources(
  steps: readonly PreparedStep[],
  access: DataSourceAccess,
  caller: Caller,
  fieldOf: FieldOfStep = fieldInPlan,
): void {
  const details = steps.flatMap((step) => {
    const { index, dataSourceBy } = step;
    const reason = access.stepRefusal(caller, step);
    const field = dataSourceBy === "step" ? "data_source" : "tool_name";
    return reason === undefined ? [] : [{ field: `${fieldOf(index)}.${field}`, reason }];
  });
  const [first] = details;
  if (first !== undefined) throw new AppError("POLICY_DENIED", first.reason, { details });
}
