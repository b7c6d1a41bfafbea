// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Three numbers that the judge and the processes which it kills share (a mapped file): the clock, the registry's port, and how far the boards are.
/// Any process may read and write at any time; what a killed one wrote is there.
final class SharedPage {
    private let words: UnsafeMutablePointer<Atomic<Int64>>
    private static let byteCount = 4_096

    /// Maps the file at `path`, which is made if it is not there, full of zeros. Throws ``FleetTrialFailure``.
    init(_ path: String) throws(FleetTrialFailure) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FleetTrialFailure("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(Self.byteCount)) == 0,
            let memory = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { throw FleetTrialFailure("\(path): \(String(cString: strerror(errno)))") }
        words = memory.bindMemory(to: Atomic<Int64>.self, capacity: 3)
    }

    deinit { munmap(words, Self.byteCount) }

    /// The time for everybody, in Unix seconds.
    var clock: Int64 {
        get { words[0].load(ordering: .sequentiallyConsistent) }
        set { words[0].store(newValue, ordering: .sequentiallyConsistent) }
    }
    /// The port of the registry; 0 as long as there is none.
    var port: Int64 {
        get { words[1].load(ordering: .sequentiallyConsistent) }
        set { words[1].store(newValue, ordering: .sequentiallyConsistent) }
    }
    /// How many turns of the plan are over.
    var progress: Int64 {
        get { words[2].load(ordering: .sequentiallyConsistent) }
        set { words[2].store(newValue, ordering: .sequentiallyConsistent) }
    }
}

/// The reason why a trial cannot go on: something failed that it does not test.
package struct FleetTrialFailure: Error, CustomStringConvertible {
    /// The failure in words.
    package let description: String

    init(_ description: String) { self.description = description }
}
