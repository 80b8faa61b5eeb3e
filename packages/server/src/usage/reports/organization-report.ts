import { invalidField } from "@steward/kernel/errors.js";
import { isUuid } from "@steward/kernel/ids.js";
import { USAGE_ORGANIZATIONS_PAGE_DEFAULT, USAGE_ORGANIZATIONS_PAGE_MAX } from "../limits.js";
import type { OrganizationPage } from "../ports.js";
import type { UsageTotals } from "../posting.js";
import { daysOf, parseReportQuery, type ReportParameters } from "./report-query.js";

/** The usage of one organization. */
export interface OrganizationTotals extends UsageTotals {
  readonly orgId: string;
}

/** Parameters of the report over all organizations, as in the request. */
export interface OrganizationReportParameters extends Pick<ReportParameters, "from" | "to"> {
  /** Absent: {@link USAGE_ORGANIZATIONS_PAGE_DEFAULT}. */
  readonly limit?: number | undefined;
  /** The cursor of the previous page; absent: the first page. */
  readonly cursor?: string | undefined;
}

/** A page of the report over all organizations. */
export interface OrganizationReport {
  readonly organizations: readonly OrganizationTotals[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Validates the parameters of the report over all organizations. A cursor is the id of the last
 * organization shown.
 * @throws AppError `INVALID_ARGUMENT` naming the parameter.
 */
export function parseOrganizationReport({
  from,
  to,
  limit = USAGE_ORGANIZATIONS_PAGE_DEFAULT,
  cursor,
}: OrganizationReportParameters): OrganizationPage {
  const { fromMs, untilMs } = daysOf(parseReportQuery({ from, to }));
  if (!Number.isInteger(limit) || limit < 1 || limit > USAGE_ORGANIZATIONS_PAGE_MAX) {
    throw invalidField("limit", `must be an integer from 1 to ${USAGE_ORGANIZATIONS_PAGE_MAX}`);
  }
  if (cursor === undefined) return { fromMs, untilMs, limit };
  if (!isUuid(cursor)) throw invalidField("cursor", "must be the next_cursor of a page");
  return { fromMs, untilMs, limit, after: cursor.toLowerCase() };
}

/** @param totals one more than the page's size, if there are more. */
export function organizationReport(
  totals: readonly OrganizationTotals[],
  limit: number,
): OrganizationReport {
  const organizations = totals.slice(0, limit);
  const last = organizations.at(-1);
  if (last === undefined || totals.length <= limit) return { organizations };
  return { organizations, nextCursor: last.orgId };
}
