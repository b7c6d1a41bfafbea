// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Interfaces
import JSON
import Testing
import Varlink

@testable import Core

/// Every method of every interface, asked by everybody who may stand before the device.
@Suite struct RoleTableTests {
    private static func methods() throws -> [(name: String, method: InterfaceDescription.Method, InterfaceDescription)] {
        try InterfaceTexts.core.values.flatMap { text in
            let interface = try InterfaceDescription(parsing: text)
            return interface.methods.map { ("\(interface.name).\($0.name)", $0, interface) }
        }
    }

    private static func holders(of path: String, isPlace: Bool = false) -> Set<Law.Holder> {
        CoreMethod(path: path)?.law.holders(isPlace: isPlace) ?? []
    }

    /// What somebody may call who stands before the device.
    private static let open = CoreMethod.allCases.filter { !$0.law.holders(isPlace: true).isEmpty }.map(\.path).sorted()

    private static let refusals: Set<String> = [
        "org.vigil.access1.NotSignedIn", "org.vigil.access1.WrongRole", "org.varlink.service.PermissionDenied",
    ]

    /// A place has no wearer who could sign in.
    @Test(
        arguments: Law.Holder.allCases.map { ($0, false) } + [
            (.nobody, true), (.technicianReadOnly, true), (.technician, true),
        ])
    func theTableIsWhatHolds(holder: Law.Holder, isPlace: Bool) throws {
        var count = 0
        for (name, method, interface) in try Self.methods() {
            // A desk of its own: what one call does must not decide the next.
            let desk = try AccessDesk()
            if isPlace { try desk.bench.service.setRole(.place, by: ExposureServiceBench.caller(), at: desk.bench.now) }
            let line = try Access1.Role(rawValue: holder.rawValue).map { try desk.connect(as: $0) } ?? desk.connect()
            let reply = desk.call(line, name, SampleCall.parameters(method, interface), more: true)
            let error = try #require(reply, "\(name)")["error"]?.string
            // What the table lets through, and is then refused for what was given.
            let isGoneFurther = error.map { !Self.refusals.contains($0) } ?? true
            // The samples name the wearer's purpose, the wearer, and a method of the wearer's: what these three refuse depends on that.
            let isConsent =
                name == "org.vigil.device1.GiveConsent" && holder == .technician
                || name == "org.vigil.access1.ChangeSecret" && holder == .technicianReadOnly
                || name == "org.vigil.access1.MakeProof" && [.technicianReadOnly, .technician].contains(holder)
            #expect(
                isGoneFurther == Self.holders(of: name, isPlace: isPlace).contains(holder) || isConsent,
                "\(name) by \(holder): \(error ?? "answered")")
            if !isGoneFurther {
                let isNobody = holder == .nobody && !Self.holders(of: name, isPlace: isPlace).isEmpty
                #expect(error == "org.vigil.access1.\(isNobody ? "NotSignedIn" : "WrongRole")", "\(name) by \(holder)")
            }
            count += 1
        }
        #expect(count >= 50)
    }

    /// A place has no wearer: its technician agrees for the host. On a person's device no technician does.
    @Test func aPlaceIsSwitchedOnAndOffByItsTechnician() throws {
        let desk = try AccessDesk()
        func call(_ role: Access1.Role?, _ method: Device1.Method) throws -> String? {
            let line = try role.map { try desk.connect(as: $0) } ?? desk.connect()
            return try #require(desk.call(line, method.path))["error"]?.string
        }
        for method in [Device1.Method.enable, .disable] {
            #expect(try call(.technician, method) == "org.vigil.access1.WrongRole")
        }
        #expect(!desk.bench.beacon.isEnabled)
        try desk.bench.service.setRole(.place, by: ExposureServiceBench.caller(), at: desk.bench.now)
        #expect(try call(nil, .enable) == "org.vigil.access1.NotSignedIn")
        let line = try desk.connect(as: .technicianReadOnly)
        let refusal = try #require(desk.call(line, Device1.Method.enable.path))
        #expect(refusal["parameters"]?["reason"] == "This is for technicians who may change things. Sign in as one.")
        #expect(!desk.bench.beacon.isEnabled)
        #expect(try call(.technician, .enable) == nil && desk.bench.beacon.isEnabled)
        let entry = try desk.bench.service.audit(after: nil).records.last { $0.kind == "enabled" }
        #expect(entry?.details == ["presence": "signedIn", "as": "technician"])
        #expect(try call(.technician, .disable) == nil && !desk.bench.beacon.isEnabled)
        // Who agreed for a place agreed for nobody's identifiers.
        #expect(try call(.technician, .enable) == nil)
        try desk.bench.service.setRole(.person, by: ExposureServiceBench.caller(), at: desk.bench.now)
        #expect(!desk.bench.beacon.isEnabled)
        #expect(try call(.technician, .enable) == "org.vigil.access1.WrongRole" && !desk.bench.beacon.isEnabled)
    }

    @Test func theConsoleMayDoEverythingAndASocketWithoutPeopleWhatItWasGranted() throws {
        for (name, method, interface) in try Self.methods() {
            for edge in ["ctl", "sync"] {
                let desk = try AccessDesk()
                let reply = try desk.call(desk.connect(edge), name, SampleCall.parameters(method, interface), more: true)
                let error = try #require(reply, "\(name)")["error"]?.string
                // Nobody is signed in there, and only the console makes secrets, records and calibrates.
                let asksForSession = ["SignOut", "ChangeSecret", "MakeProof", "RedeemProof"].contains {
                    name == "org.vigil.access1.\($0)"
                }
                let isConsoles =
                    [
                        "access1.MakeSecret", "device1.StartRecording", "device1.StopRecording",
                        "device1.MeasureNeighbours", "device1.GetNeighbours",
                    ].contains { name == "org.vigil.\($0)" } && edge == "sync"
                #expect(
                    error.map { !Self.refusals.contains($0) } ?? true || asksForSession || isConsoles, "\(name) by \(edge)")
            }
        }
    }

    @Test func everyMethodOfTheCoreHasItsLaw() throws {
        #expect(Set(try Self.methods().map(\.name)) == Set(CoreMethod.allCases.map(\.path)))
        #expect(Set(CoreMethod.allCases.map(\.interface)) == Set(InterfaceTexts.core.keys))
        for method in CoreMethod.allCases { #expect(CoreMethod(path: method.path) == method) }
        for path in ["", "GetStatus", "org.vigil.exposure1.", "org.vigil.exposure1.getStatus", "org.vigil.sync1.Watch"] {
            #expect(CoreMethod(path: path) == nil, "\(path)")
        }
    }

    /// What nobody may call from a page is decided here, one by one.
    @Test func whatNoRoleMayCallIsMeantToBe() throws {
        let left = Set(try Self.methods().map(\.name)).subtracting(Self.open)
        #expect(
            left == [
                "org.vigil.access1.MakeSecret", "org.vigil.access1.RedeemProof", "org.vigil.exposure1.ProvideDiagnosisKeys",
                "org.vigil.exposure1.GetExposureWindows", "org.vigil.exposure1.GetDailySummaries",
                "org.vigil.exposure1.GetExposureSummary", "org.vigil.exposure1.GetExposureInformation",
                "org.vigil.exposure1.GetDiagnosisKeysDataMapping", "org.vigil.exposure1.SetDiagnosisKeysDataMapping",
                "org.vigil.donation1.GetStep", "org.vigil.donation1.GetEnrolmentRequest",
                "org.vigil.donation1.SignEvidence",
                "org.vigil.donation1.TakeToken",
                "org.vigil.donation1.EndDonation", "org.vigil.door1.Broadcast", "org.vigil.door1.TakeCode",
                "org.vigil.door1.NoteVisit",
                "org.vigil.indicator1.Watch", "org.vigil.indicator1.SayNews", "org.vigil.release1.TakeDiagnosisKeys",
                "org.vigil.device1.StartRecording", "org.vigil.device1.GetRecording", "org.vigil.device1.StopRecording",
                "org.vigil.device1.MeasureNeighbours", "org.vigil.device1.GetNeighbours",
                "org.vigil.time1.MakeChallenge",
                "org.vigil.time1.TakeSignedTime",
            ])
    }

    /// The table for people says the same.
    @Test func theDocumentIsTheTable() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = String(decoding: try Data(contentsOf: root.appending(path: "docs/access.md")), as: UTF8.self)
        let lines = Set(text.split(separator: "\n").map(String.init))
        var told = 0
        for name in Self.open {
            let marks = Law.Holder.allCases.map {
                Self.holders(of: name).contains($0)
                    ? "yes" : Self.holders(of: name, isPlace: true).contains($0) ? "in a place" : "–"
            }
            let line = "| `\(name.dropFirst("org.vigil.".count))` | \(marks.joined(separator: " | ")) |"
            #expect(lines.contains(line), "docs/access.md lacks: \(line)")
            told += 1
        }
        #expect(lines.count { $0.hasPrefix("| `") && $0.hasSuffix(" |") && $0.contains("1.") } == told)
    }
}
