// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import PluginManifest
import Varlink

/// `plugin.json` and `grants.json`, alone and together: whatever is in them, nobody gets more than a manifest asks for, and what is
/// said about them can be shown.
///
/// The first byte chooses: even for a manifest beside good grants, odd for grants beside a good manifest.
@_cdecl("LLVMFuzzerTestOneInput")
public func testManifest(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = shapes
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let isManifest = choice % 2 == 0
    let plugin = InstalledPlugin(
        folder: "hello", mustMatch: false, manifest: isManifest ? bytes : goodManifest, interfaceFiles: [])
    var grants = GrantsFile.empty
    do throws(Refusal) {
        grants = try GrantsFile(parsing: isManifest ? goodGrants : bytes)
    } catch {
        claim(!error.problems.isEmpty && error.problems.count <= Refusal.mostProblems, "a refusal without a reason")
        show(error.problems)
    }
    let pluginSet = PluginSet(plugins: [plugin], grants: grants, known: [known], builtIn: [core])
    for decision in pluginSet.decisions {
        show(decision.problems)
        claim(
            (decision.state == .refused) == !decision.problems.isEmpty, "refused without a reason, or in spite of one not")
        claim(
            (decision.state == .allowed) == (decision.effectiveGrants != nil),
            "allowed with nothing, or something though not allowed")
        guard let effectiveGrants = decision.effectiveGrants, let manifest = decision.manifest else { continue }
        for edge in effectiveGrants.edges {
            let wanted = manifest.wants.first { $0.interface == edge.interface }?.methods ?? []
            claim(Set(edge.methods).isSubset(of: wanted), "a method that was not asked for")
        }
        claim(
            Set(effectiveGrants.outlets.map(\.name)).isSubset(of: manifest.endpoints.map(\.name)),
            "an endpoint not asked for")
        claim(Set(effectiveGrants.devices).isSubset(of: manifest.devices.map(\.path)), "a device not asked for")
        claim(effectiveGrants.quotas.memory <= manifest.quotas.memory, "more memory than asked for")
        let again = needed("settings") { try manifest.settings.filled(effectiveGrants.settings) }
        claim(again == effectiveGrants.settings, "filled twice, the settings differ")
        _ = manifest.settings.shown(effectiveGrants.settings)
    }
    return 0
}

private func show(_ problems: [Problem]) {
    for problem in problems {
        let text = problem.description
        claim(
            text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) },
            "a problem that cannot be shown")
        claim(text.utf8.count < 4_000, "a problem without an end")
    }
}

// The files' shapes live to the end, in enumerations whose pointers carry their case in spare bits: LeakSanitizer takes what they point
// to for lost.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let shapes = {
    lookAway()
    defer { lookAgain() }
    return (Manifest.schema, GrantsFile.schema, known)
}()

private let core = PluginSet.BuiltIn(name: "core", interfaces: ["org.example.core1"])
private let known = needed("interface") {
    try InterfaceDescription(parsing: "interface org.example.core1\nmethod Get() -> ()\nmethod Set() -> ()")
}
private let goodManifest = Array(
    #"""
    {"id":"hello","version":"1","title":"H","description":"H.","run":{"program":"a"},"start":"onDemand",
    "wants":[{"interface":"org.example.core1","methods":["Get"],"why":"w"}],"endpoints":[{"name":"news","why":"w"}],
    "listens":[{"name":"web","why":"w","port":80}],"devices":[{"path":"/dev/a","why":"w"}],
    "settings":{"properties":{"a":{"type":"string","default":"b"},"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}
    """#.utf8)
private let goodGrants = Array(
    #"""
    {"plugins":{"hello":{"enabled":true,"calls":{"org.example.core1":["Get","Set"]},"endpoints":{"news":[{"host":"a.example","port":1}]},
    "listens":{"web":{}},"devices":["/dev/a"]}}}
    """#.utf8)
