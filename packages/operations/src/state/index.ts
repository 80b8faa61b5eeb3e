import { operationTable } from "../operation.js";
import { checkState } from "./check-state.js";
import { collectState } from "./collect-state.js";
import { getStateAt } from "./get-state-at.js";
import { getStateDiff } from "./get-state-diff.js";
import { getStateLog } from "./get-state-log.js";
import { listStateRefs } from "./list-state-refs.js";
import { mergeState } from "./merge-state.js";
import { moveStateRef } from "./move-state-ref.js";
import { proveState } from "./prove-state.js";
import { queryState } from "./query-state.js";
import { revertState } from "./revert-state.js";

/** The state of the caller's organization: datasets of RDF with their history (Decision §13). */
export const state = operationTable({
  listStateRefs,
  moveStateRef,
  getStateLog,
  getStateDiff,
  getStateAt,
  queryState,
  proveState,
  mergeState,
  revertState,
  checkState,
  collectState,
});
