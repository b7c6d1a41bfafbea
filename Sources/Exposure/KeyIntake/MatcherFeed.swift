// SPDX-License-Identifier: Apache-2.0

import GAEN
public import KeyExport
public import Matching

/// Passes published keys to a matcher. Flawed keys are counted and left out, and revised ones are marked. Used by one
/// thread at a time.
public final class MatcherFeed {
    private let matcher: Matcher
    private var plain: [DiagnosisKey] = []
    private var revised: [DiagnosisKey] = []
    /// The number of keys that were left out, by their flaw, over all files so far; each is 1 or more.
    public private(set) var flaws: [ExportedKey.Flaw: Int] = [:]

    /// Creates a feed of `matcher`, which nothing else may feed at the same time. Not thread-safe.
    public init(_ matcher: Matcher) {
        self.matcher = matcher
        plain.reserveCapacity(ExportDecoder.batchCapacity)
    }

    /// Takes the next keys of a file, in order, and passes them to the matcher before it returns. Revised keys of a
    /// batch come after the others. Cannot fail.
    public func add(_ batch: UnsafeBufferPointer<ExportedKey>) {
        plain.removeAll(keepingCapacity: true)
        revised.removeAll(keepingCapacity: true)
        for key in batch {
            guard let valid = key.diagnosisKey else {
                if let flaw = key.flaw { flaws[flaw, default: 0] += 1 }
                continue
            }
            if key.isRevised { revised.append(valid) } else { plain.append(valid) }
        }
        plain.withUnsafeBufferPointer { matcher.add($0) }
        revised.withUnsafeBufferPointer { matcher.add($0, areRevised: true) }
    }
}
