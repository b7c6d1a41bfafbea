// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

/// What the laboratory's command says of vaults that hold nothing, or cannot be read. That it prints what was on the air, to the
/// byte, is for `make test-interop` to show.
@Suite final class SightingsCommandTests {
    private static let header = "time,previousScan,identifier,metadata,rssi,offset,profileRevision\n"
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-sightings-\(Unique.name())"

    init() throws { try FileManager.default.createDirectory(atPath: folder + "/key", withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func sightings(_ arguments: String...) throws -> Program.Outcome {
        try Program.run(Program.folder + "/vigil-lab", ["sightings", "--data", folder] + arguments)
    }

    @Test func anEmptyVaultIsAHeaderAndStaysEmpty() throws {
        let outcome = try sightings()
        #expect(outcome.status == 0)
        #expect(outcome.output == Self.header)
        #expect(outcome.errors.isEmpty)
        #expect(try sightings("--forms", "matcher").output == "time,previous_scan,rssi,rpi,aem\n")
        // Opening a vault makes its files; only the copy may have them.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/key").isEmpty)
    }

    @Test func dataWithoutItsKeyIsNoEmptyVault() throws {
        // A core that cannot open its transport still makes its vault.
        let core = try Program.vigil("core", "--transport", "fd:99", "--data", folder, "--run", folder + "/run")
        #expect(core.status == 3)
        #expect(try sightings().output == Self.header)
        try FileManager.default.removeItem(atPath: folder + "/key/sealing.key")
        let outcome = try sightings()
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("holds no key"))
    }

    @Test func aFolderThatIsNotThereIsNoEmptyVault() throws {
        try FileManager.default.removeItem(atPath: folder)
        let outcome = try sightings()
        #expect(outcome.status != 0)
        #expect(outcome.output.isEmpty)
    }
}
