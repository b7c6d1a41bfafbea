// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
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
        let bytes = Array(text.utf8)
        if (try? WholeFile.read(path, limit: 1 << 20)) == bytes { return path }
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: 0o600) } catch {
            throw LinkFailure(.unusableSettings)
        }
        return path
    }
}
