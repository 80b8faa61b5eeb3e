/** Connections to the store of the thread that derives rows: usage, memory and the audit log write at the same time. */
export const DERIVATION_CONNECTIONS_MAX = 3;
