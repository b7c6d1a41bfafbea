// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.device1`; the interface's text says what each part means.
public enum Device1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.device1"

    /// The act that a consent is for. `releaseKeys`: own keys leave the device to warn others; `reset`: everything is
    /// erased; `pair`: own keys' marks go to another device of the wearer, or come from one. The generated property `roles`
    /// says who may choose each.
    public enum Purpose: String, Codable, Sendable, CaseIterable { case releaseKeys, reset, pair }

    /// Parameters of `GiveConsent`. Refused with `ButtonNeeded` where a press of the device's button is missing, with `TooManyConsents` when 16 of
    /// this purpose are open, with `WrongRole` of `org.vigil.access1` for a purpose that is not the session's to agree to.
    public struct GiveConsentCall: Codable, Sendable {
        /// The act that the person agrees to, once.
        public var purpose: Purpose

        /// Creates the parameters of a call of `GiveConsent`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(purpose: Purpose) { self.purpose = purpose }
    }

    /// Reply of `GiveConsent`: a ticket for one act.
    public struct GiveConsentReply: Codable, Sendable {
        /// A ticket for one call that needs this consent, worthless for anything else: 32 hexadecimal digits. It lasts 15 minutes.
        public var ticket: String
        /// The end of the ticket's validity, Unix seconds; `nil` while the time is not known: then it is good until the
        /// time is known.
        public var expires: Int64?

        /// Creates the reply of the core to `GiveConsent`. No value is checked. See the properties for units and `nil`.
        public init(ticket: String, expires: Int64?) {
            self.ticket = ticket
            self.expires = expires
        }
    }

    /// Parameters of `SetRole`. Another role is another life: what was kept for the former one is destroyed. The present role changes nothing.
    /// Refused with `StorageUnavailable` when the disk refuses; asked again, it finishes.
    public struct RoleCall: Codable, Sendable {
        /// The new role: a person's device, or one that stands in a place.
        public var role: Exposure1.Role

        /// Creates the parameters of a call of `SetRole`. Nothing is checked here: the core checks the values when the call
        /// arrives.
        public init(role: Exposure1.Role) { self.role = role }
    }

    /// The state of the radio, and its counts since the program started. Counts only, each 0 or more; nothing tells whom it
    /// heard.
    public struct Radio: Codable, Sendable, Equatable {
        /// Whether an identifier is on air; false for some milliseconds between two.
        public var onAir: Bool
        /// Whether the receiver listens at this moment.
        public var scanning: Bool
        /// The kind of controller, in words: `HCI 9, manufacturer 15`, by the numbers that it tells. `nil` while none has told them.
        public var controller: String?
        /// The place of the controller, in words for people, such as the path of a device.
        public var transport: String
        /// The reason why it cannot be reached, in an English sentence; `nil` while it can be.
        public var transportProblem: String?
        /// Whether sending pauses during scans because the controller cannot do both.
        public var timeSlices: Bool
        /// Seconds until the identifier changes, negative when that is late; `nil` while no change is due, as when none is on air.
        public var secondsToRotation: Int64?
        /// The most milliseconds that an identifier was changed too late since the core's start; 0 if none was.
        public var worstRotationLateness: Int64
        /// The number of identifiers that were put on air since the core's start, 0 or more.
        public var rotationCount: UInt64
        /// The number of scans that ended since the core's start, those cut short and those that heard nothing too, 0 or
        /// more.
        public var scanCount: UInt64
        /// The number of scans since the core's start that heard nothing with content, 0 or more.
        public var quietScanCount: UInt64
        /// The number of advertisements of any kind that were heard since the core's start, by anybody, 0 or more;
        /// repetitions count.
        public var reportCount: UInt64
        /// The number of well-formed advertisements of Exposure Notification that were heard since the core's start, 0 or
        /// more; repetitions count, and those without a signal strength.
        public var exposureNotificationCount: UInt64
        /// The number of different identifiers of Exposure Notification in the last scan; 0 or more, and 0 before the first. A sender whose
        /// identifier changed meanwhile counts twice.
        public var lastScanSenderCount: Int
        /// The number of scans since the core's start that could not be stored, 0 or more; what they heard is lost.
        public var lostScanCount: UInt64
        /// The number of advertisements of Exposure Notification at each strength since the core's start: always 20 numbers. The first counts what is
        /// weaker than -110 dBm, then steps of 5 dBm, the last what is -20 dBm or stronger. Advertisements without a signal strength are in none.
        public var rssiHistogram: [UInt64]
        /// The number of times that each step against trouble with the controller was taken since the core's start, by the step's name
        /// (docs/core.md); at most 16 names. Steps never taken may be absent.
        public var ladder: [String: UInt64]
        /// The last trouble with the controller since the core's start, in English for people; `nil` if there was none.
        public var lastTrouble: String?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            onAir: Bool, scanning: Bool, controller: String?, transport: String, transportProblem: String?,
            timeSlices: Bool, secondsToRotation: Int64?, worstRotationLateness: Int64, rotationCount: UInt64,
            scanCount: UInt64, quietScanCount: UInt64, reportCount: UInt64, exposureNotificationCount: UInt64,
            lastScanSenderCount: Int, lostScanCount: UInt64, rssiHistogram: [UInt64],
            ladder: [String: UInt64], lastTrouble: String?
        ) {
            self.onAir = onAir
            self.scanning = scanning
            self.controller = controller
            self.transport = transport
            self.transportProblem = transportProblem
            self.timeSlices = timeSlices
            self.secondsToRotation = secondsToRotation
            self.worstRotationLateness = worstRotationLateness
            self.rotationCount = rotationCount
            self.scanCount = scanCount
            self.quietScanCount = quietScanCount
            self.reportCount = reportCount
            self.exposureNotificationCount = exposureNotificationCount
            self.lastScanSenderCount = lastScanSenderCount
            self.lostScanCount = lostScanCount
            self.rssiHistogram = rssiHistogram
            self.ladder = ladder
            self.lastTrouble = lastTrouble
        }
    }

    /// Reply of `GetRadio`: what the radio does, now.
    public struct RadioReply: Codable, Sendable {
        /// The state of the radio now, and its counts since the start.
        public var radio: Radio

        /// Creates the reply of the core to `GetRadio`. No value is checked.
        public init(radio: Radio) { self.radio = radio }
    }

    /// Parameters of `GetEvidence`: the start of the wanted hours of evidence.
    public struct EvidenceCall: Codable, Sendable {
        /// The earliest start of the wanted hours, Unix seconds, inclusive; `nil` for all of the last 14 days.
        public var since: Int64?

        /// Creates the parameters of a call of `GetEvidence`. Nothing is refused: the core takes a negative number for 0.
        /// See the properties for units and `nil`.
        public init(since: Int64? = nil) { self.since = since }
    }

    /// One hour's proof that this device really sent and received: counts of that hour, the present one as far as it is. What was counted while the
    /// time was not known is in the hour in which it became known.
    public struct EvidenceHour: Codable, Sendable, Equatable {
        /// Start of the hour, Unix seconds, a multiple of 3,600.
        public var start: Int64
        /// The number of scans that ended in the hour, those cut short and those that heard nothing too, 0 or more.
        public var scanCount: UInt64
        /// The number of scans of the hour that heard nothing with content, 0 or more.
        public var quietScanCount: UInt64
        /// The number of advertisements of any kind that were heard in the hour, by anybody, 0 or more; repetitions count.
        public var reportCount: UInt64
        /// The number of advertisements of Exposure Notification that were heard in the hour, repetitions counted, 0 or
        /// more.
        public var exposureNotificationCount: UInt64
        /// The number of identifiers that were stored in the hour, counted once per scan, 0 or more.
        public var storedSenderCount: UInt64
        /// The number of identifiers that were put on air in the hour, 0 or more.
        public var rotationCount: UInt64
        /// Seconds in which an identifier was on air, rounded down; more than 3,600 only with time of before the clock was known.
        public var secondsOnAir: UInt64
        /// The number of steps taken against trouble with the controller in the hour, 0 or more.
        public var troubleCount: UInt64

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(
            start: Int64, scanCount: UInt64, quietScanCount: UInt64, reportCount: UInt64,
            exposureNotificationCount: UInt64, storedSenderCount: UInt64, rotationCount: UInt64, secondsOnAir: UInt64,
            troubleCount: UInt64
        ) {
            self.start = start
            self.scanCount = scanCount
            self.quietScanCount = quietScanCount
            self.reportCount = reportCount
            self.exposureNotificationCount = exposureNotificationCount
            self.storedSenderCount = storedSenderCount
            self.rotationCount = rotationCount
            self.secondsOnAir = secondsOnAir
            self.troubleCount = troubleCount
        }
    }

    /// Reply of `GetEvidence`: one page of the hours in which something was counted. Missing are hours in which this device did not run, or neither
    /// sent nor listened.
    public struct EvidenceReply: Codable, Sendable {
        /// One page of hours, oldest first: as many as fit into 48 KiB of JSON.
        public var hours: [EvidenceHour]

        /// Creates the reply of the core to `GetEvidence`. No value is checked.
        public init(hours: [EvidenceHour]) { self.hours = hours }
    }

    /// The time as the device knows it, and how sure it is.
    public struct Time: Codable, Sendable, Equatable {
        /// The trust in the time; see ``Exposure1/TimeState``.
        public var state: Exposure1.TimeState
        /// The state of the time in an English sentence, with what to do.
        public var sentence: String
        /// The time now, Unix milliseconds; `nil` while it is not known.
        public var now: Int64?
        /// The number of whole seconds, rounded down, that the time may be wrong either way, 0 or more; `nil` while it is
        /// not known.
        public var uncertainty: Int64?
        /// Whole seconds by which the system's clock is ahead of this time, negative where it is behind; `nil` while the time is not known.
        /// Certificates of servers are judged by that clock.
        public var systemOffset: Int64?
        /// A reading of a clock that was refused within the last day and has not been settled since, in an English
        /// sentence; `nil` without one.
        public var refused: String?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            state: Exposure1.TimeState, sentence: String, now: Int64?, uncertainty: Int64?, systemOffset: Int64? = nil,
            refused: String? = nil
        ) {
            self.state = state
            self.sentence = sentence
            self.now = now
            self.uncertainty = uncertainty
            self.systemOffset = systemOffset
            self.refused = refused
        }
    }

    /// Reply of `GetTime` and of `SetTime`: what is known about the time.
    public struct TimeReply: Codable, Sendable {
        /// The time as it is known; after `SetTime`, as it is known then.
        public var time: Time

        /// Creates the reply of the core to `GetTime` and `SetTime`. No value is checked.
        public init(time: Time) { self.time = time }
    }

    /// Parameters of `SetTime`, on boards that hear no clock. Refused with `TimeRefused` if the device cannot be in such a time, or if a
    /// signed time contradicts it.
    public struct SetTimeCall: Codable, Sendable {
        /// The time now, Unix milliseconds, UTC; refused before 2020 or the firmware's build, ten years after that build, and where a signed time
        /// speaks against it. It is believed to within 60 seconds.
        public var now: Int64

        /// Creates the parameters of a call of `SetTime`. Nothing is checked here: the core checks the values when the call
        /// arrives. See the properties for units.
        public init(now: Int64) { self.now = now }
    }

    /// Parameters of `GetAudit`: from which entry on the log is wanted.
    public struct AuditCall: Codable, Sendable {
        /// The number after which entries are wanted; `nil`, 0 or a negative number for all that are kept.
        public var after: Int64?

        /// Creates the parameters of a call of `GetAudit`. Nothing is refused: the core takes a negative number for 0. See
        /// the properties for units and `nil`.
        public init(after: Int64? = nil) { self.after = after }
    }

    /// One entry of the log of consents, releases, resets and changes. It carries no secret.
    public struct AuditEntry: Codable, Sendable, Equatable {
        /// The entry's number, from 1, rising by one in what the caller is shown: callers that are not shown the wearer's own entries have numbers
        /// without them.
        public var sequence: Int64
        /// The time when it happened, Unix seconds; `nil` while the time was not known.
        public var time: Int64?
        /// The kind of event, in one stable word: a raw value of ``AuditKind``.
        public var kind: String
        /// The name of the caller by whose socket it was asked for, or of the part of the board that did it, such as `provisioning`.
        public var actor: String
        /// Further details for people, by name, such as `purpose` or `role`; docs/exposure-api.md has what each kind
        /// carries. May be empty.
        public var details: [String: String]

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(sequence: Int64, time: Int64?, kind: String, actor: String, details: [String: String]) {
            self.sequence = sequence
            self.time = time
            self.kind = kind
            self.actor = actor
            self.details = details
        }
    }

    /// Reply of `GetAudit`: one page of the audit log, and whether the log is whole.
    public struct AuditReply: Codable, Sendable {
        /// One page of entries, oldest first: as many as fit into 48 KiB of JSON.
        public var entries: [AuditEntry]
        /// Whether every entry since the beginning, or since the oldest that is kept, is there and unchanged.
        public var intact: Bool
        /// The number of entries that are no longer kept, of those that the caller would be shown; 0 or more.
        public var droppedCount: Int64

        /// Creates the reply of the core to `GetAudit`. No value is checked. See the properties for units.
        public init(entries: [AuditEntry], intact: Bool, droppedCount: Int64) {
            self.entries = entries
            self.intact = intact
            self.droppedCount = droppedCount
        }
    }

    /// The use of the disk, and the damage that was found.
    public struct Storage: Codable, Sendable, Equatable {
        /// The number of UTC days of which there are sightings; 0 or more. Days are forgotten when they are certainly 14 days old.
        public var dayCount: Int
        /// The number of bytes that were written to the vault's files since the core's start, 0 or more.
        public var writtenByteCount: UInt64
        /// The damage that was found since the core's start and its outcome, in English for people: of the vault, the ledger and the secrets to sign
        /// in by, in this order; the last 64.
        public var findings: [String]
        /// The reason why nothing can be stored, in English for people; `nil` while the disk takes what it is given.
        public var problem: String?
        /// The number of bytes that can still be written on the disk of the vault, rounded down to a hundredth of all, 0 or
        /// more; `nil` where the system does not say.
        public var freeByteCount: UInt64?
        /// The number of bytes that there are on that disk in all, 0 or more; `nil` where the system does not say.
        public var byteCount: UInt64?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            dayCount: Int, writtenByteCount: UInt64, findings: [String], problem: String?, freeByteCount: UInt64? = nil,
            byteCount: UInt64? = nil
        ) {
            self.dayCount = dayCount
            self.writtenByteCount = writtenByteCount
            self.findings = findings
            self.problem = problem
            self.freeByteCount = freeByteCount
            self.byteCount = byteCount
        }
    }

    /// Reply of `GetStorage`: what the disk holds, and what is wrong with it.
    public struct StorageReply: Codable, Sendable {
        /// The state of the disk now.
        public var storage: Storage

        /// Creates the reply of the core to `GetStorage`. No value is checked.
        public init(storage: Storage) { self.storage = storage }
    }

    /// A part of the answer to “what does this device hold about me?”; the interface's text calls it `Section`.
    public struct DataSection: Codable, Sendable, Equatable {
        /// The topic of the section, in one stable word: `device`, `ownKeys`, `sightings`, `matches`, `settings`, `records` or `leftOut`.
        public var topic: String
        /// An English explanation: the data that are held, the reason, and the time of deletion.
        public var explanation: String
        /// The data that is held, in English words for people, by name; empty in `leftOut`, which says what this answer must not carry and why.
        public var values: [String: String]

        /// Creates a part of replies of the core. No value is checked.
        public init(topic: String, explanation: String, values: [String: String]) {
            self.topic = topic
            self.explanation = explanation
            self.values = values
        }
    }

    /// Reply of `ExportMyData`: one page of what this device holds about its wearer. It has no keys and no other people's identifiers.
    public struct DataReply: Codable, Sendable {
        /// One page of sections: as many as fit into 48 KiB of JSON.
        public var sections: [DataSection]

        /// Creates the reply of the core to `ExportMyData`. No value is checked.
        public init(sections: [DataSection]) { self.sections = sections }
    }

    /// A device that belongs to the same person, whose publications must not count as an encounter.
    public struct Paired: Codable, Sendable, Equatable {
        /// The name that the wearer gave: 1 to 32 letters, digits, dashes and blanks.
        public var name: String

        /// Creates a part of replies of the core. No value is checked.
        public init(name: String) { self.name = name }
    }

    /// Parameters of `WritePairingFile`: writes marks of the own keys into a file for another device of the same person. Refused with
    /// `ConsentRefused`, `FileRefused` or `StorageUnavailable`.
    public struct WritePairingCall: Codable, Sendable {
        /// The plain name of a file that does not exist yet, in the caller's spool folder.
        public var file: String
        /// A ticket of a consent to `pair`. It is spent by the call, even if the file cannot be written then.
        public var ticket: String

        /// Creates the parameters of a call of `WritePairingFile`. Nothing is checked here: the core checks the values when
        /// the call arrives.
        public init(file: String, ticket: String) {
            self.file = file
            self.ticket = ticket
        }
    }

    /// Parameters of `ReadPairingFile`: reads the marks of another device of the same person. Refused with `ConsentRefused`, `FileRefused` (for a
    /// name that is none, too) or `StorageUnavailable`; nothing is kept then.
    public struct ReadPairingCall: Codable, Sendable {
        /// The plain name of the file in the caller's spool folder.
        public var file: String
        /// The wanted name of the other device: 1 to 32 letters, digits, dashes and blanks.
        public var name: String
        /// A ticket of a consent to `pair`. It is spent if the file and the name can be used.
        public var ticket: String

        /// Creates the parameters of a call of `ReadPairingFile`. Nothing is checked here: the core checks the values when
        /// the call arrives.
        public init(file: String, name: String, ticket: String) {
            self.file = file
            self.name = name
            self.ticket = ticket
        }
    }

    /// Reply of `ReadPairingFile`: the other device is paired.
    public struct ReadPairingReply: Codable, Sendable {
        /// The device as it is known now.
        public var paired: Paired

        /// Creates the reply of the core to `ReadPairingFile`. No value is checked.
        public init(paired: Paired) { self.paired = paired }
    }

    /// Reply of `GetPaired`: the devices paired with this one.
    public struct PairedReply: Codable, Sendable {
        /// The paired devices, at most 8.
        public var paired: [Paired]

        /// Creates the reply of the core to `GetPaired`. No value is checked.
        public init(paired: [Paired]) { self.paired = paired }
    }

    /// Parameters of `ForgetPaired`: which paired device is forgotten. An unknown name is no error, and changes nothing.
    public struct NameCall: Codable, Sendable {
        /// The name that the wearer gave the device: 1 to 32 letters, digits, dashes and blanks.
        public var name: String

        /// Creates the parameters of a call of `ForgetPaired`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String) { self.name = name }
    }

    /// Parameters of `Reset`, which erases everything. Refused with `ConsentRefused` unless the ticket permits it, and with `StorageUnavailable` when
    /// the disk refuses.
    public struct TicketCall: Codable, Sendable {
        /// A ticket of a consent to `reset`. It is spent by the call.
        public var ticket: String

        /// Creates the parameters of a call of `Reset`. Nothing is checked here: the core checks the values when the call
        /// arrives.
        public init(ticket: String) { self.ticket = ticket }
    }
}

