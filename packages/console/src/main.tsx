import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followConnection, queries } from "./data/client.js";
import { followTheme } from "./data/preferences.js";
import { preloadPages, router } from "./router.js";
import "./styles.css";

followTheme();
followConnection();

const element = document.getElementById("root");
if (element === null) throw new Error("index.html has no element root");
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
void preloadPages();
