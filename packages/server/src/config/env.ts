/** Environment variables, or texts like them, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process: everything else is handed what it may know of it. */
export function processEnvironment(): Environment {
  return process.env;
}
