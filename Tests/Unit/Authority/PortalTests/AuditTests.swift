// SPDX-License-Identifier: Apache-2.0

import Portal
import SQLiteFile
import Testing

/// Whoever changes the audit is found out.
@Suite struct AuditTests {
    private func chain(_ count: Int64) throws -> [PortalEvent] {
        let scene = try PortalScene()
        for index in 0..<count {
            let kind = PortalEvent.Kind.allCases[Int(index) % PortalEvent.Kind.allCases.count]
            try scene.store.note(kind, user: "user\(index % 3)", detail: "d\(index)", now: scene.now + index)
        }
        return try scene.events()
    }

    private func fault(_ events: [PortalEvent]) -> Int64? {
        var check = PortalAuditCheck()
        for event in events { check.take(event) }
        return check.firstFault
    }

    @Test func everyChangeIsFound() throws {
        let events = try chain(24)
        #expect(events.count == 24)
        #expect(fault(events) == nil)
        for index in events.indices {
            for change: (inout PortalEvent) -> Void in [
                { $0.time += 1 }, { $0.user += "x" }, { $0.kind = "signed-in " }, { $0.detail = "" }, { $0.sequence += 1 },
                { $0.chain[0] ^= 1 },
                // The same letters, divided otherwise.
                { event in
                    event.user += String(event.kind.prefix(1))
                    event.kind = String(event.kind.dropFirst())
                },
            ] {
                var changed = events
                change(&changed[index])
                #expect(fault(changed) != nil)
            }
            // One removed; the last leaves the head behind that its owner noted.
            var shorter = events
            shorter.remove(at: index)
            if index == events.count - 1 {
                var check = PortalAuditCheck()
                for event in shorter { check.take(event) }
                #expect(check.head.chain != events[index].chain)
            } else {
                #expect(fault(shorter) == events[index + 1].sequence)
            }
            for other in events.indices where other != index {
                var swapped = events
                swapped.swapAt(index, other)
                #expect(fault(swapped) != nil)
            }
        }
    }

    /// In the file, as somebody with the right to write it would.
    @Test func aChangedRowOfTheFileIsFound() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        for index in Int64(0)..<5 {
            try scene.store.note(.teleTANIssued, user: "anna", detail: "TEST", now: scene.now + index)
        }
        let file = try SQLiteDatabase<PortalError>(path: scene.database, schema: SQLiteSchema(version: 1, statements: []))
        try file.run("UPDATE audit SET user = 'berta' WHERE sequence = 4")
        #expect(fault(try scene.events()) == 4)
    }

    /// A role of a later release is no reason to keep somebody for ever.
    @Test func aUserWithAnUnknownRoleCanBeRemoved() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let file = try SQLiteDatabase<PortalError>(path: scene.database, schema: SQLiteSchema(version: 1, statements: []))
        try file.run("UPDATE user SET role = 'inspector'")
        #expect(try scene.store.users().isEmpty)
        #expect(code { try scene.add("anna") } == .userExists)
        try scene.store.setPassword(of: "anna", to: try scene.hash("another password"), now: scene.now)
        try scene.store.remove("anna", now: scene.now)
        #expect(code { try scene.store.remove("anna", now: scene.now) } == .unknownUser)
        try scene.add("anna")
        #expect(try scene.store.users().map(\.name) == ["anna"])
    }

    @Test func usersAreInTheAudit() throws {
        let scene = try PortalScene()
        try scene.add("Anna")
        #expect(code { try scene.add("anna") } == .userExists)
        #expect(code { try scene.add("an na") } == .invalidName)
        try scene.store.setPassword(of: "anna", to: try scene.hash("another password"), now: scene.now)
        #expect(code { try scene.store.remove("berta", now: 0) } == .unknownUser)
        try scene.store.remove("anna", now: scene.now)
        #expect(try scene.kinds == ["user-added", "password-changed", "user-removed"])
        #expect(try scene.events().allSatisfy { $0.user == "anna" })
    }
}
