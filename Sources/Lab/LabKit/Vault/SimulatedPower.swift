// SPDX-License-Identifier: Apache-2.0

import Vault

/// The power supply of one or several ``SimulatedStorage``s: when it is cut, it is cut for all of them in the same instant,
/// and nothing that is asked of them afterwards happens. One thread at a time.
public final class SimulatedPower {
    private var left: Int?
    /// Whether the cut has come: every operation of its storages, reading too, fails with `cut` until ``operationsUntilCut`` is set.
    public private(set) var isCut = false
    /// The operation that met the last cut, such as `sync tek.slots`; `nil` before the first. Stays when the power is back.
    public private(set) var cutAt: String?

    /// A supply that is never cut, until ``operationsUntilCut`` is set.
    public init() {}

    /// The number of operations of all storages together before the cut, 0 or more: what is left of it when read. `nil` is never. Reading does not
    /// count. The operation that meets the cut may happen in part. Setting it brings the power back.
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
