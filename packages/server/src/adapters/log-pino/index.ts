/** The log as JSON lines on standard error, written by pino. */
export { pinoLog } from "./pino-log.js";
