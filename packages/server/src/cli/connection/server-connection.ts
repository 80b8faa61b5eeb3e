import { createClient } from "@steward/client";
import type { ClientOptions as ServerOptions, StewardClient } from "@steward/client";
import { Command } from "commander";
import { readSetting, SERVER_URL_SETTING } from "../../config/index.js";
import type { Environment } from "../../config/index.js";
import { usageError } from "../cli-error.js";
import { clientCredential, type CredentialOptions } from "./client-credential.js";
import { watchedFetch } from "./watched-fetch.js";
import { JSON_OPTION_HELP } from "../json-option.js";

/** The options of commands that connect to a server. */
export interface ClientOptions extends CredentialOptions {
  readonly server?: string;
  readonly org?: string;
  readonly session?: string;
  readonly user?: string;
  /** Only for commands that need a role. */
  readonly role?: string;
  /** Print JSON instead of formatted text. */
  readonly json?: true;
}

/** A command that connects to a server, with options for the server, the caller and the output. */
export function clientCommand(name: string, description: string): Command {
  const { flag = "", type, help, default: preset = "" } = SERVER_URL_SETTING;
  return new Command(name)
    .description(description)
    .optionsGroup("Connection:")
    .option(`--${flag} <${type.placeholder}>`, `${help} (default: ${preset}, or SERVICE_URL)`)
    .option("--api-key <key>", "API key to show; better in STEWARD_API_KEY or a file.")
    .option("--api-key-file <path>", "File with the API key (or STEWARD_API_KEY_FILE).")
    .option("--org <uuid>", "Organization to act for (x-org-id).")
    .option("--session <id>", "Session to act in (x-session-id).")
    .option("--user <id>", "User to act as (x-user-id).")
    .optionsGroup("Options:")
    .option("--json", JSON_OPTION_HELP);
}

/** Adds the option for the role that a command acts in. */
export function withRole(command: Command, role: string): Command {
  return command.option("--role <role>", "Role to act in (x-user-role).", role);
}

/**
 * Creates a client for the server named by flags or the environment.
 * @throws CliError for an invalid URL.
 */
export function connect(options: ClientOptions, env: Environment): StewardClient {
  const server = serverOptions(options, env);
  return createClient({ ...server, fetch: watchedFetch(server.baseUrl) });
}

/**
 * The server and the caller named by flags or the environment.
 * @throws CliError for an invalid URL.
 */
export function serverOptions(options: ClientOptions, env: Environment): ServerOptions {
  const flags = { [SERVER_URL_SETTING.name]: options.server };
  const { value, problem } = readSetting(SERVER_URL_SETTING, { flags, env });
  if (value === undefined) {
    throw usageError(
      `${SERVER_URL_SETTING.name}: ${problem?.reason ?? "unset"}`,
      problem?.fix ?? "",
    );
  }
  return {
    baseUrl: value,
    ...clientCredential(options, env),
    ...(options.org === undefined ? {} : { orgId: options.org }),
    ...(options.session === undefined ? {} : { sessionId: options.session }),
    ...(options.user === undefined ? {} : { userId: options.user }),
    ...(options.role === undefined ? {} : { role: options.role }),
  };
}
