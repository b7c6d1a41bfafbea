// SPDX-License-Identifier: Apache-2.0

import Glibc
import WakePlan

/// The certificates and the key of the settings, as the files that libmosquitto wants: in the plugin's own folder, for nobody else.
struct KeyFiles {
    let authorities: String?
    let certificate: String?
    let key: String?

    /// Writes what has changed.
    init(_ settings: WakeSettings, in folder: String) throws(LinkFailure) {
        authorities = try Self.write(settings.authorities, "\(folder)/broker-authorities.pem")
        certificate = try Self.write(settings.certificate, "\(folder)/certificate.pem")
        key = try Self.write(settings.certificateKey, "\(folder)/certificate-key.pem")
    }

    private static func write(_ text: String, _ path: String) throws(LinkFailure) -> String? {
        guard !text.isEmpty else {
            unlink(path)
            return nil
        }
        guard PrivateFile.write(Array(text.utf8), to: path) else { throw LinkFailure(.unusableSettings) }
        return path
    }
}

/// Small files that are there whole or not at all.
enum PrivateFile {
    static func read(_ path: String, limit: Int = 1 << 20) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// Replaces it; nobody else may read it.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        if read(path) == bytes { return true }
        let next = path + ".new"
        let descriptor = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        let isWritten = rest.isEmpty && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(next, path) == 0 else {
            unlink(next)
            return false
        }
        return true
    }
}
