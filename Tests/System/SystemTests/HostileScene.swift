// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

/// A core on air with a caller `sync` that may give it files and see its status, nothing else, and does its worst.
final class HostileScene {
    static let provide = "org.vigil.exposure1.ProvideDiagnosisKeys"
    static let status = "org.vigil.exposure1.GetStatus"
    /// What the core may need at most, in MiB, whatever is offered: in a debug build, with the Swift libraries counted.
    static let mostMemory = 64

    let air: AirProcess
    let core: CoreProcess
    let spool: String

    /// Keys of the file that is right but for its signature.
    static let keyCount = 200_000

    init() throws {
        air = try AirProcess()
        spool = air.folder + "/spool"
        for folder in [spool, air.folder + "/keys", air.folder + "/others"] { try #require(mkdir(folder, 0o700) == 0) }
        let callers = #"{"callers":[{"name":"sync","grants":["\#(Self.provide)","\#(Self.status)"],"spool":"\#(spool)"}]}"#
        try Data(callers.utf8).write(to: URL(filePath: air.folder + "/callers.json"))
        let lab = Program.folder + "/vigil-lab"
        // Two makers of the same name: what the second signs is not what the first is trusted for.
        try #require(try Program.run(lab, ["workload-files", air.folder + "/keys", "500", "300"]).status == 0)
        try #require(
            try Program.run(lab, ["workload-files", air.folder + "/others", "\(Self.keyCount)", "300"]).status == 0)
        core = try CoreProcess(
            "core", on: air,
            ["--callers", air.folder + "/callers.json", "--verify", "bench-v1=\(air.folder)/keys/public.pem"])
        try core.setTime()
        try core.start()
        let core = core
        try #require(core.waits { core.field("onAir") == "true" }, "\(core.log)")
    }

    var good: String { air.folder + "/keys/keys.zip" }
    var wronglySigned: String { air.folder + "/others/keys.zip" }

    func path(_ name: String) -> String { "\(spool)/\(name)" }
    func sync() throws -> CallClient { try CallClient(core.folder + "/sync.sock") }
    func console() throws -> CallClient { try CallClient(core.folder + "/ctl.sock") }

    func copy(_ file: String, _ name: String) throws {
        try? FileManager.default.removeItem(atPath: path(name))
        try FileManager.default.copyItem(atPath: file, toPath: path(name))
    }

    func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: URL(filePath: path(name))) }

    static func files(_ names: [String]) -> String {
        let quoted = names.map { name in
            "\""
                + name.unicodeScalars.map {
                    $0.value < 0x20 ? "\\u00" + ($0.value < 16 ? "0" : "") + String($0.value, radix: 16) : String($0)
                }
                .joined() + "\""
        }
        return #"{"files":[\#(quoted.joined(separator: ","))]}"#
    }

    /// Whether the core, or the program that unpacks for it, has the file of that name open.
    func isBeingRead(_ name: String) -> Bool {
        let children =
            (try? String(contentsOfFile: "/proc/\(core.process)/task/\(core.process)/children", encoding: .utf8)) ?? ""
        return (["\(core.process)"] + children.split(separator: " ").map(String.init)).contains { process in
            let folder = "/proc/\(process)/fd"
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains { number in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
                return target?.hasSuffix("/spool/\(name)") == true
            }
        }
    }

    /// What the console sees of what was kept: matches and files.
    func kept() throws -> [String?] {
        let status = try #require(try console().call(Self.status))
        return [status.member("matchCount"), status.member("matchedFileCount")]
    }

    /// Still on air, answering at once, and no larger than it may be.
    func isWell(_ what: String) throws {
        let start = ContinuousClock.now
        let radio = try #require(try console().call("org.vigil.device1.GetRadio"))
        #expect(ContinuousClock.now - start < .seconds(30), "\(what): the console waited")
        #expect(radio.member("onAir") == "true", "\(what): \(radio)")
        #expect(core.mebibytes("VmHWM") < Self.mostMemory, "\(what): \(core.mebibytes("VmHWM")) MiB")
        // Milliseconds; what the disk and the machine take of it is theirs.
        #expect(Int(radio.member("worstRotationLateness") ?? "") ?? .max < 3_000, "\(what): \(radio)")
    }
}
