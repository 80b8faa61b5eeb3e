import { addOperationRoutes } from "../../operations/wires/rest-routes.js";
import { stateChanges, stateReads } from "../../operations/state.js";
import { ResourceRights } from "../../resource-rights.js";
import type { Services } from "../../services.js";
import type { RestApp } from "../rest-app.js";
import { addDocumentRoutes } from "./state-document-routes.js";

/** The state of the caller's organization (Decision §13). */
export function addStateRoutes(app: RestApp, services: Services): void {
  addOperationRoutes(app, stateReads(services));
  addDocumentRoutes(app, services.state, new ResourceRights(services.authorize));
  addOperationRoutes(app, stateChanges(services));
}
