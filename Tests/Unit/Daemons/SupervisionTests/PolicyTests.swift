// SPDX-License-Identifier: Apache-2.0

import Supervision
import Testing

@Suite struct PolicyTests {
    @Test func delaysDoubleUpToTheLongest() {
        var policy = ProcessPolicy(.core)
        var delays: [Duration] = []
        var now = Duration.zero
        for _ in 0..<8 {
            policy.didStart(at: now)
            guard case .restart(let delay) = policy.didFail(at: now) else {
                Issue.record("the core must come back")
                return
            }
            delays.append(delay)
            now += delay
        }
        #expect(delays == [250, 500, 1000, 2000, 4000, 5000, 5000, 5000].map { .milliseconds($0) })
        #expect(policy.restartCount == 7)
    }

    /// One long life forgives what was before it, and nothing of what fails after it.
    @Test func aLongLifeCountsOnce() {
        var policy = ProcessPolicy(.core)
        for _ in 0..<5 { _ = policy.didFail(at: .zero) }
        policy.didStart(at: .zero)
        let delays = (0..<4).map { policy.didFail(at: .seconds(10_000 + $0)) }
        #expect(delays == [250, 500, 1000, 2000].map { .restart(after: .milliseconds($0)) })
    }

    @Test func aThousandFailuresOverflowNothing() {
        var policy = ProcessPolicy(.core)
        for second in 0..<1000 { #expect(policy.didFail(at: .seconds(second)) != .quarantine) }
    }

    @Test func fiveFailuresInTenMinutesAreEnough() {
        var policy = ProcessPolicy(.plugin)
        for second in [0, 10, 20, 30] { #expect(policy.didFail(at: .seconds(second)) != .quarantine) }
        #expect(policy.didFail(at: .seconds(599)) == .quarantine)
        policy.pardon()
        #expect(policy.didFail(at: .seconds(600)) == .restart(after: .seconds(1)))
    }

    @Test func failuresThatLieFarApartAreForgiven() {
        var policy = ProcessPolicy(.plugin)
        for start in stride(from: 0, to: 10_000, by: 400) {
            policy.didStart(at: .seconds(start))
            #expect(policy.didFail(at: .seconds(start + 399)) == .restart(after: .seconds(1)))
        }
    }

    @Test func whoHasNothingToDoRests() {
        var policy = ProcessPolicy(.plugin)
        for second in 0..<100 {
            policy.didStart(at: .seconds(second))
            #expect(policy.didFinish(isResident: false, at: .seconds(second)) == .rest)
        }
        #expect(policy.restartCount == 0)
    }

    /// "Exit at once for ever" by a resident plugin: in order or not, it ends in quarantine.
    @Test func aResidentThatKeepsLeavingIsQuarantined() {
        var policy = ProcessPolicy(.plugin)
        var verdicts: [ProcessPolicy.Verdict] = []
        for second in 0..<5 {
            policy.didStart(at: .seconds(second))
            verdicts.append(policy.didFinish(isResident: true, at: .seconds(second)))
        }
        #expect(verdicts.last == .quarantine && verdicts.dropLast().allSatisfy { $0 != .quarantine })
    }

    @Test func aBootLoopEndsInSafeMode() {
        var stored = StartRecord().bytes
        for start in 1...6 {
            var record = StartRecord(parsing: stored)
            #expect(record.begin(boot: "b\(start)") == (start >= StartRecord.safeModeAfter))
            stored = record.bytes
        }
        var record = StartRecord(parsing: stored)
        record.prove()
        #expect(StartRecord(parsing: record.bytes).count == 0)
    }

    @Test func howTheLastLifeEnded() {
        func end(_ live: (inout StartRecord) -> Void) -> StartRecord.End? {
            var record = StartRecord()
            live(&record)
            #expect(record.bytes.count <= StartRecord.maximumByteCount)
            return StartRecord(parsing: record.bytes).end(boot: String(repeating: "b", count: 36))
        }
        let here = String(repeating: "b", count: 36)
        #expect(end { _ in } == nil)
        #expect(end { _ = $0.begin(boot: here) } == .killed)
        #expect(end { _ = $0.begin(boot: String(repeating: "a", count: 36)) } == .powerLost)
        #expect(
            end {
                _ = $0.begin(boot: here)
                $0.prove()
            } == .killed)
        #expect(
            end {
                _ = $0.begin(boot: here)
                $0.finish()
            } == .inOrder)
        // What an earlier release wrote says how often, and not how.
        let old = StartRecord(parsing: Array("vigil-starts 1 3\n".utf8))
        #expect(old.count == 3 && old.end(boot: here) == nil)
    }

