// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

/// The units and nginx's configuration that come along, held against the program.
@Suite struct UnitTests {
    static let folder = Program.root + "/Provisioning/authority"

    private struct Unit {
        let name: String
        /// By key, in order; continued lines are joined.
        var values: [String: [String]] = [:]

        init(_ name: String) throws {
            self.name = name
            let text = try String(contentsOf: URL(filePath: "\(UnitTests.folder)/systemd/\(name)"), encoding: .utf8)
            for line in text.replacing("\\\n", with: " ").split(separator: "\n") where !line.hasPrefix("#") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { values[String(parts[0]), default: []].append(String(parts[1])) }
            }
        }

        var start: [String] {
            (values["ExecStart"]?.first ?? "").split(separator: " ").map(String.init)
        }
    }

    private static func names(_ ending: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/systemd").filter { $0.hasSuffix(ending) }.sorted()
    }

    /// Each command is one, and each of its options is in its help.
    @Test func everyCommandExists() throws {
        let names = try Self.names(".service")
        #expect(names.count == 7)
        for name in names {
            let words = try Unit(name).start
            #expect(words.first == "/usr/bin/vigil-authority")
            let command = Array(words.dropFirst().prefix { !$0.hasPrefix("-") })
            let help = try Program.run(command + ["--help"])
            #expect(help.status == 0, "\(name)")
            let known = Set(help.output.split { " ,\n()/".contains($0) }.map(String.init))
            let options = words.filter { $0.hasPrefix("--") }
            #expect(!options.isEmpty)
            for option in options { #expect(known.contains(option), "\(name): \(option)") }
            // The whole line is understood: it fails for what is not there, not for how it is written (64).
            let arguments = words.dropFirst().map { word in
                word.replacing("%S", with: "/nonexistent").replacing("%d", with: "/nonexistent")
                    .replacing("http://", with: "broken://")
            }
            // Commands of `donations` say 1 for it, the others 2.
            #expect(try [1, 2].contains(Program.run(Array(arguments)).status), "\(name)")
        }
    }

    @Test func everyUnitIsConfined() throws {
        for name in try Self.names(".service") {
            let values = try Unit(name).values
            for (key, value) in [
                ("NoNewPrivileges", "yes"), ("ProtectSystem", "strict"), ("CapabilityBoundingSet", ""),
                ("MemoryDenyWriteExecute", "yes"), ("LimitCORE", "0"), ("PrivateUsers", "yes"),
            ] {
                #expect(values[key] == [value], "\(name): \(key)")
            }
            #expect(values["SystemCallFilter"]?.first?.hasPrefix("@system-service") == true)
            #expect(values["MemoryMax"]?.count == 1 && values["RestrictAddressFamilies"]?.count == 1)
        }
        // Separate storage, separate users, and of secrets only what each needs.
        let services = ["publish", "results", "verification", "submission", "portal"]
        let units = try services.map { try Unit("vigil-authority-\($0).service") }
        #expect(Set(units.compactMap { $0.values["User"]?.first }).count == services.count)
        let states = units.compactMap { $0.values["StateDirectory"]?.first }
        #expect(Set(states).count == 4 && states.count == 4)
        let secrets = units.map { unit in
            (unit.values["LoadCredential"] ?? []).map { String($0.prefix { $0 != ":" }) }
        }
        #expect(
            secrets == [
                [], ["laboratory-secret", "results-secret"], ["portal-secret", "submission-secret", "results-secret"],
                ["submission-secret", "admin-token"], ["portal-secret", "warning-token"],
            ])
        // A credential that the command does not ask for is no use, and the other way round it does not start.
        for unit in units {
            let given = Set((unit.values["LoadCredential"] ?? []).map { String($0.prefix { $0 != ":" }) })
            let asked = Set(unit.start.filter { $0.hasPrefix("%d/") }.map { String($0.dropFirst(3)) })
            #expect(unit.start.contains("%d") || asked == given, "\(unit.name): \(asked) of \(given)")
        }
    }

    /// What systemd itself says, where there is one.
    @Test(.enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0)) func systemdUnderstandsTheUnits() throws {
        let scratch = "\(PortalScene.base)/vigil-units-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let names = try Self.names(".service") + Self.names(".timer")
        for name in names {
            let text = try String(contentsOf: URL(filePath: "\(Self.folder)/systemd/\(name)"), encoding: .utf8)
            // It must be there for systemd to be content.
            try Data(text.replacing("/usr/bin/vigil-authority", with: Program.path).utf8)
                .write(to: URL(filePath: "\(scratch)/\(name)"))
        }
        let script = "cd \"$0\" && systemd-analyze verify --man=no ./vigil-* 2>&1 | grep vigil-; exit 0"
        let verified = try Program.run(["-c", script, scratch], program: "/bin/sh")
        #expect(verified.output.isEmpty, "\(verified.output)")
        for name in names where name.hasSuffix(".service") {
            let judged = try Program.run(
                ["-c", "cd \"$0\" && systemd-analyze security --offline=true --threshold=20 ./\(name)", scratch],
                program: "/bin/sh")
            #expect(judged.status == 0, "\(name): \(judged.output.suffix(200))")
        }
    }

    /// nginx takes its configuration, keeps no log of who asked.
    @Test(.enabled(if: access("/usr/sbin/nginx", X_OK) == 0)) func nginxUnderstandsItsConfiguration() throws {
        let scratch = "\(PortalScene.base)/vigil-nginx-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let text = try ["tests", "default"].map {
            try String(contentsOf: URL(filePath: "\(Self.folder)/nginx/vigil-\($0).conf"), encoding: .utf8)
        }.joined()
        let servers = text.split(separator: "\nserver {").count - 1
        #expect(servers == 4 && text.split(separator: "access_log off;").count - 1 == servers)
        // What is written above "emerg" names addresses.
        #expect(text.split(separator: /error_log \S+ emerg;/).count - 1 == servers)
        let key = try Program.run(
            [
                "-c",
                "cd \"$0\" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x -keyout k -out c -days 2",
                scratch,
            ], program: "/bin/sh")
        try #require(key.status == 0, "openssl is needed")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            if line.contains("ssl_certificate_key ") { return "ssl_certificate_key \(scratch)/k;" }
            if line.contains("ssl_certificate ") { return "ssl_certificate \(scratch)/c;" }
            if line.contains("error_log ") { return "error_log \(scratch)/error.log emerg;" }
            return String(line)
        }
        let whole = "pid \(scratch)/pid;\nevents {}\nhttp {\n\(lines.joined(separator: "\n"))\n}\n"
        try Data(whole.utf8).write(to: URL(filePath: scratch + "/nginx.conf"))
        let checked = try Program.run(
            ["-t", "-q", "-p", scratch, "-c", scratch + "/nginx.conf", "-e", scratch + "/error.log"],
            program: "/usr/sbin/nginx")
        #expect(checked.status == 0 && checked.errors.isEmpty, "\(checked.errors)")
    }
}
