/** The texts of the page that writes a new plan. */
export const newPlanTexts = {
  title: "New plan",
  subtitle: "Write statements; the plan is checked as you type, and nothing runs",
  name: "Name of the plan",
  editor: "Statements of the plan",
  placeholder:
    "-- step orders: The latest open order\nSELECT id, customer_id FROM orders ORDER BY id DESC LIMIT 1",
  help: "A step begins with “-- step id: name”, or “-- step id on crm: name” for a data source that is not the default one. {{step.id.output[0].column}} is a value of an earlier step. Ctrl+Enter submits.",
  submit: "Submit",
  empty: "No step yet",
  emptyHint:
    "Write a statement on the left. Its graph, what it touches, whether it may run and what it costs appear here.",
  dryRun: "Dry run",
  checking: "Checking…",
  findings: {
    permit: "Permitted",
    deny: "Denied",
    fails: "Would fail now",
    approval: "Needs an approval",
  },
  notChecked: "Not checked yet",
  total: (aau: number, dollars: number | undefined) =>
    dollars === undefined ? `${aau} AAU` : `${aau} AAU · $${dollars}`,
  estimated: (rows: number) => (rows === 1 ? "about 1 row" : `about ${rows} rows`),
  problems: {
    twice: (line: number) => `Line ${line}: another step has this id.`,
    empty: (line: number) => `Line ${line}: the step has no statement.`,
  },
} as const;
