import { SetAside } from "@steward/kernel/concurrency/set-aside.js";
import { systemTimers } from "@steward/kernel/concurrency/timers.js";
import { silentLog } from "@steward/kernel/log.js";
import type { AbandonedStep } from "../../ports.js";
import type { PlanEngine } from "../plan-engine.js";

/** Sweeps once. @returns the abandoned steps, which stay as they are. */
export async function swept(engine: Pick<PlanEngine, "sweep">): Promise<readonly AbandonedStep[]> {
  const abandoned: AbandonedStep[] = [];
  const random = (): number => 0;
  const setAside = new SetAside({ work: "a sweep", log: silentLog, timers: systemTimers, random });
  await engine.sweep(10, setAside, (step) => {
    abandoned.push(step);
    return Promise.resolve();
  });
  return abandoned;
}
