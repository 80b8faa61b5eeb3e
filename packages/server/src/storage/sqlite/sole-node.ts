import type { Clock } from "@steward/kernel/clock.js";
import type { EngineNode, PlanHandover } from "../../plans/engine/index.js";

/** The node id of the only process of a store. */
export const SOLE_NODE_ID = "sole";

/** The only process of the store: it owns every plan as long as it lives. */
export function soleNode(clock: Clock): EngineNode {
  return {
    nodeId: SOLE_NODE_ID,
    hasLease: true,
    nowMs: () => clock.nowMs(),
    isAlive: () => Promise.resolve(true),
    onBeat: () => undefined,
  };
}

/** There is no other node to hand a plan to. */
export const NO_HANDOVER: PlanHandover = {
  request: () => Promise.resolve(),
  requested: () => Promise.resolve([]),
  release: () => Promise.resolve(),
  announceChange: () => undefined,
  listen: () => () => undefined,
};
