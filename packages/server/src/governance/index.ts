/**
 * Governance: what a step declares that it does, what its statement really does, and whether the
 * one covers the other.
 *
 * Glossary. **Intent**: what a step declares. **Statement class**: what the parsed statement does.
 * **Analyzer**: the parser that tells. **Guard**: the rule that compares them.
 */
export {
  INTENTS,
  intentCovers,
  isIntent,
  isReadIntent,
  type Intent,
  type IntentSource,
  type StatementClass,
} from "./intent.js";
export { publishToolCalls } from "./audit-publisher.js";
export { recordedData } from "./recorded-data.js";
export { intentOfToolName } from "./tool-name.js";
export type {
  AnnouncedToolCall,
  Dialect,
  FunctionName,
  PlannedStatement,
  SqlAnalyzer,
  StatementAnalysis,
  StatementGrant,
  StatementPolicy,
  StatementReader,
  ToolCallGate,
} from "./ports.js";
export {
  accessOf,
  namedData,
  type DataAccess,
  type TouchedData,
  type TouchedTable,
} from "./touched-data.js";
