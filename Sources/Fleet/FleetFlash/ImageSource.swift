// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// The bytes of an image from its beginning on: a file, or what the program `zstd` makes of it. Used by one thread.
final class ImageSource {
    private let path: String
    private var descriptor: Int32
    private var unpacker: pid_t?

    /// Opens the image. A name that ends in `.zst` is unpacked by `zstd`, which gets the open file and no path.
    init(_ path: String) throws(ImageFault) {
        self.path = path
        // A pipe would be waited for, a device be read for hours.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(path: path, number: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            descriptor = -1
            throw .unreadable(path: path, number: EINVAL)
        }
        if path.hasSuffix(".zst") { try unpack() }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        // It may still be writing: nobody reads on.
        if let unpacker {
            kill(unpacker, SIGKILL)
            waitpid(unpacker, nil, 0)
        }
    }

    private func unpack() throws(ImageFault) {
        var ends: [Int32] = [0, 0]
        // Larger than the usual 64 KiB, so that the two programs change places less often.
        let made = vigil_result_pipe(&ends, 1 << 20)
        guard made == 0 else { throw .noUnpacker(number: -made) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // The window of an image of ours is 8 MiB (`zstd -19`); a file that wants more memory is none of ours.
        var words: [UnsafeMutablePointer<CChar>?] =
            ["zstd", "-d", "-c", "-q", "-M128MB"].map { (word: String) in strdup(word) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, "zstd", &actions, nil, &words, environ)
        close(ends[1])
        close(descriptor)
        descriptor = ends[0]
        guard status == 0 else { throw .noUnpacker(number: status) }
        unpacker = process
    }

    /// Fills `memory`; returns how many bytes there were, less than asked only at the end.
    func fill(_ memory: UnsafeMutableRawBufferPointer) throws(ImageFault) -> Int {
        var done = 0
        while done < memory.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
            switch SystemCall.retrying({ read(descriptor, rest.baseAddress, rest.count) }) {
            case .done(0):
                // An unpacker that gave up has the better reason.
                try finish()
                return done
            case .done(let count): done += count
            case .wait:
                // An unpacker that hangs is one that cannot unpack.
                guard SystemCall.waitToRead(descriptor, for: .seconds(120)) else { throw .badCompression }
            case .failed(let number): throw .unreadable(path: path, number: number)
            }
        }
        return done
    }

    /// Waits for the end of the unpacker, after the last byte. Throws `badCompression` when it has complained.
    func finish() throws(ImageFault) {
        guard let process = unpacker else { return }
        unpacker = nil
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw .badCompression }
    }
}
