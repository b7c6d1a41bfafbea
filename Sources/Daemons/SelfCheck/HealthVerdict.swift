// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// The soundness of the board in one word, for scripts and for the decision to keep an update.
public enum HealthVerdict: String, Sendable, Codable, CaseIterable {
    /// All answers came, and nothing is seriously wrong with the board itself.
    case good
    /// Something is seriously wrong with the board itself: people are not warned, or not protected, until it is corrected.
    case bad
    /// The verdict is not known: an answer is missing, or the time is not known, so that nothing can be on air.
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
