// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

/// A core that was started with a descriptor ends when that is no way to a controller: only who started it can hand over another.
@Suite struct InheritedTransportTests {
    private func core(_ transport: String) throws -> Program.Outcome {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-inherited-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try Program.vigil(
            "core", "--enable", "--transport", transport, "--data", folder + "/data", "--run", folder + "/run")
    }

    @Test func aDescriptorThatIsNotThereEndsTheCore() throws {
        let outcome = try core("fd:99")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("no such descriptor is open"))
        #expect(outcome.errors.contains("stopped"))
    }

    @Test func aDescriptorOfAnotherKindEndsTheCore() throws {
        let outcome = try core("fd:0")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("0 to 2 are standard input, output and error"))
    }
}
