// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// Files of the kernel and of the run folder: a line or two.
enum SmallFile {
    /// The whole file; `EFBIG` when it is longer than `limit` bytes.
    static func read(_ path: String, limit: Int) -> Result<[UInt8], SystemError> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(SystemError(number: errno)) }
        defer { close(descriptor) }
        return read(descriptor, limit: limit)
    }

    static func read(_ descriptor: Int32, limit: Int) -> Result<[UInt8], SystemError> {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(SystemError(number: errno)) }
            guard count > 0 else { return .success(bytes) }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { return .failure(SystemError(number: EFBIG)) }
        }
    }

    /// Decimal digits only, within the range of the type.
    static func decimal(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
