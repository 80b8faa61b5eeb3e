import { AppError } from "@steward/kernel/errors.js";
import type { Unsubscribe } from "../../kernel/event-bus.js";
import type { PlanCheck } from "../plan-check.js";
import type {
  Orchestrator,
  PlanChecks,
  PlanJournal,
  PlanPage,
  PlanRevisions,
} from "../orchestrator.js";
import type { PlanEvent } from "../plan-events.js";
import type { PlanRecord, PlanRevised, StepExecution } from "../plan.js";

/**
 * The default without a store. Every write is an explicit error, and every read answers as if no
 * plan existed (Contract §4.3, Decision §1).
 */
export class NoopOrchestrator implements Orchestrator, PlanJournal, PlanRevisions, PlanChecks {
  createPlan(): Promise<PlanRecord> {
    return Promise.reject(notConfigured());
  }

  checkPlan(): Promise<PlanCheck> {
    return Promise.reject(notConfigured());
  }

  getPlan(): Promise<PlanRecord | undefined> {
    return Promise.resolve(undefined);
  }

  executeStep(): Promise<StepExecution> {
    return Promise.reject(notConfigured());
  }

  cancelPlan(): Promise<void> {
    return Promise.reject(notConfigured());
  }

  listPlans(): Promise<PlanPage> {
    return Promise.resolve({ plans: [] });
  }

  retryPlan(): Promise<PlanRecord> {
    return Promise.reject(notConfigured());
  }

  appendSteps(): Promise<PlanRevised> {
    return Promise.reject(notConfigured());
  }

  reviseStep(): Promise<PlanRevised> {
    return Promise.reject(notConfigured());
  }

  forkPlan(): Promise<PlanRevised> {
    return Promise.reject(notConfigured());
  }

  finishPlan(): Promise<void> {
    return Promise.reject(notConfigured());
  }

  readEvents(planId: string): Promise<readonly PlanEvent[]> {
    return Promise.reject(new AppError("PLAN_NOT_FOUND", `Unknown plan ${planId}`));
  }

  onPlanEvents(): Unsubscribe {
    return () => undefined;
  }
}

function notConfigured(): AppError {
  return new AppError(
    "ORCHESTRATOR_NOT_CONFIGURED",
    "WorkflowOrchestrator is not configured: no backing store; set SERVICE_DATABASE_URL",
  );
}
