import { operationTable } from "../operation.js";
import { beginErasure } from "./begin-erasure.js";
import { estimateErasure } from "./estimate-erasure.js";
import { getErasure } from "./get-erasure.js";
import { getRetention } from "./get-retention.js";
import { liftHold } from "./lift-hold.js";
import { listErasures } from "./list-erasures.js";
import { listHolds } from "./list-holds.js";
import { placeHold } from "./place-hold.js";
import { setRetention } from "./set-retention.js";

/** For how long an organization's data is kept, its legal holds and its erasures (Decision §22). */
export const retention = operationTable({
  getRetention,
  setRetention,
  placeHold,
  listHolds,
  liftHold,
  estimateErasure,
  beginErasure,
  listErasures,
  getErasure,
});
