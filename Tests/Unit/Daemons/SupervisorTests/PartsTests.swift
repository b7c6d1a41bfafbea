// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import HCITransport
import RandomValues
import TestKit
import Testing
import VarlinkSocket

@testable import Supervisor

@Suite struct ConfigurationTests {
    private func problems(_ text: String) -> [String] {
        do throws(SupervisorConfiguration.Refusal) { _ = try SupervisorConfiguration(parsing: Array(text.utf8)) } catch {
            return error.problems
        }
        return []
    }

    @Test func aWholeFileIsRead() throws {
        let text = """
            {"$schema": "x", "data": "/d", "keys": "/k", "run": "/r", "transport": "hci:1", "profile": "kiosk", "plugins": ["/p"],
             "grants": "/g", "verify": ["262-v1=/e"], "timeKeys": ["262-v1=/t"], "configKeys": ["262-v1=/c"], "operatorKeys": ["fleet-1=/o"], "anyKey": true, "enable": true, "language": "de-simple", "metered": true,
             "proxy": "p:1080", "firstUser": 2000, "confinement": "possible", "spool": 1048576,
             "network": {"folder": "/n", "interfaces": ["eth0", "wlan0"], "provisioned": "/p/n"}, "reboot": true, "board": "/b", "powerSupplies": "/s",
             "powerOff": ["/bin/off"]}
            """
        let configuration = try SupervisorConfiguration(parsing: Array(text.utf8))
        #expect(configuration.transport == .userChannel(index: 1) && configuration.keys == "/k")
        #expect(configuration.configKeys == ["262-v1=/c"] && configuration.operatorKeys == ["fleet-1=/o"])
        #expect(configuration.confinement == .possible && configuration.firstUser == 2000 && configuration.isMetered)
        #expect(configuration.network?.interfaces == ["eth0", "wlan0"] && configuration.restart == .bySystem)
        #expect(configuration.network?.reload == ["networkctl", "reload"] && configuration.network?.provisioned == "/p/n")
        #expect(
            configuration.board == "/b" && configuration.powerSupplies == "/s"
                && configuration.powerOff == .byProgram(["/bin/off"]))
        #expect(SupervisorConfiguration().powerOff == .bySystem)
        #expect(try SupervisorConfiguration(parsing: Array(#"{"powerOff": false}"#.utf8)).powerOff == nil)
        #expect(configuration.language == "de-simple")
        #expect(configuration.spoolByteCount == 1 << 20 && configuration.pluginFolders == ["/p"])
    }

    @Test func allProblemsAreToldAtOnce() {
        let found = problems(
            #"{"data": "relative", "transport": "usb", "plugins": [1], "firstUser": 0, "confinement": "no", "spool": 1, "x": 1, "run": 5}"#
        )
        for field in ["data", "transport", "plugins", "firstUser", "confinement", "spool", "x", "run"] {
            #expect(found.contains { $0.hasPrefix("\(field): ") }, "\(field) in \(found)")
        }
        for text in [
            #"{"network": {}}"#, #"{"network": {"folder": "/n"}}"#, #"{"network": {"folder": "n", "interfaces": ["a"]}}"#,
            #"{"network": {"folder": "/n", "interfaces": ["../a"]}}"#,
            #"{"network": {"folder": "/n", "interfaces": ["lo"]}}"#,
            #"{"network": {"folder": "/n", "interfaces": ["a", "a"]}}"#,
            #"{"network": {"folder": "/n", "interfaces": ["a"], "reload": []}}"#,
            #"{"network": {"folder": "/n", "interfaces": ["a"], "provisioned": "n"}}"#,
            #"{"network": {"folder": "/n", "interfaces": ["a"], "reload": "networkctl reload"}}"#,
            #"{"network": {"folder": "/n", "interfaces": ["a"], "other": 1}}"#, #"{"reboot": []}"#, #"{"reboot": [1]}"#,
            #"{"reboot": "yes"}"#, #"{"powerOff": []}"#, #"{"powerOff": 1}"#, #"{"board": "b"}"#,
            #"{"profile": "mine.json"}"#, #"{"profile": "./mine.json"}"#, #"{"profile": ""}"#,
            #"{"transport": "fd:3"}"#, #"{"transport": "h4:unix:"}"#,
            #"{"language": "Deutsch"}"#, #"{"language": ""}"#, #"{"language": 1}"#,
        ] { #expect(problems(text).count == 1, "\(text)") }
        #expect(problems(#"{"data": "/a/../b"}"#).count == 1 && problems("[]").count == 1 && problems("{").count == 1)
        #expect(problems(String(repeating: " ", count: 70_000)).count == 1)
    }

    /// The published schema names exactly the fields that are read.
    @Test func theSchemaIsInStep() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(
            decoding: Data(contentsOf: root.appending(path: "docs/schemas/vigil.schema.json")), as: UTF8.self)
        for field in SupervisorConfiguration.fields { #expect(text.contains("\"\(field)\":"), "\(field)") }
        let inProperties = text.components(separatedBy: "\"properties\": {")[1].components(separatedBy: "\n  },")[0]
        let named = inProperties.split(separator: "\n").compactMap {
            $0.split(separator: "\"").dropFirst().first.map(String.init)
        }
        #expect(Set(named) == Set(SupervisorConfiguration.fields))
    }
}

