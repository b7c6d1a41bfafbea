// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import ProcessLink
import Synchronization
import Testing
import VarlinkSocket

/// A plugin that shows everything.
private final class Clockwork: Plugin {
    struct Settings: Decodable { var step: Int; var token: Redacted<String>? }
    struct Add: Codable { var amount: Int }
    struct Sum: Codable { var sum: Int }
    static let text = """
        # Adds.
        interface org.example.clockwork1
        # Adds.
        method Add(amount: int) -> (sum: int)
        # Adds elsewhere, later.
        method AddSlowly(amount: int) -> (sum: int)
        # Fails.
        method Fail() -> ()
        # Is not there.
        method Nothing() -> ()
        # Asks somebody else.
        method Ask() -> (sentence: string)
        """

    let host: Host<Settings>
    var ticks = 0
    var stopped = false
    var heardSettings: [Int] = []
    var ports: [String: Int32] = [:]
    var slow: (call: IncomingCall, cancellation: Cancellation)?
    struct Oops: Error {}

    init(_ host: Host<Settings>) throws {
        self.host = host
        let interface = try host.serve(Self.text)
        try interface.on("Add") { [unowned self] (add: Add) in Sum(sum: add.amount + self.host.settings.step) }
        try interface.onCall("AddSlowly") { [unowned self] call in
            let amount = try call.decode(Add.self).amount
            self.host.work { _ in
                amount * 2
            } then: { result in
                call.reply(Sum(sum: (try? result.get()) ?? -1))
            }
        }
        try interface.on("Fail") { (_: NoFields) -> NoFields in throw Oops() }
        try interface.onCall("Ask") { [unowned self] call in
            self.host.call("org.vigil.exposure1.GetStatus", as: JSON.self) { result in
                switch result {
                case .success(let reply): call.reply(["sentence": reply["status"]?["sentence"] ?? ""] as JSON)
                case .failure(let error): call.reply(["sentence": .string("\(error.code) \(error.name ?? "")")] as JSON)
                }
            }
        }
        host.loop.every(.seconds(60)) { [unowned self] in self.ticks += 1 }
        host.onStop = { [unowned self] in self.stopped = true }
        host.onSettings = { [unowned self] in self.heardSettings.append($0.step) }
        host.onListen = { [unowned self] in self.ports[$0] = $1 }
    }
}

@Suite struct BenchTests {
    private func bench(_ prepare: (SupervisorStandIn) throws -> Void = { _ in }) throws -> PluginBench<Clockwork> {
        try PluginBench<Clockwork>(name: "clockwork", settings: ["step": 3, "token": "s3cret"], prepare: prepare)
    }

    @Test func handlersAnswer() throws {
        let bench = try bench()
        try bench.start()
        #expect(try bench.call("org.example.clockwork1.Add", ["amount": 4]) == ["sum": 7])
        #expect(try bench.call("org.example.clockwork1.AddSlowly", ["amount": 4]) == ["sum": 8])
        #expect(bench.log.contains { $0.contains("methods without a handler") && $0.contains("Nothing") })
        for method in ["Fail", "Nothing"] {
            #expect(throws: VarlinkSocketError.self) { try bench.call("org.example.clockwork1.\(method)") }
        }
        #expect(bench.log.contains { $0.contains("a handler failed") })
    }

