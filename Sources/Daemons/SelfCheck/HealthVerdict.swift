// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// The soundness of the board in one word, for scripts and for the decision to keep an update.
public enum HealthVerdict: String, Sendable, Codable, CaseIterable {
    /// Everything was asked, and nothing about the board itself is seriously wrong.
    case good
    /// Something about the board itself is: people are not warned, or not protected, until it is mended.
    case bad
    /// It cannot be told: a part did not answer, or the time is not known and nothing can be on air for that.
    case unknown

    /// The verdict on what was asked and found; cannot fail.
    ///
    /// - Parameter found: The findings of ``SelfCheck`` from the same inputs.
    /// - Parameter inputs: The answers that were asked for; without status, radio, time, storage or processes it is unknown
    ///   unless it is bad.
    public init(_ inputs: CheckInputs, _ found: [Found]) {
        if found.contains(where: { $0.finding.severity == .serious && $0.finding.isOfTheBoard }) {
            self = .bad
        } else if inputs.status == nil || inputs.radio == nil || inputs.time == nil || inputs.storage == nil
            || inputs.processes == nil || inputs.time?.state == .untrusted
        {
            self = .unknown
        } else {
            self = .good
        }
    }
}
