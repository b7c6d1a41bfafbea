// SPDX-License-Identifier: Apache-2.0

/// Sends commands one at a time and matches answers to them (Core Specification, Vol 4 Part E 4.4), as decisions only: it is told
/// what happened and when, and says what to do. Times are durations since any start of the caller's, on one monotonic clock.
///
/// - One command is under way at a time, however many the controller would take: answers carry no more than an opcode, and two
///   commands of the same opcode could not be told apart.
/// - Zero credits hold the next command back until the controller gives some; its time-out runs from then on, and ends in
///   ``Failure/noCredit``.
/// - **A controller that does not answer in time stalls the queue.** What it did is unknown, so everything that waited is
///   ``Failure/abandoned``, and later commands fail with ``Failure/stalled``, except Reset, which is sent at once, credit or
///   not; commands enqueued after a Reset wait for its success, which ends the stall. Without success, reset the transport and
///   say so with ``transportWasReset()``.
/// - An answer that nobody waits for (a second one, a late one, one with another opcode) is ``Unexpected``; it changes credits
///   and nothing else. Only one case cannot be told: a late or second answer while a command of the same opcode is under way
///   counts as its answer. After a time-out only Reset can be sent, for which it does not matter: the controller works in order,
///   so everything sent after that is done after the last Reset.
public struct CommandQueue: Sendable {
    /// The name of one enqueued command, by which later actions speak of it.
    public struct Ticket: Hashable, Sendable {
        /// Counts up from 0 in the order of enqueueing.
        public let number: UInt64
    }

    /// An instruction to the caller; to be obeyed in order.
    public enum Action: Hashable, Sendable {
        /// Write this packet, with its H4 indicator, to the transport.
        case send([UInt8])
        /// The command was done; the parameters are those that came back with it.
        case completed(Ticket, HCICommand, ReturnParameters)
        /// The command was not done, or nobody knows, for this reason.
        case failed(Ticket, HCICommand, Failure)
        /// To be counted; a controller should not do this.
        case unexpected(Unexpected)
    }

    /// The reason why a command was not done, or is not known to be done.
    public enum Failure: Hashable, Sendable {
        /// The controller says no, with this status.
        case refused(HCIStatus)
        /// The answer cannot be read. The command may have been done.
        case malformedAnswer(HCIError)
        /// No answer within its time-out. The command may have been done.
        case timedOut
        /// Never sent: the controller took no commands for the length of its time-out.
        case noCredit
        /// Never sent, or no longer waited for: an earlier command got no answer, or the transport was reset.
        case abandoned
        /// Not accepted: only Reset is, until it succeeds.
        case stalled
        /// Not accepted: too many commands wait.
        case queueFull
    }

    /// An answer that does not fit what was sent; names opcodes only.
    public enum Unexpected: Hashable, Sendable {
        /// An answer while no command is under way.
        case answerWithoutCommand(Opcode)
        /// An answer to another command than the one under way.
        case answerToAnother(Opcode, underWay: Opcode)
        /// Command Status says that the command has begun, but commands here end with Command Complete: still waiting for it.
        case statusInsteadOfAnswer(Opcode)
    }

    private struct Entry {
        let ticket: Ticket
        let command: HCICommand
        let timeout: Duration
    }

    /// The most commands that wait, 1 or more; the one under way is not counted.
    public let capacity: Int
    private var waiting: [Entry] = []
    private var underWay: (entry: Entry, deadline: Duration)?
    private var creditDeadline: Duration?
    private var nextTicket: UInt64 = 0

    /// The number of commands that the controller takes now, 0 to 255, by its last answer. 1 to begin with (4.4).
    public private(set) var creditCount = 1
    /// Whether only Reset is accepted, or a Reset that shall end this is under way.
    public private(set) var isStalled = false

    /// An empty queue for a controller that was just switched on. `capacity` is at least 1; smaller numbers count as 1.
    public init(capacity: Int = 16) { self.capacity = max(capacity, 1) }

    /// Commands that wait, without the one under way; 0 to ``capacity``.
    public var waitingCount: Int { waiting.count }
    /// Whether no command waits or is under way.
    public var isIdle: Bool { waiting.isEmpty && underWay == nil }

    /// The latest time to call ``advance(to:)``, on the caller's clock; `nil` when nothing is awaited.
    public var deadline: Duration? { underWay?.deadline ?? creditDeadline }

