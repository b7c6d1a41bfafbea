// SPDX-License-Identifier: Apache-2.0

/// The actions that a form can ask for. The form posts to the path of its page, as `application/x-www-form-urlencoded`,
/// with the hidden fields `form` (the session's token) and `act` (the action's name); further fields are named at each
/// action.
public enum FormAction: String, Sendable, CaseIterable {
    // Anybody.
    /// Begins a session. POST /sign-in: `role` (wearer, technicianReadOnly, technician), `secret`.
    case signIn
    /// Ends the session. POST /sign-out.
    case signOut

    // The wearer.
    /// Agrees to the terms, switches the device on, and sets whether the light shows news. POST /welcome: `terms`, `beacon`
    /// (both `yes`, otherwise nothing is agreed), `notifications` (`yes` or absent).
    case agree
    /// Notes that the wearer has seen the news. POST /.
    case acknowledge
    /// Switches the device on. POST /settings, and of a place's technician /tech.
    case enable
    /// Switches the device off. POST /settings/off, and of a place's technician /tech.
    case disable
    /// Sets whether the light shows news. POST /settings: `notifications` (`yes` or absent).
    case setNotifications
    /// Chooses the language of the pages. POST /settings: `language` (a ``Language``, or empty for the browser's).
    case setLanguage
    /// Changes the wearer's secret. POST /settings: `present`, `wanted`, `repeated`.
    case changeOwnSecret
    /// Enters a hotline's number. POST /tests: `typed`.
    case enterTeleTAN
    /// Enters the code of a test. POST /tests: `code`, `dateOfBirth` (YYYY-MM-DD, or empty for none).
    case enterCode
    /// Shows the result of the test N. POST /tests/N: the answer is the same page with the result.
    case showResult
    /// Forgets the test N. POST /tests/N.
    case forgetTest
    /// Agrees to a warning after the test N. POST /tests/N/warn: `statement` (a Diagnosis1.Statement), `daysAgo` (0 to 21,
    /// for `since`), `federation` (`yes` or absent), `consent` (`yes`, otherwise nothing is sent), `told`
    /// (``WearerPages/told(_:)``: the statement about which the person was told that the warning does not reach people met
    /// today; absent if the person was not told).
    case warn
    /// Withdraws the consent to a warning that was not sent yet. POST /tests/N/warn.
    case withdraw
    /// Checks in at a venue. POST /visits: `code`, `attempt` (the random text of the form, by which it is known if it is sent twice).
    case checkIn
    /// Tells that the warnings about visits have been seen. POST /visits: `number`, the last one that was shown.
    case acknowledgeVisits
    /// Ends the visit N. POST /visits/N.
    case checkOut
    /// Changes the times of the visit N. POST /visits/N: `arrivalDate`, `departureDate` (2026-11-22), `arrivalTime`, `departureTime` (05:47), UTC; of a hidden one `secret`.
    case editVisit
    /// Sets whether the visit N may be published. POST /visits/N: `warns` (`yes` or `no`).
    case setVisitWarning
    /// Deletes the visit N. POST /visits/N.
    case deleteVisit
    /// Has new places hidden or not. POST /visits: `on` (`yes` or `no`), `wanted` (the secret), or `another` (one that may be another than before); `repeated` with a new one.
    case setHiding
    /// Shows hidden places in the answer. POST /visits: `secret`.
    case showHidden
    /// Agrees to data donation. POST /donate: `consent` (`yes`, otherwise nothing is agreed), `text` (the version of the text), `issuer` and `server` (the
    /// names in it).
    case agreeToDonation
    /// Takes the consent to data donation back. POST /donate.
    case takeBackDonation
    /// Agrees to error logs. POST /donate/log: the fields of ``agreeToDonation``.
    case agreeToLogs
    /// Takes the consent to error logs back. POST /donate/log.
    case takeBackLogs
    /// Lets the error log go that was shown. POST /donate/log: `read` (`yes`, otherwise nothing is sent), `lines` (the troubles that were shown, with commas between).
    case releaseLog
    /// Agrees to a survey. POST /donate/survey: the fields of ``agreeToDonation``, and `survey` (what was shown of it).
    case agreeToSurvey
    /// Takes the consent to a survey back. POST /donate/survey.
    case takeBackSurvey
    /// Erases everything; a technician's also ends the wearer's secret. POST /reset: `word`; compare with ``WearerPages/resetWord(_:)``.
    case reset

