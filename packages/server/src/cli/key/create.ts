import { Option, type Command } from "commander";
import { systemClock } from "@steward/kernel/clock.js";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { keysCommand, printIssued, withKeys, type KeyOptions } from "./key-command.js";

interface CreateOptions extends KeyOptions {
  readonly name: string;
  readonly agent?: string;
  readonly actingFor?: string;
  readonly user?: string;
  readonly role: readonly string[];
  readonly permission: readonly string[];
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly environment: "live" | "test";
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `steward key create`: prints the key's text, which cannot be shown again. */
export function createCommand(context: CliContext): Command {
  const environment = new Option(
    "--environment <name>",
    "Environment name, part of the key's text.",
  );
  const command = keysCommand("create", "Creates an API key and prints it.")
    .requiredOption("--name <text>", "Name of the key, for people.")
    .option("--agent <id>", "The agent that uses the key.")
    .option("--acting-for <user>", "The user that the agent acts for.")
    .addOption(
      new Option(
        "--user <id>",
        "The person whose key it is; an approver's key needs one.",
      ).conflicts(["agent", "actingFor"]),
    )
    .option("--role <name>", "A role that the key gives; may be repeated.", collect, [])
    .option("--permission <name>", "A permission; may be repeated.", collect, [])
    .option("--scope <name>", "A scope that limits the key; may be repeated.", collect, [])
    .option("--expires <when>", "A date or RFC 3339, or days from now, as 90d (default: never).")
    .addOption(environment.choices(["live", "test"]).default("live"));
  return command.action(async (options: CreateOptions) => {
    const { name, agent, user, actingFor = user, role, permission, scope, expires } = options;
    const draft = {
      ...{ name, environment: options.environment, roles: role, permissions: permission },
      scopes: scope,
      ...(agent === undefined ? {} : { agentId: agent }),
      ...(actingFor === undefined ? {} : { userId: actingFor }),
      ...(expires === undefined ? {} : { expiresAtMs: expiryOf(expires) }),
    };
    const issued = await withKeys(context, command, (service, operator) =>
      service.create(operator, draft),
    );
    printIssued(issued, options, context);
  });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function expiryOf(text: string): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  const ms = days === undefined ? Date.parse(text) : systemClock.nowMs() + Number(days) * DAY_MS;
  if (Number.isNaN(ms))
    throw usageError(
      `--expires ${text} is neither a date nor a number of days`,
      "write 2027-01-31 or 90d",
    );
  return ms;
}
