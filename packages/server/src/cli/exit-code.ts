/** How the program ends. */
export const EXIT = {
  ok: 0,
  /** The operation was done and did not succeed: a plan failed, a check found something. */
  failed: 1,
  /** The command line, a file it names, or the configuration is wrong; nothing was done. */
  usage: 2,
  /** No Steward server answers. */
  unreachable: 3,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
