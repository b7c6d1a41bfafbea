// SPDX-License-Identifier: Apache-2.0

import Vault

/// What one or several ``SimulatedStorage``s run on: when it goes, it goes for all of them in the same instant, and nothing that is
/// asked of them afterwards happens.
public final class SimulatedPower {
    private var left: Int?
    /// Whether the cut has come.
    public private(set) var isCut = false

    public init() {}

    /// Operations until the cut, of all storages together; `nil` is never. The operation that meets the cut may happen in part.
    /// Setting it brings the power back.
    public var operationsUntilCut: Int? {
        get { left }
        set {
            left = newValue
            isCut = false
        }
    }

    func check() throws(StorageFailure) { if isCut { throw StorageFailure(.cut) } }

    func step() throws(StorageFailure) {
        guard let left else { return }
        isCut = left == 0
        try check()
        self.left = left - 1
    }
}
