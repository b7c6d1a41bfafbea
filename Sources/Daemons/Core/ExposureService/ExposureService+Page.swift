// SPDX-License-Identifier: Apache-2.0

import ContentBundle
public import Interfaces
import JSON
import Ledger
import Logging
public import TimeTrust

extension ExposureService {
    // MARK: Choices of the wearer

    static let preferencesSetting = "preferences"
    /// Before anybody has chosen: the light says that there is news, because a token whose wearer never opens the page has no other way to say it, and pages
    /// speak the operator's language.
    private var unchosen: Device1.Preferences {
        Device1.Preferences(introduced: false, notifications: true, language: standardLanguage)
    }

    /// Returns whether the text has the form of a language in the preferences: `[a-z]{2,3}(-[a-z]{2,8})?`, such as `de` or
    /// `de-simple`. Whether pages exist in it is not checked.
    public static func isLanguage(_ name: String) -> Bool { ContentBundle.isLanguage(name) }

    /// Returns the wearer's choices, or the defaults. A caller whose session is not the wearer's gets only those needed to
    /// greet the wearer.
    ///
    /// - Throws: ``Refusal`` if the disk cannot be read.
    public func preferences(for caller: Caller) throws(Refusal) -> Device1.Preferences {
        let bytes = try reading { try ledger.setting(Self.preferencesSetting) }
        var preferences =
            bytes.flatMap { try? JSON(parsing: $0).decode(Device1.Preferences.self) } ?? unchosen
        if caller.isBoundToSessions, caller.session?.role != .wearer {
            preferences.notifications = unchosen.notifications
        }
        return preferences
    }

    /// Stores the wearer's choices. Returns `false`, and changes nothing, if the language does not have the form of one
    /// (``isLanguage(_:)``); no language (`nil`) is permitted.
    ///
    /// - Throws: ``Refusal`` if the disk refuses.
    public func setPreferences(_ preferences: Device1.Preferences) throws(Refusal) -> Bool {
        if let language = preferences.language, !Self.isLanguage(language) { return false }
        try ledger.record { try $0.set(Self.preferencesSetting, try JSON(encoding: preferences).bytes) }
        attention.wantsNews = preferences.notifications
        return true
    }

    // MARK: Calibration

    /// The correction in dB that is added to the strength that the receiver reports: the operator's, -30 to 30, or else the
    /// profile's.
    public var correction: Int { beacon.calibration.corrections.correction(beacon.profile) }

    /// Sets the correction in dB that is added to the strength of what is heard from now on; `nil` restores the profile's.
    /// Returns `true` if the correction is in force, also if it was before; `false`, and changes nothing, if it is not -30
    /// to 30.
    ///
    /// - Throws: ``Refusal`` if the disk refuses.
    public func setCorrection(_ correction: Int?, by caller: Caller, at now: BootInstant) throws(Refusal) -> Bool {
        if let correction, !ReceiverCorrections.range.contains(correction) { return false }
        var next = beacon.calibration.corrections
        next.set(correction)
        guard next != beacon.calibration.corrections else { return true }
        try ledger.record {
            try $0.set(ReceiverCorrections.setting, try next.bytes())
            try $0.audit(
                auditWriter.entry(
                    .correctionSet, caller, at: now,
                    [
                        "correction": correction.map { "\($0)" } ?? "profile",
                        "revision": "\(next.revision(beacon.profile))",
                    ])
            )
        }
        beacon.calibration.corrections = next
        return true
    }

    /// Begins a measurement of strengths, in place of a current one, and returns `true`. Returns `false`, and begins
    /// nothing, if `seconds` is not 10 to 120, or `reference` is not -90 to -30 dBm. Cannot fail otherwise.
    public func measureStrength(_ call: Device1.MeasureStrengthCall, at now: BootInstant) -> Bool {
        guard StrengthMeasurement.seconds.contains(call.seconds), StrengthMeasurement.references.contains(call.reference)
        else { return false }
        beacon.measureStrength(seconds: call.seconds, reference: call.reference, at: now)
        return true
    }
}
