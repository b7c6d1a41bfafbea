// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GAEN
import Glibc
import Testing
import Vault

/// The real core in a place, beside phones and beside a person's board that shows what there was to collect.
@Suite(.serialized) struct PlaceProcessTests {
    private func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { name in
            let path = folder + "/" + name
            return (try? FileManager.default.contentsOfDirectory(atPath: path)) == nil ? [path] : try files(in: path)
        }
    }

    private func vault(_ core: CoreProcess) throws -> Vault {
        let data = core.folder + "/data"
        return try Vault(PosixStorage(folder: data), provider: FileKeyProvider(PosixStorage(folder: data + "/key")))
    }

    /// Identifiers in the sightings of `core`, in hexadecimal.
    private func heard(_ core: CoreProcess) throws -> Set<String> {
        let vault = try vault(core)
        return Set(
            try vault.days.flatMap { try vault.scans(day: $0) }.flatMap(\.heard).map {
                Hexadecimal.string($0.payload.identifier.bytes)
            })
    }

    @Test func aKiosksStoreIsEmpty() throws {
        let air = try AirProcess()
        let control = try StreamClient(air.control)
        let kiosk = try CoreProcess("kiosk", on: air, role: "place")
        try kiosk.setTime()
        try kiosk.start()
        #expect(kiosk.waits { kiosk.field("controller") != nil }, "\(kiosk.log)")
        let person = try CoreProcess("person", on: air)
        try person.setTime()
        try person.start()
        #expect(person.waits { person.field("onAir") == "true" })
        for x in 1...3 { #expect(control.ask(#"{"op":"phone","x":\#(x),"y":0,"form":"ios"}"#).contains("true")) }
        // It listens, and hears all four; killed in the middle, it goes on as before.
        #expect(kiosk.waits { kiosk.number("exposureNotifications") >= 20 && kiosk.number("lastScanIdentifiers") >= 4 })
        #expect(kiosk.end(SIGKILL) == 128 + SIGKILL)
        try kiosk.start()
        #expect(kiosk.waits { kiosk.number("exposureNotifications") >= 20 && kiosk.number("lastScanIdentifiers") >= 4 })
        #expect(person.waits { person.number("storedIdentifiers") >= 12 })
        // The air's own record: the kiosk sends nothing and never had an address.
        let devices = control.ask(#"{"op":"list"}"#).split(separator: "{").map(String.init).filter {
            $0.contains(#""adv""#)
        }
        #expect(devices.filter { $0.contains(#""adv":true"#) }.count == devices.count - 1)
        #expect(kiosk.number("rotations") == 0 && kiosk.number("keysMade") == 0 && kiosk.field("onAir") == "false")
        #expect(kiosk.number("storedScans") == 0 && kiosk.number("lostScans") == 0)
        for core in [kiosk, person] { #expect(core.end() == 0) }

        // The person's board has heard the three phones, and nothing of a kiosk.
        let canaries = try heard(person)
        #expect(canaries.count == 3)
        #expect(try heard(kiosk) == [])
        let kept = try vault(kiosk)
        #expect(kept.days.isEmpty && kept.schedule == TEKSchedule())
        #expect(try vault(person).schedule.current != nil)
        let names = try files(in: kiosk.folder)
        #expect(names.count >= 8 && !names.contains { $0.contains("day-") })
        #expect(try files(in: person.folder).contains { $0.contains("/day-") })
        // Nor is it anywhere in clear: logs, state, ledger.
        var search = SecretSearch()
        for canary in canaries { search.add("identifier", Hexadecimal.bytes(canary)) }
        for name in names {
            #expect(search.findings(in: [UInt8](try Data(contentsOf: URL(filePath: name)))) == [], "\(name)")
        }
    }

    private enum Hexadecimal {
        static func string(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }

        static func bytes(_ text: String) -> [UInt8] {
            stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
        }
    }
}
