// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.checkin1`. The interface's text explains each of them. This file has the messages for wearers
/// and those that both parts use; the messages for hosts are in another file.
///
/// The wearer's methods are refused with `WrongRole` in a place, the host's on a person's device; all but `GetScreen`,
/// `GetRegistrationFacts` and `LookForWarnings` with `NotSignedIn` for a caller other than the console that sends no valid proof
/// (`org.vigil.access1.MakeProof`). A `Watch` by a proof ends with it after 10 minutes. All are refused with `NotPossible`
/// if the core does not answer, and if a change cannot be stored.
public enum Checkin1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.checkin1"

    /// The system of a code. `coronaWarnApp`: Corona-Warn-App or Luca; `swissCovid`: SwissCovid or NotifyMe; `nhs`: NHS
    /// COVID-19.
    public enum System: String, Codable, Sendable, CaseIterable { case coronaWarnApp, swissCovid, nhs }

    /// The level of risk of a visit by the authority's rules. `unknown`: the rules give no level, which must never be shown
    /// as a low risk.
    public enum Level: String, Codable, Sendable, CaseIterable { case low, increased, unknown }

    /// The advice to a wearer. `inform`: watch for symptoms; `bookATest`: get a test.
    public enum Advice: String, Codable, Sendable, CaseIterable { case inform, bookATest }

    /// A visit of the wearer. It reveals where a person has been and must never be logged.
    public struct Visit: Codable, Sendable, Equatable {
        /// The number of the visit, from 1; never used again, unless the stored visits could not be read.
        public var number: Int
        /// The system of the code that was scanned.
        public var system: System
        /// The name of the place in the code; one line of at most 255 characters, safe to show.
        public var name: String
        /// The address of the place in the code, or its postcode; one line of at most 255 characters, safe to show.
        /// `nil` if the code has neither.
        public var street: String?
        /// The arrival of the wearer, in Unix seconds.
        public var arrival: Int64
        /// The departure of the wearer, in Unix seconds, not before ``arrival``. While the visit is ``open``, the time at
        /// which it ends by itself.
        public var departure: Int64
        /// Whether the wearer is still there, as far as known. A visit that should have ended by itself does so at the next
        /// call or start of the plugin.
        public var open: Bool
        /// Whether the visit is published when the wearer warns others.
        public var warns: Bool
        /// Whether the visit was published in a warning of the wearer.
        public var published: Bool
        /// The time from which the wearer is reminded that the visit ends by itself, in Unix seconds; `nil` if never, and
        /// once the visit is over.
        public var remindFrom: Int64?
        /// Whether the place is hidden; `nil` if not. Without the wearer's secret ``name`` is empty then, and of a visit that is over the times are
        /// the first and the last second of its UTC days.
        public var hidden: Bool?

        /// Creates a part of replies of the plugin. No value is checked.
        public init(
            number: Int, system: System, name: String, street: String?, arrival: Int64, departure: Int64,
            open: Bool, warns: Bool, published: Bool, remindFrom: Int64? = nil, hidden: Bool? = nil
        ) {
            self.number = number
            self.system = system
            self.name = name
            self.street = street
            self.arrival = arrival
            self.departure = departure
            self.open = open
            self.warns = warns
            self.published = published
            self.remindFrom = remindFrom
            self.hidden = hidden
        }
    }

    /// A warning about a visit. It contains no result of matching keys in the core.
    public struct Notice: Codable, Sendable, Equatable {
        /// The number of the notice, from 1; never used again.
        public var number: Int
        /// The system of the warning.
        public var system: System
        /// The number of the visit to which the warning applies.
        public var visit: Int
        /// The name of the place in the code; at most 255 characters, safe to show. Empty if the visit has been
        /// deleted.
        public var name: String
        /// The UTC day of the encounter, in days since 1970.
        public var day: Int
        /// The level of the visit; `nil` for SwissCovid and NHS, which have no levels.
        public var level: Level?
        /// The advice to the wearer; `nil` for all systems except NHS.
        public var advice: Advice?
        /// The health authority's message to visitors, one line of at most 1,000 characters, safe to show; `nil` if
        /// there is none, and for all systems except SwissCovid.
        public var message: String?
        /// Whether the wearer has not acknowledged the notice yet.
        public var news: Bool

        /// Creates a part of replies of the plugin. No value is checked.
        public init(
            number: Int, system: System, visit: Int, name: String, day: Int, level: Level?, advice: Advice?,
            message: String?, news: Bool
        ) {
            self.number = number
            self.system = system
            self.visit = visit
            self.name = name
            self.day = day
            self.level = level
            self.advice = advice
            self.message = message
            self.news = news
        }
    }

    /// A system that this device follows. Its server is not contacted while there is no visit of the system.
    public struct Followed: Codable, Sendable, Equatable {
        /// The system whose codes can be entered here.
        public var system: System
        /// The time at which its warnings were last known to be complete, in Unix seconds; `nil` if they never were, and
        /// while there is no visit.
        public var checked: Int64?
        /// The last problem, in an English sentence with advice; `nil` if there is none.
        public var problem: String?

        /// Whether a warning about a visit may be missing, because not all were known for two days; `false` while the time is not known.
        public var behind: Bool

        /// Creates a part of replies of the plugin. No value is checked.
        public init(system: System, checked: Int64?, problem: String?, behind: Bool = false) {
            self.system = system
            self.checked = checked
            self.problem = problem
            self.behind = behind
        }
    }

    /// Parameters of `CheckIn`. Refused with `Refused` for a text that is not a valid code of a venue, and with
    /// `NotPossible` while the time is not known, if there are 200 visits, and at places of SwissCovid while it is not known whether they are to be hidden.
    public struct CheckInCall: Codable, Sendable, Equatable {
        /// The text of the code as scanned or pasted; at most 4,096 bytes.
        public var code: String
        /// A random text of 22 to 64 letters, digits, `-` and `_`, another one for each check-in, by which a repeated call is known; `nil` if the caller does not repeat it. Refused
        /// with `Refused`, rule `unfitAttempt`, if it is another one.
        public var attempt: String?

        /// Creates the parameters of a call of `CheckIn`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(code: String, attempt: String? = nil) {
            self.code = code
            self.attempt = attempt
        }
    }

    /// Reply of `CheckIn`: the visit, which has been stored.
    public struct CheckInReply: Codable, Sendable, Equatable {
        /// The visit; the one that is already open if the wearer is there.
        public var visit: Visit
        /// Whether the visit began with this call; `false` if the wearer was already there.
        public var began: Bool

        /// Creates the reply of the plugin to `CheckIn`. No value is checked.
        public init(visit: Visit, began: Bool) {
            self.visit = visit
            self.began = began
        }
    }

    /// The number of a visit, an event's code, a code or a place: the parameters of `CheckOut`, `DeleteVisit`,
    /// `ForgetPlace`, `End`, `Revoke` and `GetPoster`. These are refused with `NoSuchNumber` for an unknown number;
    /// `CheckOut` and `End` with `NotPossible` for a visit or an event that has already ended, `End` also for a
    /// code without an event, and `Revoke` for a code that was revoked already or cannot be replaced; `CheckOut`,
    /// `End` and `GetPoster` with `NotPossible` while the time is not known; and `GetPoster` with `Refused` for a
    /// code that is not valid for visitors any more. For `Acknowledge` it is the number of the last notice that was
    /// seen; any number is accepted.
    public struct NumberCall: Codable, Sendable, Equatable {
        /// The number of the visit, code, place or notice, from 1.
        public var number: Int

        /// Creates the parameters of a call. Nothing is checked here: the plugin checks the number when the call arrives.
        public init(number: Int) {
            self.number = number
        }
    }

    /// Reply of `CheckOut`, `EditVisit` and `SetWarning`: the visit, whose change has been stored.
    public struct VisitReply: Codable, Sendable, Equatable {
        /// The visit as it is now.
        public var visit: Visit

        /// Creates a part of replies of the plugin. No value is checked.
        public init(visit: Visit) {
            self.visit = visit
        }
    }

    /// Parameters of `GetVisits` and `ExportVisits`: the wanted part of a list, and what opens hidden visits. Refused with `Refused`, rule
    /// `wrongSecret`, if the secret opens nothing.
    public struct VisitsCall: Codable, Sendable, Equatable {
        /// As in ``AfterCall``.
        public var after: Int?
        /// The secret that opens hidden visits; `nil` to leave them hidden.
        public var secret: String?

        /// Creates the parameters of a call. Nothing is checked here.
        public init(after: Int? = nil, secret: String? = nil) {
            self.after = after
            self.secret = secret
        }
    }

    /// Parameters of `SetHiding`: whether the places of visits are hidden. The reply comes once the choice is stored; earlier visits are hidden afterwards. Refused with `Refused`, rule `wrongSecret` or `unfitSecret`, and with `NotPossible`
    /// on a device that cannot hide them.
    public struct HidingCall: Codable, Sendable, Equatable {
        /// Whether new visits are hidden.
        public var on: Bool
        /// The secret that is to open them; not needed to switch it off.
        public var secret: String?
        /// Whether the secret may be another one than before, by which what was hidden before can be read by nobody.
        public var anew: Bool?

        /// Creates the parameters of a call of `SetHiding`. Nothing is checked here.
        public init(on: Bool, secret: String? = nil, anew: Bool? = nil) {
            self.on = on
            self.secret = secret
            self.anew = anew
        }
    }

    /// Reply of `SetHiding`.
    public struct HidingReply: Codable, Sendable, Equatable {
        /// How many visits are hidden, 0 or more.
        public var hidden: Int
        /// How many earlier visits are to be hidden and are not yet, 1 or more; `nil` if none.
        public var unhidden: Int?

        /// Creates the reply of the plugin. No value is checked.
        public init(hidden: Int, unhidden: Int? = nil) {
            self.hidden = hidden
            self.unhidden = unhidden
        }
    }

    /// Parameters of `GetNotices` and of lists of places: the wanted part of a list.
    public struct AfterCall: Codable, Sendable, Equatable {
        /// The number after which entries are wanted; `nil` for the first part, which in `ExportVisits` begins with the
        /// names of the columns. With 0 the first part comes without them.
        public var after: Int?

        /// Creates the parameters of a call. Any number is accepted.
        public init(after: Int? = nil) {
            self.after = after
        }
    }

    /// Reply of `GetVisits`: one part of the visits.
    public struct VisitsReply: Codable, Sendable, Equatable {
        /// The visits in the order in which they were entered, at most 12.
        public var visits: [Visit]
        /// Whether there are visits after the last one here.
        public var more: Bool
        /// Whether new visits to places of SwissCovid are hidden; `nil` on a device that cannot hide them.
        public var hides: Bool?
        /// How many earlier visits are to be hidden and can still be read on the disk, 1 or more; `nil` if none.
        public var unhidden: Int?
        /// Whether the wearer has chosen a secret for hidden places; `nil` if not.
        public var hidingIsSet: Bool?
        /// Whether it is not known any more if places are to be hidden, because what was kept was damaged; `nil` if it is known.
        public var choiceLost: Bool?

        /// Creates the reply of the plugin to `GetVisits`. No value is checked.
        public init(
            visits: [Visit], more: Bool, hides: Bool? = nil, unhidden: Int? = nil, hidingIsSet: Bool? = nil,
            choiceLost: Bool? = nil
        ) {
            self.visits = visits
            self.more = more
            self.hides = hides
            self.unhidden = unhidden
            self.hidingIsSet = hidingIsSet
            self.choiceLost = choiceLost
        }
    }

    /// Parameters of `EditVisit`: new times for a visit that has ended. Refused with `Refused` for times that are not
    /// possible and for an open visit, and with `NotPossible` while the time is not known.
    public struct EditCall: Codable, Sendable, Equatable {
        /// The number of the visit, from 1. Refused with `NoSuchNumber` if there is no such visit.
        public var number: Int
        /// The arrival of the wearer, Unix seconds, 0 or more.
        public var arrival: Int64
        /// The departure of the wearer, Unix seconds: not before ``arrival``, at most 31 days later, and not in the future.
        public var departure: Int64
        /// The secret that opens a hidden visit; `nil` for one that is not hidden. Without it, a hidden one is refused with `Refused`, rule `hiddenVisit`.
        public var secret: String?

        /// Creates the parameters of a call of `EditVisit`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(number: Int, arrival: Int64, departure: Int64, secret: String? = nil) {
            self.number = number
            self.arrival = arrival
            self.departure = departure
            self.secret = secret
        }
    }

    /// Parameters of `SetWarning`: whether a visit is published when the wearer warns others.
    public struct SetWarningCall: Codable, Sendable, Equatable {
        /// The number of the visit, from 1. Refused with `NoSuchNumber` if there is no such visit.
        public var number: Int
        /// Whether the visit is published when the wearer warns others.
        public var warns: Bool

        /// Creates the parameters of a call of `SetWarning`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(number: Int, warns: Bool) {
            self.number = number
            self.warns = warns
        }
    }

    /// Reply of `ExportVisits`: one part of the visits as comma-separated values (RFC 4180).
    public struct ExportReply: Codable, Sendable, Equatable {
        /// Complete lines, each ended by CR LF: number, system, name, street, arrival and departure (UTC); the
        /// departure is empty while a visit is open, and an apostrophe precedes what a spreadsheet would take for a
        /// formula. Empty if there are no visits after the given number.
        public var text: String
        /// The number of the last visit in the text, with which to ask for the next part; `nil` if this is the last part.
        public var next: Int?

        /// Creates the reply of the plugin to `ExportVisits`. No value is checked.
        public init(text: String, next: Int?) {
            self.text = text
            self.next = next
        }
    }

    /// Reply of `GetNotices`: one part of the notices.
    public struct NoticesReply: Codable, Sendable, Equatable {
        /// The notices in the order in which they arrived, at most 12.
        public var notices: [Notice]
        /// Whether there are notices after the last one here.
        public var more: Bool
        /// The systems that are followed here, at most 3.
        public var followed: [Followed]
        /// Whether any notice was not acknowledged, also one that is not in this part.
        public var news: Bool
        /// Whether earlier visits could not be read and are lost, and the wearer has not acknowledged that.
        public var lost: Bool

        /// Creates the reply of the plugin to `GetNotices`. No value is checked.
        public init(notices: [Notice], more: Bool, followed: [Followed], news: Bool = false, lost: Bool = false) {
            self.notices = notices
            self.more = more
            self.followed = followed
            self.news = news
            self.lost = lost
        }
    }

    /// Reply of `Watch`: the first one immediately, and another after every change of visits or notices.
    public struct WatchReply: Codable, Sendable, Equatable {
        /// Whether there is a notice that has not been acknowledged.
        public var news: Bool

        /// Creates the reply of the plugin to `Watch`. No value is checked.
        public init(news: Bool) {
            self.news = news
        }
    }

    /// Parameters of `TakeReports`. Refused with `Refused` for levels, a number of reports or a name that are not possible,
    /// with `NotPossible` while the time is not known or it is not known which warnings are out, and with `NotSignedIn` for a caller other than the console without the
    /// proof that came with the keys (`org.vigil.release1.TakeDiagnosisKeys`).
    public struct TakeReportsCall: Codable, Sendable, Equatable {
        /// The wearer's levels of transmission risk, 1 to 8, by the age of the day in days, beginning with today; at most
        /// 15. A day without one has level 1.
        public var levels: [Int]
        /// The number of reports that there is room for, 0 to 32.
        public var most: Int
        /// The proof that came with the keys; `nil` from the console.
        public var proof: String?
        /// The name of the visits together from now on, 1 to 2⁵³ - 1: random, and never used before. `nil` to have one chosen.
        public var batch: Int64?

        /// Creates the parameters of a call of `TakeReports`. Nothing is checked here: the plugin checks the values when
        /// the call arrives.
        public init(levels: [Int], most: Int, proof: String?, batch: Int64?) {
            self.levels = levels
            self.most = most
            self.proof = proof
            self.batch = batch
        }
    }

    /// Reply of `TakeReports`: the reports, whose visits have been noted under ``batch``.
    public struct ReportsReply: Codable, Sendable, Equatable {
        /// The reports of 104 bytes each in Base64, at most 32, in random order; empty if no visit counts.
        public var reports: [String]
        /// The number of visits that they are of, 0 to 32.
        public var visits: Int
        /// The name of these visits together, 1 to 2⁵³ - 1; `nil` without reports.
        public var batch: Int64?

        /// Creates the reply of the plugin to `TakeReports`. No value is checked. See the properties for `nil`.
        public init(reports: [String], visits: Int, batch: Int64?) {
            self.reports = reports
            self.visits = visits
            self.batch = batch
        }
    }

    /// Reply of `GetRegistrationFacts`: two facts about the wearer that determine whether push messages are useful
    /// (docs/wake.md).
    public struct RegistrationFactsReply: Codable, Sendable, Equatable {
        /// Whether this device still keeps a visit.
        public var hasCheckIns: Bool
        /// Whether a kept visit was published. The wearer has then warned others, and is assumed to be in isolation.
        public var inIsolation: Bool

        /// Creates the reply of the plugin to `GetRegistrationFacts`. No value is checked.
        public init(hasCheckIns: Bool, inIsolation: Bool) {
            self.hasCheckIns = hasCheckIns
            self.inIsolation = inIsolation
        }
    }
}
