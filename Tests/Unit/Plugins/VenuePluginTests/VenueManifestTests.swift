// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import PluginManifest
import Testing
import Varlink
import VenuePlan

@testable import VenuePlugin

/// `plugin.json` and the plugin say the same.
@Suite struct VenueManifestTests {
    private func manifest() throws -> Manifest {
        let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
        let stream = try #require(fopen("/\(root)/Plugins/Venue/plugin.json", "r"))
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, stream)
        return try Manifest(parsing: Array(bytes[..<count]))
    }

    @Test func eachSettingIsOneOfThePlugins() throws {
        let filled = try manifest().settings.filled([:])
        let settings = try filled.decode(VenueSettings.self)
        #expect(
            Set(try manifest().settings.properties.map(\.name))
                == Set(Mirror(reflecting: settings).children.compactMap(\.label)))
        // Whom a wearer's visits are shown to only the operator says.
        #expect(try manifest().settings.properties.allSatisfy(\.isOperators))
        #expect(try settings.followed() == [])
        let two: JSON = ["systems": ["nhs", "coronaWarnApp"]]
        #expect(try two.decode(VenueSettings.self).followed() == [.coronaWarnApp, .nhs])
    }

    @Test func whatItWantsIsThere() throws {
        let manifest = try manifest()
        #expect(manifest.id == "venue" && manifest.run == .role("venue") && manifest.start == .onDemand)
        for want in manifest.wants {
            let interface = try InterfaceDescription(parsing: #require(InterfaceTexts.all[want.interface]))
            for method in want.methods { #expect(interface.method(named: method) != nil, "\(method)") }
        }
        #expect(manifest.provides == [Checkin1.name])
        // It takes no part in consents, and reads no result of the core's.
        #expect(!manifest.wants.contains { ["org.vigil.release1", "org.vigil.risk1"].contains($0.interface) })
    }
}
