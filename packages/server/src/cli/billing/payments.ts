import type { PaymentMethod } from "@steward/client";
import { Command } from "commander";
import type { CliContext } from "../context.js";
import { BILLING } from "../gen/commands.js";
import { addOperationCommands } from "../operation-commands.js";

/** `steward payments …`: the saved payment methods. */
export function paymentsCommand(context: CliContext): Command {
  const command = new Command("payments").description(
    "Shows and detaches saved payment methods, and shows their customer.",
  );
  const rows = { listPaymentMethods: withExpiry };
  return addOperationCommands(command, context, { group: "billing", commands: BILLING, rows });
}

function withExpiry(method: PaymentMethod) {
  const { exp_month: month, exp_year: year } = method;
  const isKnown = month !== null && year !== null;
  return {
    ...method,
    exp_month: isKnown ? `${String(month).padStart(2, "0")}/${String(year)}` : "",
  };
}
