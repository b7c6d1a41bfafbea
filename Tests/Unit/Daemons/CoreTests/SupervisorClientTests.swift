// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import ProcessLink
import RandomValues
import Testing

@testable import Core

/// A folder that goes with the test, with what is in it.
private final class TechnicianFolder {
    let path = FileManager.default.temporaryDirectory.path + "/vigil-room-\(Unique.name())"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct SupervisorLogTests {
    private let folder: TechnicianFolder

    init() throws { folder = try TechnicianFolder() }

    private func write(_ name: String, _ numbers: ClosedRange<Int64>, _ text: (Int64) -> String = { "line \($0)" }) {
        var bytes: [UInt8] = []
        for number in numbers {
            let level = KeptLine.Level.allCases[Int(number % 6)]
            bytes +=
                KeptLine(
                    number: number, time: 1_700_000_000_000 + number, process: number % 2 == 0 ? "core" : "sync",
                    level: level,
                    text: text(number)
                ).bytes
        }
        put(name, bytes)
    }

    private func put(_ name: String, _ bytes: [UInt8]) {
        let file = open("\(folder.path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    private func all(_ filter: SupervisorLog.Filter = .init(), after: Int64 = 0) -> (lines: [KeptLine], parts: Int) {
        let log = SupervisorLog(folder: folder.path)
        var lines: [KeptLine] = []
        var (last, parts) = (after, 0)
        while parts < 10_000 {
            let part = log.read(after: last, filter)
            #expect(part.lines.count <= SupervisorLog.mostLines && part.last >= last)
            lines += part.lines
            last = part.last
            parts += 1
            if part.isEnd { break }
        }
        return (lines, parts)
    }

    @Test func everyLineComesOnceFromBothFiles() {
        write("log.before", 101...5_000)
        write("log", 5_001...9_000)
        let (lines, parts) = all()
        #expect(lines.map(\.number) == Array(101...9_000) && parts >= 8_900 / 128)
        #expect(SupervisorLog(folder: folder.path).read(after: 0, .init()).droppedCount == 100)
        for after: Int64 in [0, 100, 101, 4_999, 5_000, 5_001, 8_999, 9_000, 10_000] {
            let wanted: [Int64] = (101...9_000).filter { $0 > after }
            #expect(all(after: after).lines.map(\.number) == wanted, "\(after)")
        }
    }

    @Test func filtersTakeWhatTheyAreFor() {
        write("log.before", 1...3_000)
        write("log", 3_001...4_000)
        let core = all(.init(process: "core", level: .error)).lines
        let wanted: [Int64] = (1...4_000).filter { $0 % 6 == 4 }
        #expect(core.map(\.number) == wanted)
        #expect(all(.init(process: "nobody")).lines == [] && all(.init(process: "")).lines == [])
        #expect(all(.init(level: .debug)).lines.count == 4_000)
        #expect(all(.init(process: "core 1")).lines == [])
    }

    @Test func aCallLooksAtABoundedPart() {
        write("log", 1...400) { _ in String(repeating: "x", count: 1_000) }
        let part = SupervisorLog(folder: folder.path).read(after: 0, .init(process: "nobody"))
        #expect(!part.isEnd && part.last > 200 && part.last < 350)
        #expect(all().lines.count == 400)
        #expect(SupervisorLog(folder: folder.path).read(after: 0, .init()).lines.count <= 30)
    }

    @Test func whatIsNoLineIsPassedOver() {
        var bytes: [UInt8] = []
        for number in 1...500 as ClosedRange<Int64> {
            bytes += KeptLine(number: number, time: 1, process: "core", level: .info, text: "x").bytes
            bytes += Array("\n\nrubbish\n99999999999999999999 x\n-5 1 core info x\n\u{0}\u{ff}".utf8) + [0xFF, 10]
        }
        put("log", bytes + Array("501 1 core info half a line".utf8))
        #expect(all().lines.map(\.number) == Array(1...500))
        put("log", [UInt8](repeating: 120, count: 300_000))
        #expect(all().lines == [] && all().parts == 1)
        put("log", [])
        #expect(all().lines == [])
        unlink("\(folder.path)/log")
        #expect(all().lines == [] && all().parts == 1)
    }

    /// The worst of it, in the slowest build: nothing found in all that is kept.
    @Test func theWholeLogIsLookedThroughInNoTime() {
        write("log.before", 1...6_500) { _ in String(repeating: "y", count: 50) }
        write("log", 6_501...13_000) { _ in String(repeating: "y", count: 50) }
        let begin = threadTime()
        let lines = all(.init(process: "nobody", level: .critical)).lines
        #expect(lines == [] && threadTime() - begin < .seconds(5))
    }
}

@Suite struct SupervisorClientTests {
    private let folder: TechnicianFolder

    init() throws { folder = try TechnicianFolder() }
    private final class Sent { var messages: [ControlMessage] = [] }

    private func room(_ sent: Sent, takes: Bool = true) -> SupervisorClient {
        SupervisorClient(folder: folder.path, runFolder: folder.path) {
            sent.messages.append($0)
            return takes
        }
    }

    private func number(_ sent: Sent) throws -> UInt32 {
        try #require(sent.messages.last.flatMap { SupervisorRequest($0) }).number
    }

    @Test func anAnswerReachesWhoAsked() throws {
        let sent = Sent()
        let room = room(sent)
        var outcomes: [SupervisorAnswer.Outcome] = []
        room.order(.restart(plugin: "a"), at: .zero) { outcomes.append($0) }
        let number = try number(sent)
        room.take(SupervisorAnswer(number: number &+ 1, outcome: .done))
        #expect(outcomes == [] && room.due == .seconds(10))
        room.take(SupervisorAnswer(number: number, outcome: .noSuchPlugin))
        room.take(SupervisorAnswer(number: number, outcome: .done))
        #expect(outcomes == [.noSuchPlugin] && room.due == nil)
    }

    @Test func nobodyIsWaitedForForEver() throws {
        let sent = Sent()
        let room = room(sent)
        var outcomes: [SupervisorAnswer.Outcome] = []
        room.order(.setSettings(plugin: "a"), body: [1, 2, 3], at: .zero) { outcomes.append($0) }
        let path = "\(folder.path)/wishes/\(try number(sent))"
        #expect(access(path, F_OK) == 0)
        room.expire(at: .seconds(9))
        #expect(outcomes == [])
        room.expire(at: .seconds(10))
        #expect(outcomes.count == 1 && outcomes[0] != .done && access(path, F_OK) != 0)
        room.take(SupervisorAnswer(number: try number(sent), outcome: .done))
        #expect(outcomes.count == 1)
    }

    @Test func asMuchAtOnceAsIsSensible() {
        let sent = Sent()
        let room = room(sent)
        var outcomes: [SupervisorAnswer.Outcome] = []
        for _ in 0..<20 { room.order(.reboot, at: .zero) { outcomes.append($0) } }
        #expect(sent.messages.count == 8 && outcomes.count == 12)
        let deaf = Sent()
        self.room(deaf, takes: false).order(.setSettings(plugin: "a"), body: [1], at: .zero) { outcomes.append($0) }
        #expect(deaf.messages.count == 1 && outcomes.count == 13)
        #expect(opendirCount("\(folder.path)/wishes") == 0)
    }

    private func opendirCount(_ path: String) -> Int {
        guard let directory = opendir(path) else { return -1 }
        defer { closedir(directory) }
        var count = -2
        while readdir(directory) != nil { count += 1 }
        return count
    }

    @Test func onlyTheSupervisorsFilesAreRead() throws {
        func put(_ name: String, _ text: String) {
            let file = open("\(folder.path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = write(file, text, text.utf8.count)
            close(file)
        }
        let room = room(Sent())
        #expect(room.processes() == nil && room.plugin("a") == nil && room.network() == nil)
        mkdir("\(folder.path)/plugins", 0o700)
        put("plugins/a", "{\"title\": \"A\"}")
        put("secret", "{}")
        symlink("\(folder.path)/secret", "\(folder.path)/plugins/link")
        mkfifo("\(folder.path)/plugins/pipe", 0o600)
        #expect(room.plugin("a") == ["title": "A"])
        for name in ["link", "pipe", "../secret", "..", ".", "", "a/", "a\u{0}", String(repeating: "a", count: 300)] {
            #expect(room.plugin(name) == nil, "\(name)")
        }
        put("processes", "{\"version\": \"1\"}\n{\"name\": \"core\"}\nnonsense\n")
        let (board, lines) = try #require(room.processes())
        #expect(board["version"]?.string == "1" && lines.count == 2)
        put("processes", "nonsense\n")
        #expect(room.processes() == nil)
    }
}

/// What this thread has had of a processor: other work on the machine does not count.
private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
