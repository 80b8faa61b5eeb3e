import type { Command } from "commander";
import type { ToolState } from "../../app/mcp-pins.js";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import {
  configOrExit,
  settingsCommand,
  type SettingsOptions,
} from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";
import { confirm, isInteractive } from "../terminal/confirm.js";
import { definitionLines } from "./definition-lines.js";

interface PinOptions extends SettingsOptions {
  readonly yes?: true;
}

/** `steward tools pin`: accepts the present definitions of tools, after showing them. */
export function pinCommand(context: CliContext): Command {
  const { env, terminal } = context;
  const command = settingsCommand(
    "pin",
    "Accepts the present definitions of other MCP servers' tools; steps may call them from then on.",
  )
    .argument(
      "[tools...]",
      "Names such as mcp:files/read_file (default: all new and changed tools).",
    )
    .option("--yes", "Do not ask.");
  return command.action(async (names: readonly string[], { json, yes }: PinOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    const { lookAtMcpTools } = await import("../../app/mcp-pins.js");
    const pins = await lookAtMcpTools(config, new AbortController().signal);
    const { states, file = "" } = pins;
    const open = chosen(states, names);
    for (const line of json ? [] : open.flatMap(definitionLines)) terminal.print(line);
    const isAccepted = open.length > 0 && (yes ?? (await isConfirmed(open.length, context)));
    if (isAccepted) pins.accept(new Set(open.map(({ name }) => name)));
    const pinned = isAccepted ? open.map(({ name }) => name) : [];
    if (json) terminal.printJson({ pinned, file });
    else if (open.length === 0) terminal.note("there is nothing to accept");
    else terminal.note(isAccepted ? `accepted in ${file}` : "nothing was accepted");
  });
}

/** @throws CliError for a name that cannot be accepted. */
function chosen(states: readonly ToolState[], names: readonly string[]): readonly ToolState[] {
  const open = states.filter(({ state }) => state === "new" || state === "changed");
  for (const name of names) {
    const known = states.find((each) => each.name === name);
    if (known?.state === "missing")
      throw usageError(`the server does not offer ${name}`, "correct its name in the tools file");
    if (known?.state === "unreachable") {
      throw usageError(
        `the server of ${name} cannot be asked: ${known.problem ?? ""}`,
        "correct its entry in the tools file, or start it",
      );
    }
    if (known === undefined)
      throw usageError(
        `the tools file does not list ${name}`,
        "list it under mcp_servers in the tools file",
      );
  }
  return names.length === 0 ? open : open.filter(({ name }) => names.includes(name));
}

function isConfirmed(count: number, context: CliContext): Promise<boolean> {
  if (!isInteractive(context)) {
    throw usageError(
      "there is no terminal to ask on",
      "look at the definitions with `steward tools list`, then add --yes",
    );
  }
  return confirm(
    `Accept ${count === 1 ? "this definition" : `these ${String(count)} definitions`}?`,
    context,
  );
}
