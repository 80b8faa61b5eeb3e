/**
 * The REST messages: one zod schema per body and query, with snake_case names as they are sent, and
 * a type that is inferred from it.
 */
export { dataOf, type Data } from "./envelope.js";
export { errorBodySchema, type ErrorBody, type ErrorDetail } from "./errors.js";
export {
  planEventSchema,
  planEventsQuerySchema,
  type PlanEvent,
  type PlanEventsQuery,
} from "./events.js";
export { serviceIndexSchema, type ServiceIndex } from "./service-index.js";
export {
  migrationProposalSchema,
  unchangedSchemaSchema,
  type MigrationProposal,
  type RenameHint,
  type SchemaFile,
  type UnchangedSchema,
} from "./migrations.js";
export { setupPageSchema, type SetupPage } from "./payments.js";
export {
  USAGE_EVENTS_MAX,
  usageCloudEventSchema,
  usageIngestionSchema,
  type UsageCloudEvent,
  type UsageIngestion,
} from "./usage.js";
export {
  sessionSchema,
  signedInSchema,
  signedOutSchema,
  signInSchema,
  type Session,
  type SessionCaller,
  type SignedIn,
  type SignedOut,
  type SignIn,
} from "./session.js";
