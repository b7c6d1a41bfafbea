// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Vault

/// Counts the operations of a process's storages and kills this process (SIGKILL), as nobody can prevent it, before or
/// after one of them. One thread at a time.
public final class KillSwitch {
    /// Number of the operation, from 1; `nil` is never.
    private let number: Int?
    private let isAfter: Bool
    /// The number of operations and points that came so far, 0 or more.
    public private(set) var count = 0
    /// Names an operation by what it is done for, in reports; `isEmpty` says that a write has no bytes. By default the verb and the file.
    public var name: (_ operation: String, _ file: String, _ isEmpty: Bool) -> String = { operation, file, _ in
        "\(operation) \(file)"
    }
    /// Called with the name of the step right before the process is killed.
    public var lastWords: (String) -> Void = { _ in }

    /// Kills at the operation with that number, counted from 1, after it was done if `isAfter`, otherwise before; never with `nil`, or less than 1.
    public init(number: Int?, isAfter: Bool) {
        self.number = number
        self.isAfter = isAfter
    }

    /// Passes a point between operations, which counts as one: the process may end there.
    public func pass(_ point: String) {
        count += 1
        guard count == number else { return }
        lastWords(point)
        kill(getpid(), SIGKILL)
    }

    fileprivate func before(_ operation: String, _ file: String, isEmpty: Bool = false) {
        count += 1
        if !isAfter { end(operation, file, isEmpty) }
    }

    fileprivate func after(_ operation: String, _ file: String, isEmpty: Bool = false) {
        if isAfter { end(operation, file, isEmpty) }
    }

    private func end(_ operation: String, _ file: String, _ isEmpty: Bool) {
        guard count == number else { return }
        lastWords(name(operation, file, isEmpty))
        kill(getpid(), SIGKILL)
    }
}

/// A real folder whose every change may be the process's last. One thread at a time.
public final class KillingMedium: StorageMedium {
    private let inner: any StorageMedium
    private let fatal: KillSwitch

    /// Does everything on `inner`. Several may share one switch.
    public init(_ inner: any StorageMedium, _ fatal: KillSwitch) {
        self.inner = inner
        self.fatal = fatal
    }

    /// Bytes written by the inner medium, since it was opened, 0 or more.
    public var bytesWritten: UInt64 { inner.bytesWritten }
    /// The names of the inner medium; throws what it throws. Not counted.
    public func names() throws(StorageFailure) -> [String] { try inner.names() }
    /// Reads of the inner medium and throws what it throws, such as `tooLarge` for more than `limit` bytes. Not counted. `nil` when there is no
    /// such file.
    public func read(_ name: String, limit: Int) throws(StorageFailure) -> [UInt8]? {
        try inner.read(name, limit: limit)
    }

    /// Writes on the inner medium and throws what it throws; counts as one operation, before or after which the process may
    /// be killed.
    public func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(StorageFailure) {
        fatal.before("write", name, isEmpty: bytes.isEmpty)
        try inner.write(bytes, to: name, at: offset)
        fatal.after("write", name, isEmpty: bytes.isEmpty)
    }

    /// Truncates on the inner medium and throws what it throws; counts as one operation, before or after which the process
    /// may be killed.
    public func truncate(_ name: String, to length: Int) throws(StorageFailure) {
        fatal.before("truncate", name)
        try inner.truncate(name, to: length)
        fatal.after("truncate", name)
    }

    /// Syncs on the inner medium and throws what it throws; counts as one operation, before or after which the process may
    /// be killed.
    public func sync(_ name: String) throws(StorageFailure) {
        fatal.before("sync", name)
        try inner.sync(name)
        fatal.after("sync", name)
    }

    /// Renames on the inner medium and throws what it throws; counts as one operation, before or after which the process
    /// may be killed.
    public func rename(_ name: String, to newName: String) throws(StorageFailure) {
        fatal.before("rename", name)
        try inner.rename(name, to: newName)
        fatal.after("rename", name)
    }

    /// Removes on the inner medium and throws what it throws; counts as one operation, before or after which the process
    /// may be killed.
    public func remove(_ name: String) throws(StorageFailure) {
        fatal.before("remove", name)
        try inner.remove(name)
        fatal.after("remove", name)
    }

    /// Syncs the folder of the inner medium and throws what it throws; counts as one operation, before or after which the
    /// process may be killed.
    public func syncFolder() throws(StorageFailure) {
        fatal.before("sync", "the folder")
        try inner.syncFolder()
        fatal.after("sync", "the folder")
    }
}
