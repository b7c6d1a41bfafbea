// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import PluginManifest
import Testing
import Varlink
import WakePlan

/// `plugin.json` and the plugin say the same.
@Suite struct ManifestTests {
    private func manifest() throws -> Manifest { try Manifest(parsing: read("plugin.json")) }

    private func read(_ name: String) throws -> [UInt8] {
        let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
        let stream = try #require(fopen("/\(root)/Plugins/Wake/\(name)", "r"))
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, stream)
        return Array(bytes[..<count])
    }

    @Test func defaultsAreTheSame() throws {
        let little: JSON = ["host": "mqtt.example", "region": "de"]
        let filled = try manifest().settings.filled(little)
        #expect(try filled.decode(WakeSettings.self) == little.decode(WakeSettings.self))
        // Each setting of the manifest is one of the plugin's, and the other way round.
        #expect(
            Set(try manifest().settings.properties.map(\.name))
                == Set(Mirror(reflecting: try little.decode(WakeSettings.self)).children.compactMap(\.label)))
    }

    @Test(arguments: ["fleet", "person", "place"]) func profilesFit(name: String) throws {
        let settings = try manifest().settings.filled(JSON(parsing: read("profiles/\(name).json")))
        #expect(try settings.decode(WakeSettings.self).problems == [])
    }

    @Test func whatItWantsIsThere() throws {
        let manifest = try manifest()
        #expect(manifest.id == "wake" && manifest.run == .role("wake") && manifest.start == .resident)
        for want in manifest.wants {
            let interface = try InterfaceDescription(parsing: #require(InterfaceTexts.all[want.interface]))
            for method in want.methods { #expect(interface.method(named: method) != nil) }
        }
        #expect(manifest.provides == [Wake1.name])
        for name in ["certificateKey", "password"] {
            #expect(manifest.settings.properties.first { $0.name == name }?.isSecret == true)
        }
    }
}
