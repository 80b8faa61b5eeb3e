/**
 * Governance: the intent that a step declares, the class of its statement, and whether the intent
 * covers the class.
 *
 * Glossary. **Intent**: the declared purpose of a step. **Statement class**: the effect of the
 * parsed statement. **Analyzer**: the parser that determines the class. **Guard**: the rule that
 * compares them.
 */
export {
  INTENTS,
  intentCovers,
  isIntent,
  isReadIntent,
  isSameAsked,
  kindsOfClass,
  ROW_CHANGES,
  type Intent,
  type IntentSource,
  type StatementClass,
} from "./intent.js";
export {
  ApprovalRequired,
  liftedPolicy,
  OperationApprovalRequired,
  type ApprovalRule,
  type WholePlanValues,
  type NeededApproval,
} from "./approval-rule.js";
export { publishToolCalls } from "./audit-publisher.js";
export { recordedData, usedColumns } from "./recorded-data.js";
export { intentOfToolName } from "./tool-name.js";
export type {
  AnnouncedToolCall,
  ChangedObject,
  Dialect,
  EngineRefusal,
  ExplainedStatementPolicy,
  FunctionName,
  OutputPolicy,
  OutputToHandOut,
  PlannedStatement,
  SqlAnalyzer,
  StatementAnalysis,
  StatementDecision,
  StatementGrant,
  StatementPolicy,
  StatementReader,
  StatementRule,
  ToolCallGate,
} from "./ports.js";
export {
  accessOf,
  changesIn,
  namedData,
  timesIn,
  type DataAccess,
  type GeneratedColumn,
  type TouchedData,
  type TouchedTable,
  withSources,
} from "./touched-data.js";
export {
  argumentsSchema,
  isListType,
  isOfType,
  PARAMETER_TYPES,
  type ParameterType,
  type ToolParameter,
  type ToolTest,
  type VettedStatement,
} from "./vetted-statement.js";
export {
  MCP_PREFIX,
  mcpToolName,
  type McpEndpoint,
  type McpOAuth,
  type McpServer,
  type McpTool,
} from "./mcp-server.js";
