/** The filters of the inbox, as its address contains them. */
export interface ApprovalSearch {
  readonly show?: "pending" | "all";
  readonly approval?: string;
}

/** The view of an address, which anybody may have written. */
export function approvalSearchOf({
  show,
  approval,
}: Readonly<Record<string, unknown>>): ApprovalSearch {
  return {
    ...(show === "pending" || show === "all" ? { show } : {}),
    ...(typeof approval === "string" ? { approval } : {}),
  };
}
