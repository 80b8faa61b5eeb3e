import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import {
  configOrExit,
  settingsCommand,
  type SettingsOptions,
} from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";
import { definitionLines } from "./definition-lines.js";

/**
 * `steward tools list`: asks the servers for their tools. It fails unless each listed tool is defined
 * as it was accepted, so that a deployment can check that.
 */
export function listCommand({ env, terminal, exitWith }: CliContext): Command {
  const command = settingsCommand(
    "list",
    "Compares the tools of other MCP servers with what was accepted.",
  );
  return command.action(async ({ json }: SettingsOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    const { lookAtMcpTools } = await import("../../app/mcp-pins.js");
    const { states } = await lookAtMcpTools(config, new AbortController().signal);
    if (states.some(({ state }) => state !== "pinned")) exitWith(EXIT.failed);
    if (json) {
      terminal.printJson(states);
      return;
    }
    if (states.length === 0) {
      terminal.note("the tools file lists no mcp_servers");
      return;
    }
    const columns = [{ title: "TOOL", whole: true }, { title: "INTENT" }, { title: "STATE" }];
    terminal.printTable(
      columns,
      states.map(({ name, intent, state, problem, differences }) => {
        const why = problem ?? differences.join(", ");
        return [name, intent, why === "" ? state : `${state}: ${why}`];
      }),
    );
    const open = states.filter(({ state }) => state === "new" || state === "changed");
    for (const line of open.flatMap(definitionLines)) terminal.print(line);
    if (open.length > 0) terminal.note("accept these definitions with `steward tools pin`");
  });
}
