// Written by `npm run operations:gen` from packages/operations; do not edit.
import type { Commands } from "../operation-commands.js";

export const APPROVALS: Commands = {
  revokeApproval: {
    command: "approvals revoke",
    summary: "Revokes a standing approval: later statements need approvals of their own again.",
    role: "approver",
    arguments: [
      {
        member: "approval_id",
        name: "approval-id",
        description: "Id of the approval: steward approvals list --standing.",
      },
    ],
    print: "revoked at {revoked_at}",
  },
};

export const BILLING: Commands = {
  listPrices: {
    command: "price list",
    summary: "Lists the prices, past and future ones too.",
    role: "admin",
    options: [
      {
        member: "org_id",
        flags: "--for <uuid>",
        description: "Organization that an operator means (default: --org).",
        role: "operator",
      },
    ],
    columns: [
      { title: "PER", member: "scope" },
      { title: "NAME", member: "subject" },
      { title: "USD", member: "amount_usd", align: "right" },
      { title: "FROM", member: "from" },
      { title: "UNTIL", member: "until" },
    ],
    empty: "no prices: usage costs nothing",
  },
  setPrice: {
    command: "price set",
    summary: "Sets a price, as operator; the one before it ends where this one begins.",
    role: "operator",
    arguments: [
      { member: "scope", description: "aau, intent, model or tool; the most specific price wins." },
      { member: "amount_usd", name: "usd", description: "Dollars for each AAU, or for each call." },
      {
        member: "subject",
        name: "name",
        description: "The intent, model or tool that the price applies to.",
        optional: true,
      },
    ],
    options: [
      {
        member: "org_id",
        flags: "--for <uuid>",
        description: "Organization that an operator means (default: --org).",
        role: "operator",
      },
      {
        member: "from",
        flags: "--from <time>",
        description: "Date or RFC 3339 from which it applies (default: now).",
      },
      {
        member: "until",
        flags: "--until <time>",
        description: "Date or RFC 3339 until which it applies (default: no end).",
      },
    ],
  },
  listBudgets: {
    command: "budget list",
    summary: "Lists the budgets.",
    role: "admin",
    options: [
      {
        member: "org_id",
        flags: "--for <uuid>",
        description: "Organization that an operator means (default: --org).",
        role: "operator",
      },
    ],
    columns: [
      { title: "BUDGET", member: "budget_id", whole: true },
      { title: "OF", member: "scope" },
      { title: "USED", member: "used", align: "right" },
      { title: "LEFT", member: "remaining", align: "right" },
      { title: "LIMIT", member: "limit", align: "right" },
      { title: "UNIT", member: "unit" },
      { title: "PER", member: "period" },
      { title: "THEN", member: "action" },
      { title: "SET BY", member: "set_by" },
    ],
    empty: "no budgets: usage has no limit",
  },
  setBudget: {
    command: "budget set",
    summary: "Sets a budget, in the place of one for the same; an operator's is a ceiling.",
    role: "admin",
    arguments: [
      { member: "limit", description: "Whole AAUs, or decimal dollars." },
      { member: "unit", description: "aau or usd." },
    ],
    options: [
      {
        member: "org_id",
        flags: "--for <uuid>",
        description: "Organization that an operator means (default: --org).",
        role: "operator",
      },
      {
        member: "scope",
        flags: "--scope <scope>",
        description: "The whole organization, or each session.",
        choices: ["organization", "session"],
        default: "organization",
      },
      {
        member: "period",
        flags: "--period <period>",
        description: "The period it applies to, in UTC.",
        choices: ["day", "month", "total"],
        default: "month",
      },
      {
        member: "action",
        flags: "--action <action>",
        description: "What happens to a call that exceeds it.",
        choices: ["warn", "block"],
        default: "block",
      },
    ],
    print: "{budget_id}",
  },
  removeBudget: {
    command: "budget remove",
    summary: "Removes a budget.",
    role: "admin",
    arguments: [{ member: "budget_id", name: "budget-id", description: "Id of the budget." }],
    options: [
      {
        member: "org_id",
        flags: "--for <uuid>",
        description: "Organization that an operator means (default: --org).",
        role: "operator",
      },
    ],
    print: "removed",
  },
  listPaymentMethods: {
    command: "payments list",
    summary: "Lists the saved payment methods, newest first.",
    role: "admin",
    columns: [
      { title: "METHOD", member: "id", whole: true },
      { title: "TYPE", member: "type" },
      { title: "BRAND", member: "brand" },
      { title: "LAST4", member: "last4" },
      { title: "EXPIRES", member: "exp_month" },
    ],
    empty: "no payment methods are saved",
  },
  detachPaymentMethod: {
    command: "payments detach",
    summary: "Detaches a payment method permanently.",
    role: "admin",
    arguments: [{ member: "pm_id", name: "pm-id", description: "Id of the payment method." }],
    print: "detached",
  },
  createPaymentCustomer: {
    command: "payments customer",
    summary:
      "Shows the organization's customer at the payment provider; creates one if it has none.",
    role: "admin",
    print: "{customer_id}",
  },
  rebindPaymentCustomer: {
    command: "payments rebind",
    summary: "Moves a customer to another organization, as operator.",
    role: "operator",
    arguments: [
      {
        member: "customer_id",
        name: "customer-id",
        description: "Id of the customer at the payment provider.",
      },
      {
        member: "org_id",
        name: "org-uuid",
        description: "The organization that gets the customer.",
      },
    ],
    print: "{customer_id} belongs to {org_id}",
  },
};

