import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm run dev` finds a server: the address of `npm start`. */
const SERVER = "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react(), tailwind()],
  // The server replaces this text in each answer with a nonce of its own.
  html: { cspNonce: "CSP_NONCE" },
  build: {
    target: "es2023",
    // Inlined files would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": SERVER, "/auth": SERVER, "/billing": SERVER, "/healthz": SERVER } },
});
