// SPDX-License-Identifier: Apache-2.0

/// The work that waits for the next slot: a submission, a registration, a result to ask for.
public struct SlotWork: Sendable, Hashable {
    /// Whether a persisted submission with consent still needs its TAN; `nil` if there is no such submission.
    public var submissionNeedsTAN: Bool?
    /// Whether a test waits to be registered.
    public var hasRegistration: Bool
    /// The moment when a result may be asked for, in Unix seconds (``PollingRhythm``); `nil` if none may.
    public var pollDue: Int64?

    /// The work that is given, and no other. `submissionNeedsTAN` is `nil` if no submission waits, `pollDue` (Unix seconds)
    /// if no result is to be asked for.
    public init(submissionNeedsTAN: Bool? = nil, hasRegistration: Bool = false, pollDue: Int64? = nil) {
        self.submissionNeedsTAN = submissionNeedsTAN
        self.hasRegistration = hasRegistration
        self.pollDue = pollDue
    }

    /// The purpose that the slot at `now` is used for: the warning first, because others wait for it without knowing; then
    /// a registration; then asking, when it is due. Cannot fail.
    ///
    /// - Parameter now: Unix seconds.
    public func occasion(at now: Int64) -> Playbook.Occasion {
        if let submissionNeedsTAN { return .submit(needsTAN: submissionNeedsTAN) }
        if hasRegistration { return .register }
        if let pollDue, pollDue <= now { return .askResult }
        return .nothing
    }
}
