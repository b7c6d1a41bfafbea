// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ProcessLink
import SystemCalls

extension PluginHost {
    /// Tells the supervisor, and through it the board's technician, from when to when the certificates in a text are valid;
    /// nothing else in them is sent. Call it at the plugin's start and whenever the certificates change, with an empty text
    /// if there are none any more. What is not a certificate is skipped.
    ///
    /// - Parameters:
    ///   - name: The name of this set of certificates, a word of 1 to 24 small letters and dashes, such as `client`
    ///     or `authorities`. The supervisor checks it, keeps at most 8 names of a plugin, and ignores other
    ///     reports.
    ///   - pem: The certificates, one after another in PEM.
    ///   - isAnyEnough: Whether one valid certificate is enough, as for certificate authorities, each of which is trusted
    ///     by itself: then the one that expires last is reported. Otherwise the first one is reported, which is the
    ///     plugin's own.
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

    /// Writes the operator's certificate authorities to a file, for libraries that need a path: `authorities.pem` in the
    /// plugin's folder for lasting files, readable by the plugin alone. Writes only if the file's content differs, and
    /// reports the certificates with ``reportCertificates(_:pem:isAnyEnough:)``. Blocks.
    ///
    /// - Parameter pem: The certificates, one after another in PEM; not checked.
    /// - Returns: The file's path.
    /// - Throws: ``StorageError``: `noFolder` if the plugin has no folder for lasting files, `full` if the disk or the
    ///   quota has no room, `system` if the file cannot be written for another reason.
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
