// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ProcessLink
import SystemCalls

extension PluginHost {
    /// Tells the supervisor, and by it whoever looks after the board, from when to when the certificates in a text are good: nothing else of them.
    /// To be called whenever the plugin starts or takes others, with an empty text if there are none any more. What is no certificate is passed
    /// over.
    ///
    /// - Parameters:
    ///   - name: The certificates' name, a word of up to 24 small letters and dashes, which the supervisor checks:
    ///     `client`, `authorities`.
    ///   - pem: Certificates, one after another in PEM.
    ///   - isAnyEnough: Whether it is fine while one of them is good, as for authorities, of which each is believed for itself: then the one that
    ///     ends last counts. Otherwise the first counts, which is the plugin's own.
    public func reportCertificates(_ name: String, pem: String, isAnyEnough: Bool = false) {
        let all = CertificateValidity.all(pem: pem)
        var values = ["name": name]
        // Without a time: there is none of that name any more.
        if let one = isAnyEnough ? all.max(by: { $0.notAfter < $1.notAfter }) : all.first {
            values["from"] = "\(one.notBefore)"
            values["until"] = "\(one.notAfter)"
        }
        control.send(ControlMessage("CERTIFICATE", values))
    }

    /// The operator's certificate authorities as a file for libraries that want a path: `authorities.pem` in the plugin's folder for what lasts, readable
    /// by the plugin alone. Written when it differs from what is there, and reported as ``reportCertificates(_:pem:isAnyEnough:)`` has it. Blocks.
    ///
    /// - Parameter pem: Certificates, one after another in PEM; not checked.
    /// - Returns: The file's path.
    /// - Throws: ``StorageError``: `noFolder` without a folder for what lasts, `full` without room, `system` when it cannot be written otherwise.
    public func authorityFile(_ pem: String) throws(StorageError) -> String {
        guard let state else {
            throw StorageError(.noFolder, "VIGIL_STATE is not set, so there is no folder for what lasts")
        }
        reportCertificates("authorities", pem: pem, isAnyEnough: true)
        let (path, bytes) = ("\(state)/authorities.pem", Array(pem.utf8))
        if (try? WholeFile.read(path, limit: bytes.count, .noLink)) == bytes { return path }
        // A power cut costs it nothing: the next start compares it again.
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: 0o600, .process) } catch {
            throw .system("\(path) cannot be written", error.number)
        }
        return path
    }
}