    // The technician.
    /// Sets the time. POST /tech/time: `date` (2026-11-22), `time` (05:47 or 05:47:21), both UTC.
    case setTime
    /// Fetches keys now. POST /tech/sync.
    case syncNow
    /// Restarts a plugin, also one in quarantine. POST /tech/plugins/NAME.
    case restartPlugin
    /// Enables a plugin. POST /tech/plugins/NAME.
    case enablePlugin
    /// Disables a plugin. POST /tech/plugins/NAME.
    case disablePlugin
    /// Changes a plugin's settings. POST /tech/plugins/NAME: the fields of ``SettingsForm``.
    case setSettings
    /// Changes the network, on trial. POST /tech/network: `interface`, `method` (automatic, manual), `addresses`,
    /// `gateway`, `nameServers`.
    case applyNetwork
    /// Confirms the change of the network that is on trial. POST /tech/network.
    case confirmNetwork
    /// Begins a measurement. POST /tech/calibration: `seconds` (10 to 120), `reference` (−90 to −30 dBm).
    case measure
    /// Sets the receiver's correction. POST /tech/calibration: `correction` (−30 to 30 dB).
    case setCorrection
    /// Restores the correction of the board's profile. POST /tech/calibration.
    case clearCorrection
    /// Changes the secret of a role. POST /tech/access: `role`, `present`, `wanted` (empty to have one made).
    case changeSecret
    /// Makes a token for a script. POST /tech/access: `name`, `role` (technicianReadOnly, technician).
    case makeToken
    /// Revokes a script's token. POST /tech/access: `name`.
    case revokeToken
    /// Restarts the board. POST /tech/reboot.
    case reboot
    /// Describes a place. POST /tech/places for a new one, /tech/places/N: `name`, `street`, `kind` (a Checkin1.Kind), `stay` (15 to 1,425 minutes).
    case describePlace
    /// Forgets the place N. POST /tech/places/N.
    case forgetPlace
    /// Makes the code of an event at the place N. POST /tech/places/N: `event` (its name, or empty), `eventKind` (a Checkin1.EventKind), `hours` (1 to
    /// 744), `date` (2026-11-22) and `time` (05:47), UTC, both empty for an event that begins at once.
    case startEvent
    /// Imports a code. POST /tech/places/N: `code`.
    case importCode
    /// Has the screen at the door show the place N. POST /tech/places/N.
    case showScreen
    /// Switches the screen off. POST /tech/places/N.
    case hideScreen
    /// Has the code of the place N broadcast for tokens. POST /tech/places/N: `opens` and `closes` (05:47), UTC, both empty for the whole day.
    case startBroadcast
    /// Ends the broadcast. POST /tech/places/N.
    case stopBroadcast
    /// Ends the event of the code N. POST /tech/codes/N.
    case endEvent
    /// Takes the code N off the door. POST /tech/codes/N.
    case revokeCode

    /// The readers that may use the form; the server asks the core in any case.
    public var readers: Set<PageContext.Reader> {
        switch self {
        case .signIn, .signOut: Set(PageContext.Reader.allCases)
        case .agree, .acknowledge, .enable, .disable, .setNotifications, .setLanguage, .changeOwnSecret, .enterTeleTAN,
            .enterCode,
            .showResult, .forgetTest, .warn, .withdraw, .checkIn, .acknowledgeVisits, .checkOut, .editVisit,
            .setVisitWarning, .deleteVisit, .setHiding, .showHidden, .agreeToDonation, .takeBackDonation, .agreeToLogs,
            .takeBackLogs,
            .releaseLog, .agreeToSurvey, .takeBackSurvey:
            [.wearer]
        case .reset: [.wearer, .technician]
        default: [.technician]
        }
    }
}

extension PageContext {
    /// A form that posts to this page, or, for signing out, to where that is done.
    ///
    /// - Parameter to: another page's path, by its parts.
    func form(
        _ action: FormAction, to: [String]? = nil, class name: String? = nil, @HTMLBuilder _ fields: () -> HTML
    ) -> HTML {
        let target: Link =
            if action == .signOut {
                Link("/sign-out")
            } else {
                Link(page: to ?? path.split(separator: "/").map(String.init))
            }
        return el(.form, .post, .action(target), name.map { .class($0) }) {
            el(.input, .type(.hidden), .name("form"), .value(formToken))
            el(.input, .type(.hidden), .name("act"), .value(action.rawValue))
            fields()
        }
    }

    /// A form of nothing but a button.
    func buttonForm(_ action: FormAction, to: [String]? = nil, _ text: String, class name: String = "button") -> HTML {
        form(action, to: to, class: "inline") { el(.button, .class(name), .type(.submit), text: text) }
    }
}
