/** Bytes of the changes of plans that one batch of audit records is made of; a larger change has a batch of its own. */
export const DERIVED_BYTES_MAX: number = 8 * 1024 * 1024;
