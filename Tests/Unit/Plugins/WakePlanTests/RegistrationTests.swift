// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import WakePlan

@Suite struct RegistrationTests {
    private typealias Facts = RegistrationPlan.Facts
    private var random = SeededGenerator(seed: 1)
    private static let wanted = Facts(enActive: false, hasCheckIns: true, inIsolation: false)
    private static let day = Duration.seconds(86_400)

    /// Every state on every event, against the sentences of the document in other words.
    @Test func everyStateIsDecided() {
        let ages: [Duration?] = [nil, .zero, .seconds(14 * 86_400), .seconds(14 * 86_400 + 1)]
        for event in RegistrationRule.Event.allCases {
            for bits in 0..<8 {
                for age in ages {
                    let state = RegistrationRule.State(
                        enActive: bits & 1 != 0, hasCheckIns: bits & 2 != 0, inIsolation: bits & 4 != 0,
                        registrationAge: age)
                    let isOld = age.map { $0 > .seconds(14 * 86_400) } ?? false
                    let registers =
                        switch event {
                        case .checkOut: !state.enActive && age == nil
                        case .userDeactivatesEN: state.hasCheckIns
                        case .userActivatesEN: false
                        case .appStart:
                            !state.enActive && state.hasCheckIns && !state.inIsolation && (age == nil || isOld)
                        }
                    let deregisters =
                        age != nil && (event == .userActivatesEN || event == .appStart && state.enActive)
                    let expected: RegistrationRule.Action = registers ? .register : deregisters ? .deregister : .none
                    #expect(RegistrationRule.action(on: event, state) == expected, "\(event) \(state)")
                }
            }
        }
    }

    @Test mutating func registersRefreshesAndTakesBack() throws {
        var plan = RegistrationPlan(nil)
        #expect(plan.due(at: .zero, using: &random) == nil)
        plan.observe(Self.wanted, at: .zero, unix: 1_000_000)
        let first = try #require(plan.due(at: .zero, using: &random))
        #expect(first.pushToken.utf8.count == 64 && first.deviceId.utf8.count == 36)
        #expect(plan.record == .init(instance: first.deviceId, registered: nil, enActive: false))
        plan.answered(true, at: .zero, unix: 1_000_000)
        #expect(plan.record?.registered == 1_000_000)
        // For two weeks there is nothing to do; then it is made again, under the same name and with another token.
        var now = Duration.zero
        for day in 1...14 {
            now = Self.day * day
            plan.observe(Self.wanted, at: now, unix: 1_000_000 + Int64(day) * 86_400)
            #expect(plan.due(at: now, using: &random) == nil)
        }
        now = Self.day * 15
        plan.observe(Self.wanted, at: now, unix: 1_000_000 + 15 * 86_400)
        let second = try #require(plan.due(at: now, using: &random))
        #expect(second.deviceId == first.deviceId && second.pushToken != first.pushToken)
        plan.answered(true, at: now, unix: 1_000_000 + 15 * 86_400)
        // Exposure notification goes on: taken back, and the name is forgotten.
        plan.observe(Facts(enActive: true, hasCheckIns: true, inIsolation: false), at: now, unix: 3_000_000)
        let last = try #require(plan.due(at: now, using: &random))
        #expect(last.pushToken == "" && last.deviceId == first.deviceId)
        plan.answered(true, at: now, unix: 3_000_000)
        #expect(plan.record == nil)
        #expect(plan.sentCount == 3)
        // The next registration has nothing in common with the last.
        plan.observe(Self.wanted, at: now, unix: 3_000_001)
        #expect(try #require(plan.due(at: now, using: &random)).deviceId != first.deviceId)
    }

    @Test mutating func whatFailedIsTriedAgainLater() throws {
        var plan = RegistrationPlan(nil)
        plan.observe(Self.wanted, at: .zero, unix: 0)
        var now = Duration.zero
        var waits: [Duration] = []
        for _ in 0..<12 {
            #expect(plan.due(at: now, using: &random) != nil)
            plan.answered(false, at: now, unix: 0)
            #expect(plan.due(at: now, using: &random) == nil)
            let deadline = try #require(plan.deadline)
            waits.append(deadline - now)
            now = deadline
        }
        #expect(waits.prefix(3) == [.seconds(60), .seconds(120), .seconds(240)])
        #expect(waits.last == .seconds(6 * 3600))
        #expect(plan.failureCount == 12)
    }

    /// The server may have said yes, and nobody heard it.
    @Test mutating func anAnswerThatWasLostCanBeTakenBack() throws {
        var plan = RegistrationPlan(nil)
        plan.observe(Self.wanted, at: .zero, unix: 0)
        let sent = try #require(plan.due(at: .zero, using: &random))
        var again = RegistrationPlan(plan.record)
        again.observe(Facts(enActive: true, hasCheckIns: true, inIsolation: false), at: .zero, unix: 5)
        let taken = try #require(again.due(at: .zero, using: &random))
        #expect(taken == PushRegistration(pushToken: "", pushType: .android, deviceId: sent.deviceId))
        var third = RegistrationPlan(plan.record)
        third.observe(Self.wanted, at: .zero, unix: 5)
        #expect(try #require(third.due(at: .zero, using: &random)).deviceId == sent.deviceId)
    }

    @Test mutating func aChangeWhileItDidNotRunIsSeen() {
        var plan = RegistrationPlan(.init(instance: "a", registered: 100, enActive: true))
        plan.observe(Self.wanted, at: .zero, unix: 200)
        // userDeactivatesEN registers whatever was before.
        #expect(plan.due(at: .zero, using: &random)?.deviceId == "a")
    }

    @Test mutating func aClockThatWentBackRefreshes() {
        var plan = RegistrationPlan(.init(instance: "a", registered: 2_000_000, enActive: false))
        plan.observe(Self.wanted, at: .zero, unix: 1_000_000)
        #expect(plan.due(at: .zero, using: &random)?.deviceId == "a")
    }

    @Test mutating func inIsolationNothingIsRegistered() {
        var plan = RegistrationPlan(nil)
        plan.observe(Facts(enActive: false, hasCheckIns: true, inIsolation: true), at: .zero, unix: 0)
        #expect(plan.due(at: .zero, using: &random) == nil)
        // The first check-in of a person without exposure notification.
        plan = RegistrationPlan(nil)
        plan.observe(Facts(enActive: false, hasCheckIns: false, inIsolation: false), at: .zero, unix: 0)
        #expect(plan.due(at: .zero, using: &random) == nil)
        plan.observe(Self.wanted, at: .seconds(10), unix: 10)
        #expect(plan.due(at: .seconds(10), using: &random) != nil)
        #expect(Self.wanted.isWanted)
        #expect(!Facts(enActive: true, hasCheckIns: true, inIsolation: false).isWanted)
        #expect(!Facts(enActive: false, hasCheckIns: false, inIsolation: false).isWanted)
        #expect(!Facts(enActive: false, hasCheckIns: true, inIsolation: true).isWanted)
    }
}
