// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import WakePlan

@Suite struct WakeEngineTests {
    /// An engine with the sync it talks to: always there, always as fresh as said.
    struct Scene {
        var engine: WakeEngine
        var random: SeededGenerator
        var now = Duration.zero
        var freshness: WakeEngine.Freshness?
        var isSyncThere = true
        /// When a sync was asked for.
        var syncs: [Duration] = []

        init(
            _ limits: WakeEngine.Limits = WakeEngine.Limits(), window: Duration? = .zero, age: Duration? = .zero,
            seed: Int = 0
        ) {
            random = SeededGenerator(seed: seed)
            engine = WakeEngine(limits: limits)
            freshness = WakeEngine.Freshness(age: age, window: window)
        }

        mutating func tell(_ event: WakeEngine.Event) {
            var actions = engine.handle(event, at: now, using: &random)[...]
            while let action = actions.popFirst() {
                switch action {
                case .askFreshness: actions += engine.handle(.freshness(freshness), at: now, using: &random)
                case .syncNow:
                    if isSyncThere { syncs.append(now) }
                    actions += engine.handle(.syncAnswered(isSyncThere), at: now, using: &random)
                }
            }
        }

        /// Lets the time pass.
        mutating func wait(_ duration: Duration) {
            let end = now + duration
            while let deadline = engine.deadline, deadline <= end {
                now = max(now, deadline)
                tell(.time)
            }
            now = end
        }

        mutating func wake(_ message: WakeEngine.Message = .init()) { tell(.message(message)) }
    }

    @Test func aWakeIsOneSyncAtOnceWithoutAWindow() {
        var scene = Scene()
        scene.wake()
        #expect(scene.syncs == [.zero])
        scene.wait(.seconds(100_000))
        #expect(scene.syncs.count == 1)
        #expect(scene.engine.deadline == nil)
    }

