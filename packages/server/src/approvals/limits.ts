/** Limits of approvals (Decision §16, docs/decisions/0024). */

/** How long a request for an approval, and an approval that was given, are valid, in ms. */
export const APPROVAL_VALID_MS: number = 24 * 60 * 60 * 1000;
/** Lower bound of the setting, in ms. */
export const APPROVAL_VALID_MS_MIN: number = 60 * 1000;
/** Upper bound of the setting, in ms. */
export const APPROVAL_VALID_MS_MAX: number = 30 * 24 * 60 * 60 * 1000;
/** Bytes of UTF-8 in the reason of a decision. */
export const APPROVAL_REASON_BYTES_MAX: number = 1024;
/** Bytes of UTF-8 of one value that an approver is shown; the digest covers the whole value. */
export const SHOWN_VALUE_BYTES_MAX: number = 4 * 1024;
/** Values of one statement that an approver is shown; the digest covers all of them. */
export const SHOWN_VALUES_MAX: number = 100;
/** Differences of a schema that an approver is shown; the digest covers all of them. */
export const SHOWN_DIFFERENCES_MAX: number = 20;
/** Tables that an approver is shown; the digest covers all of them. */
export const SHOWN_TABLES_MAX: number = 200;
/** Steps of a plan that can be approved as a whole; those of a longer plan wait one by one. */
export const WHOLE_PLAN_STEPS_MAX: number = 100;
/** Time for the data sources' descriptions of a plan to be approved as a whole, in ms. */
export const WHOLE_PLAN_DESCRIBED_MS_MAX: number = 10_000;
/** Previews of waiting writes of one organization that one server runs at once. */
export const APPROVAL_PREVIEWS_AT_ONCE_MAX: number = 2;
/** How long a preview waits for its turn at the data source, in ms. */
export const APPROVAL_PREVIEW_WAIT_MS: number = 2_000;
/** Time for the description and for the preview of a waiting write, each, in ms. */
export const APPROVAL_PREVIEW_MS_MAX: number = 5_000;
/** Operations of one organization, other than statements, that wait for approvals under the present policies. */
export const OPERATIONS_WAITING_MAX: number = 100;
/** Operations of one requester that wait: of a person, or of an agent that acts for one. */
export const OPERATIONS_WAITING_OF_REQUESTER_MAX: number = 20;
/** Bytes of the parameters, as canonical JSON, of an operation that waits for an approval. */
export const OPERATION_REQUEST_BYTES_MAX: number = 64 * 1024;
/** How long the approval of an operation can be read after its end, in ms. */
export const OPERATION_APPROVAL_KEPT_MS: number = 30 * 24 * 60 * 60 * 1000;
/** Approvals on one page of a listing. */
export const APPROVALS_PAGE_MAX: number = 200;
/**
 * Bytes of the approvals on one page of a listing. The page ends before an approval that does not fit, unless it is the
 * first.
 */
export const APPROVALS_PAGE_BYTES_MAX: number = 1024 * 1024;
/** Approvals that are read at once for a page of a listing: large ones take a millisecond each to parse. */
export const APPROVALS_READ_AT_ONCE: number = 8;
/** Default page size of a listing of approvals. */
export const APPROVALS_PAGE_DEFAULT: number = 50;

/** Limit of the numbers of rows that are remembered as shown to approvers, for all organizations. */
export const ROWS_SHOWN_KEPT_MAX: number = 1000;
