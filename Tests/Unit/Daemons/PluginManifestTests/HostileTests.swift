// SPDX-License-Identifier: Apache-2.0

import JSON
import PluginManifest
import RandomValues
import Testing

/// Nothing that lies in a folder or comes from an editor makes the reader stop, and what is told about it can be shown.
@Suite struct HostileTests {
    @Test func changedBytesAreRefusedOrRead() {
        var dice = SeededGenerator(seed: 11)
        for round in 0..<1_500 {
            var bytes = Array((round % 2 == 0 ? Samples.manifest : Samples.grants).utf8)
            for _ in 0..<Int.random(in: 1...8, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: place)
                case 2: bytes[place] = bytes[Int.random(in: 0..<bytes.count, using: &dice)]
                default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &dice)))
                }
                if bytes.isEmpty { bytes = [0x7B] }
            }
            judge(bytes)
        }
    }

    @Test func changedValuesAreRefusedOrRead() throws {
        var dice = SeededGenerator(seed: 12)
        let manifest = try JSON(parsing: Array(Samples.manifest.utf8))
        let grants = try JSON(parsing: Array(Samples.grants.utf8))
        for round in 0..<1_500 {
            judge(Mutation.changed(round % 2 == 0 ? manifest : grants, using: &dice).bytes)
        }
    }

    @Test func endlessAndDeepFilesAreRefused() {
        for text in [
            String(repeating: "[", count: 60_000), #"{"settings":"# + String(repeating: #"{"a":"#, count: 40),
            #"{"plugins":"# + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}",
            #"{"plugins":{"# + (0..<2_000).map { #""p\#($0)":{}"# }.joined(separator: ",") + "}}",
            "", "\0", "null", "7", #""a""#,
        ] { judge(Array(text.utf8)) }
    }

    /// As both files, by themselves and together.
    private func judge(_ bytes: [UInt8]) {
        var told = Samples.problems(bytes)
        let plugin = Samples.plugin(bytes)
        told += plugin.problems
        var file = GrantsFile.empty
        do throws(Refusal) {
            file = try GrantsFile(parsing: bytes)
        } catch {
            #expect(!error.problems.isEmpty)
            told += error.problems
        }
        let good = Samples.plugin()
        let known = (try? Samples.known.get()) ?? []
        let houses = [
            PluginSet(plugins: [plugin, good], grants: file, known: known, builtIn: Samples.builtIn),
            PluginSet(
                plugins: [plugin], grants: (try? GrantsFile(parsing: Array(Samples.grants.utf8))) ?? .empty, known: known,
                builtIn: Samples.builtIn),
        ]
        for decision in houses.flatMap(\.decisions) {
            #expect((decision.effectiveGrants != nil) == (decision.state == .allowed))
            #expect((decision.state == .refused) == !decision.problems.isEmpty)
            if let effectiveGrants = decision.effectiveGrants, let manifest = decision.manifest {
                check(effectiveGrants, manifest)
            }
            told += decision.problems
        }
        for problem in told.prefix(50) {
            let isPlain = problem.description.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            }
            #expect(isPlain && problem.description.utf8.count < 3_000 && !problem.text.isEmpty)
        }
    }

    /// Whatever was written, nobody has more than the manifest asks for.
    private func check(_ effectiveGrants: EffectiveGrants, _ manifest: Manifest) {
        for edge in effectiveGrants.edges {
            let wanted = manifest.wants.first { $0.interface == edge.interface }?.methods ?? []
            #expect(Set(edge.methods).isSubset(of: wanted))
        }
        #expect(Set(effectiveGrants.outlets.map(\.name)).isSubset(of: manifest.endpoints.map(\.name)))
        #expect(Set(effectiveGrants.listeners.map(\.name)).isSubset(of: manifest.listens.map(\.name)))
        #expect(Set(effectiveGrants.devices).isSubset(of: manifest.devices.map(\.path)))
        #expect(Set(effectiveGrants.lines).isSubset(of: manifest.lines.map(\.name)))
        #expect(
            effectiveGrants.quotas.memory <= manifest.quotas.memory && effectiveGrants.quotas.state <= manifest.quotas.state
        )
        #expect((try? manifest.settings.filled(effectiveGrants.settings)) == effectiveGrants.settings)
    }
}