    @Test func theMomentIsUniformInTheWindow() {
        var histogram = [Int](repeating: 0, count: 10)
        for seed in 0..<20_000 {
            var scene = Scene(window: .seconds(600), seed: seed)
            scene.wake()
            scene.wait(.seconds(600))
            guard scene.syncs.count == 1, let moment = scene.syncs.first else {
                Issue.record("\(scene.syncs.count) syncs")
                return
            }
            histogram[min(9, Int(moment / .seconds(60)))] += 1
        }
        // 2,000 each; the standard deviation is 42.
        for count in histogram { #expect(abs(count - 2_000) < 300, "\(histogram)") }
    }

    /// What is old is fetched somewhere in a long window; a wake has a window of its own and does not wait for that.
    @Test func aWakeDoesNotWaitForWhatIsOnlyOld() {
        var scene = Scene(window: nil, age: nil)
        scene.tell(.connected)
        #expect(scene.syncs.isEmpty || scene.engine.deadline == nil)
        let planned = scene.engine.deadline
        scene.freshness = .init(age: nil, window: .zero)
        scene.wake()
        #expect(scene.syncs == [.zero] && scene.engine.deadline == nil, "\(String(describing: planned))")
        scene.wait(.seconds(100_000))
        #expect(scene.syncs.count == 1)
    }

    @Test func whatItSaysDoesNotMatter() {
        var scene = Scene()
        scene.wake(.init(payloadByteCount: 5_000))
        #expect(scene.syncs.count == 1)
        #expect(scene.engine.counters.payloads == 1)
    }

    @Test func whileOneIsPendingOthersAreMerged() {
        var scene = Scene(window: .seconds(600))
        for _ in 0..<1_000 { scene.wake() }
        scene.wake(.init(isRetained: true))
        scene.wait(.seconds(5_000))
        #expect(scene.syncs.count == 1)
        #expect(scene.engine.counters.merged == 1_000)
        #expect(scene.engine.counters.messages == 1_001)
    }

    /// What comes after a sync began may be about something it did not see: it is not lost, and not done before its time.
    @Test func withinTheGapThereIsOneMoreAndItWaits() {
        var scene = Scene()
        scene.wake()
        scene.now = .seconds(10)
        for _ in 0..<100 { scene.wake() }
        #expect(scene.syncs == [.zero])
        scene.wait(.seconds(100_000))
        #expect(scene.syncs == [.zero, .seconds(900)])
        #expect(scene.engine.counters.merged == 99)
    }

    @Test func aRepeatedMessageIsTheSameWake() {
        var scene = Scene()
        scene.wake()
        scene.wake(.init(isRepeated: true))
        scene.wait(.seconds(100_000))
        #expect(scene.syncs.count == 1)
        #expect(scene.engine.counters.merged == 1)
    }

    @Test(arguments: [WakeEngine.Event.connected, .message(.init(isRetained: true))])
    func whatIsFreshIsLeftAlone(event: WakeEngine.Event) {
        var scene = Scene(age: .seconds(5 * 3600))
        scene.tell(event)
        scene.wait(.seconds(100_000))
        #expect(scene.syncs == [])
        #expect(scene.engine.counters.fresh == 1)
        scene.freshness?.age = .seconds(5 * 3600 + 1)
        scene.tell(event)
        #expect(scene.syncs.count == 1)
        // Never fetched, and nobody there to say: both are old.
        for freshness in [WakeEngine.Freshness(age: nil, window: .zero), nil] {
            var scene = Scene()
            scene.freshness = freshness
            scene.tell(event)
            scene.wait(.seconds(600))
            #expect(scene.syncs.count == 1)
        }
    }

    /// A broker that is back brings a whole fleet back: they do not all sync at once.
    @Test func connectingHasItsWindowToo() {
        var moments: Set<Duration> = []
        for seed in 0..<100 {
            var scene = Scene(window: .seconds(600), age: nil, seed: seed)
            scene.tell(.connected)
            scene.wait(.seconds(600))
            moments.formUnion(scene.syncs)
        }
        #expect(moments.count > 90)
    }

    @Test func theWindowHasAnEndAndAMemory() {
        var scene = Scene(window: .seconds(1_000_000))
        scene.wake()
        scene.wait(WakeEngine.Limits.longestWindow)
        #expect(scene.syncs.count == 1)
        // Said once, it holds while nobody says another.
        scene = Scene(window: .zero)
        scene.wake()
        scene.freshness = nil
        scene.now = .seconds(1_000)
        scene.wake()
        #expect(scene.syncs == [.zero, .seconds(1_000)])
        // Never said, it is ten minutes.
        scene = Scene(window: nil)
        scene.wake()
        scene.wait(.seconds(600))
        #expect(scene.syncs.count == 1)
        scene = Scene(window: .seconds(-5))
        scene.wake()
        #expect(scene.syncs == [.zero])
    }

    @Test func aDayHasItsLimit() {
        var scene = Scene(WakeEngine.Limits(), window: .zero, age: .zero)
        for _ in 0..<(2 * 86_400 / 60) {
            scene.wake()
            scene.wait(.seconds(60))
        }
        // 24 a day, one every quarter of an hour, and no more until the day is over.
        #expect(scene.syncs.count == 48)
        #expect(scene.engine.counters.overBudget > 1_000)
    }

    @Test func aSyncThatIsNotThereIsAskedAgain() {
        var scene = Scene()
        scene.isSyncThere = false
        scene.wake()
        scene.wait(.seconds(3_000))
        #expect((7...9).contains(scene.engine.counters.failures))
        scene.wake()
        scene.isSyncThere = true
        scene.wait(.seconds(900))
        #expect(scene.syncs.count == 1)
        scene.wait(.seconds(100_000))
        #expect(scene.syncs.count == 1)
    }

    /// Whatever comes, whenever it comes: the three sentences at the top of the engine.
    @Test func theRuleHolds() throws {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: seed)
            var limits = WakeEngine.Limits()
            limits.gap = .seconds(Int.random(in: 0...1_000, using: &random))
            limits.wakesPerDay = 1_000
            let window = Duration.seconds([0, 0, 60, 600].randomElement(using: &random) ?? 0)
            var scene = Scene(limits, window: window, age: Bool.random(using: &random) ? nil : .zero, seed: seed + 1_000)
            var wakes: [Duration] = []
            for _ in 0..<Int.random(in: 1...150, using: &random) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0...3:
                    wakes.append(scene.now)
                    scene.wake(.init(payloadByteCount: Int.random(in: 0...3, using: &random)))
                case 4: scene.wake(.init(isRetained: true))
                case 5: scene.tell(.connected)
                default: scene.wait(.milliseconds(Int.random(in: 0...400_000, using: &random)))
                }
            }
            scene.wait(.seconds(10_000))
            for (earlier, later) in zip(scene.syncs, scene.syncs.dropFirst()) { #expect(later - earlier >= limits.gap) }
            for wake in wakes {
                let sync = try #require(scene.syncs.first { $0 >= wake }, "a wake without a sync")
                #expect(sync - wake <= limits.gap + window)
            }
            #expect(scene.engine.deadline == nil)
            #expect(UInt64(scene.syncs.count) == scene.engine.counters.syncs)
        }
    }
}
