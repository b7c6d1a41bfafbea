// SPDX-License-Identifier: Apache-2.0

/// The work that is waiting for the next slot: a submission, a registration, or a question for a result.
public struct SlotWork: Sendable, Hashable {
    /// Whether the stored submission that the wearer agreed to still needs a TAN; `nil` if there is no such submission.
    public var submissionNeedsTAN: Bool?
    /// Whether a test is waiting to be registered.
    public var hasRegistration: Bool
    /// The time from which a result may be asked for, in Unix seconds (``PollingRhythm``); `nil` if there is none to ask
    /// for.
    public var pollDue: Int64?

    /// Creates the list of waiting work. `submissionNeedsTAN` is `nil` if no submission is waiting, and `pollDue` (in Unix
    /// seconds) is `nil` if there is no result to ask for.
    public init(submissionNeedsTAN: Bool? = nil, hasRegistration: Bool = false, pollDue: Int64? = nil) {
        self.submissionNeedsTAN = submissionNeedsTAN
        self.hasRegistration = hasRegistration
        self.pollDue = pollDue
    }

    /// Returns the purpose for which the slot at `now` is used: first a warning, because people who do not know of it wait
    /// for it; then a registration; then a question for a result, if it is due. Cannot fail.
    ///
    /// - Parameter now: The time of the slot in Unix seconds.
    public func occasion(at now: Int64) -> Playbook.Occasion {
        if let submissionNeedsTAN { return .submit(needsTAN: submissionNeedsTAN) }
        if hasRegistration { return .register }
        if let pollDue, pollDue <= now { return .askResult }
        return .nothing
    }
}
