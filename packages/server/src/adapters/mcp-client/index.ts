/**
 * Tools of other MCP servers in plans.
 *
 * Glossary. **Definition**: what an LLM is shown of a tool. **Pin**: a definition that an operator
 * has accepted. **Connection**: one for each call.
 */
export { Connections } from "./connections.js";
export { AccessRefused, GrantFile, signIn } from "./oauth/index.js";
export { mcpToolAccess, mcpTools } from "./mcp-tools.js";
export { PinFile } from "./pin-file.js";
export { acceptTools, type ToolState, toolStates } from "./tool-states.js";
