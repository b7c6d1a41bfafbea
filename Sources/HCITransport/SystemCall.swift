// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Calls of the system as values: result or `errno`, and again when a signal interrupted them.
enum SystemCall {
    /// What a call came to.
    enum Outcome: Equatable {
        case done(Int)
        /// Would have to wait.
        case wait
        case failed(Int32)
    }

    // Not inlined: nothing of Swift's own may run between the call and the reading of errno.
    @inline(never)
    static func retrying(_ call: () -> Int) -> Outcome {
        while true {
            let result = call()
            if result >= 0 { return .done(result) }
            let error = errno
            if error == EINTR { continue }
            return error == EAGAIN || error == EWOULDBLOCK ? .wait : .failed(error)
        }
    }

    /// The descriptor, or `errno`.
    static func descriptor(_ call: () -> Int32) -> Result<Int32, SystemError> {
        switch retrying({ Int(call()) }) {
        case .done(let value): .success(Int32(value))
        case .wait: .failure(SystemError(number: EAGAIN))
        case .failed(let error): .failure(SystemError(number: error))
        }
    }

    /// What `strerror` says; with the number when it says nothing.
    static func text(_ error: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// `errno` as an error.
struct SystemError: Error, Equatable {
    let number: Int32
}