export const CATALOG: Commands = {
  searchCatalog: {
    command: "catalog search",
    summary: "Finds the tables that answer a question.",
    arguments: [{ member: "query", name: "question", description: "A question or words." }],
    options: [
      {
        member: "data_source",
        flags: "--data-source <name>",
        description: "Only tables of this data source.",
      },
      {
        member: "limit",
        flags: "--limit <n>",
        description: "Maximum number of tables, 1 to 50.",
        isNumber: true,
      },
    ],
    columns: [
      { title: "SCORE", member: "score", align: "right" },
      { title: "DATA SOURCE", member: "data_source" },
      { title: "TABLE", member: "table", whole: true },
      { title: "COLUMNS", member: "columns" },
    ],
    empty: "no table matches",
  },
  describeTable: {
    command: "catalog show",
    summary: "Describes a table as an agent sees it.",
    arguments: [{ member: "table", description: "Name of the table or view." }],
    options: [
      {
        member: "data_source",
        flags: "--data-source <name>",
        description: "Data source of the table.",
      },
      {
        member: "token_budget",
        flags: "--tokens <n>",
        description: "Tokens that the description may have, 100 to 100000.",
        isNumber: true,
      },
    ],
    print: "{text}",
  },
};

export const PLANS: Commands = {
  cancelPlan: {
    command: "plan cancel",
    summary: "Cancels a plan and interrupts its running steps.",
    arguments: [{ member: "plan_id", name: "plan-id", description: "Id of the plan." }],
    print: "{status}",
  },
  finishPlan: {
    command: "plan finish",
    summary: "Completes a plan that stays open (keep_open), once its steps have run.",
    arguments: [{ member: "plan_id", name: "plan-id", description: "Id of the plan." }],
    print: "{status}",
  },
};

export const RETENTION: Commands = {
  placeHold: {
    command: "hold set",
    summary: "Places a legal hold: nothing that it covers is deleted.",
    role: "admin",
    arguments: [{ member: "reason", description: "Why, for those who find the hold later." }],
    options: [
      {
        member: "session_id",
        flags: "--for <session>",
        description: "Only this session (default: the whole organization).",
      },
    ],
    print: "{hold_id}",
  },
  listHolds: {
    command: "hold list",
    summary: "Lists the legal holds, oldest first.",
    role: "admin",
    columns: [
      { title: "HOLD", member: "hold_id" },
      { title: "COVERS", member: "session_id" },
      { title: "REASON", member: "reason" },
      { title: "BY", member: "placed_by" },
      { title: "SINCE", member: "placed_at" },
    ],
    empty: "no legal holds: expired data is deleted",
  },
  liftHold: {
    command: "hold remove",
    summary: "Lifts a legal hold.",
    role: "admin",
    arguments: [
      { member: "hold_id", name: "hold", description: "Id of the hold, as in steward hold list." },
    ],
    print: "lifted {hold_id}",
  },
};

export const STATE: Commands = {
  collectState: {
    command: "state gc",
    summary: "Deletes what no branch or tag leads to, except what was written of late.",
    print: "{deleted} blocks deleted, {kept} in use",
  },
};

export const WEBHOOKS: Commands = {
  listWebhookDeliveries: {
    command: "webhooks list",
    summary: "Lists webhook messages that their targets have not accepted yet.",
    role: "admin",
    options: [
      {
        member: "status",
        flags: "--status <status>",
        description: "Only those that wait, or that failed for good.",
        choices: ["waiting", "dead"],
      },
      { member: "target", flags: "--target <name>", description: "Only those to this target." },
      { member: "cursor", flags: "--cursor <cursor>", description: "Where the page before ended." },
    ],
    rows: "deliveries",
    columns: [
      { title: "MESSAGE", member: "message_id", whole: true },
      { title: "TARGET", member: "target" },
      { title: "STATUS", member: "status" },
      { title: "TYPE", member: "type" },
      { title: "ATTEMPTS", member: "attempts" },
      { title: "WHEN", member: "next_attempt_at" },
      { title: "ERROR", member: "error" },
    ],
    empty: "every message was accepted",
  },
};
