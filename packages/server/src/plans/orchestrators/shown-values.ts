import type { ApprovalSubject, ShownPlanStep } from "../../approvals/index.js";
import type { StoredApproval } from "../../approvals/ports.js";
import type { StoredOutputs } from "../attempts/stored-outputs.js";
import { valueSources } from "../attempts/step-approval.js";
import type { LoadedPlan, PlanEngine } from "../engine/index.js";
import type { QueryRuntimeContext } from "../orchestrator.js";

/** Dependencies of the decision on the values in an approval. */
interface ShownValuesParts {
  readonly engine: Pick<PlanEngine, "loadPlan" | "sourcesIn">;
  readonly outputs: StoredOutputs;
}

/**
 * An approval with the values that its reader may have: they come from outputs of earlier steps.
 */
export async function withShownValues(
  approval: StoredApproval,
  ctx: QueryRuntimeContext,
  { engine, outputs }: ShownValuesParts,
): Promise<StoredApproval> {
  const { orgId, planId, stepId, subject } = approval;
  if (!showsValues(subject)) return approval;
  const plan = await engine.loadPlan({ orgId, planId });
  const isHidden = async (id: string): Promise<boolean> => {
    const step = stepIn(plan, id);
    if (step === undefined) return true;
    return (await outputs.refusal(ctx, engine.sourcesIn(plan).of(step).slice(1))) !== undefined;
  };
  const planSteps = subject.planSteps?.map(async (shown): Promise<ShownPlanStep> => {
    if (!hasValues(shown) || !(await isHidden(shown.stepId))) return shown;
    const step = stepIn(plan, shown.stepId);
    return { ...shown, values: { from: step ? valueSources(step).map(({ from }) => from) : [] } };
  });
  const { values, valuesLeftOut } = subject;
  return {
    ...approval,
    subject: {
      ...subject,
      ...((await isHidden(stepId))
        ? { values: [], valuesLeftOut: valuesLeftOut + values.length }
        : {}),
      ...(planSteps === undefined ? {} : { planSteps: await Promise.all(planSteps) }),
    },
  };
}

function showsValues({ values, planSteps = [] }: ApprovalSubject): boolean {
  return values.length > 0 || planSteps.some(hasValues);
}

function hasValues({ values }: ShownPlanStep): boolean {
  return Array.isArray(values) && values.length > 0;
}

function stepIn(
  { prepared }: LoadedPlan,
  stepId: string,
): LoadedPlan["prepared"][number] | undefined {
  return prepared.find(({ id }) => id === stepId);
}
