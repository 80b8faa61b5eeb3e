/** The client of PostgreSQL that every room and package shares, and what PostgreSQL's errors mean. */
export { containParser, PostgresClient } from "./postgres-client.js";
export {
  connectionRefusal,
  isConnectionLost,
  isOutcomeUnknown,
  sqlStateOf,
} from "./postgres-errors.js";
export { ReportTooLong } from "./postgres-messages.js";
