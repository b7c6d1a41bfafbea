// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import JSON
import RandomValues
import Testing

/// A real core with known secrets of roles, sessions and tokens: the answers that rightly carry them do, and nothing else that it says, writes or
/// logs.
@Suite struct AccessCanaryTests {
    /// A caller that acts for people, as the page does.
    private static let page = [
        "access1.GetRoles", "access1.SignIn", "access1.UseSession", "access1.SignOut", "access1.ChangeSecret",
        "access1.MakeToken", "access1.GetTokens", "access1.RevokeToken", "exposure1.GetStatus", "exposure1.Watch",
        "device1.GetRadio", "device1.GetAudit", "device1.GetEvidence", "device1.GetStorage", "device1.GetPreferences",
        "device1.ExportMyData", "technician1.GetLog", "technician1.GetProcesses", "risk1.GetRisk",
    ]

    /// As the card has it, with letters and digits of its own.
    private static func printed(_ generator: inout SeededGenerator) -> String {
        let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let groups = (0..<4).map { _ in String((0..<4).map { _ in letters.randomElement(using: &generator) ?? "0" }) }
        return groups.joined(separator: "-")
    }

    /// Every form of a secret that is a text: as it was given, without what does no harm in it, and what its digits stand for.
    private static func add(_ name: String, _ text: String, to search: inout SecretSearch) {
        search.add(name, Array(text.utf8))
        for other in Set([text.lowercased(), text.replacing("-", with: ""), text.replacing("-", with: "").lowercased()])
        where other != text {
            search.add(name, Array(other.utf8))
        }
        if let bytes = Hex.bytes(text) { search.add(name, bytes) }
    }

    @discardableResult
    private func call(
        _ line: RecordedSocket, _ method: String, _ parameters: JSON = .empty, more: Bool = false
    ) -> JSON? {
        line.call("org.vigil.\(method)", parameters, more: more)
    }

    private func text(_ reply: JSON?, _ name: String) throws -> String {
        try #require(reply?["parameters"]?[name]?.string, "\(reply?["error"]?.string ?? "no answer")")
    }