    @Test(arguments: [
        "", "vigil-starts 1 -4", "vigil-starts 1 99999999999999999999", "vigil-starts 2 3", "vigil-starts 2 -1 b",
        "vigil-starts 2 3 b c", "vigil-starts 3 3 b", "x y 3", "\u{0}\u{0}",
    ])
    func aDamagedRecordKeepsNobodyAway(_ text: String) { #expect(StartRecord(parsing: Array(text.utf8)).count == 0) }
}

@Suite struct WatchTests {
    private func watch(memory: UInt64? = 1 << 20) -> Watch {
        Watch(heartbeat: .seconds(30), memoryLimit: memory, startTimeout: .seconds(15), startedAt: .seconds(100))
    }

    @Test func whoNeverSaysReadyIsEnded() {
        var watch = watch()
        #expect(watch.due == .seconds(115) && watch.check(at: .seconds(114)) == nil)
        #expect(watch.check(at: .seconds(115)) == .notReady(after: .seconds(15)))
        watch.didGiveSign(at: .seconds(114))
        #expect(watch.check(at: .seconds(115)) != nil, "a sign of life is not the end of the start")
    }

    /// What a technician reads is what was found.
    @Test(arguments: [
        (
            Watch.Fault.folderTooLarge(named: 300 << 10, hidden: 0, limit: 256 << 10),
            "its folder holds 300 KiB, and may hold 256 (quotas.state or quotas.spool)"
        ),
        (
            .folderTooLarge(named: 4 << 10, hidden: 5_300 << 10, limit: 256 << 10),
            "its folder holds 4 KiB, and files without a name that it keeps open or mapped take up to 5300 KiB more; together it may have 256 (quotas.state or quotas.spool)"
        ), (.folderTooFull(limit: 10_000), "its folder holds more than 10000 files and folders"),
        (
            .folderUnmeasurable,
            "its folder cannot be measured: folders in it lie deeper than 32 levels, or cannot be read"
        ),
    ])
    func aFullFolderIsSaidAsItIs(fault: Watch.Fault, sentence: String) { #expect("\(fault)" == sentence) }

    @Test func threeMissedSignsAreTooMany() {
        var watch = watch()
        watch.didBecomeReady(at: .seconds(101))
        #expect(watch.check(at: .seconds(190)) == nil)
        #expect(watch.check(at: .seconds(191)) == .noSignOfLife(for: .seconds(90)))
        watch.didGiveSign(at: .seconds(190))
        #expect(watch.due == .seconds(280))
    }

    /// The supervisor stood still: signs of that time wait in sockets, and silence after it counts from anew.
    @Test func whatNobodyHeardIsNoSilence() {
        var watch = watch()
        watch.didBecomeReady(at: .seconds(101))
        watch.wasUnheard(for: .seconds(111))
        #expect(watch.check(at: .seconds(215)) == nil && watch.due == .seconds(302))
        #expect(watch.check(at: .seconds(302)) != nil)
        var starting = self.watch()
        let due = starting.due
        starting.wasUnheard(for: .seconds(40))
        #expect(starting.due == due + .seconds(40))
    }

    @Test func memoryAndProcessorAreLimited() {
        var watch = watch()
        #expect(watch.measure(memory: 1 << 20, processor: .zero, at: .seconds(110)) == nil)
        // The kernel limits it: nothing to judge.
        #expect(watch.measure(memory: nil, processor: .zero, at: .seconds(115)) == nil)
        #expect(
            watch.measure(memory: 1 << 20 + 1, processor: .zero, at: .seconds(120))
                == .tooMuchMemory(1 << 20 + 1, limit: 1 << 20))
        var fault: Watch.Fault?
        var seconds = 120
        while fault == nil, seconds < 1000 {
            seconds += 10
            fault = watch.measure(memory: 0, processor: .seconds(seconds - 120), at: .seconds(seconds))
        }
        #expect(fault == .busyWithoutEnd(.seconds(300)) && seconds == 420)
    }

    @Test func aPauseEndsTheCount() {
        var watch = watch(memory: nil)
        var processor = Duration.zero
        for step in 1..<200 {
            // Nine tenths busy, and every twentieth measurement at rest.
            processor += step.isMultiple(of: 20) ? .zero : .seconds(9)
            #expect(watch.measure(memory: .max, processor: processor, at: .seconds(100 + 10 * step)) == nil)
        }
    }

    @Test func theRadioIsClosedBeforeTheIdentifierEnds() {
        var hold = RadioHold()
        hold.coreDidStart()
        hold.didReport(secondsOnAir: 600, at: .seconds(10))
        #expect(hold.closeBy == nil)
        hold.coreDidEnd()
        #expect(hold.closeBy == .seconds(608))
        hold.didClose()
        #expect(hold.closeBy == nil)
        hold.didReport(secondsOnAir: 0, at: .seconds(20))
        #expect(hold.closeBy == nil)
    }
}
