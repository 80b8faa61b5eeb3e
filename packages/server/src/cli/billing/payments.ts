import type { PaymentMethod } from "@steward/client";
import { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { billingCommand, OPERATOR } from "./billing-command.js";

/** `steward payments …`: the saved payment methods. */
export function paymentsCommand(context: CliContext): Command {
  return new Command("payments")
    .description("Shows and detaches saved payment methods, and shows their customer.")
    .addCommand(listCommand(context))
    .addCommand(detachCommand(context))
    .addCommand(customerCommand(context))
    .addCommand(rebindCommand(context));
}

function listCommand({ env, terminal }: CliContext): Command {
  return billingCommand("list", "Lists the saved payment methods, newest first.").action(
    async (options: ClientOptions) => {
      const methods = await connect(options, env).billing.paymentMethods();
      if (options.json) {
        terminal.printJson(methods);
        return;
      }
      const titles = ["METHOD", "TYPE", "BRAND", "LAST4", "EXPIRES"];
      const columns = titles.map((title, index) => ({ title, whole: index === 0 }));
      terminal.printTable(columns, methods.map(methodRow));
      if (methods.length === 0) terminal.note("no payment methods are saved");
    },
  );
}

function methodRow(method: PaymentMethod): readonly string[] {
  const { exp_month: month, exp_year: year } = method;
  return [
    method.id,
    method.type,
    method.brand ?? "",
    method.last4 ?? "",
    month === null || year === null ? "" : `${String(month).padStart(2, "0")}/${String(year)}`,
  ];
}

function detachCommand({ env, terminal }: CliContext): Command {
  return billingCommand("detach", "Detaches a payment method permanently.")
    .argument("<pm-id>", "Id of the payment method.")
    .action(async (id: string, options: ClientOptions) => {
      const detached = await connect(options, env).billing.detachPaymentMethod(id);
      if (options.json) terminal.printJson(detached);
      else terminal.print("detached");
    });
}

function customerCommand({ env, terminal }: CliContext): Command {
  const what =
    "Shows the organization's customer at the payment provider; creates one if it has none.";
  return billingCommand("customer", what).action(async (options: ClientOptions) => {
    const customer = await connect(options, env).billing.createCustomer();
    if (options.json) terminal.printJson(customer);
    else terminal.print(customer.customer_id);
  });
}

function rebindCommand({ env, terminal }: CliContext): Command {
  return billingCommand(
    "rebind",
    "Moves a customer to another organization, as operator.",
    OPERATOR,
  )
    .argument("<customer-id>", "Id of the customer at the payment provider.")
    .argument("<org-uuid>", "The organization that gets the customer.")
    .action(async (customerId: string, orgId: string, options: ClientOptions) => {
      const customer = await connect(options, env).billing.rebindCustomer(customerId, orgId);
      if (options.json) terminal.printJson(customer);
      else terminal.print(`${customer.customer_id} belongs to ${customer.org_id}`);
    });
}
