import { describeEarlierContent } from "./testing/earlier-content.js";

describeEarlierContent("all");
