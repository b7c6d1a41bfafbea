// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

/// `vigil board provision`, which the image asks before it takes a folder from a card.
@Suite struct ProvisionCommandTests {
    /// A card is a stranger's: a pipe in the place of a file would be waited for, and a device read without end.
    @Test(arguments: ["vigil.json", "grants.json", "profile", "key.pub", "authority.json"])
    func aPipeInThePlaceOfAFileIsRefusedAtOnce(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-provision-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let place = "/data/provision"
        let settings =
            switch name {
            case "profile": #"{"profile":"\#(place)/profile"}"#
            case "key.pub": #"{"verify":["262=\#(place)/key.pub"]}"#
            case "authority.json": #"{"authorities":["\#(place)/authority.json"]}"#
            default: "{}"
            }
        try Data(settings.utf8).write(to: URL(filePath: "\(folder)/vigil.json"))
        let good = try Program.vigil("board", "provision", folder)
        let isNamed = !["vigil.json", "grants.json"].contains(name)
        #expect((good.status == 0) == !isNamed, "\(good.errors)")
        if name == "vigil.json" { unlink("\(folder)/vigil.json") }
        try #require(mkfifo("\(folder)/\(name)", 0o600) == 0)
        let refused = try Program.vigil("board", "provision", folder)
        #expect(refused.errors.contains("this is no ordinary file"), "\(refused.errors)")
        // Without grants or an authority a board starts all the same.
        #expect(refused.status == (["grants.json", "authority.json"].contains(name) ? 1 : 2))
    }
}
