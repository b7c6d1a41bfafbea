// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Vault

/// Counts the operations of a process's storages, and kills the process (SIGKILL) before or after one of them. Use it on
/// one thread at a time.
public final class KillSwitch {
    /// Number of the operation, from 1; `nil` is never.
    private var number: Int?
    private var isAfter: Bool
    /// The number of operations and points so far, 0 or more.
    public private(set) var count = 0
    /// The function that names an operation in reports; `isEmpty` is `true` for a write of no bytes. By default the name is
    /// the verb and the file.
    public var name: (_ operation: String, _ file: String, _ isEmpty: Bool) -> String = { operation, file, _ in
        "\(operation) \(file)"
    }
    /// The function that is called with the name of the step just before the process is killed.
    public var lastWords: (String) -> Void = { _ in }

    /// Creates a switch that kills at the operation with this number, counted from 1: after it if `isAfter`, otherwise
    /// before it. With `nil`, or a number below 1, it never kills.
    public init(number: Int?, isAfter: Bool) {
        self.number = number
        self.isAfter = isAfter
    }

    /// Kills at the operation that is `number` after the last one, after it if `isAfter`, and at no other; with a number below 1 it never
    /// kills. Not between the two ends of an operation.
    public func aim(_ number: Int, isAfter: Bool) {
        self.number = number < 1 ? nil : count + number
        self.isAfter = isAfter
    }

    /// Passes a point between operations, which counts as one operation: the process may be killed there.
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

/// A real folder in which every change may be the process's last. Use it on one thread at a time.
public final class KillingMedium: StorageMedium {
    private let inner: any StorageMedium
    private let fatal: KillSwitch

    /// Creates a medium that passes every operation to `inner`. Several media may share one switch.
    public init(_ inner: any StorageMedium, _ fatal: KillSwitch) {
        self.inner = inner
        self.fatal = fatal
    }

    /// The bytes that the inner medium has written since it was opened, 0 or more.
    public var bytesWritten: UInt64 { inner.bytesWritten }
    /// Returns the names of the inner medium, and throws what it throws. Not counted as an operation.
    public func names() throws(StorageFailure) -> [String] { try inner.names() }
    /// Reads from the inner medium, and throws what it throws, such as `tooLarge` for more than `limit` bytes; `nil` if
    /// there is no such file. Not counted as an operation.
    public func read(_ name: String, limit: Int) throws(StorageFailure) -> [UInt8]? {
        try inner.read(name, limit: limit)
    }

    /// Writes to the inner medium, and throws what it throws. Counts as one operation, before or after which the process
    /// may be killed.
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
