import type { Scenario } from "../scenario.js";
import { authorization } from "./authorization.js";
import { budgets } from "./budgets.js";
import { catalog } from "./catalog.js";
import { context } from "./context.js";
import { ending } from "./ending.js";
import { events } from "./events.js";
import { executing } from "./executing.js";
import { listing } from "./listing.js";
import { memory } from "./memory.js";
import { overGrpc } from "./over-grpc.js";
import { overMcp } from "./over-mcp.js";
import { overRest } from "./over-rest.js";
import { placeholders } from "./placeholders.js";
import { prices } from "./prices.js";
import { reports } from "./reports.js";
import { checking } from "./plans/checking.js";
import { deciding } from "./plans/deciding.js";
import { revising } from "./plans/revising.js";
import { state } from "./state.js";
import { submitting } from "./submitting.js";
import { toolCalls } from "./tool-calls.js";
import { validation } from "./validation.js";

/** Scenarios of steps, which may depend on the engine of the data source. */
export const stepScenarios: readonly Scenario[] = [
  ...submitting,
  ...validation,
  ...executing,
  ...placeholders,
  ...context,
  ...events,
  ...ending,
  ...checking,
  ...revising,
  ...toolCalls,
  ...overRest,
  ...overGrpc,
];

/** All scenarios for a running server. */
export const scenarios: readonly Scenario[] = [
  ...stepScenarios,
  ...listing,
  ...reports,
  ...prices,
  ...budgets,
  ...memory,
  ...catalog,
  ...state,
  ...authorization,
  ...deciding,
  ...overMcp,
];
