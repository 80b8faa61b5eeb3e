import { operationTable } from "../operation.js";
import { getSystemStatus } from "./get-system-status.js";

/** The server as its operator sees it. */
export const system = operationTable({ getSystemStatus });
