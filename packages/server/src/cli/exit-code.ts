/** Exit codes of the program. */
export const EXIT = {
  ok: 0,
  /** The operation ran and failed: for example, a plan failed or a check found a problem. */
  failed: 1,
  /** The command line, a file that it names, or the configuration is invalid. Nothing was done. */
  usage: 2,
  /** No Steward server responds. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
