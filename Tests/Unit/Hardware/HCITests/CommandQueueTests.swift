// SPDX-License-Identifier: Apache-2.0

import HCI
import RandomValues
import Testing

@Suite struct CommandQueueTests {
    private typealias Action = CommandQueue.Action

    private func answer(_ opcode: Opcode, credits: UInt8 = 1, _ returned: [UInt8] = [0]) throws -> HCIEvent {
        try parse(Wire.complete(opcode, credits: credits, returned))
    }

    private let off = HCICommand.leSetAdvertising(enabled: false)
    private let on = HCICommand.leSetAdvertising(enabled: true)
    private let data: HCICommand

    init() throws { data = try HCICommand.leSetAdvertisingData(Samples.iPhone) }

    // MARK: - The ordinary

    @Test func oneAfterTheOther() throws {
        var queue = CommandQueue()
        #expect(queue.deadline == nil)
        let (first, sent) = queue.enqueue(off, at: .seconds(10))
        #expect(sent == [.send(off.bytes)])
        #expect(queue.deadline == .seconds(12))
        let (second, nothing) = queue.enqueue(data, timeout: .seconds(1), at: .seconds(10))
        #expect(nothing.isEmpty)
        #expect(queue.waitingCount == 1)
        #expect(first != second)
        // Even when the controller would take more.
        #expect(
            try queue.receive(answer(.leSetAdvertisingEnable, credits: 9), at: .seconds(11))
                == [.completed(first, off, .none), .send(data.bytes)])
        #expect(queue.deadline == .seconds(12))
        #expect(try queue.receive(answer(.leSetAdvertisingData), at: .seconds(11)) == [.completed(second, data, .none)])
        #expect(queue.isIdle)
        #expect(queue.deadline == nil)
        #expect(queue.creditCount == 1)
    }

    @Test func whatWasReturnedIsTyped() throws {
        var queue = CommandQueue()
        let (ticket, _) = queue.enqueue(.leReadMaximumAdvertisingDataLength, at: .zero)
        #expect(
            try queue.receive(answer(.leReadMaximumAdvertisingDataLength, [0, 31, 0]), at: .zero)
                == [.completed(ticket, .leReadMaximumAdvertisingDataLength, .maximumAdvertisingDataLength(31))])
    }

    @Test func refusalsAreFailuresWithTheirStatus() throws {
        var queue = CommandQueue()
        let (first, _) = queue.enqueue(data, at: .zero)
        let (second, _) = queue.enqueue(on, at: .zero)
        #expect(
            try queue.receive(answer(.leSetAdvertisingData, [0x0C]), at: .zero)
                == [.failed(first, data, .refused(.commandDisallowed)), .send(on.bytes)])
        #expect(
            try queue.receive(parse(Wire.status(.leSetAdvertisingEnable, .unknownCommand)), at: .zero)
                == [.failed(second, on, .refused(.unknownCommand))])
        #expect(!queue.isStalled)
    }

    @Test func eventsAboutOtherThingsChangeNothing() throws {
        var queue = CommandQueue()
        _ = queue.enqueue(off, at: .zero)
        let before = (queue.deadline, queue.creditCount, queue.waitingCount)
        for bytes in Samples.events where bytes[1] != 0x0E && bytes[1] != 0x0F {
            #expect(try queue.receive(parse(bytes), at: .seconds(1)).isEmpty)
        }
        #expect((queue.deadline, queue.creditCount, queue.waitingCount) == before)
    }

    @Test func aFullQueueRefuses() throws {
        var queue = CommandQueue(capacity: 2)
        for _ in 0..<3 { _ = queue.enqueue(off, at: .zero) }
        let (ticket, actions) = queue.enqueue(on, at: .zero)
        #expect(actions == [.failed(ticket, on, .queueFull)])
        #expect(queue.waitingCount == 2)
        #expect(CommandQueue(capacity: -5).capacity == 1)
    }

    // MARK: - A controller that never answers

    @Test func silenceStallsAndAbandonsWhatWaited() {
        var queue = CommandQueue()
        let (first, _) = queue.enqueue(off, at: .zero)
        let (second, _) = queue.enqueue(data, at: .zero)
        let (third, _) = queue.enqueue(on, at: .zero)
        #expect(queue.advance(to: .milliseconds(1_999)).isEmpty)
        #expect(
            queue.advance(to: .seconds(2)) == [
                .failed(first, off, .timedOut), .failed(second, data, .abandoned), .failed(third, on, .abandoned),
            ])
        #expect(queue.isStalled)
        #expect(queue.isIdle)
        #expect(queue.deadline == nil)
        #expect(queue.advance(to: .seconds(99)).isEmpty)
        let (late, refused) = queue.enqueue(on, at: .seconds(3))
        #expect(refused == [.failed(late, on, .stalled)])
    }

    @Test func aResetEndsAStall() throws {
        var queue = stalled()
        #expect(queue.creditCount == 0)
        let (reset, sent) = queue.enqueue(.reset, at: .seconds(3))
        #expect(sent == [.send(HCICommand.reset.bytes)])
        // What is to follow the reset may be enqueued already.
        let (next, nothing) = queue.enqueue(on, at: .seconds(3))
        #expect(nothing.isEmpty)
        #expect(
            try queue.receive(answer(.reset), at: .seconds(3)) == [.completed(reset, .reset, .none), .send(on.bytes)])
        #expect(!queue.isStalled)
        #expect(try queue.receive(answer(.leSetAdvertisingEnable), at: .seconds(3)) == [.completed(next, on, .none)])
    }

    @Test func aResetWithoutSuccessLeavesTheStall() throws {
        for failing in ["silent", "refused", "malformed"] {
            var queue = stalled()
            let (reset, _) = queue.enqueue(.reset, at: .seconds(3))
            let (next, _) = queue.enqueue(on, at: .seconds(3))
            let actions: [CommandQueue.Action]
            let failure: CommandQueue.Failure
            switch failing {
            case "silent": (actions, failure) = (queue.advance(to: .seconds(5)), .timedOut)
            case "refused":
                (actions, failure) = (
                    try queue.receive(answer(.reset, [0x03]), at: .seconds(4)), .refused(.hardwareFailure)
                )
            default:
                actions = try queue.receive(answer(.reset, []), at: .seconds(4))
                failure = .malformedAnswer(HCIError(.truncated))
            }
            #expect(actions == [.failed(reset, .reset, failure), .failed(next, on, .abandoned)], "\(failing)")
            #expect(queue.isStalled)
            // And another one may be tried.
            let (again, sent) = queue.enqueue(.reset, at: .seconds(6))
            #expect(sent == [.send(HCICommand.reset.bytes)])
            #expect(try queue.receive(answer(.reset), at: .seconds(6)) == [.completed(again, .reset, .none)])
            #expect(!queue.isStalled)
        }
    }

    @Test func lateAnswersAreCountedAndEndNothing() throws {
        var queue = stalled()
        #expect(
            try queue.receive(answer(.leSetAdvertisingEnable), at: .seconds(3))
                == [.unexpected(.answerWithoutCommand(.leSetAdvertisingEnable))])
        #expect(queue.isStalled)
        let (reset, _) = queue.enqueue(.reset, at: .seconds(3))
        #expect(
            try queue.receive(answer(.leSetAdvertisingEnable), at: .seconds(3))
                == [.unexpected(.answerToAnother(.leSetAdvertisingEnable, underWay: .reset))])
        #expect(try queue.receive(answer(.reset), at: .seconds(3)) == [.completed(reset, .reset, .none)])
    }

    @Test func aTransportThatWasResetStartsAnew() throws {
        var queue = CommandQueue()
        let (first, _) = queue.enqueue(off, at: .zero)
        let (second, _) = queue.enqueue(on, at: .zero)
        #expect(queue.transportWasReset() == [.failed(first, off, .abandoned), .failed(second, on, .abandoned)])
        #expect(queue.creditCount == 1)
        #expect(queue.isIdle)
        #expect(queue.deadline == nil)
        #expect(queue.enqueue(.reset, at: .zero).actions == [.send(HCICommand.reset.bytes)])

        var dead = stalled()
        #expect(dead.transportWasReset().isEmpty)
        #expect(dead.enqueue(on, at: .zero).actions == [.send(on.bytes)])
    }

    private func stalled() -> CommandQueue {
        var queue = CommandQueue()
        _ = queue.enqueue(off, at: .zero)
        _ = queue.advance(to: .seconds(2))
        #expect(queue.isStalled)
        return queue
    }

    // MARK: - A controller that answers wrongly

    @Test func aSecondAnswerIsUnexpected() throws {
        var queue = CommandQueue()
        _ = queue.enqueue(off, at: .zero)
        _ = try queue.receive(answer(.leSetAdvertisingEnable), at: .zero)
        #expect(
            try queue.receive(answer(.leSetAdvertisingEnable, credits: 3), at: .zero)
                == [.unexpected(.answerWithoutCommand(.leSetAdvertisingEnable))])
        #expect(queue.creditCount == 3)
        let (next, _) = queue.enqueue(data, at: .zero)
        #expect(
            try queue.receive(answer(.leSetAdvertisingEnable), at: .zero)
                == [.unexpected(.answerToAnother(.leSetAdvertisingEnable, underWay: .leSetAdvertisingData))])
        #expect(try queue.receive(answer(.leSetAdvertisingData), at: .zero) == [.completed(next, data, .none)])
    }

    @Test func answersToOtherCommandsDoNotEndTheWait() throws {
        var queue = CommandQueue()
        let (ticket, _) = queue.enqueue(off, at: .zero)
        for event in [try answer(.reset), try parse(Wire.status(.reset, .commandDisallowed))] {
            #expect(
                queue.receive(event, at: .seconds(1))
                    == [.unexpected(.answerToAnother(.reset, underWay: .leSetAdvertisingEnable))])
        }
        #expect(queue.deadline == .seconds(2))
        #expect(queue.advance(to: .seconds(2)) == [.failed(ticket, off, .timedOut)])
    }

    @Test func aPromiseIsNoAnswer() throws {
        var queue = CommandQueue()
        let (ticket, _) = queue.enqueue(off, at: .zero)
        #expect(
            try queue.receive(parse(Wire.status(.leSetAdvertisingEnable, .success)), at: .zero)
                == [.unexpected(.statusInsteadOfAnswer(.leSetAdvertisingEnable))])
        #expect(queue.deadline == .seconds(2))
        #expect(try queue.receive(answer(.leSetAdvertisingEnable), at: .zero) == [.completed(ticket, off, .none)])
        #expect(
            try queue.receive(parse(Wire.status(.leSetAdvertisingEnable, .success)), at: .zero)
                == [.unexpected(.answerWithoutCommand(.leSetAdvertisingEnable))])
    }

    @Test func answersThatCannotBeReadAreFailures() throws {
        var queue = CommandQueue()
        let (ticket, _) = queue.enqueue(.leReadBufferSize, at: .zero)
        #expect(
            try queue.receive(answer(.leReadBufferSize, [0, 1]), at: .zero)
                == [.failed(ticket, .leReadBufferSize, .malformedAnswer(HCIError(.truncated)))])
        #expect(!queue.isStalled)
    }

    // MARK: - Credits

    @Test func withoutCreditNothingIsSent() throws {
        var queue = CommandQueue()
        let (first, _) = queue.enqueue(off, at: .zero)
        let (second, _) = queue.enqueue(on, timeout: .seconds(5), at: .zero)
        #expect(
            try queue.receive(answer(.leSetAdvertisingEnable, credits: 0), at: .seconds(1))
                == [.completed(first, off, .none)])
        #expect(queue.deadline == .seconds(6))
        // Command Complete for no command only tells credits.
        #expect(try queue.receive(answer(.none, credits: 0, []), at: .seconds(2)).isEmpty)
        #expect(queue.deadline == .seconds(6))
        #expect(try queue.receive(answer(.none, credits: 1, []), at: .seconds(3)) == [.send(on.bytes)])
        #expect(queue.deadline == .seconds(8))
        #expect(
            try queue.receive(answer(.leSetAdvertisingEnable), at: .seconds(3)) == [.completed(second, on, .none)])
    }

    @Test func creditsMayComeWithAStatus() throws {
        var queue = CommandQueue()
        _ = queue.enqueue(off, at: .zero)
        _ = queue.enqueue(on, at: .zero)
        _ = try queue.receive(answer(.leSetAdvertisingEnable, credits: 0), at: .zero)
        #expect(try queue.receive(parse(Wire.status(.none, credits: 1, .success)), at: .zero) == [.send(on.bytes)])
    }

    @Test func creditThatNeverComesStalls() throws {
        var queue = CommandQueue()
        _ = queue.enqueue(off, at: .zero)
        _ = try queue.receive(answer(.leSetAdvertisingEnable, credits: 0), at: .zero)
        let (first, held) = queue.enqueue(on, at: .seconds(10))
        let (second, _) = queue.enqueue(data, at: .seconds(11))
        #expect(held.isEmpty)
        #expect(queue.deadline == .seconds(12))
        #expect(queue.advance(to: .milliseconds(11_999)).isEmpty)
        #expect(
            queue.advance(to: .seconds(12)) == [.failed(first, on, .noCredit), .failed(second, data, .abandoned)])
        #expect(queue.isStalled)
        #expect(queue.enqueue(.reset, at: .seconds(12)).actions == [.send(HCICommand.reset.bytes)])
    }

    // MARK: - Whatever comes

    /// Every ticket ends exactly once, nothing is sent without the end of what was sent before, and the deadline is kept.
    @Test(arguments: 1...20)
    func everyCommandEndsExactlyOnce(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var queue = CommandQueue(capacity: 4)
        var open: Set<CommandQueue.Ticket> = []
        var isUnderWay = false
        var now = Duration.zero
        func perform(_ actions: [CommandQueue.Action]) {
            for action in actions {
                switch action {
                case .send:
                    #expect(!isUnderWay)
                    isUnderWay = true
                case .completed(let ticket, _, _):
                    #expect(open.remove(ticket) != nil)
                    isUnderWay = false
                case .failed(let ticket, _, let failure):
                    #expect(open.remove(ticket) != nil)
                    switch failure {
                    case .refused, .malformedAnswer, .timedOut: isUnderWay = false
                    case .noCredit, .abandoned, .stalled, .queueFull: break
                    }
                case .unexpected: break
                }
            }
        }
        let commands = [off, data, HCICommand.reset, .leRandom]
        for _ in 0..<1_000 {
            now += .milliseconds(Int.random(in: 0...700, using: &generator))
            switch Int.random(in: 0...9, using: &generator) {
            case 0...3:
                let command = commands.randomElement(using: &generator) ?? .reset
                let (ticket, actions) = queue.enqueue(command, at: now)
                #expect(open.insert(ticket).inserted)
                perform(actions)
            case 4...7:
                let opcode = (commands.randomElement(using: &generator) ?? .reset).opcode
                let returned = generator.bytes(Int.random(in: 0...9, using: &generator)).map { $0 % 3 == 0 ? $0 : 0 }
                let credits = UInt8.random(in: 0...1, using: &generator)
                perform(try queue.receive(answer(opcode, credits: credits, returned), at: now))
            case 8:
                let status = HCIStatus(rawValue: .random(in: 0...1, using: &generator))
                perform(try queue.receive(parse(Wire.status(.leRandom, status)), at: now))
            default: perform(queue.advance(to: now))
            }
            #expect(queue.waitingCount <= 4)
            #expect(queue.isIdle == open.isEmpty)
            #expect(queue.isIdle == (queue.deadline == nil))
        }
        for _ in 0..<50 {
            guard let deadline = queue.deadline else { break }
            perform(queue.advance(to: deadline))
        }
        #expect(open.isEmpty)
        #expect(queue.isIdle)
    }
}
