/**
 * Bytes of the personal values of one record that is packed with others. Larger values, such as the steps of a
 * large plan, keep a row of their own: who reads one record would unpack those of all others too.
 */
export const PACKED_VALUES_BYTES_MAX: number = 8 * 1024;

/** Bytes of the records that an export of the audit log reads at once; a larger record is read alone. */
export const EXPORTED_RECORDS_BYTES_MAX: number = 4 * 1024 * 1024;
