// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Interfaces
import JSON
import RandomValues
import Synchronization
import Testing
import Varlink
import VarlinkSocket

@testable import ControlTool

/// A real server on a real socket that speaks the real interfaces; only what it answers is made up. Every answer is checked against
/// the interface by the server itself, unless it is meant to be wrong.
final class TestCore: Sendable {
    enum Answer: Sendable {
        case reply(JSON)
        /// With several of them, the last is the last.
        case replies([JSON])
        /// Without end, until the caller goes.
        case endless(JSON)
        case error(String, JSON.Object)
        case silence
        /// The connection is closed, as by a process that ends.
        case hangUp
    }

    let folder: String
    private let answer: @Sendable (String, JSON) -> Answer
    private let state = Mutex<(calls: [(method: String, parameters: JSON)], unsendable: UInt64, isEnding: Bool)>(
        ([], 0, false))
    private let isDone = Mutex(false)

    var socket: String { folder + "/ctl.sock" }
    var spool: String { folder + "/ctl" }
    var calls: [(method: String, parameters: JSON)] { state.withLock { $0.calls } }
    /// Answers of a test that broke the interface.
    var unsendable: UInt64 { state.withLock { $0.unsendable } }

    /// A folder that no other core has, for answers that must know it before there is a core.
    static func freshFolder() -> String {
        FileManager.default.temporaryDirectory.path + "/vigil-ctl-\(Unique.name())"
    }

    init(
        checks: Bool = true, in folder: String = freshFolder(), _ answer: @escaping @Sendable (String, JSON) -> Answer
    ) throws {
        self.folder = folder
        self.answer = answer
        try FileManager.default.createDirectory(atPath: folder + "/ctl", withIntermediateDirectories: true)
        let interfaces = try InterfaceTexts.all.values.map { try InterfaceDescription(parsing: $0) }
        let service = try ServiceDescription(
            vendor: "Vigil", product: "Test core", version: "0", url: "https://example.org", interfaces: interfaces)
        let edge = Edge(
            name: "ctl", listener: try VarlinkListener(path: socket), grants: .everything, description: service)
        let run = Run(core: self, edge: edge, checks: checks)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Run>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(run).toOpaque())
        try #require(status == 0)
    }

    /// Waits until the thread has gone, then removes the folder.
    func end() {
        state.withLock { $0.isEnding = true }
        while !isDone.withLock({ $0 }) { usleep(1_000) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// What the thread has.
    private final class Run {
        let core: TestCore
        let edge: Edge
        let checks: Bool
        var held: [IncomingCall] = []

        init(core: TestCore, edge: Edge, checks: Bool) {
            self.core = core
            self.edge = edge
            self.checks = checks
        }

        func run() {
            let server = VarlinkServer(edges: [edge], checksReplies: checks)
            var hangsUp = false
            server.handler = { call in
                self.core.state.withLock { $0.calls.append((call.method, call.parameters)) }
                switch self.core.answer(call.method, call.parameters) {
                case .reply(let json): call.reply(json)
                case .replies(let list):
                    for (index, json) in list.enumerated() { call.reply(json, continues: index < list.count - 1) }
                case .endless(let json): call.stream { (json, false) }
                case .error(let name, let parameters): call.fail(name, parameters: parameters)
                case .silence: self.held.append(call)
                case .hangUp:
                    self.held.append(call)
                    hangsUp = true
                }
            }
            while !core.state.withLock({ $0.isEnding }) {
                var descriptors = server.descriptors()
                poll(&descriptors, nfds_t(descriptors.count), server.deadline == .zero ? 0 : 5)
                server.serve(descriptors, at: .seconds(1))
                if hangsUp {
                    hangsUp = false
                    server.removeEdge(named: edge.name)
                    server.add(edge)
                }
                core.state.withLock { $0.unsendable = server.counters.unsendableReplies }
            }
            held = []
            core.isDone.withLock { $0 = true }
        }
    }
}

/// A session with a test core: what it shows, and who is asked.
final class Desk {
    private(set) var shown = ""
    private(set) var questions: [String] = []
    let core: TestCore

    init(_ core: TestCore) { self.core = core }

    static let now: Int64 = 1_795_257_000  // 2026-11-21 10:30 UTC

    func session(
        json: Bool = false, answers: [String]? = nil, timeout: Duration? = nil, screen: Screen = Screen(width: 100)
    ) -> ControlSession {
        var answers = answers
        let person = Person(
            answer: answers == nil
                ? nil
                : { question in
                    self.questions.append(question)
                    return answers?.isEmpty == false ? answers?.removeFirst() : nil
                })
        return ControlSession(
            socket: core.socket, timeout: timeout, isJSON: json, screen: screen, person: person, now: { Self.now },
            output: { text in self.shown += text })
    }

    /// What one command shows.
    func shows(
        json: Bool = false, answers: [String]? = nil, _ command: (ControlSession) throws -> Void
    ) throws -> String {
        shown = ""
        try command(session(json: json, answers: answers))
        return shown
    }

    /// How a command fails, if it does.
    func failure(
        json: Bool = false, answers: [String]? = nil, timeout: Duration? = nil,
        _ command: (ControlSession) throws -> Void
    ) -> ControlFailure? {
        shown = ""
        let session = session(json: json, answers: answers, timeout: timeout)
        do { try command(session) } catch {
            let failure = error as? ControlFailure
            if let failure { try? session.showFailure(failure) } else { Issue.record("\(error)") }
            return failure
        }
        return nil
    }
}

/// JSON from its text; the tests' own.
func json(_ text: String) -> JSON { (try? JSON(parsing: Array(text.utf8))) ?? .null }

/// Whether nothing in it can move a cursor.
func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory) }
}

/// The names in a folder.
func names(in folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
