// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

extension SystemCall {
    /// Sends what fits now. A peer that is gone is a value, not a signal.
    static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Outcome {
        bytes.withUnsafeBytes { bytes in
            retrying { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Bytes alone: EBADMSG when somebody has handed descriptors over beside them. Those stay where they are until ``closeReceiver(_:)``.
    static func receive(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, refusesDescriptors: Bool
    ) -> Outcome {
        let count = vigil_receive_plain(descriptor, buffer.baseAddress, buffer.count, refusesDescriptors ? 1 : 0)
        guard count < 0 else { return .done(count) }
        return count == Int(-EAGAIN) ? .wait : .failed(Int32(-count))
    }
}
