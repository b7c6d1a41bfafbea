// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// The configuration of the board's fleet.
extension ControlSession {
    /// Shows which configuration holds, is on trial, was taken back, and was refused.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, or the
    ///   answer cannot be shown.
    public func showConfiguration() throws(ControlFailure) {
        let reply = try link.ask(Trust1.Method.getConfiguration)
        try show(reply, as: Trust1.ConfigurationReply.self) { TechnicianViews.configuration($0, screen) }
    }

    /// Gives a signed configuration to the core as it is.
    /// - Parameter path: The path of the file that `vigil-fleet configure` made, at most 40 KiB, the core's own bound.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the file cannot be used, the core cannot be
    ///   asked or refuses, or the answer cannot be shown.
    public func takeConfiguration(_ path: String) throws(ControlFailure) {
        let bytes: [UInt8]
        do throws(InputError) { bytes = try Files.read(path, limit: 40 << 10) } catch {
            throw ControlFailure(.badFile, "\(error)")
        }
        guard let document = String(validating: bytes, as: UTF8.self) else {
            throw ControlFailure(.badFile, "\(path): this is no signed configuration: it is not text in UTF-8")
        }
        let reply = try link.ask(Trust1.Method.takeConfiguration, Trust1.TakeConfigurationCall(document: document))
        let isOnTrial = try reply.read(Trust1.TakeConfigurationReply.self).onTrial
        try say(
            isOnTrial
                ? "It is on trial: it is kept when the board fetches it once more, or by `vigil ctl configuration keep VERSION`. Otherwise it is taken back."
                : "It holds.", reply)
    }

    /// Keeps the configuration on trial, as a person says.
    /// - Parameter version: The version on trial, as ``showConfiguration()`` shows it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, or the
    ///   answer cannot be shown.
    public func keepConfiguration(_ version: Int64) throws(ControlFailure) {
        let reply = try link.ask(Trust1.Method.keepConfiguration, Trust1.KeepConfigurationCall(version: version))
        try say("Version \(version) is kept.", reply)
    }
}
