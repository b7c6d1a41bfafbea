// SPDX-License-Identifier: Apache-2.0

import Vault

/// The power supply of one or several ``SimulatedStorage`` objects. A cut affects all of them at the same instant, and no
/// later operation on them has an effect. Use it on one thread at a time.
public final class SimulatedPower {
    private var left: Int?
    /// Whether the power is cut: every operation of its storages, reading included, fails with `cut` until
    /// ``operationsUntilCut`` is set.
    public private(set) var isCut = false
    /// The operation during which the last cut came, such as `sync tek.slots`; `nil` before the first. Stays when the power
    /// returns.
    public private(set) var cutAt: String?

    /// Creates a supply that is not cut until ``operationsUntilCut`` is set.
    public init() {}

    /// The number of operations, of all storages together, that are left before the cut, 0 or more; `nil` for no cut.
    /// Reading does not count as an operation. The operation that meets the cut may be done in part. Setting it restores
    /// the power.
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
