// SPDX-License-Identifier: Apache-2.0

import Vault

/// The power supply of one or several ``SimulatedStorage``s: when it is cut, it is cut for all of them in the same instant, and nothing
/// that is asked of them afterwards happens.
public final class SimulatedPower {
    private var left: Int?
    /// Whether the cut has come: every operation of its storages fails with `cut` from then on.
    public private(set) var isCut = false
    /// The operation that met the last cut, such as `sync tek.slots`; `nil` before the first.
    public private(set) var cutAt: String?

    /// A supply that is never cut, until ``operationsUntilCut`` is set.
    public init() {}

    /// How many operations of all storages together are done before the cut; `nil` is never. The operation that meets the cut may happen
    /// in part. Setting it brings the power back.
    public var operationsUntilCut: Int? {
        get { left }
        set {
            left = newValue
            isCut = false
        }
    }

    func check() throws(StorageFailure) { if isCut { throw StorageFailure(.cut) } }

    func step(_ operation: @autoclosure () -> String) throws(StorageFailure) {
        guard let left else { return }
        if left == 0 {
            isCut = true
            cutAt = operation()
        }
        try check()
        self.left = left - 1
    }
}
