/** The texts of the page that connects an agent. */
export const connectTexts = {
  title: "Connect your agent",
  subtitle: "Copy what your client needs; the first call appears below",
  client: "Client",
  clients: {
    "claude-code": "Claude Code",
    cursor: "Cursor",
    vscode: "VS Code",
    "claude-desktop": "Claude Desktop",
    chatgpt: "ChatGPT",
    typescript: "TypeScript",
    curl: "curl",
  },
  where: {
    "claude-code": "In a terminal:",
    cursor: "In ~/.cursor/mcp.json, or in .cursor/mcp.json of a project:",
    vscode: "In a terminal; then VS Code asks for what it needs:",
    "claude-desktop":
      "In claude_desktop_config.json, with the path at which Steward is installed on that machine:",
    chatgpt:
      "ChatGPT reaches only servers with a public https address. Switch on the developer mode in its settings for connectors, and create one with this address:",
    typescript: "With the package @steward/client:",
    curl: "In a terminal:",
  },
  noKey: "This server takes calls without a key on this machine.",
  key: "The lines take an API key from the variable STEWARD_API_KEY. The role agent fits most agents.",
  makeKey: "Create a key",
  lines: "What to copy",
  check: "First call",
  waiting: "Waiting for a call…",
  waitingHint:
    "Ask your agent which data it sees, or let it run a statement. This page notices by itself.",
  received: "A call has arrived",
  receivedHint: "Your agent is connected.",
  newestPlan: "Newest plan",
  noPlanYet: "none yet",
  callsToday: "Calls counted today (UTC)",
} as const;