    @Test func aHandlerMustHaveAMethod() throws {
        let bench = try bench()
        let interface = try bench.host.serve("# B.\ninterface org.example.b1\n# M.\nmethod M() -> ()")
        #expect(throws: StartError(.badHandler, "")) { try interface.on("N") { (_: NoFields) in NoFields() } }
        try interface.on("M") { (_: NoFields) in NoFields() }
        #expect(throws: StartError(.badHandler, "")) {
            try interface.on("M") { (_: NoFields) -> NoFields in throw CallFailure("org.example.b1.Second", [:]) }
        }
        #expect(throws: StartError(.badInterface, "")) {
            try bench.host.serve("# B.\ninterface org.example.b1\n# M.\nmethod M() -> ()")
        }
        #expect(throws: StartError(.badInterface, "")) { try bench.host.serve("nonsense") }
        try bench.start()
        #expect(throws: StartError(.tooLate, "")) {
            try bench.host.serve("# C.\ninterface org.example.c1\n# M.\nmethod M() -> ()")
        }
        // The first handler is the one that answers.
        #expect(try bench.call("org.example.b1.M") == [:])
    }

    @Test func anInterfaceIsAnsweredByItsOwnCases() throws {
        let bench = try bench()
        let wake = try bench.host.serve(Wake1.text)
        #expect(throws: StartError(.badHandler, "")) {
            try wake.answer(Sync1.Method.self) { _ in .reply { (_: NoFields) in NoFields() } }
        }
        var asked: [Release1.Method] = []
        let release = try bench.host.serve(Release1.text)
        try release.answer(Release1.Method.self) { method in
            asked.append(method)
            return switch method {
            case .takeDiagnosisKeys: .reply { (_: NoFields) in Release1.KeysReply(keys: []) }
            }
        }
        #expect(asked == Release1.Method.allCases)
        try bench.start()
        #expect(try bench.call(Release1.Method.takeDiagnosisKeys.path, ["ticket": "a"]) == ["keys": []])
    }

    @Test func timersKeepTheTestsTime() throws {
        let bench = try bench()
        try bench.start()
        #expect(bench.plugin.ticks == 0)
        bench.advance(by: .seconds(3_600))
        #expect(bench.plugin.ticks == 60)
        #expect(bench.supervisor.heard.filter { $0 == "ALIVE" }.count == 240, "every 15 of the 30 seconds")
    }

    @Test func whatWasMissedComesOnce() throws {
        let bench = try bench()
        try bench.start()
        bench.clock.advance(by: .seconds(1_000))
        for _ in 0..<3 { bench.host.turn(until: .zero) }
        #expect(bench.plugin.ticks == 1)
        bench.advance(by: .seconds(60))
        #expect(bench.plugin.ticks == 2)
    }

    @Test func othersAreCalledAndJudged() throws {
        var core: ProviderStandIn?
        let bench = try bench { supervisor in
            core = try supervisor.provide(InterfaceTexts.all["org.vigil.exposure1"] ?? "", granted: ["GetStatus"])
        }
        let provider = try #require(core)
        try bench.start()
        provider.on(
            "GetStatus",
            reply: [
                "status": [
                    "enabled": true, "state": "active", "sentence": "On air.", "role": "person", "timeState": "plausible",
                    "matchedFileCount": 0, "matching": false, "limit": ["used": 0],
                ]
            ])
        #expect(try bench.call("org.example.clockwork1.Ask") == ["sentence": "On air."])
        provider.on("GetStatus") { _ in .failure("org.vigil.exposure1.StorageUnavailable", ["reason": "Full."]) }
        #expect(
            try bench.call("org.example.clockwork1.Ask")["sentence"] == "refused org.vigil.exposure1.StorageUnavailable")
        // A stand-in that does not keep to the interface is told on.
        #expect(provider.faults.isEmpty)
        provider.on("GetStatus", reply: ["status": ["enabled": "yes"]])
        #expect(try bench.call("org.example.clockwork1.Ask")["sentence"]?.string?.hasPrefix("refused") == true)
        try bench.turn { !provider.faults.isEmpty }
    }

    @Test func nobodyToCallIsSaid() throws {
        let bench = try bench()
        try bench.start()
        #expect(try bench.call("org.example.clockwork1.Ask")["sentence"] == "notAvailable ")
    }

    @Test func aSilentProviderTimesOut() throws {
        var core: ProviderStandIn?
        let bench = try bench { core = try $0.provide(InterfaceTexts.all["org.vigil.exposure1"] ?? "") }
        try bench.start()
        core?.on("GetStatus") { _ in .silence }
        var code: CallError.Code?
        bench.host.call("org.vigil.exposure1.GetStatus", as: JSON.self, timeout: .seconds(5)) { result in
            if case .failure(let error) = result { code = error.code }
        }
        try bench.turn { core?.calls.isEmpty == false }
        bench.advance(by: .seconds(4))
        #expect(code == nil)
        bench.advance(by: .seconds(2))
        #expect(code == .timedOut)
    }

    @Test func severalRepliesComeInOrder() throws {
        var core: ProviderStandIn?
        let bench = try bench {
            core = try $0.provide("# S.\ninterface org.example.s1\n# [Supports 'more' flag]\nmethod S() -> (n: int)")
        }
        try bench.start()
        core?.on("S") { _ in .replies([["n": 1], ["n": 2], ["n": 3]]) }
        struct N: Decodable { var n: Int }
        var heard: [Int] = []
        var isLast = false
        bench.host.subscribe("org.example.s1.S", as: N.self) { result in
            if case .success(let (value, continues)) = result {
                heard.append(value.n)
                isLast = !continues
            }
        }
        try bench.turn { isLast }
        #expect(heard == [1, 2, 3])
    }

    @Test func settingsChangeWhileItRuns() throws {
        let bench = try bench()
        try bench.start()
        #expect(bench.host.settings.token?.value == "s3cret" && "\(bench.host.settings)".contains("(private)"))
        #expect(!"\(bench.host.settings)".contains("s3cret"))
        try bench.supervisor.change(settings: ["step": 10])
        try bench.turn { bench.plugin.heardSettings == [10] }
        #expect(try bench.call("org.example.clockwork1.Add", ["amount": 1]) == ["sum": 11])
        try bench.supervisor.change(settings: ["step": "ten"])
        try bench.turn { bench.log.contains { $0.contains("the new settings are not used") } }
        #expect(bench.host.settings.step == 10)
    }

    @Test func settingsThatDoNotFitStopTheStart() throws {
        #expect(throws: StartError(.badSettings, "")) { try PluginBench<Clockwork>(settings: ["step": "x"]) }
    }

    @Test func itEndsWhenIdleAndNotBefore() throws {
        let bench = try bench()
        bench.host.exitsWhenIdle(after: .seconds(30))
        try bench.start()
        bench.advance(by: .seconds(20))
        _ = try bench.call("org.example.clockwork1.Add", ["amount": 1])
        bench.advance(by: .seconds(20))
        #expect(!bench.host.isStopping)
        // A job keeps it awake.
        let gate = Mutex(false)
        var isDone = false
        bench.host.work { _ in
            while !gate.withLock({ $0 }) { usleep(1_000) }
        } then: { _ in
            isDone = true
        }
        bench.advance(by: .seconds(100))
        #expect(!bench.host.isStopping)
        gate.withLock { $0 = true }
        try bench.turn { isDone }
        bench.advance(by: .seconds(20))
        #expect(!bench.host.isStopping)
        bench.advance(by: .seconds(20))
        #expect(bench.host.isStopping && bench.supervisor.heard.last == "IDLE")
        #expect(bench.host.finish() == 0 && bench.plugin.stopped)
    }

    /// It says how much of what it was told to fetch it has taken: what comes after its last word is for its next life.
    @Test func whatIsToBeFetchedAtItsEndIsNotCounted() throws {
        let bench = try bench()
        bench.host.exitsWhenIdle(after: .seconds(30))
        var fetched = 0
        bench.host.onFetch = { fetched += 1 }
        try bench.start()
        try bench.supervisor.send("FETCH")
        try bench.turn { fetched == 1 }
        bench.advance(by: .seconds(31))
        #expect(bench.host.isStopping)
        try bench.supervisor.send("FETCH")
        var rounds = 0
        bench.host.lingersWhile = {
            rounds += 1
            return rounds < 5
        }
        #expect(bench.host.finish() == 0)
        bench.supervisor.listenToPlugin()
        #expect(fetched == 1 && rounds == 5)
        #expect(bench.supervisor.messages.last == ControlMessage("IDLE", ["fetched": "1"]))
    }

    /// Whoever calls while it ends stays in the listener, where the next life finds it; who has connected is listened to.
    @Test func whoCallsAtItsEndIsNotTaken() throws {
        let bench = try bench()
        bench.host.exitsWhenIdle(after: .seconds(30))
        try bench.start()
        let path = try bench.supervisor.allow("late", ["org.example.clockwork1.*"])
        bench.advance(by: .seconds(29))
        let early = try Self.connection(path)
        defer { close(early) }
        bench.advance(by: .seconds(20))
        #expect(!bench.host.isStopping)
        bench.advance(by: .seconds(11))
        #expect(bench.host.isStopping)
        let late = try Self.connection(path)
        defer { close(late) }
        let call = Array(#"{"method":"org.example.clockwork1.Add","parameters":{"amount":1}}"#.utf8) + [0]
        #expect(write(late, call, call.count) == call.count)
        var rounds = 0
        bench.host.lingersWhile = {
            rounds += 1
            return rounds < 5
        }
        #expect(bench.host.finish() == 0 && rounds == 5)
        var byte: UInt8 = 0
        #expect(recv(late, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
    }

    private static func connection(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        try #require(descriptor >= 0 && name.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        try #require(result == 0)
        return descriptor
    }

    @Test func stopAndTheSupervisorsEndStopIt() throws {
        let told = try bench()
        try told.start()
        try told.supervisor.send("STOP")
        try told.turn { told.host.isStopping }
        #expect(told.host.finish() == 0 && told.plugin.stopped)
        let left = try bench()
        try left.start()
        left.supervisor.disappear()
        try left.turn { left.host.isStopping }
        let failed = try bench()
        failed.host.stop(status: 3)
        #expect(failed.host.finish() == 3)
    }

    @Test func listenersAreHandedOver() throws {
        let bench = try bench()
        let port = try bench.supervisor.listen("web")
        try bench.start()
        #expect(port > 0)
        let descriptor = try #require(bench.plugin.ports["web"])
        var listening: Int32 = 0
        var length = socklen_t(4)
        #expect(getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) == 0 && listening == 1)
        close(descriptor)
    }

    @Test func jobsEndEarlyWhenCancelled() throws {
        let bench = try bench()
        try bench.start()
        var outcome: Result<Int, any Error>?
        let cancellation = bench.host.work { (cancellation) throws -> Int in
            while true {
                try cancellation.check()
                usleep(500)
            }
        } then: {
            outcome = $0
        }
        cancellation.cancel()
        try bench.turn { outcome != nil }
        #expect(throws: CancellationError.self) { try outcome?.get() }
        var order: [Int] = []
        for number in 0..<50 {
            bench.host.work { _ in
                number
            } then: {
                if case .success(let n) = $0 { order.append(n) }
            }
        }
        try bench.turn { order.count == 50 }
        #expect(order == Array(0..<50))
    }

    /// Whoever waits for an answer does not wait for what takes minutes, and not more wait than may.
    @Test func aPromptJobDoesNotWaitForOneInTheBackground() throws {
        let bench = try bench()
        try bench.start()
        let mayEnd = DispatchSemaphore(value: 0)
        var ended: [String] = []
        bench.host.work { _ in
            mayEnd.wait()
        } then: { _ in
            ended.append("background")
        }
        bench.host.work(.prompt) { _ in
        } then: { _ in
            ended.append("prompt")
        }
        try bench.turn { !ended.isEmpty }
        #expect(ended == ["prompt"])
        var (answered, refused) = (0, 0)
        for _ in 0...WorkLane.mostPrompt {
            bench.host.work(.prompt) { _ in
                mayEnd.wait()
            } then: {
                if case .failure(let error) = $0, error is TooManyJobs { refused += 1 } else { answered += 1 }
            }
        }
        try bench.turn { refused == 1 }
        #expect(answered == 0)
        for _ in 0...WorkLane.mostPrompt { mayEnd.signal() }
        try bench.turn { answered == WorkLane.mostPrompt && ended.count == 2 }
    }

    @Test func newGrantsReplaceOldOnes() throws {
        let bench = try bench()
        let path = try bench.supervisor.allow("a", ["org.example.clockwork1.Add"])
        try bench.start()
        #expect(try bench.call("org.example.clockwork1.Add", ["amount": 1], path: path) == ["sum": 4])
        #expect(throws: VarlinkSocketError.self) {
            try bench.call("org.example.clockwork1.AddSlowly", ["amount": 1], path: path)
        }
        _ = try bench.supervisor.allow("a", ["org.example.clockwork1.AddSlowly"])
        #expect(try bench.call("org.example.clockwork1.AddSlowly", ["amount": 1], path: path) == ["sum": 2])
        #expect(throws: VarlinkSocketError.self) { try bench.call("org.example.clockwork1.Add", ["amount": 1], path: path) }
    }
}
