// SPDX-License-Identifier: Apache-2.0

/// The limits on what a plugin may use.
public struct Quotas: Hashable, Sendable {
    /// The most bytes of memory. Files may name a number within ``Limits/memory``; a value made in code is not checked.
    public var memory: Int64
    /// The most bytes in the plugin's folder for lasting files. Files may name a number within ``Limits/storage``; a value
    /// made in code is not checked.
    public var state: Int64
    /// The most bytes in the plugin's folder on tmpfs, its spool. Files may name a number within ``Limits/storage``; a
    /// value made in code is not checked.
    public var spool: Int64
    /// The most processes and threads together. Files may name a number within ``Limits/processes``; a value made in code
    /// is not checked.
    public var processes: Int64

    /// The quotas that apply if a manifest names none: 32 MiB of memory, 1 MiB of lasting files, 1 MiB of spool, 8
    /// processes and threads. Our choice, for boards with 512 MB.
    public static let standard = Quotas(memory: 33_554_432, state: 1_048_576, spool: 1_048_576, processes: 8)

    /// Creates quotas of these numbers, unchecked: only numbers from files are checked against ``Limits``.
    public init(memory: Int64, state: Int64, spool: Int64, processes: Int64) {
        self.memory = memory
        self.state = state
        self.spool = spool
        self.processes = processes
    }

    /// Name in the files, and the number.
    static let parts: [(name: String, value: any WritableKeyPath<Quotas, Int64> & Sendable)] = [
        ("memory", \.memory), ("state", \.state), ("spool", \.spool), ("processes", \.processes),
    ]

    /// Such as `32 MiB`; processes as a number.
    static func words(_ part: String, _ value: Int64) -> String {
        guard part != "processes" else { return "\(value)" }
        for (unit, size) in [("GiB", Int64(1) << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where value >= size {
            let tenths = value * 10 / size
            return tenths % 10 == 0 && value % size == 0
                ? "\(value / size) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(value) bytes"
    }
}
