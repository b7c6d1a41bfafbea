// SPDX-License-Identifier: Apache-2.0

import CZip
import Glibc

/// A file that is open already, for libzip: read by position and nothing else, so that a confined process needs no other call.
///
/// The size is what it was at the beginning: a file that grows meanwhile is read as if it had not, one that shrinks is cut.
final class DescriptorSource {
    private let descriptor: Int32
    private let size: UInt64
    private var position: UInt64 = 0
    private var error = zip_error_t()

    init(descriptor: Int32, size: UInt64) {
        self.descriptor = descriptor
        self.size = size
        zip_error_init(&error)
    }

    /// libzip's own source over this one, which it releases with it; `nil` for want of memory.
    func makeSource(_ failure: inout zip_error_t) -> OpaquePointer? {
        let context = Unmanaged.passRetained(self)
        let source = zip_source_function_create(
            { context, data, length, command in
                guard let context else { return -1 }
                let reference = Unmanaged<DescriptorSource>.fromOpaque(context)
                if command == ZIP_SOURCE_FREE {
                    reference.release()
                    return 0
                }
                return reference.takeUnretainedValue().answer(command, data, length)
            }, context.toOpaque(), &failure)
        if source == nil { context.release() }
        return source
    }

    private func answer(_ command: zip_source_cmd_t, _ data: UnsafeMutableRawPointer?, _ length: UInt64) -> Int64 {
        switch command {
        case ZIP_SOURCE_OPEN:
            position = 0
            return 0
        case ZIP_SOURCE_CLOSE: return 0
        case ZIP_SOURCE_READ: return read(data, length)
        case ZIP_SOURCE_TELL: return Int64(clamping: position)
        case ZIP_SOURCE_SEEK:
            guard let data else { return -1 }
            let target = zip_source_seek_compute_offset(position, size, data, length, &error)
            guard target >= 0 else { return -1 }
            position = UInt64(target)
            return 0
        case ZIP_SOURCE_STAT:
            guard let data, length >= UInt64(MemoryLayout<zip_stat_t>.size) else { return -1 }
            let stat = data.assumingMemoryBound(to: zip_stat_t.self)
            zip_stat_init(stat)
            stat.pointee.size = size
            stat.pointee.valid = UInt64(ZIP_STAT_SIZE)
            return Int64(MemoryLayout<zip_stat_t>.size)
        case ZIP_SOURCE_ERROR:
            guard let data else { return -1 }
            return zip_error_to_data(&error, data, length)
        case ZIP_SOURCE_SUPPORTS:
            let commands = [
                ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS,
            ]
            return commands.reduce(0) { $0 | 1 << Int64($1.rawValue) }
        default:
            zip_error_set(&error, ZIP_ER_OPNOTSUPP, 0)
            return -1
        }
    }

    private func read(_ data: UnsafeMutableRawPointer?, _ length: UInt64) -> Int64 {
        guard let data else { return -1 }
        let wanted = Int(min(length, size - min(position, size)))
        var total = 0
        while total < wanted {
            let count = pread(descriptor, data + total, wanted - total, off_t(position) + off_t(total))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                zip_error_set(&error, ZIP_ER_READ, errno)
                return -1
            }
            if count == 0 { break }
            total += count
        }
        position += UInt64(total)
        return Int64(total)
    }
}
