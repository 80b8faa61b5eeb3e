/** Limits of the record of tool calls. */

/**
 * Bytes of JSON in the table and column names stored with the record of a tool call. A longer list
 * is dropped as a whole.
 */
export const RECORDED_DATA_BYTES_MAX: number = 16 * 1024;
