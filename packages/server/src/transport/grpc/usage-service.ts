import { create } from "@bufbuild/protobuf";
import { UsageService as UsageGrpc, type UsageCloudEvent } from "@steward/protocol/grpc";
import type { ExternalEvent, UsageService } from "../../usage/index.js";
import type { MethodRegistry } from "./method-registry.js";

/** Usage that other systems report. Not derived, because REST requires members that gRPC lacks. */
export function addReportedUsage(methods: MethodRegistry, usage: UsageService): void {
  const { reportUsage } = UsageGrpc.method;
  methods.unary(reportUsage, async ({ events }, ctx) => {
    const { accepted, duplicates } = await usage.ingest(ctx, events.map(externalEventOf));
    return create(reportUsage.output, {
      accepted: BigInt(accepted),
      duplicates: BigInt(duplicates),
    });
  });
}

/** A reported event in the service's form. */
function externalEventOf(event: UsageCloudEvent): ExternalEvent {
  const { id, source, time, data } = event;
  return {
    id,
    source,
    time: given(time),
    toolName: data?.toolName ?? "",
    intent: given(data?.intent),
    sessionId: given(data?.sessionId),
    ormModel: given(data?.ormModel),
  };
}

/** In proto3 an empty text is absent. */
function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
