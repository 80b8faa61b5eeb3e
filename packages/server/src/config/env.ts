/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. Other code must not read it, but gets the values it needs. */
export function processEnvironment(): Environment {
  return process.env;
}
