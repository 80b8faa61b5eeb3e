/** Limits of usage reports. */

/** Organizations on one page of the operator's usage report. */
export const USAGE_ORGANIZATIONS_PAGE_MAX: number = 200;
/** Default page size of the operator's usage report, in organizations. */
export const USAGE_ORGANIZATIONS_PAGE_DEFAULT: number = 50;
