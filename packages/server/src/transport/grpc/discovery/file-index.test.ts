import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { ControlPlaneService, Health, StatusSchema } from "@steward/protocol/grpc";
import { describe, expect, it } from "vitest";
import { FileIndex, type FileDescriptors } from "./file-index.js";

const index = new FileIndex([ControlPlaneService, Health, StatusSchema].map(({ file }) => file));

function names(files: FileDescriptors | undefined): readonly string[] | undefined {
  return files?.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
}

describe("the index of proto files", () => {
  it.each([
    "controlplane.v1.ControlPlaneService",
    "controlplane.v1.ControlPlaneService.SubmitPlan",
    "controlplane.v1.PlanStepDef",
    "controlplane.v1.PlanStepDef.query_template",
  ])("finds the file that defines %s", (symbol) => {
    expect(names(index.bySymbol(symbol))).toEqual(["controlplane/v1/control_plane.proto"]);
  });

  it("finds nested enums and their values", () => {
    const scope = "grpc.health.v1.HealthCheckResponse";
    for (const symbol of [`${scope}.ServingStatus`, `${scope}.SERVING`]) {
      expect(names(index.bySymbol(symbol))).toEqual(["grpc/health/v1/health.proto"]);
    }
  });

  it("gives a file with everything it imports", () => {
    expect(names(index.byName("google/rpc/status.proto"))).toEqual([
      "google/rpc/status.proto",
      "google/protobuf/any.proto",
    ]);
    expect(names(index.byName("google/protobuf/any.proto"))).toEqual(["google/protobuf/any.proto"]);
  });

  it.each(["", "controlplane.v1", "controlplane.v1.Nope", "controlplane.v1.PlanStepDef.nope"])(
    "does not know %j",
    (symbol) => {
      expect(index.bySymbol(symbol)).toBeUndefined();
      expect(index.byName(symbol)).toBeUndefined();
    },
  );
});