/// The messages of `org.vigil.release1`; the interface's text says what each part means.
public enum Release1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.release1"

    /// A key that is no longer in use, to be published: a secret until then. It leaves the core by this interface alone, after a consent.
    public struct TemporaryExposureKey: Codable, Sendable {
        /// The key's 16 bytes in Base64, 24 characters.
        public var keyData: String
        /// The first interval in which it was in use, in units of ten minutes since 1970 (ENIN).
        public var rollingStartIntervalNumber: Int64
        /// The number of intervals of ten minutes for which the key was in use, 1 to 144.
        public var rollingPeriod: Int64

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(keyData: String, rollingStartIntervalNumber: Int64, rollingPeriod: Int64) {
            self.keyData = keyData
            self.rollingStartIntervalNumber = rollingStartIntervalNumber
            self.rollingPeriod = rollingPeriod
        }
    }

    /// Parameters of `TakeDiagnosisKeys`. Refused with `ConsentRefused` unless the ticket permits it; with `TooEarly` for the rest of a day that is
    /// not over; with `WrongRole` in a place, `TimeUnknown` without a time, and `StorageUnavailable`.
    public struct TakeCall: Codable, Sendable {
        /// A ticket of a consent to `releaseKeys`, spent before a key is read; for the remainder, the same one again.
        public var ticket: String
        /// True for the keys of the rest of the day on which this ticket was spent: once, when that day is over. `nil` or false for the
        /// keys of the last 14 days.
        public var remainder: Bool?

        /// Creates the parameters of a call of `TakeDiagnosisKeys`. Nothing is checked here: the core checks the values
        /// when the call arrives. See the properties for `nil`.
        public init(ticket: String, remainder: Bool? = nil) {
            self.ticket = ticket
            self.remainder = remainder
        }
    }

    /// The remainder of a consent: the keys of the rest of the day on which the first ones were taken.
    public struct Remainder: Codable, Sendable, Equatable {
        /// The moment from which those keys are in use, Unix seconds: the beginning of the ten minutes in which the first
        /// ones were taken.
        public var from: Int64
        /// The time when that day is over (UTC), Unix seconds: they may be taken from here on.
        public var after: Int64
        /// The end of the time in which they may be taken, Unix seconds: 24 hours after the first ones were.
        public var until: Int64

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(from: Int64, after: Int64, until: Int64) {
            self.from = from
            self.after = after
            self.until = until
        }
    }

    /// Reply of `TakeDiagnosisKeys`: the own keys, cut off so that nobody can pass for this device with them.
    public struct KeysReply: Codable, Sendable {
        /// The keys, oldest first; at most 151.
        public var keys: [TemporaryExposureKey]
        /// The remainder of this consent; `nil` with the keys of the remainder, which are the last of it.
        public var remainder: Remainder?

        /// Creates the reply of the core to `TakeDiagnosisKeys`. No value is checked. See the properties for `nil`.
        public init(keys: [TemporaryExposureKey], remainder: Remainder? = nil) {
            self.keys = keys
            self.remainder = remainder
        }
    }
}

/// A call or reply without parameters: an empty JSON object.
public struct Nothing: Codable, Sendable {
    /// Made by whoever sends it; there is nothing to check.
    public init() {}
}
