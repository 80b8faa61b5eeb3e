import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { acceptedCodings } from "../content-codings.js";

/** The content codings in which the console's build writes its larger files. */
const EXTENSIONS = { br: ".br", gzip: ".gz" } as const;

/** Types of the files that a build of the console makes. */
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** A file in the coding that a client accepts. */
export interface SentFile {
  readonly type: string;
  /** Absent: sent as it is. */
  readonly coding?: string;
  readonly bytes: Buffer;
}

/** The built console. */
export interface ConsoleFiles {
  /** Whether payment methods are saved in Stripe's form, whose script the page then may load. */
  readonly hasStripeForm?: boolean;
  /** The page that starts the console, for every address of a view. */
  readonly index: string;
  /** Names in `assets/`, which contain a hash of their content. */
  readonly assets: ReadonlySet<string>;
  /** Names of the other files, such as `favicon.svg`. */
  readonly others: ReadonlySet<string>;
  /** @param name One of `others`, or `assets/` and one of `assets`. */
  read(name: string, acceptEncoding: string | undefined): Promise<SentFile>;
}

/** The directory of the built console that is installed with this program; `undefined`: none is. */
export function installedConsole(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  try {
    const directory = join(dirname(resolve("@steward/console/package.json")), "dist");
    return existsSync(join(directory, "index.html")) ? directory : undefined;
  } catch {
    // The package is not installed.
    return undefined;
  }
}

/**
 * Reads the list of the console's files. Only listed names are ever opened, so that no path of a
 * request reaches the file system.
 */
export async function openConsoleFiles(directory: string): Promise<ConsoleFiles> {
  const assetsDirectory = join(directory, "assets");
  const assets = existsSync(assetsDirectory) ? filesOf(assetsDirectory) : [];
  const others = filesOf(directory).filter((name) => name !== "index.html");
  const known = new Set([...others, ...assets.map((name) => `assets/${name}`)]);
  return {
    index: await readFile(join(directory, "index.html"), "utf8"),
    assets: new Set(assets.filter(isOriginal)),
    others: new Set(others.filter(isOriginal)),
    read: async (name, acceptEncoding) => {
      const coding = acceptedCodings(acceptEncoding).find((each) =>
        known.has(`${name}${EXTENSIONS[each]}`),
      );
      const file = join(directory, `${name}${coding === undefined ? "" : EXTENSIONS[coding]}`);
      return {
        type: TYPES[extname(name)] ?? "application/octet-stream",
        ...(coding === undefined ? {} : { coding }),
        bytes: await readFile(file),
      };
    },
  };
}

function filesOf(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ name }) => name);
}

/** Whether a file is itself what the console loads, rather than a compressed copy of it. */
function isOriginal(name: string): boolean {
  return Object.values(EXTENSIONS).every((extension) => !name.endsWith(extension));
}
