import { open, stat, type FileHandle } from "node:fs/promises";
import { constants } from "node:fs";
import type { AuditSink, ExportedEvent } from "../../audit-export/ports.js";
import { PRIVATE_FILE_MODE } from "../../storage/private-files.js";

/** Bytes that are read at once when the end of the last whole line is looked for. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Appends events to a file, one in each line. A batch is acknowledged when it is on the disk. The
 * operator may rename the file at any time: the next batch begins a new one. What a crash has left
 * of a line is cut off, because its batch is written again.
 */
export class FileSink implements AuditSink {
  readonly name: string;
  readonly #path: string;
  #file: FileHandle | undefined;

  constructor(name: string, path: string) {
    this.name = name;
    this.#path = path;
  }

  async send(events: readonly ExportedEvent[]): Promise<void> {
    const file = await this.#current();
    try {
      await file.appendFile(events.map(({ json }) => `${json}\n`).join(""));
      await file.datasync();
    } catch (error) {
      // A part of the batch may have been written; opening the file again cuts it off.
      await this.#close();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  /** The open file. When the path names a new file, as after a log rotation, that one is opened. */
  async #current(): Promise<FileHandle> {
    if (this.#file !== undefined) {
      const [own, there] = await Promise.all([
        this.#file.stat(),
        stat(this.#path).catch(() => undefined),
      ]);
      if (own.ino === there?.ino && own.dev === there.dev) return this.#file;
      await this.#close();
    }
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    const file = await open(this.#path, flags, PRIVATE_FILE_MODE);
    try {
      await cutPartialLine(file);
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#file = file;
    return file;
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

/** Cuts off what stands after the last line break. */
async function cutPartialLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, size));
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    const at = buffer.subarray(0, bytesRead).lastIndexOf("\n");
    if (at >= 0) {
      if (start + at + 1 < size) await file.truncate(start + at + 1);
      return;
    }
    end = start;
  }
  if (size > 0) await file.truncate(0);
}
