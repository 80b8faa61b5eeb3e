import type { Command } from "commander";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import {
  configOrExit,
  settingsCommand,
  type SettingsOptions,
} from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";

interface LoginOptions extends SettingsOptions {
  readonly scope?: string;
  readonly redirectPort: string;
}

/**
 * `steward tools login`: a person signs in to another MCP server in a browser, and steps call its tools
 * with that person's rights from then on.
 */
export function loginCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "login",
    "Signs in to another MCP server (OAuth 2.1), and stores its tokens in the data directory.",
  )
    .argument("<server>", "The name of an entry of mcp_servers whose grant is authorization_code.")
    .option(
      "--scope <scope>",
      "Scopes, separated by spaces (default: the tools file's, or the server's).",
    )
    .option("--redirect-port <port>", "Port of the redirect on 127.0.0.1; 0: any free one.", "0");
  return command.action(async (name: string, { json, scope, redirectPort }: LoginOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    const { AccessRefused, signInServers, signInToMcpServer } =
      await import("../../app/mcp-sign-in.js");
    const servers = signInServers(config);
    const server = servers.find((each) => each.name === name);
    if (server === undefined)
      throw unknownServer(
        name,
        servers.map((each) => each.name),
      );
    try {
      const signedIn = await signInToMcpServer(server, config, {
        port: portOf(redirectPort),
        ...(scope === undefined ? {} : { scope }),
        show: (page) => {
          terminal.note(`open this page in a browser on this machine: ${page.href}`);
        },
      });
      if (json) terminal.printJson({ server: name, ...signedIn });
      else terminal.note(`signed in at ${signedIn.issuer}; stored in ${signedIn.file}`);
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") {
        throw new CliError("nobody signed in", {
          ...{ exitCode: EXIT.failed, code: "TIMEOUT" },
          fix: "run the command again, and open the page in a browser on this machine",
        });
      }
      if (!(error instanceof AccessRefused)) throw error;
      throw new CliError(error.message, { exitCode: EXIT.failed, code: "ACCESS_REFUSED" });
    }
  });
}

function unknownServer(name: string, known: readonly string[]): CliError {
  return usageError(
    `nobody signs in to ${name}`,
    known.length === 0
      ? "give a server of the tools file `oauth: { grant: authorization_code }`"
      : `name one of ${known.join(", ")}`,
  );
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw usageError("--redirect-port is no port", "give a number from 0 to 65535");
}
