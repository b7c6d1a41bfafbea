// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

extension SystemCall {
    /// Sends what fits now. A peer that is gone is a value, not a signal.
    static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Outcome {
        bytes.withUnsafeBytes { bytes in
            retrying { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        retrying { recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
    }
}