@Suite struct LogPipeTests {
    private final class Lines { var all: [String] = [] }

    private func pipes() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func linesAreCutCleanedAndCounted() throws {
        let (reading, writing) = try pipes()
        let lines = Lines()
        let log = LogPipe(adopting: reading, at: .zero) { lines.all.append($0) }
        let long = String(repeating: "x", count: 3000)
        let text = Array("one\ntwo\u{1b}[2J\u{202e}\u{7}\n\(long)\nthr\ree\r\nhalf".utf8) + [0xFF, 0xFE]
        #expect(write(writing, text, text.count) == text.count)
        #expect(log.read(at: .zero))
        close(writing)
        while log.read(at: .zero) {}
        #expect(lines.all.count == 5)
        #expect(lines.all[0] == "one" && lines.all[1] == "two?[2J??")
        #expect(lines.all[2] == String(repeating: "x", count: LogPipe.longestLine) + " …")
        #expect(lines.all[3] == "thr?ee" && lines.all[4].hasPrefix("half"))
    }

    @Test func whoWritesTooMuchWaits() throws {
        let (reading, writing) = try pipes()
        let log = LogPipe(adopting: reading, at: .seconds(5)) { _ in }
        defer { close(writing) }
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let block = [UInt8](repeating: 120, count: 65_536)
        var taken = 0
        while log.rests(at: .seconds(5)) == nil, taken < 1_000_000 {
            _ = write(writing, block, block.count)
            #expect(log.read(at: .seconds(5)))
            taken += 16_384
        }
        #expect((LogPipe.bytesPerSecond...LogPipe.bytesPerSecond + 16_384).contains(taken))
        #expect(log.rests(at: .seconds(5)) == .seconds(6))
        #expect(log.rests(at: .seconds(6)) == nil)
    }

    @Test func aFloodIsDroppedAndSaid() throws {
        let (reading, writing) = try pipes()
        let lines = Lines()
        let log = LogPipe(adopting: reading, at: .zero) { lines.all.append($0) }
        let flood = Array(String(repeating: "noise\n", count: 2000).utf8)
        #expect(write(writing, flood, flood.count) == flood.count)
        for _ in 0..<4 { _ = log.read(at: .seconds(0)) }
        #expect(lines.all.count == LogPipe.burst)
        let more = Array("after\n".utf8)
        _ = write(writing, more, more.count)
        _ = log.read(at: .seconds(2))
        #expect(lines.all.last == "after" && lines.all[LogPipe.burst].contains("1900 lines were dropped"))
        close(writing)
    }
}

@Suite struct UserTableTests {
    private let own = Result { try TemporaryFolder() }

    @Test func numbersStayAndAreNotSharedEvenAfterDamage() throws {
        let path = try own.get().path + "/users"
        var findings: [String] = []
        var table = UserTable(path: path, first: 5000, findings: &findings)
        #expect(table.core == 5000 && table.egress == 5001)
        let sync = table.user(for: "sync")
        let wake = table.user(for: "wake")
        #expect(sync == 5002 && wake == 5003)
        table = UserTable(path: path, first: 5000, findings: &findings)
        #expect(table.user(for: "wake") == wake && findings.isEmpty)
        // A torn line: what can be read holds, and the damaged file is kept.
        try Data("vigil-users 1\nsync 2\nwake 2\nx\n".utf8).write(to: URL(filePath: path))
        table = UserTable(path: path, first: 5000, findings: &findings)
        #expect(findings.count == 1 && table.user(for: "sync") == 5002)
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
        for index in 0..<60 { #expect(table.user(for: "p\(index)") != nil || index > 58) }
        #expect((0..<5).contains { table.user(for: "q\($0)") == nil })
        table.forget("sync")
        #expect(table.user(for: "new") == 5002)
    }

    /// The kernel may still count for a number what its plugin left.
    @Test func aNumberThatIsFreeAgainIsGivenAsLateAsCanBe() throws {
        var findings: [String] = []
        var table = UserTable(path: try own.get().path + "/users", first: 5000, findings: &findings)
        var given: [UInt32?] = []
        for index in 0..<63 {
            given.append(table.user(for: "p\(index)"))
            table.forget("p\(index)")
        }
        #expect(given == (5002..<5064).map { $0 } + [5002] && findings.isEmpty)
    }
}

@Suite struct EdgeTableTests {
    private let own = Result { try TemporaryFolder() }

