// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import RandomValues
import Testing

@testable import ControlTool

/// What a person and a script are told when nothing comes of it.
@Suite struct FailureTests {
    private func failure(
        checks: Bool = true, timeout: Duration? = nil, _ answer: TestCore.Answer,
        _ command: (ControlSession) throws -> Void = { session in try session.status() }
    ) throws -> ControlFailure? {
        let core = try TestCore(checks: checks) { _, _ in answer }
        defer { core.end() }
        return Desk(core).failure(timeout: timeout, command)
    }

    @Test func noCore() {
        let session = { (path: String) in
            ControlSession(socket: path, isJSON: true, screen: Screen(), person: Person(answer: nil), output: { _ in })
        }
        func status(_ path: String) -> ControlStatus? {
            do throws(ControlFailure) { try session(path).status() } catch { return error.status }
            return nil
        }
        #expect(status("/nowhere/ctl.sock") == .unavailable)
        #expect(status("/etc/passwd") != nil)
        #expect(
            throws: ControlFailure(.noCore, ""),
            performing: { try session("/nowhere/ctl.sock").provide(["/nowhere/keys.zip"], showsProgress: false) })
        #expect(status(String(repeating: "x", count: 200)) == .usage)
    }

    @Test func nobodyListensAnyMore() throws {
        let path = "/tmp/vigil-ctl-dead-\(Unique.name()).sock"
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(socket)
            unlink(path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
        let session = ControlSession(socket: path, screen: Screen(), person: Person(answer: nil), output: { _ in })
        #expect(throws: ControlFailure(.noCore, "")) { try session.status() }
    }

    @Test func aCoreThatSaysNothingIsNotWaitedForForEver() throws {
        let start = ContinuousClock.now
        #expect(try failure(timeout: .milliseconds(200), .silence)?.status == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(40), "by itself it waits for 45")
    }

    @Test func refusalsSayWhatTheCoreSays() throws {
        let limit = try failure(
            .error(
                "org.vigil.exposure1.LimitReached",
                ["nextPermitted": 1_795_305_600, "reason": "Six calls were made today."])
        ) { session in
            try session.call("org.vigil.exposure1.ProvideDiagnosisKeys", parameters: #"{"files":[]}"#, answers: .one)
        }
        #expect(limit?.status == .refused)
        #expect(limit?.description == "Six calls were made today. Next possible: 2026-11-22 00:00 UTC. [LimitReached]")
        let denied = try failure(.error("org.varlink.service.PermissionDenied", [:]))
        #expect(denied?.status == .notPermitted)
        let unknown = try failure(.error("org.varlink.service.MethodNotFound", ["method": "GetStatus"]))
        #expect(unknown?.status == .refused && unknown?.description.contains("another version") == true)
    }

    @Test func wrongAnswersAreNotUnderstood() throws {
        for answer in [
            "{}", #"{"status": 3}"#, #"{"status": {"enabled": "yes"}}"#,
            #"{"status": \#(Canned.status.replacing("active", with: "asleep"))}"#,
            #"{"status": \#(Canned.status.replacing("12", with: "-1e300"))}"#,
        ] {
            #expect(try failure(checks: false, .reply(json(answer)))?.status == .protocolError, "\(answer)")
        }
        let list = try failure(checks: false, .reply(["entries": 3])) { session in try session.audit(after: nil) }
        #expect(list?.status == .protocolError)
        let noResult = try failure(
            checks: false,
            .reply(
                json(
                    #"{"keys":[{"keyData":"AA==","rollingStartIntervalNumber":1,"rollingPeriod":1}],"ticket":"x","expires":1}"#
                ))
        ) {
            session in try session.release(to: "/tmp/vigil-never-\(Unique.name())", isAgreed: true)
        }
        #expect(noResult?.status == .protocolError)
    }

    @Test func aListWithoutEndDoesNotFillTheMemory() throws {
        // Of the shortest elements there are: whole hours took minutes on a busy machine.
        let page = json(#"{"hours":[\#([String](repeating: "0", count: 1_000).joined(separator: ","))]}"#)
        let failure = try failure(checks: false, timeout: .seconds(300), .endless(page)) { session in
            try session.evidence(days: 1, byHour: false)
        }
        #expect(failure?.status == .protocolError && failure?.description.contains("does not end") == true)
    }

    @Test func everyCodeHasAStatusAndAName() {
        for code in ControlFailure.Code.allCases {
            let failure = ControlFailure(code, "text")
            #expect(failure.status != .done && failure.json["error"]?.string == "vigil.ctl.\(code.rawValue)")
        }
    }
}
