import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What `npm publish` sends, as far as the registry reads it. */
interface Published {
  readonly name: string;
  readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/**
 * An npm registry on loopback that has the packages published to it, and no others. Verdaccio would have to be newer
 * than the Node of the tests allows, and brings two hundred packages.
 */
export class LocalRegistry implements AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  readonly #server;
  /** The documents of the packages, by name. */
  readonly #packages = new Map<string, object>();
  /** The tarballs, by their path. */
  readonly #tarballs = new Map<string, Buffer>();

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<LocalRegistry> {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const registry = new LocalRegistry(server);
    server.on("request", (request, response) => {
      void registry.#answer(request, response);
    });
    return registry;
  }

  /** The lines of an `.npmrc` by which npm, pnpm and Yarn take packages of `@steward` from here. */
  get settings(): string {
    return `@steward:registry=${this.url}/\n${this.url.replace("http:", "")}/:_authToken=any\n`;
  }

  /** @returns the names and versions of what was published, in that order. */
  get published(): readonly string[] {
    return [...this.#tarballs.keys()].map((path) => path.slice(1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(request.url ?? "/");
    if (request.method === "PUT") {
      this.#publish(JSON.parse(await text(request)) as Published);
      response.writeHead(201).end("{}");
      return;
    }
    const found = this.#tarballs.get(path) ?? this.#packages.get(path.slice(1));
    if (found === undefined) response.writeHead(404).end("{}");
    else response.end(Buffer.isBuffer(found) ? found : JSON.stringify(found));
  }

  #publish({ name, versions, _attachments }: Published): void {
    const [version = ""] = Object.keys(versions);
    const [attachment] = Object.values(_attachments);
    if (attachment === undefined) throw new Error(`${name} was published without a tarball`);
    const path = `/${name}-${version}.tgz`;
    this.#tarballs.set(path, Buffer.from(attachment.data, "base64"));
    const sent = versions[version] ?? {};
    const dist = { ...(sent["dist"] as object), tarball: `${this.url}${encodeURI(path)}` };
    this.#packages.set(name, {
      ...{ name, "dist-tags": { latest: version } },
      versions: { [version]: { ...sent, dist } },
    });
  }
}