    @Test func relationsAreSocketsOfTheirOwn() throws {
        let folder = try own.get().path
        let name = HeldEdge.Name(caller: "a", provider: "core")
        func wish(_ grants: [String], _ interfaces: [String]) -> EdgeTable.Wish {
            EdgeTable.Wish(name: name, grants: grants, interfaces: interfaces, folder: folder, user: nil)
        }
        var table = EdgeTable()
        var change = table.update([wish(["x.y.Z"], ["x.y", "x.z"])])
        #expect(change.added.count == 1 && change.removed.isEmpty && change.problems.isEmpty)
        var status = stat()
        #expect(
            lstat(folder + "/x.y", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK && status.st_mode & 0o777 == 0o600)
        #expect(lstat(folder + "/x.z", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        change = table.update([wish(["x.y.Z"], ["x.y", "x.z"])])
        #expect(change.added.isEmpty && change.removed.isEmpty)
        // Other grants are another socket: nobody keeps a connection with what it was allowed before.
        change = table.update([wish(["x.y.W"], ["x.y"])])
        #expect(change.added.count == 1 && change.removed == [name])
        change = table.update([])
        #expect(change.removed == [name] && lstat(folder + "/x.y", &status) != 0)
    }

    /// A provider that keeps the socket of a relation that was taken back, and a caller that keeps a hold of its name, meet nobody there.
    @Test func nobodyIsReachedByASocketThatWasTakenBack() throws {
        let folder = try own.get().path
        let name = HeldEdge.Name(caller: "a", provider: "b")
        var table = EdgeTable()
        var change = table.update([
            EdgeTable.Wish(name: name, grants: ["x.y.*"], interfaces: ["x.y"], folder: folder, user: nil)
        ])
        let kept = dup(try #require(change.added.first).listener.descriptor)
        let hold = open(folder + "/x.y", 0o10000000 /* O_PATH */ | O_CLOEXEC)
        defer {
            close(kept)
            close(hold)
        }
        func connects() -> Bool {
            let end = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(end) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("/proc/self/fd/\(hold)".utf8)) }
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(end, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
        }
        #expect(connects())
        change = EdgeTable.Change()
        _ = table.update([])
        #expect(!connects())
        #expect(listen(kept, 8) != 0 || !connects())
    }

    /// A supervisor was killed and the next one is there before the last process of the former life has let its socket go.
    @Test func aSocketOfAFormerLifeIsReplacedThoughSomebodyListens() throws {
        let folder = try own.get().path
        let former = try VarlinkListener(path: folder + "/ctl.sock", mode: 0o600)
        var table = EdgeTable()
        let name = HeldEdge.Name(caller: "ctl", provider: "core")
        let change = table.update([
            EdgeTable.Wish(name: name, grants: ["x.y.*"], interfaces: ["ctl.sock"], folder: folder, user: nil)
        ])
        #expect(change.problems == [])
        let edge = try #require(change.added.first)
        let client = try VarlinkClient(path: folder + "/ctl.sock")
        var waiting = [edge.listener, former].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        #expect(poll(&waiting, 2, 120_000) == 1 && waiting[0].revents != 0)
        withExtendedLifetime(client) {}
    }

    @Test func portsAreListenedOnByAddress() throws {
        let four = try NetworkListener(at: .init("127.0.0.1", 0))
        let six = try NetworkListener(at: .init("[::1]", 0))
        #expect(four.descriptor >= 0 && six.descriptor >= 0)
        #expect(throws: Folders.Failure.self) { _ = try NetworkListener(at: .init("not an address", 1)) }
    }
}

@Suite struct ProcessMeterTests {
    @Test func memoryIsWhatIsNoFile() {
        let status =
            "Name:\tx\nVmRSS:\t  9000 kB\nRssAnon:\t   100 kB\nRssFile:\t  8000 kB\nRssShmem:\t   900 kB\nVmSwap:\t    24 kB\n"
        #expect(ProcessMeter.memory(status) == 1024 << 10)
        #expect(ProcessMeter.memory("") == 0 && ProcessMeter.memory("RssAnon:\nRssShmem: x kB") == 0)
    }

    /// What is shared with nobody but one's children is one's own.
    @Test func sharedMemoryCounts() throws {
        let byteCount = 16 << 20
        let before = try #require(ProcessMeter.measure(getpid())).memory
        let block = try #require(mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
        memset(block, 1, byteCount)
        let after = try #require(ProcessMeter.measure(getpid())).memory
        munmap(block, byteCount)
        // Others of this process come and go meanwhile.
        #expect(after >= before + UInt64(byteCount / 2))
    }

    /// Whatever a plugin has left behind is gone; what it points to is not.
    @Test func emptying() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-empty-\(Unique.name())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let state = folder + "/state"
        let outside = folder + "/outside"
        for path in [folder, state, outside, state + "/empty"] { mkdir(path, 0o700) }
        try Folders.replace(outside + "/kept", with: [1], mode: 0o600)
        symlink(outside, state + "/link")
        symlink("/nowhere", state + "/broken")
        var deep = state
        for _ in 0..<200 {
            deep += "/d"
            mkdir(deep, 0o700)
            try Folders.replace(deep + "/.forgotten-1", with: [2], mode: 0o000)
        }
        try Folders.empty(state)
        #expect(Folders.names(state).isEmpty && access(state, F_OK) == 0)
        #expect(Folders.read(outside + "/kept", limit: 1) == [1])
        try Folders.empty(folder + "/missing")
        try Folders.overwrite(outside + "/kept")
        try Folders.overwrite(outside + "/kept")
        #expect(Folders.names(outside).isEmpty)
    }
}
