// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Cryptography
import FoundationEssentials
import JSON
import PluginManifest
import RiskConfiguration
import Testing

/// What becomes of an operator's file when an authority ends, moves or says less: nothing goes on in silence.
@Suite struct MergedSettingsTests {
    private static func profile(_ name: String) throws -> AuthorityProfile {
        let file = ProfileSettingsTests.root.appending(path: "Provisioning/authorities/\(name).json")
        return try AuthorityProfile(parsing: Array(Data(contentsOf: file)))
    }

    /// With everything permitted that both plugins ask for.
    private static func grants() throws -> JSON {
        var document = try ProfileSettings([try profile("example-ens")]).merged(into: ["plugins": [:]]).document
        for (plugin, folder) in [("sync", "Sync"), ("diagnosis", "Diagnosis")] {
            document = document.with("plugins/\(plugin)/calls", try wants(folder))
        }
        document = document.with("plugins/diagnosis/settings/slots", 192).with("plugins/diagnosis/settings/pins", ["p"])
        // Once more: in the order in which it is written.
        return try ProfileSettings([try profile("example-ens")]).merged(into: document).document
    }

    private static func wants(_ folder: String) throws -> JSON {
        let file = ProfileSettingsTests.root.appending(path: "Plugins/\(folder)/plugin.json")
        let manifest = try JSON(parsing: Array(Data(contentsOf: file)))
        var calls = JSON.Object()
        for want in manifest["wants"]?.array ?? [] {
            calls[try #require(want["interface"]?.string)] = want["methods"]
        }
        return .object(calls)
    }

    @Test func whatIsWholeNeedsNoNotes() throws {
        let merged = try ProfileSettings([try Self.profile("example-ens")]).merged(into: try Self.grants())
        #expect(merged.notes.isEmpty, "\(merged.notes)")
        #expect(merged.document == (try Self.grants()))
    }

    /// "Nothing is asked of it" must be true.
    @Test func anAuthorityThatIsSwitchedOffIsAskedNothing() throws {
        var over = try Self.profile("example-ens")
        over.status = .switchedOff
        let merged = try ProfileSettings([over]).merged(into: try Self.grants())
        let plugins = merged.document["plugins"]
        for name in ["sync", "diagnosis"] { #expect(plugins?[name]?["enabled"] == false) }
        #expect(
            plugins?["sync"]?["settings"] == [:] && plugins?["diagnosis"]?["settings"] == ["slots": 192, "pins": ["p"]])
        let text = merged.document.indentedText
        for trace in ["example.org", "invented-device-key"] { #expect(!text.contains(trace)) }
        #expect(merged.notes.count == 2 && merged.notes.allSatisfy { $0.contains("emptied and disabled") })
        #expect(try GrantsFile(parsing: merged.document.bytes).entries.allSatisfy { $0.problems.isEmpty && !$0.isEnabled })
        // And when it runs again, that it is still disabled is said.
        let again = try ProfileSettings([try Self.profile("example-ens")]).merged(into: merged.document)
        #expect(again.notes.filter { $0.contains("is not enabled") }.count == 2)
    }

    /// A profile that no longer says how to warn, alone or beside another one: somebody has to say what is meant.
    @Test func aWayToWarnThatNoProfileHasIsAsked() throws {
        var silent = try Self.profile("example-ens")
        silent.warning = nil
        let settings = try ProfileSettings([silent])
        let before = try Self.grants()
        let fault = #expect(throws: ProfileSettings.Fault.self) { try settings.merged(into: before) }
        #expect(fault?.description.contains("https://exposure.key.example.org") == true)
        #expect(
            fault?.description.contains("--keep-warning") == true && fault?.description.contains("--end-warning") == true)
        let kept = try settings.merged(into: before, other: .keep)
        #expect(kept.document["plugins"]?["diagnosis"] == before["plugins"]?["diagnosis"])
        #expect(kept.notes.contains { $0.contains("stays as it is") })
        let ended = try settings.merged(into: before, other: .end)
        #expect(ended.document["plugins"]?["diagnosis"]?["enabled"] == false)
        #expect(ended.document["plugins"]?["diagnosis"]?["settings"]?["submission"] == nil)
    }

    /// Another authority's way takes the place of the one in the file: somebody has to hear of it.
    @Test func aWayToWarnThatIsReplacedIsNamed() throws {
        let before = try Self.grants()
        let same = try ProfileSettings([try Self.profile("example-ens")]).merged(into: before)
        #expect(!same.notes.contains { $0.contains("from now on") })
        var other = try Self.profile("example-ens")
        other.warning?.publish = "https://other.example.org"
        let merged = try ProfileSettings([other]).merged(into: before)
        #expect(merged.document["plugins"]?["diagnosis"]?["settings"]?["submission"] == "https://other.example.org")
        let note = try #require(merged.notes.first { $0.contains("from now on") })
        #expect(note.contains("https://other.example.org") && note.contains("https://exposure.key.example.org"))
    }

    @Test func whatIsNoLongerFetchedIsNamed() throws {
        var silent = try Self.profile("example-ens")
        silent.distribution = nil
        let merged = try ProfileSettings([silent]).merged(into: try Self.grants())
        #expect(merged.document["plugins"]?["sync"]?["settings"]?["sources"] == nil)
        #expect(merged.notes.contains { $0.contains("sync is emptied") })
        let other = try ProfileSettings([try Self.profile("example-nhs")]).merged(into: try Self.grants())
        #expect(other.notes.contains { $0.contains("nothing from the source example-ens any more") })
    }

    /// A file without `calls` looks set up, and a board with it hands over nothing.
    @Test func missingPermissionsAreNamedAndSuffice() throws {
        for (name, folders) in [("example-cwa", ["Sync", "Venue", "Diagnosis"]), ("example-ens", ["Sync", "Diagnosis"])] {
            let settings = try ProfileSettings([try Self.profile(name)])
            let notes = try settings.merged(into: ["plugins": [:]]).notes.filter { $0.contains("may not yet call") }
            #expect(notes.count == folders.count, "\(notes)")
            var document = try Self.grants()
            for (plugin, folder) in folders.map({ ($0.lowercased(), $0) }) {
                let note = try #require(notes.first { $0.hasPrefix(plugin) })
                let begin = try #require(note.firstIndex(of: "{"))
                let calls = try JSON(parsing: Array(note[begin...].utf8))
                document = document.with("plugins/\(plugin)/calls", calls)
                // Each is one that the manifest asks for.
                for member in calls.object?.members ?? [] {
                    let wanted = try Self.wants(folder)[member.name]?.array ?? []
                    #expect((member.value.array ?? []).allSatisfy(wanted.contains), "\(member.name)")
                }
                // And whoever warns, or checks in, needs all that it asks for.
                if plugin != "sync" {
                    let wanted = try Self.wants(folder).object?.members.map(\.name) ?? []
                    #expect(Set(calls.object?.members.map(\.name) ?? []) == Set(wanted))
                }
            }
            let whole = try settings.merged(into: document).notes
            #expect(!whole.contains { $0.contains("may not yet call") }, "\(whole)")
        }
    }

    /// Short codes end within 15 minutes; with the usual number of slots half of them are never looked at.
    @Test(arguments: [("example-ens", true), ("example-cwa", true), ("example-nhs", false)])
    func shortCodesNeedMoreSlots(_ name: String, _ isAdvised: Bool) throws {
        let settings = try ProfileSettings([try Self.profile(name)])
        #expect(try settings.merged(into: ["plugins": [:]]).notes.contains { $0.contains("\"slots\": 192") } == isAdvised)
        let set: JSON = ["plugins": ["diagnosis": ["enabled": true, "settings": ["slots": 192]]]]
        #expect(try !settings.merged(into: set).notes.contains { $0.contains("slots") })
    }

    /// What the operator said of an address stays with it, and what boards will refuse is said.
    @Test func privateAddressesAreTheOperators() throws {
        var home = try Self.profile("example-cwa")
        home.distribution?.base = "https://192.168.1.9/tree"
        let settings = try ProfileSettings([home])
        let first = try settings.merged(into: ["plugins": [:]])
        #expect(first.notes.contains { $0.contains("192.168.1.9") && $0.contains("private") })
        let said = first.document.with("plugins/sync/endpoints/distribution/0/private", true)
        let second = try settings.merged(into: said)
        #expect(second.document == said && !second.notes.contains { $0.contains("192.168.1.9") })
    }

    /// What a profile need not say was set by hand where it was needed, and stays for the same server.
    @Test func whatWasSetByHandStaysForTheSameServer() throws {
        var profile = try Self.profile("example-cwa")
        profile.rules?.country = nil
        let settings = try ProfileSettings([profile])
        let before = try settings.merged(into: ["plugins": [:]]).document
            .with("plugins/diagnosis/settings/origin", "FR").with("plugins/diagnosis/settings/countries", ["DE", "FR"])
        let after = try settings.merged(into: before).document["plugins"]?["diagnosis"]?["settings"]
        #expect(after?["origin"] == "FR" && after?["countries"] == ["DE", "FR"])
        // What the profile says goes before it, and another server gets nothing of it.
        profile.warning?.origin = "IT"
        #expect(
            try ProfileSettings([profile]).merged(into: before).document["plugins"]?["diagnosis"]?["settings"]?["origin"]
                == "IT")
        profile.warning?.publish = "https://elsewhere.example.org"
        profile.warning?.origin = nil
        let other = try ProfileSettings([profile]).merged(into: before).document["plugins"]?["diagnosis"]?["settings"]
        #expect(other?["origin"] == nil && other?["countries"] == nil && other?["submission"] != nil)
    }

    @Test func whatSyncCannotDoIsSaid() throws {
        var slow = try Self.profile("example-ens")
        slow.distribution?.intervalSeconds = 172_800
        let settings = try ProfileSettings([slow])
        #expect(settings.notes.contains { $0.contains("172800") })
        #expect(settings.entries.first?.settings["sources"]?.array?.first?["intervalSeconds"] == 86_400)
    }
}
