// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Portal
import RandomValues
import SQLiteFile
import Testing

/// The portal's commands, as programs.
@Suite struct CommandTests {
    @Test func usersAndAudit() throws {
        let state = "\(PortalScene.base)/vigil-portal-commands-\(Unique.name())"
        defer { try? FileManager.default.removeItem(atPath: state) }
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        func portal(_ arguments: [String], input: String = "") throws -> (status: Int32, output: String, errors: String) {
            try Program.run(["portal"] + arguments + ["--state", state], input: input)
        }
        let password = PortalScene.password
        #expect(try portal(["user", "add", "anna"], input: password + "\n").status == 0)
        #expect(try portal(["user", "add", "anna"], input: password + "\n").status == 1)
        #expect(try portal(["user", "add", "berta"], input: "short\n").status == 1)
        #expect(try portal(["user", "add", "emil", "--role", "events"], input: password).status == 0)
        #expect(try portal(["user", "add", "x", "--role", "all"], input: password).status == 64)
        #expect(try portal(["user", "password", "anna"], input: password + "2\r\n").status == 0)
        #expect(try portal(["user", "password", "nobody"], input: password).status == 1)
        #expect(try portal(["user", "list"]).output == "anna tests\nemil events\n")
        #expect(try portal(["user", "remove", "emil"]).status == 0)
        #expect(try portal(["user", "list", "--json"]).output.hasPrefix("{\"name\":\"anna\",\"role\":\"tests\""))
        let audit = try portal(["audit"])
        let lines = audit.output.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
        #expect(lines == ["user-added anna tests", "user-added emil events", "password-changed anna", "user-removed emil"])
        #expect(!audit.output.contains(password))
        #expect(try portal(["audit", "--json"]).output.split(separator: "\n").count == 4)
        let check = try portal(["audit", "--check"])
        #expect(check.status == 0 && check.output.isEmpty)
        let head = String(try #require(check.errors.split(separator: " ").last).dropLast())
        #expect(head.hasPrefix("4:"))
        #expect(try portal(["audit", "--check", "--head", head]).status == 0)
        // The end cut off: only the head that was noted tells.
        let file = try SQLiteDatabase<PortalError>(
            path: state + "/portal.db", schema: SQLiteSchema(version: 1, statements: []))
        try file.run("DELETE FROM audit WHERE sequence = 4")
        #expect(try portal(["audit", "--check"]).status == 0)
        #expect(try portal(["audit", "--check", "--head", head]).status == 1)
        try file.run("DELETE FROM audit WHERE sequence = 2")
        let broken = try portal(["audit", "--check"])
        #expect(broken.status == 1 && broken.errors.contains("event 3"))
        // What only the owner may read.
        let rights = try FileManager.default.attributesOfItem(atPath: state + "/portal.db")[.posixPermissions]
        #expect((rights as? Int) == 0o600)
    }
}
