import { Command, Option } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { billingCommand, organizationOf, withOrganization } from "./billing-command.js";

interface BudgetOptions extends ClientOptions {
  readonly for?: string;
}

interface SetOptions extends BudgetOptions {
  readonly scope: string;
  readonly period: string;
  readonly action: string;
}

/** `steward budget …`: limits of usage. */
export function budgetCommand(context: CliContext): Command {
  return new Command("budget")
    .description("Shows and sets budgets for usage.")
    .addCommand(listCommand(context))
    .addCommand(setCommand(context))
    .addCommand(removeCommand(context));
}

function listCommand({ env, terminal }: CliContext): Command {
  const command = withOrganization(billingCommand("list", "Lists the budgets."));
  return command.action(async (options: BudgetOptions) => {
    const budgets = await connect(options, env).billing.budgets(organizationOf(options));
    if (options.json) {
      terminal.printJson(budgets);
      return;
    }
    const columns = [
      { title: "BUDGET", whole: true },
      { title: "OF" },
      { title: "USED", align: "right" as const },
      { title: "LEFT", align: "right" as const },
      { title: "LIMIT", align: "right" as const },
      { title: "UNIT" },
      { title: "PER" },
      { title: "THEN" },
      { title: "SET BY" },
    ];
    const rows = budgets.map((budget) => [
      budget.budget_id,
      budget.scope,
      budget.used ?? "",
      budget.remaining ?? "",
      budget.limit,
      budget.unit,
      budget.period,
      budget.action,
      budget.set_by,
    ]);
    terminal.printTable(columns, rows);
    if (rows.length === 0) terminal.note("no budgets: usage has no limit");
  });
}

function setCommand({ env, terminal }: CliContext): Command {
  const scope = new Option("--scope <scope>", "The whole organization, or each session.");
  const period = new Option("--period <period>", "The period it applies to, in UTC.");
  const action = new Option("--action <action>", "What happens to a call that exceeds it.");
  const what = "Sets a budget, in the place of one for the same; an operator's is a ceiling.";
  return withOrganization(billingCommand("set", what))
    .argument("<limit>", "Whole AAUs, or decimal dollars.")
    .argument("<unit>", "aau or usd.")
    .addOption(scope.choices(["organization", "session"]).default("organization"))
    .addOption(period.choices(["day", "month", "total"]).default("month"))
    .addOption(action.choices(["warn", "block"]).default("block"))
    .action(async (limit: string, unit: string, options: SetOptions) => {
      const { scope, period, action } = options;
      const { billing } = connect(options, env);
      const budget = await billing.setBudget({
        ...{ scope, unit, period, limit, action },
        ...organizationOf(options),
      });
      if (options.json) terminal.printJson(budget);
      else terminal.print(budget.budget_id);
    });
}

function removeCommand({ env, terminal }: CliContext): Command {
  return withOrganization(billingCommand("remove", "Removes a budget."))
    .argument("<budget-id>", "Id of the budget.")
    .action(async (budgetId: string, options: BudgetOptions) => {
      const { billing } = connect(options, env);
      const removed = await billing.removeBudget(budgetId, organizationOf(options));
      if (options.json) terminal.printJson(removed);
      else terminal.print("removed");
    });
}