    @Test func secretsSessionsAndTokensAreNowhereButWhereTheyBelong() throws {
        let air = try AirProcess()
        let core = try CoreProcess("core", on: air, ["--callers", air.folder + "/callers.json"])
        let grants = Self.page.map { "\"org.vigil.\($0)\"" }.joined(separator: ",")
        try Data(#"{"callers": [{"name": "page", "grants": [\#(grants)]}]}"#.utf8).write(
            to: URL(filePath: air.folder + "/callers.json"))
        // As provisioning leaves them.
        let data = core.folder + "/data"
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var generator = SeededGenerator(seed: 1)
        let wearer = Self.printed(&generator)
        let technician = "heron \(generator.next()) on a wire"
        let technicianReadOnly = Self.printed(&generator)
        let first = data + "/first-secrets"
        try Data(
            #"{"wearer": "\#(wearer)", "technician": "\#(technician)", "technicianReadOnly": "\#(technicianReadOnly)"}"#
                .utf8
        ).write(
            to: URL(filePath: first))
        chmod(first, 0o600)
        let held = open(first, O_RDONLY | O_CLOEXEC)
        defer { close(held) }
        var secrets = SecretSearch()
        for (name, secret) in [("wearer", wearer), ("technician", technician), ("technicianReadOnly", technicianReadOnly)] {
            Self.add("\(name)'s secret", secret, to: &secrets)
        }
        try core.setTime()
        try core.start()
        #expect(core.waits { access(first, F_OK) != 0 }, "\(core.log)")
        // Who had it open finds nothing in it any more.
        var rest = [UInt8](repeating: 1, count: 4_096)
        let count = read(held, &rest, rest.count)
        #expect(count > 0 && rest.prefix(max(0, count)).allSatisfy { $0 == 0 })

        var answers: [(what: String, bytes: [UInt8], except: Set<String>)] = []
        func line(_ name: String = "page", timeout: Int = 20) throws -> RecordedSocket {
            try RecordedSocket(core.folder + "/\(name).sock", timeout: timeout)
        }
        // Told of everything that happens.
        let watcher = try line("ctl", timeout: 1)
        watcher.call("org.vigil.exposure1.Watch", more: true, replies: 1)

        // Signing in, rightly and not quite.
        var sessions: [String: String] = [:]
        for (role, secret) in [
            ("wearer", wearer.lowercased()), ("technician", technician), ("technicianReadOnly", technicianReadOnly),
        ] {
            let door = try line()
            let mistyped = String(secret.dropLast()) + (secret.hasSuffix("7") ? "8" : "7")
            Self.add("what was mistyped", mistyped, to: &secrets)
            #expect(call(door, "access1.SignIn", ["role": .string(role), "secret": .string(mistyped)])?["error"] != nil)
            answers.append(("a refusal", door.received, []))
            let right = try line()
            let value = try text(
                call(right, "access1.SignIn", ["role": .string(role), "secret": .string(secret)]), "session")
            #expect(value.utf8.count == 64)
            sessions[role] = value
            Self.add("\(role)'s session", value, to: &secrets)
            answers.append(("SignIn", right.received, ["\(role)'s session"]))
        }
        // A token, and a secret that was made and one that was chosen.
        let chosen = "a new sentence \(generator.next())"
        Self.add("the chosen secret", chosen, to: &secrets)
        let work = try line()
        #expect(call(work, "access1.UseSession", ["session": .string(sessions["technician"] ?? "")])?["error"] == nil)
        answers.append(("UseSession", work.received, []))
        let maker = try line()
        call(maker, "access1.UseSession", ["session": .string(sessions["technician"] ?? "")])
        let token = try text(call(maker, "access1.MakeToken", ["name": "a script", "role": "technicianReadOnly"]), "token")
        Self.add("the token", token, to: &secrets)
        answers.append(("MakeToken", maker.received, ["the token"]))
        let console = try line("ctl")
        let made = try text(call(console, "access1.MakeSecret", ["role": "wearer"]), "secret")
        Self.add("the made secret", made, to: &secrets)
        answers.append(("MakeSecret", console.received, ["the made secret"]))
        let change: JSON = ["role": "technician", "present": .string(technician), "wanted": .string(chosen)]
        #expect(call(work, "access1.ChangeSecret", change)?["error"] == nil)

        // Everything that might tell of them, to each who may ask.
        let again = try line()
        let fresh = try text(call(again, "access1.SignIn", ["role": "technician", "secret": .string(chosen)]), "session")
        Self.add("the second session", fresh, to: &secrets)
        answers.append(("SignIn", again.received, ["the second session"]))
        for value in [nil, sessions["technicianReadOnly"], token, fresh] {
            let asking = try line()
            if let value { #expect(call(asking, "access1.UseSession", ["session": .string(value)])?["error"] == nil) }
            let ending: Set = ["access1.SignIn", "access1.SignOut", "access1.UseSession", "exposure1.Watch"]
            for method in Self.page where !ending.contains(method) {
                #expect(call(asking, method, more: method.hasSuffix("GetAudit") || method.hasSuffix("GetEvidence")) != nil)
            }
            // Where it does not belong, and half of it.
            let odd: [(String, JSON)] = [
                ("access1.SignIn", ["role": .string(chosen), "secret": "x"]),
                ("access1.SignIn", ["role": "technician", "secret": [.string(chosen)]]),
                ("access1.SignIn", ["role": "technician", "secret": .string(chosen + chosen)]),
                ("access1.ChangeSecret", ["role": "technician", "present": .string(chosen), "wanted": "short"]),
                ("access1.MakeToken", ["name": .string(token), "role": "technicianReadOnly"]),
                ("access1.RevokeToken", ["name": .string(fresh)]),
                ("access1.UseSession", ["session": .string(String(fresh.dropLast()))]),
                ("access1.UseSession", ["session": ["x": .string(fresh)]]),
            ]
            for (method, parameters) in odd { #expect(call(asking, method, parameters)?["error"] != nil, "\(method)") }
            answers.append(("everything", asking.received, []))
            let garbage = try line()
            garbage.send(Array(#"{"method": "org.vigil.access1.SignIn", "parameters": {"secret": "\#(chosen)"#.utf8) + [0])
            _ = garbage.receive()
            answers.append(("what is no message", garbage.received, []))
        }
        for method in ["GetAudit", "ExportMyData", "GetEvidence", "GetStorage"] {
            let asking = try line("ctl")
            #expect(call(asking, "device1.\(method)", more: method != "GetStorage") != nil)
            answers.append(("the console", asking.received, []))
        }
        let last = try line()
        call(last, "access1.UseSession", ["session": .string(fresh)])
        #expect(call(last, "access1.RevokeToken", ["name": "a script"])?["error"] == nil)
        #expect(call(last, "access1.MakeToken", ["name": "another", "role": "technicianReadOnly"])?["error"] == nil)
        let kept = try kept(data)
        #expect(call(last, "access1.SignOut")?["error"] == nil)
        _ = watcher.receive()
        answers.append(("events", watcher.received, []))

        // What rightly carries one does: the search would find it elsewhere, too.
        for (what, bytes, except) in answers {
            #expect(secrets.findings(in: bytes, except: except) == [], "\(what)")
            for name in except { #expect(secrets.findings(in: bytes).contains { $0.hasPrefix(name) }, "\(what)") }
        }
        #expect(answers.count { !$0.except.isEmpty } == 6)
        try keptIsHashes(kept, ["wearer": made, "technicianReadOnly": technicianReadOnly, "technician": chosen])
        #expect(core.end() == 0)
        // Files, logs, the state.
        let forest = try files(below: air.folder).filter { $0.path != air.folder + "/callers.json" }
        for name in ["/data/access/secrets", "/log", "/state.json"] {
            #expect(forest.contains { $0.path.hasSuffix(name) }, "\(name)")
        }
        for file in forest { #expect(secrets.findings(in: file.bytes) == [], "\(file.path)") }
        #expect(core.log.contains("somebody could not sign in"))
    }

    /// `access/secrets`, less its sum.
    private func kept(_ data: String) throws -> JSON {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: data + "/access/secrets")))
        return try JSON(parsing: Array(bytes.split(separator: 10)[0]))
    }

    /// What is kept is what trying would have to hit, and nothing beside it.
    private func keptIsHashes(_ kept: JSON, _ secrets: [String: String]) throws {
        #expect(Set((kept.object?.members ?? []).map(\.name)) == ["schema", "secrets", "tokens"])
        for (role, secret) in secrets {
            let record = try #require(kept["secrets"]?[role])
            #expect(Set((record.object?.members ?? []).map(\.name)) == ["isMade", "salt", "iterations", "hash"])
            let isMade = record["isMade"]?.bool == true
            let typed = isMade ? secret.replacing("-", with: "") : secret
            let iterations = try #require(record["iterations"]?.int)
            #expect(iterations == 100_000)
            let salt = try #require(Hex.bytes(record["salt"]?.string ?? ""))
            let hash = try PBKDF2SHA256.derive(
                from: SecretBytes(copying: Array(typed.utf8)), salt: salt, iterations: UInt32(iterations), count: 32)
            #expect(hash.withBytes { Hex.string(Array($0)) } == record["hash"]?.string, "\(role)")
        }
        let tokens = try #require(kept["tokens"]?.array)
        #expect(tokens.count == 1)
        for token in tokens {
            let names = (token.object?.members ?? []).map(\.name)
            #expect(names.allSatisfy { ["name", "role", "digest", "made", "lastUsed"].contains($0) })
            #expect(token["digest"]?.string?.utf8.count == 64)
        }
    }

    private func files(below folder: String) throws -> [(path: String, bytes: [UInt8])] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).compactMap { name in
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return (path, [UInt8](try Data(contentsOf: URL(filePath: path))))
        }
    }
}