    /// Takes a command. The ticket names it in later actions; a command that is not accepted has failed in the actions already. `timeout` runs from
    /// the moment it is sent, and before that from the moment it is the next and the controller takes none; Linux waits 2 s, too
    /// (`HCI_CMD_TIMEOUT`).
    public mutating func enqueue(
        _ command: HCICommand, timeout: Duration = .seconds(2), at now: Duration
    ) -> (ticket: Ticket, actions: [Action]) {
        let entry = Entry(ticket: Ticket(number: nextTicket), command: command, timeout: timeout)
        nextTicket += 1
        let isRecovering = isStalled && !isIdle
        if isStalled, !isRecovering, command.opcode != .reset {
            return (entry.ticket, [.failed(entry.ticket, command, .stalled)])
        }
        guard waiting.count < capacity else { return (entry.ticket, [.failed(entry.ticket, command, .queueFull)]) }
        waiting.append(entry)
        var actions: [Action] = []
        sendNext(at: now, &actions)
        return (entry.ticket, actions)
    }

    /// Takes an event and returns the actions that follow, in order; events that are not about commands change nothing and
    /// give none. Cannot fail.
    public mutating func receive(_ event: HCIEvent, at now: Duration) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .commandComplete(let answer):
            creditCount = Int(answer.creditCount)
            if let entry = take(answer.opcode, &actions) { finish(entry, answer, &actions) }
        case .commandStatus(let answer):
            creditCount = Int(answer.creditCount)
            if answer.status.isSuccess, let underWay, underWay.entry.command.opcode == answer.opcode {
                actions.append(.unexpected(.statusInsteadOfAnswer(answer.opcode)))
            } else if let entry = take(answer.opcode, &actions) {
                fail(entry, .refused(answer.status), &actions)
            }
        default: return []
        }
        sendNext(at: now, &actions)
        return actions
    }

    /// Lets time pass: ends what was not answered in time. To be called at ``deadline``; earlier or more often does no harm. Gives failures only;
    /// empty if nothing is over.
    public mutating func advance(to now: Duration) -> [Action] {
        var actions: [Action] = []
        if let (entry, deadline) = underWay, now >= deadline {
            underWay = nil
            actions.append(.failed(entry.ticket, entry.command, .timedOut))
            stall(&actions)
        } else if let creditDeadline, now >= creditDeadline {
            let entry = waiting.removeFirst()
            actions.append(.failed(entry.ticket, entry.command, .noCredit))
            stall(&actions)
        }
        return actions
    }

    /// Starts anew, as after power-on; gives `abandoned` for the command under way and all that waited, empty if there were none. To be called when
    /// the transport was closed and opened again; the first command should be Reset.
    public mutating func transportWasReset() -> [Action] {
        var actions: [Action] = []
        if let (entry, _) = underWay { actions.append(.failed(entry.ticket, entry.command, .abandoned)) }
        underWay = nil
        stall(&actions)
        isStalled = false
        creditCount = 1
        return actions
    }

    /// The command under way, if this is its opcode: it is then no longer under way.
    private mutating func take(_ opcode: Opcode, _ actions: inout [Action]) -> Entry? {
        if opcode == .none { return nil }
        guard let (entry, _) = underWay else {
            actions.append(.unexpected(.answerWithoutCommand(opcode)))
            return nil
        }
        guard entry.command.opcode == opcode else {
            actions.append(.unexpected(.answerToAnother(opcode, underWay: entry.command.opcode)))
            return nil
        }
        underWay = nil
        return entry
    }

    private mutating func finish(_ entry: Entry, _ answer: CommandComplete, _ actions: inout [Action]) {
        do {
            let (status, parameters) = try answer.result()
            guard status.isSuccess else { return fail(entry, .refused(status), &actions) }
            if entry.command.opcode == .reset { isStalled = false }
            actions.append(.completed(entry.ticket, entry.command, parameters))
        } catch {
            fail(entry, .malformedAnswer(error), &actions)
        }
    }

    /// A command that failed to end a stall takes down what waited for it.
    private mutating func fail(_ entry: Entry, _ failure: Failure, _ actions: inout [Action]) {
        actions.append(.failed(entry.ticket, entry.command, failure))
        if isStalled { stall(&actions) }
    }

    private mutating func stall(_ actions: inout [Action]) {
        isStalled = true
        creditDeadline = nil
        actions += waiting.map { .failed($0.ticket, $0.command, .abandoned) }
        waiting = []
    }

    private mutating func sendNext(at now: Duration, _ actions: inout [Action]) {
        guard underWay == nil, let next = waiting.first else { return }
        // While stalled, a Reset is the only command that can be first.
        guard creditCount > 0 || isStalled else {
            if creditDeadline == nil { creditDeadline = now + next.timeout }
            return
        }
        waiting.removeFirst()
        creditDeadline = nil
        creditCount = max(creditCount - 1, 0)
        underWay = (next, now + next.timeout)
        actions.append(.send(next.command.bytes))
    }
}
