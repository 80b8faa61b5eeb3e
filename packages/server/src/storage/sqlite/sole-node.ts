import type { Clock } from "@steward/kernel/clock.js";
import type { EngineNode, PlanHandover } from "../../plans/engine/index.js";

/** What the one process is called that owns the store. */
export const SOLE_NODE_ID = "sole";

/** The one process that owns the store: it owns every plan, for as long as it lives. */
export function soleNode(clock: Clock): EngineNode {
  return {
    nodeId: SOLE_NODE_ID,
    hasLease: true,
    nowMs: () => clock.nowMs(),
    isAlive: () => Promise.resolve(true),
    onBeat: () => undefined,
  };
}

/** There is nobody to hand a plan to. */
export const NO_HANDOVER: PlanHandover = {
  request: () => Promise.resolve(),
  requested: () => Promise.resolve([]),
  release: () => Promise.resolve(),
  announceChange: () => undefined,
  listen: () => () => undefined,
};
