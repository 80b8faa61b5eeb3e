import { offerSharedServer } from "./shared-server.js";

/** vitest calls this once before all files, and its result once after all. */
export default offerSharedServer;
