// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.checkin1`; the interface's text explains each part. This file has what both halves use and
/// the wearer's half; the host's is in another file.
public enum Checkin1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.checkin1"

    /// The system of a code: `coronaWarnApp`, of the Corona-Warn-App or of Luca; `swissCovid`, of SwissCovid or NotifyMe;
    /// `nhs`, of NHS COVID-19.
    public enum System: String, Codable, Sendable, CaseIterable { case coronaWarnApp, swissCovid, nhs }

    /// The level of a visit: `low` and `increased` by the authority's rules; `unknown`, the rules have no answer, which is
    /// never a low risk.
    public enum Level: String, Codable, Sendable, CaseIterable { case low, increased, unknown }

    /// The advice to a wearer: `inform`, watch for symptoms; `bookATest`, have a test made.
    public enum Advice: String, Codable, Sendable, CaseIterable { case inform, bookATest }

    /// One visit of the wearer. Where somebody has been is nobody else's business: never log it.
    public struct Visit: Codable, Sendable, Equatable {
        /// The visit's number, from 1 on; never used again.
        public var number: Int
        /// The system whose code was scanned.
        public var system: System
        /// The code's name for the place; one line, fit to be shown.
        public var name: String
        /// The place's address in the code, or its postcode; fit to be shown. `nil` if the code has neither.
        public var street: String?
        /// The arrival of the wearer, Unix seconds.
        public var arrival: Int64
        /// The departure of the wearer, Unix seconds, not before ``arrival``; while ``open``, the moment when the visit
        /// will end by itself.
        public var departure: Int64
        /// Whether the wearer is there still, as far as is known. An open visit whose time is over ends at the next call or start of the plugin.
        public var open: Bool
        /// Whether it is published when the wearer warns others.
        public var warns: Bool
        /// Whether it was published by a warning of the wearer's.
        public var published: Bool

        /// Creates a part of replies of the plugin. No value is checked.
        public init(
            number: Int, system: System, name: String, street: String?, arrival: Int64, departure: Int64,
            open: Bool, warns: Bool, published: Bool
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
        }
    }

    /// A warning about a visit. No result of matching keys: what the core matched is not in it.
    public struct Notice: Codable, Sendable, Equatable {
        /// The notice's number, from 1 on; never used again.
        public var number: Int
        /// The system whose warning it is.
        public var system: System
        /// The number of the visit that it is about.
        public var visit: Int
        /// The code's name for the place; fit to be shown. Empty if the visit is gone.
        public var name: String
        /// The UTC day of the meeting, days since 1970.
        public var day: Int
        /// The level of the visit; `nil` for the systems without levels: SwissCovid and NHS.
        public var level: Level?
        /// The advice to the wearer; `nil` for all systems but NHS.
        public var advice: Advice?
        /// The health authority's message to those who were there, one line, fit to be shown; `nil` if nothing, and for all
        /// systems but SwissCovid.
        public var message: String?
        /// Whether the wearer has not acknowledged it.
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

    /// A system that this device follows. Nothing is asked of a server while there is no visit of the system.
    public struct Followed: Codable, Sendable, Equatable {
        /// The system whose codes can be entered here.
        public var system: System
        /// The moment when its warnings were last known to be complete, Unix seconds; `nil` if never, or while there is no
        /// visit.
        public var checked: Int64?
        /// The last trouble in an English sentence, with what to do; `nil` if there is none.
        public var problem: String?

        /// Creates a part of replies of the plugin. No value is checked.
        public init(system: System, checked: Int64?, problem: String?) {
            self.system = system
            self.checked = checked
            self.problem = problem
        }
    }

    /// Parameters of `CheckIn`. What is no venue's code, or a broken one, is refused with `Refused`; with `NotPossible` while the time is not known,
    /// and with as many visits as there may be.
    public struct CheckInCall: Codable, Sendable, Equatable {
        /// The text as scanned or pasted; at most 4,096 bytes.
        public var code: String

        /// Creates the parameters of a call of `CheckIn`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(code: String) {
            self.code = code
        }
    }

    /// Reply of `CheckIn`: the visit, which is on the disk.
    public struct CheckInReply: Codable, Sendable, Equatable {
        /// The visit; the open one if the wearer is there already.
        public var visit: Visit
        /// Whether the visit began by this call; false if the wearer was there already.
        public var began: Bool

        /// Creates the reply of the plugin to `CheckIn`. No value is checked.
        public init(visit: Visit, began: Bool) {
            self.visit = visit
            self.began = began
        }
    }

    /// Names a visit, an event's code, a code or a place: the parameters of `CheckOut`, `DeleteVisit`, `ForgetPlace`, `End`, `Revoke` and
    /// `GetPoster`, which refuse an unknown one with `NoSuchNumber`, and what is over already with `NotPossible`. For `Acknowledge` the last notice
    /// that was seen, where any number will do.
    public struct NumberCall: Codable, Sendable, Equatable {
        /// The number of the visit, code, place or notice, from 1 on.
        public var number: Int

        /// Creates the parameters of a call. Nothing is checked here: the plugin checks the number when the call arrives.
        public init(number: Int) {
            self.number = number
        }
    }

    /// Reply of `CheckOut`, `EditVisit` and `SetWarning`: the visit, changed on the disk.
    public struct VisitReply: Codable, Sendable, Equatable {
        /// The visit as it is now.
        public var visit: Visit

        /// Creates a part of replies of the plugin. No value is checked.
        public init(visit: Visit) {
            self.visit = visit
        }
    }

    /// Parameters of `GetVisits`, `ExportVisits` and `GetNotices`: which part of a list.
    public struct AfterCall: Codable, Sendable, Equatable {
        /// The number after which entries are wanted; `nil` for the first part, which in `ExportVisits` begins with the
        /// names of the columns. 0 is the first part, too, without them.
        public var after: Int?

        /// Creates the parameters of a call. Any number will do.
        public init(after: Int? = nil) {
            self.after = after
        }
    }

    /// Reply of `GetVisits`: a part of the visits.
    public struct VisitsReply: Codable, Sendable, Equatable {
        /// The visits in the order in which they were entered; at most 12.
        public var visits: [Visit]
        /// Whether there are more visits after the last one here.
        public var more: Bool

        /// Creates the reply of the plugin to `GetVisits`. No value is checked.
        public init(visits: [Visit], more: Bool) {
            self.visits = visits
            self.more = more
        }
    }

    /// Parameters of `EditVisit`: other times for a visit that is over. Times that none can have are refused with `Refused`, and so is a visit that
    /// is open; every one with `NotPossible` while the time is not known.
    public struct EditCall: Codable, Sendable, Equatable {
        /// The number of the visit, from 1 on; an unknown one is refused with `NoSuchNumber`.
        public var number: Int
        /// The arrival of the wearer, Unix seconds, 0 or more.
        public var arrival: Int64
        /// The departure of the wearer, Unix seconds: not before ``arrival``, at most 31 days later, and not in the future.
        public var departure: Int64

        /// Creates the parameters of a call of `EditVisit`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(number: Int, arrival: Int64, departure: Int64) {
            self.number = number
            self.arrival = arrival
            self.departure = departure
        }
    }

    /// Parameters of `SetWarning`: whether a visit is published when the wearer warns others.
    public struct SetWarningCall: Codable, Sendable, Equatable {
        /// The number of the visit, from 1 on; an unknown one is refused with `NoSuchNumber`.
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

    /// Reply of `ExportVisits`: a part of the visits as comma-separated values (RFC 4180).
    public struct ExportReply: Codable, Sendable, Equatable {
        /// Whole lines, each with CR LF at its end: number, system, name, street, arrival and departure (UTC). Empty if there are no visits after
        /// that number.
        public var text: String
        /// The last number in it, to ask for the next part; `nil` if this was the last.
        public var next: Int?

        /// Creates the reply of the plugin to `ExportVisits`. No value is checked.
        public init(text: String, next: Int?) {
            self.text = text
            self.next = next
        }
    }

    /// Reply of `GetNotices`: a part of the notices.
    public struct NoticesReply: Codable, Sendable, Equatable {
        /// The notices in the order in which they came; at most 12.
        public var notices: [Notice]
        /// Whether there are more notices after the last one here.
        public var more: Bool
        /// The systems that are followed here; at most 3.
        public var followed: [Followed]
        /// Whether any notice was not acknowledged, also one that is not in this part.
        public var news: Bool

        /// Made by the plugin to answer `GetNotices`. No value is checked.
        public init(notices: [Notice], more: Bool, followed: [Followed], news: Bool = false) {
            self.notices = notices
            self.more = more
            self.followed = followed
            self.news = news
        }
    }

    /// Reply of `Watch`: now, and after every change of visits or notices.
    public struct WatchReply: Codable, Sendable, Equatable {
        /// Whether there is a notice that was not acknowledged.
        public var news: Bool

        /// Creates the reply of the plugin to `Watch`. No value is checked.
        public init(news: Bool) {
            self.news = news
        }
    }

    /// Reply of `GetRegistrationFacts`: two facts of the wearer's that decide whether pushes are of use (docs/wake.md).
    public struct RegistrationFactsReply: Codable, Sendable, Equatable {
        /// Whether any visit is still kept.
        public var hasCheckIns: Bool
        /// Whether a visit that is still kept was published: its wearer has warned others, and is taken to be in isolation.
        public var inIsolation: Bool

        /// Creates the reply of the plugin to `GetRegistrationFacts`. No value is checked.
        public init(hasCheckIns: Bool, inIsolation: Bool) {
            self.hasCheckIns = hasCheckIns
            self.inIsolation = inIsolation
        }
    }
}
