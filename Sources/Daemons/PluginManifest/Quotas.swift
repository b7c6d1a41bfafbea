// SPDX-License-Identifier: Apache-2.0

/// The limits on what a plugin may use.
public struct Quotas: Hashable, Sendable {
    /// The most bytes of memory, within ``Limits/memory`` in files.
    public var memory: Int64
    /// The most bytes in the folder that lasts, within ``Limits/storage`` in files.
    public var state: Int64
    /// The most bytes in the folder on tmpfs, within ``Limits/storage`` in files.
    public var spool: Int64
    /// The most processes, threads counted too; within ``Limits/processes`` in files.
    public var processes: Int64

    /// The quotas where a manifest says nothing: 32 MiB of memory, 1 MiB of state, 1 MiB of spool, 8 processes and threads.
    /// A choice of ours, for boards with 512 MB.
    public static let standard = Quotas(memory: 33_554_432, state: 1_048_576, spool: 1_048_576, processes: 8)

    /// Takes the numbers as they are: the ranges of ``Limits`` are checked where files are read.
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
