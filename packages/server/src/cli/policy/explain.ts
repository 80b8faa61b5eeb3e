import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { answerLines } from "./answer-lines.js";
import { policyAdminCommand } from "./policy-command.js";

interface ExplainOptions extends ClientOptions {
  readonly as: readonly string[];
  readonly permission: readonly string[];
  readonly agent?: string;
  readonly dataSource?: string;
  readonly table: readonly string[];
  readonly column: readonly string[];
}

/**
 * `steward policy explain`: whether a caller may perform an action, which policies decide, and why.
 */
export function explainCommand({ env, terminal }: CliContext): Command {
  const collect = (value: string, before: readonly string[]): readonly string[] => [
    ...before,
    value,
  ];
  return policyAdminCommand("explain", "Shows whether a request would be allowed, and why.")
    .argument(
      "<action>",
      "Action (plans:submit), intent of a statement (write_delete), or memory:record.",
    )
    .option("--as <role>", "Role of the caller; may be repeated.", collect, [])
    .option("--permission <name>", "Permission of the caller; may be repeated.", collect, [])
    .option("--agent <id>", "The agent that would act (default: a person).")
    .option("--data-source <name>", "Data source of the statement.")
    .option("--table <name>", "Table that the statement is about; may be repeated.", collect, [])
    .option("--column <name>", "Column, as in customers.email; may be repeated.", collect, [])
    .action(async (action: string, options: ExplainOptions) => {
      const { as: roles, permission: permissions, agent, dataSource } = options;
      const { table: tables, column: columns } = options;
      const answer = await connect(options, env).policies.explainPolicies({
        ...{ action, roles, permissions, tables, columns },
        ...(agent === undefined ? {} : { agent_id: agent }),
        ...(dataSource === undefined ? {} : { data_source: dataSource }),
      });
      if (options.json) terminal.printJson(answer);
      else answerLines(answer).forEach(terminal.print);
    });
}
