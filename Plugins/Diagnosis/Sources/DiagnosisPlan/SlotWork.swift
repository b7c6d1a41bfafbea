// SPDX-License-Identifier: Apache-2.0

/// What waits for a slot.
public struct SlotWork: Sendable, Hashable {
    /// A persisted submission with consent; whether its TAN must still be fetched.
    public var submissionNeedsTAN: Bool?
    public var hasRegistration: Bool
    /// When a result may be asked for, Unix seconds (``PollingRhythm``).
    public var pollDue: Int64?

    public init(submissionNeedsTAN: Bool? = nil, hasRegistration: Bool = false, pollDue: Int64? = nil) {
        self.submissionNeedsTAN = submissionNeedsTAN
        self.hasRegistration = hasRegistration
        self.pollDue = pollDue
    }

    /// What the slot at `now` is used for: the warning first, because others wait for it without knowing; then a registration; then asking,
    /// when it is due.
    public func occasion(at now: Int64) -> Playbook.Occasion {
        if let submissionNeedsTAN { return .submit(needsTAN: submissionNeedsTAN) }
        if hasRegistration { return .register }
        if let pollDue, pollDue <= now { return .askResult }
        return .nothing
    }
}
