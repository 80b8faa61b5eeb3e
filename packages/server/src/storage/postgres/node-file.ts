import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { isUuid } from "@steward/kernel/ids.js";
import type { Log } from "@steward/kernel/log.js";
import { makePrivateDirectory } from "../private-files.js";

/** The process that last used a data directory, as a node. */
interface NamedProcess {
  readonly node_id: string;
  readonly host: string;
  readonly pid: number;
}

/**
 * Stores the name of the node that uses a data directory. A server that restarts after a kill
 * learns from it that its previous node is dead, and need not wait for that node's lease to expire.
 * In doubtful cases the lease decides.
 */
export class NodeFile {
  readonly #path: string;
  readonly #log: Log;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** The last named node, if its process has certainly ended. */
  former(): string | undefined {
    const named = this.#read();
    if (named === undefined || named.host !== hostname()) return undefined;
    // In a container each new process gets the same process id.
    return named.pid === process.pid || hasEnded(named.pid) ? named.node_id : undefined;
  }

  /**
   * Stores the name of this process's node. If the directory cannot be written, the next start has
   * to wait for a lease.
   */
  name(nodeId: string): void {
    const named: NamedProcess = { node_id: nodeId, host: hostname(), pid: process.pid };
    try {
      makePrivateDirectory(dirname(this.#path));
      writeFileSync(this.#path, JSON.stringify(named));
    } catch (error) {
      this.#log.warn({ err: error }, "the name of this node could not be written");
    }
  }

  #read(): NamedProcess | undefined {
    try {
      const named = JSON.parse(readFileSync(this.#path, "utf8")) as Partial<NamedProcess> | null;
      const { node_id = "", host = "", pid = 0 } = named ?? {};
      return isUuid(node_id) && Number.isInteger(pid) && pid > 0
        ? { node_id, host, pid }
        : undefined;
    } catch {
      // The first start with this directory, or a start after an interrupted write.
      return undefined;
    }
  }
}

/** Whether no process of this host has this id. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
