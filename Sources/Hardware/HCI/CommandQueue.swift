// SPDX-License-Identifier: Apache-2.0

/// Sends commands one at a time and matches the answers to them (Core Specification, Vol 4 Part E 4.4). It only makes
/// decisions: the caller reports what happened and when, and carries out the actions. Times are durations on one monotonic
/// clock, whose start does not matter.
///
/// - One command is in progress at a time, even if the controller accepts more, because answers identify their command by
///   the opcode only, so two commands with the same opcode could not be told apart.
/// - Without credits from the controller the next command waits. Its time-out runs from then on and ends in
///   ``Failure/noCredit``.
/// - **A controller that does not answer in time stalls the queue.** What it has done is unknown, so all waiting commands
///   fail with ``Failure/abandoned``, and later ones with ``Failure/stalled``. Only Reset is accepted, and it is sent at
///   once, even without a credit. Commands enqueued after a Reset wait for its success, which ends the stall. If it does
///   not succeed, reset the transport and call ``transportWasReset()``.
/// - An answer for which no command waits (a second one, a late one, or one with another opcode) is reported as
///   ``Unexpected`` and changes only the credits. One case cannot be detected: a late or second answer is taken as the
///   answer of a command with the same opcode that is in progress. After a time-out only Reset can be sent, for which this
///   does not matter: the controller works in order, so everything sent after it is done after the last Reset.
public struct CommandQueue: Sendable {
    /// The identity of an enqueued command in later actions.
    public struct Ticket: Hashable, Sendable {
        /// The number of the command, counted from 0 in the order of enqueueing.
        public let number: UInt64
    }

    /// An instruction to the caller. Actions must be carried out in order.
    public enum Action: Hashable, Sendable {
        /// Write this packet, including its H4 indicator, to the transport.
        case send([UInt8])
        /// The command succeeded and returned these parameters.
        case completed(Ticket, HCICommand, ReturnParameters)
        /// The command failed, or its result is unknown, for this reason.
        case failed(Ticket, HCICommand, Failure)
        /// The controller sent an answer that it should not send; count it.
        case unexpected(Unexpected)
    }

    /// The reason why a command failed, or why its result is unknown.
    public enum Failure: Hashable, Sendable {
        /// The controller refused the command with this status.
        case refused(HCIStatus)
        /// The answer cannot be read. The command may have been carried out.
        case malformedAnswer(HCIError)
        /// No answer came within the time-out. The command may have been carried out.
        case timedOut
        /// The command was not sent, because the controller accepted no commands during its time-out.
        case noCredit
        /// The command was not sent, or its answer is no longer awaited, because an earlier command got no answer or the
        /// transport was reset.
        case abandoned
        /// The command was not accepted, because the queue accepts only Reset until one succeeds.
        case stalled
        /// The command was not accepted, because ``CommandQueue/capacity`` commands are waiting.
        case queueFull
    }

    /// An answer that does not match the commands that were sent; identifies them by opcode only.
    public enum Unexpected: Hashable, Sendable {
        /// An answer came while no command was in progress.
        case answerWithoutCommand(Opcode)
        /// An answer came to another command than the one in progress.
        case answerToAnother(Opcode, underWay: Opcode)
        /// Command Status reports that the command has begun. All commands here end with Command Complete, so the queue
        /// keeps waiting for that.
        case statusInsteadOfAnswer(Opcode)
    }

    private struct Entry {
        let ticket: Ticket
        let command: HCICommand
        let timeout: Duration
    }

    /// The largest number of waiting commands, 1 or more, not counting the one in progress; 16 by default, our own
    /// choice.
    public let capacity: Int
    private var waiting: [Entry] = []
    private var underWay: (entry: Entry, deadline: Duration)?
    private var creditDeadline: Duration?
    private var nextTicket: UInt64 = 0

    /// The number of commands that the controller accepts now: the number in its last answer minus the commands
    /// sent since, 0 to 255. It begins at 1 (4.4).
    public private(set) var creditCount = 1
    /// Whether the queue is stalled: only Reset is accepted, or a Reset to end the stall is in progress.
    public private(set) var isStalled = false

    /// Creates an empty queue for a controller that was just switched on. A `capacity` below 1 counts as 1.
    public init(capacity: Int = 16) { self.capacity = max(capacity, 1) }

    /// The number of waiting commands, not counting the one in progress; 0 to ``capacity``.
    public var waitingCount: Int { waiting.count }
    /// Whether no command is waiting or in progress.
    public var isIdle: Bool { waiting.isEmpty && underWay == nil }

    /// The latest time to call ``advance(to:)``, on the caller's clock; `nil` if nothing is awaited.
    public var deadline: Duration? { underWay?.deadline ?? creditDeadline }

    /// Adds a command and returns its ticket and the actions that follow. If the command is not accepted, the actions
    /// already contain its failure. `timeout` runs from the moment when the command is sent; before that, it runs from the
    /// moment when the command is the next one and the controller accepts none. The default is that of Linux, 2 s
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

    /// Handles an event and returns the actions that follow, in order. Events that are not about commands change nothing
    /// and give no actions. Cannot fail.
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

    /// Fails commands whose time-out has passed, and returns those failures; empty if there are none. Call it at
    /// ``deadline``; calling it earlier or more often does no harm.
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

    /// Restarts the queue as after power-on. Call it after the transport was closed and opened again; the next command
    /// should be Reset. Returns the failure `abandoned` for the command in progress and all waiting ones; empty if there
    /// were none.
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
