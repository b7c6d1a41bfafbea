// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.device1`. The interface's text explains each of them.
public enum Device1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.device1"

    /// The act to which a consent applies. `releaseKeys`: own keys leave the device to warn others; `reset`: everything is
    /// erased; `pair`: marks of own keys are given to another device of the wearer, or come from one. The generated
    /// property `roles` says who may consent to each.
    public enum Purpose: String, Codable, Sendable, CaseIterable { case releaseKeys, reset, pair }

    /// Parameters of `GiveConsent`. Refused with `ButtonNeeded` if the device's button must be pressed first, with
    /// `TooManyConsents` if the caller (on a page: each role) has 16 open consents to this purpose, with
    /// `WrongRole` of `org.vigil.access1` if the session's role may not consent to the purpose, and with
    /// `StorageUnavailable` if the disk refuses.
    public struct GiveConsentCall: Codable, Sendable {
        /// The act to which the person consents, for one time.
        public var purpose: Purpose

        /// Creates the parameters of a call of `GiveConsent`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(purpose: Purpose) { self.purpose = purpose }
    }

    /// Reply of `GiveConsent`: a ticket for one act.
    public struct GiveConsentReply: Codable, Sendable {
        /// The ticket for one call that needs this consent, 32 hexadecimal digits. It is valid for nothing else, and for 15
        /// minutes.
        public var ticket: String
        /// The end of the ticket's validity, in Unix seconds; `nil` while the time is not known: the ticket is then valid
        /// until the time is known.
        public var expires: Int64?

        /// Creates the reply of the core to `GiveConsent`. No value is checked. See the properties for units and `nil`.
        public init(ticket: String, expires: Int64?) {
            self.ticket = ticket
            self.expires = expires
        }
    }

    /// Parameters of `SetRole`. A change of the role destroys everything that was kept for the former role; setting the
    /// present role changes nothing. Refused with `StorageUnavailable` if the disk cannot be written; another call then
    /// completes the change.
    public struct RoleCall: Codable, Sendable {
        /// The new role: the device of a person, or one in a place.
        public var role: Exposure1.Role

        /// Creates the parameters of a call of `SetRole`. Nothing is checked here: the core checks the values when the call
        /// arrives.
        public init(role: Exposure1.Role) { self.role = role }
    }

    /// The state of the radio, and its counts since the core started, each 0 or more. They do not reveal who was received.
    public struct Radio: Codable, Sendable, Equatable {
        /// Whether an identifier is being broadcast; `false` for some milliseconds between two identifiers.
        public var onAir: Bool
        /// Whether the receiver is on now.
        public var scanning: Bool
        /// A description of the controller, such as `HCI 9, manufacturer 15`, with the numbers that it reports; `nil` while
        /// none has reported any.
        public var controller: String?
        /// The address of the controller in words for people, such as the path of a device.
        public var transport: String
        /// Why the controller cannot be reached, in an English sentence; `nil` while it can be.
        public var transportProblem: String?
        /// Whether advertising pauses during scans because the controller cannot do both.
        public var timeSlices: Bool
        /// The number of seconds until the identifier changes, negative if the change is late; `nil` if no change is due,
        /// for instance because nothing is broadcast.
        public var secondsToRotation: Int64?
        /// The largest delay of a change of identifier since the core started, in milliseconds; 0 if none was late.
        public var worstRotationLateness: Int64
        /// The number of identifiers that have been broadcast.
        public var rotationCount: UInt64
        /// The number of scans that ended, including those that were cut short and those without results.
        public var scanCount: UInt64
        /// The number of scans in which no advertisement with data was received.
        public var quietScanCount: UInt64
        /// The number of advertisements received, of any kind and from anybody, including repetitions.
        public var reportCount: UInt64
        /// The number of well-formed Exposure Notification advertisements received, including repetitions and those without
        /// a signal strength.
        public var exposureNotificationCount: UInt64
        /// The number of different Exposure Notification identifiers in the last scan; 0 before the first scan. A sender
        /// whose identifier changed during the scan counts twice.
        public var lastScanSenderCount: Int
        /// The number of scans that could not be stored, so that their results are lost.
        public var lostScanCount: UInt64
        /// The number of Exposure Notification advertisements by signal strength: always 20 numbers. The first counts those
        /// below -110 dBm, the last those of -20 dBm or more, and the others steps of 5 dBm in between. Advertisements
        /// without a signal strength are not counted.
        public var rssiHistogram: [UInt64]
        /// The number of times that each step against trouble with the controller was taken, by the name of the step
        /// (docs/core.md); at most 16 names. Steps that were never taken may be absent.
        public var ladder: [String: UInt64]
        /// The last trouble with the controller since the core started, in English for people; `nil` if there was none.
        public var lastTrouble: String?
        /// The state of the broadcast at a place's door; `nil` on a person's device.
        public var door: Door?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            onAir: Bool, scanning: Bool, controller: String?, transport: String, transportProblem: String?,
            timeSlices: Bool, secondsToRotation: Int64?, worstRotationLateness: Int64, rotationCount: UInt64,
            scanCount: UInt64, quietScanCount: UInt64, reportCount: UInt64, exposureNotificationCount: UInt64,
            lastScanSenderCount: Int, lostScanCount: UInt64, rssiHistogram: [UInt64],
            ladder: [String: UInt64], lastTrouble: String?, door: Door? = nil
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
            self.door = door
        }
    }

    /// The state of the broadcast of the code at a place's door (`org.vigil.door1`).
    public enum Door: String, Codable, Sendable, CaseIterable {
        /// The code is on air.
        case onAir
        /// No code is to be broadcast now.
        case nothing
        /// Nothing is broadcast, because the time is not known or was only carried over a time without power.
        case timeUnsure
        /// The device is switched off.
        case off
        /// A code is to be broadcast, and the radio does not do it yet, or any more.
        case silent
    }

    /// Reply of `GetRadio`: the present state of the radio.
    public struct RadioReply: Codable, Sendable {
        /// The present state of the radio, and its counts since the core started.
        public var radio: Radio

        /// Creates the reply of the core to `GetRadio`. No value is checked.
        public init(radio: Radio) { self.radio = radio }
    }

    /// Parameters of `GetEvidence`: the first hour for which evidence is wanted.
    public struct EvidenceCall: Codable, Sendable {
        /// The earliest start of an hour, in Unix seconds, inclusive; `nil` for all of the last 14 days.
        public var since: Int64?

        /// Creates the parameters of a call of `GetEvidence`. No value is refused: the core treats a negative number as 0.
        /// See the properties for units and `nil`.
        public init(since: Int64? = nil) { self.since = since }
    }

    /// The evidence that this device broadcast and received in an hour, as counts; for the present hour, up to now. Counts
    /// from before the time was known belong to the hour in which it became known.
    public struct EvidenceHour: Codable, Sendable, Equatable {
        /// The start of the hour, in Unix seconds, a multiple of 3,600.
        public var start: Int64
        /// The number of scans that ended in the hour, including those that were cut short and those without results.
        public var scanCount: UInt64
        /// The number of scans in the hour in which no advertisement with data was received.
        public var quietScanCount: UInt64
        /// The number of advertisements received in the hour, of any kind and from anybody, including repetitions.
        public var reportCount: UInt64
        /// The number of Exposure Notification advertisements received in the hour, including repetitions.
        public var exposureNotificationCount: UInt64
        /// The number of identifiers stored in the hour, each counted one time per scan.
        public var storedSenderCount: UInt64
        /// The number of identifiers that were broadcast in the hour.
        public var rotationCount: UInt64
        /// The number of seconds in which an identifier was broadcast, rounded down; above 3,600 only if it includes time
        /// from before the clock was known.
        public var secondsOnAir: UInt64
        /// The number of steps taken against trouble with the controller in the hour.
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

    /// Reply of `GetEvidence`: one page of hours. Hours in which this device did not run, or neither broadcast nor scanned,
    /// are missing.
    public struct EvidenceReply: Codable, Sendable {
        /// One page of hours, oldest first. A page has at most 48 KiB of JSON.
        public var hours: [EvidenceHour]

        /// Creates the reply of the core to `GetEvidence`. No value is checked.
        public init(hours: [EvidenceHour]) { self.hours = hours }
    }

    /// The time as the device knows it, and its uncertainty.
    public struct Time: Codable, Sendable, Equatable {
        /// The trust in the time; see ``Exposure1/TimeState``.
        public var state: Exposure1.TimeState
        /// A sentence in English about the state of the time, with advice.
        public var sentence: String
        /// The present time, in Unix milliseconds; `nil` while it is not known.
        public var now: Int64?
        /// The greatest error of the time, either way, in whole seconds rounded down, 0 or more; `nil` while the time is
        /// not known.
        public var uncertainty: Int64?
        /// The number of whole seconds by which the system clock is ahead of this time, negative if it is behind; `nil`
        /// while the time is not known. Server certificates are checked against the system clock.
        public var systemOffset: Int64?
        /// A reading of a clock that was refused within the last day, if that has not been resolved, in an English
        /// sentence; `nil` if there is none.
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

    /// Reply of `GetTime` and `SetTime`: the time as the device knows it.
    public struct TimeReply: Codable, Sendable {
        /// The time as the device knows it; for `SetTime`, after the change.
        public var time: Time

        /// Creates the reply of the core to `GetTime` and `SetTime`. No value is checked.
        public init(time: Time) { self.time = time }
    }

    /// Parameters of `SetTime`, for boards without a clock or network. Refused with `TimeRefused` if the time is not
    /// possible, or contradicts a signed time.
    public struct SetTimeCall: Codable, Sendable {
        /// The present time, in Unix milliseconds, UTC. Refused if it is before 2020 or the firmware's build, more than ten
        /// years after that build, or contradicts a signed time. It is believed to within 60 seconds.
        public var now: Int64

        /// Creates the parameters of a call of `SetTime`. Nothing is checked here: the core checks the values when the call
        /// arrives. See the properties for units.
        public init(now: Int64) { self.now = now }
    }

    /// Parameters of `GetAudit`: the first entry that is wanted.
    public struct AuditCall: Codable, Sendable {
        /// The number after which entries are wanted; `nil`, 0 or a negative number for all entries that are kept.
        public var after: Int64?

        /// Creates the parameters of a call of `GetAudit`. No value is refused: the core treats a negative number as 0. See
        /// the properties for units and `nil`.
        public init(after: Int64? = nil) { self.after = after }
    }

    /// An entry in the log of consents, releases, resets and changes. It contains no secret.
    public struct AuditEntry: Codable, Sendable, Equatable {
        /// The number of the entry among those that the caller may see, counted from 1. For a caller that may not see the
        /// wearer's own entries, the numbers skip none.
        public var sequence: Int64
        /// The time of the event, in Unix seconds; `nil` if the time was not known.
        public var time: Int64?
        /// The kind of event, in a stable word: a raw value of ``AuditKind``.
        public var kind: String
        /// The name of the caller that requested it, or of the part of the board that did it, such as `provisioning`.
        public var actor: String
        /// Further details by name, such as `purpose` or `role`; docs/exposure-api.md lists those of each kind. May be
        /// empty.
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

    /// Reply of `GetAudit`: one page of the audit log, and whether the log is intact.
    public struct AuditReply: Codable, Sendable {
        /// One page of entries, oldest first. A page has at most 48 KiB of JSON.
        public var entries: [AuditEntry]
        /// Whether every entry since the first, or since the oldest that is kept, is present and unchanged.
        public var intact: Bool
        /// The number of entries that are no longer kept, among those that the caller may see; 0 or more.
        public var droppedCount: Int64

        /// Creates the reply of the core to `GetAudit`. No value is checked. See the properties for units.
        public init(entries: [AuditEntry], intact: Bool, droppedCount: Int64) {
            self.entries = entries
            self.intact = intact
            self.droppedCount = droppedCount
        }
    }

    /// The use of the disk, and any damage that was found.
    public struct Storage: Codable, Sendable, Equatable {
        /// The number of UTC days with sightings, 0 or more. A day is deleted when it is certainly 14 days old.
        public var dayCount: Int
        /// The number of bytes written to the vault's files since the core started.
        public var writtenByteCount: UInt64
        /// The damage found since the core started and its consequences, in English for people: first that of the vault,
        /// then that of the ledger, then that of the secrets for signing in; the last 64.
        public var findings: [String]
        /// Why nothing can be stored, in English for people; `nil` while the disk can be written.
        public var problem: String?
        /// The number of bytes that can still be written to the disk of the vault, rounded down to a hundredth of its size;
        /// `nil` if the system does not report it.
        public var freeByteCount: UInt64?
        /// The size of that disk in bytes; `nil` if the system does not report it.
        public var byteCount: UInt64?
        /// The number of this life of the device, 1 or more: 1 until everything was erased for the first time, and one more
        /// each time; `nil` if that is not known.
        public var life: Int64?
        /// The time when the life before was erased, in Unix seconds; `nil` in the first life, and if nobody knew the time.
        public var erased: Int64?
        /// Whether that was done to hand the device on, so that the wearer's secret of before ended, too; `nil` in the first
        /// life, and if that is not known.
        public var handedOn: Bool?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(
            dayCount: Int, writtenByteCount: UInt64, findings: [String], problem: String?, freeByteCount: UInt64? = nil,
            byteCount: UInt64? = nil, life: Int64? = nil, erased: Int64? = nil, handedOn: Bool? = nil
        ) {
            self.dayCount = dayCount
            self.writtenByteCount = writtenByteCount
            self.findings = findings
            self.problem = problem
            self.freeByteCount = freeByteCount
            self.byteCount = byteCount
            self.life = life
            self.erased = erased
            self.handedOn = handedOn
        }
    }

    /// Reply of `GetStorage`: the use of the disk, and any problem with it.
    public struct StorageReply: Codable, Sendable {
        /// The present state of the disk.
        public var storage: Storage

        /// Creates the reply of the core to `GetStorage`. No value is checked.
        public init(storage: Storage) { self.storage = storage }
    }

    /// A section of the answer to the question what this device stores about its wearer; the interface's text calls it
    /// `Section`.
    public struct DataSection: Codable, Sendable, Equatable {
        /// The topic of the section, in a stable word: `device`, `ownKeys`, `sightings`, `matches`, `settings`, `records`
        /// or `leftOut`.
        public var topic: String
        /// An explanation in English: which data is stored, why, and when it is deleted.
        public var explanation: String
        /// The stored data in English for people, by name; empty for `leftOut`, which says what this answer must not
        /// contain and why.
        public var values: [String: String]

        /// Creates a part of replies of the core. No value is checked.
        public init(topic: String, explanation: String, values: [String: String]) {
            self.topic = topic
            self.explanation = explanation
            self.values = values
        }
    }

    /// Reply of `ExportMyData`: one page of what this device stores about its wearer. It contains no keys and no
    /// identifiers of other people.
    public struct DataReply: Codable, Sendable {
        /// One page of sections, at most 16.
        public var sections: [DataSection]

        /// Creates the reply of the core to `ExportMyData`. No value is checked.
        public init(sections: [DataSection]) { self.sections = sections }
    }

    /// Another device of the same person, whose published keys must not count as an encounter.
    public struct Paired: Codable, Sendable, Equatable {
        /// The name that the wearer chose: 1 to 32 letters of any script, digits (0 to 9), dashes and spaces.
        public var name: String

        /// Creates a part of replies of the core. No value is checked.
        public init(name: String) { self.name = name }
    }

    /// A recording of what passes between the core and the controller.
    public struct Recording: Codable, Sendable, Equatable {
        /// Whether it is under way.
        public var running: Bool
        /// Seconds until it ends by itself, 0 or more.
        public var secondsLeft: Int64
        /// Packets that were recorded, 0 or more; older ones may have made room for newer ones.
        public var recordCount: Int64
        /// Bytes of its file, 0 or more.
        public var byteCount: Int64
        /// Packets that were left out, 0 or more.
        public var leftOutCount: Int64
        /// The reason in English why it ended early; `nil` for none.
        public var problem: String?

        /// Creates a part of replies of the core. No value is checked.
        public init(
            running: Bool, secondsLeft: Int64, recordCount: Int64, byteCount: Int64, leftOutCount: Int64,
            problem: String?
        ) {
            self.running = running
            self.secondsLeft = secondsLeft
            self.recordCount = recordCount
            self.byteCount = byteCount
            self.leftOutCount = leftOutCount
            self.problem = problem
        }
    }

    /// Parameters of `StartRecording`. Refused with `WrongRole` for everybody but the console, with `ButtonNeeded` until the
    /// wearer has pressed, and with `FileRefused` if a recording is under way or the file cannot be made.
    public struct StartRecordingCall: Codable, Sendable {
        /// The length in seconds, 10 to 86,400.
        public var seconds: Int64

        /// Creates the parameters of a call of `StartRecording`. Nothing is checked here: the core checks the values when
        /// the call arrives.
        public init(seconds: Int64) { self.seconds = seconds }
    }

    /// Reply of `GetRecording` and `StopRecording`.
    public struct RecordingReply: Codable, Sendable {
        /// The running or last recording; `nil` if none was made since the start.
        public var recording: Recording?

        /// Creates the reply of the core. No value is checked.
        public init(recording: Recording?) { self.recording = recording }
    }

    /// Parameters of `WritePairingFile`, which writes marks of the own keys to a file for another device of the same
    /// person. Refused with `ConsentRefused` if the ticket does not permit it, with `FileRefused` if the file cannot be
    /// written, and with `StorageUnavailable` if the disk refuses.
    public struct WritePairingCall: Codable, Sendable {
        /// The name of the file, without a folder, in the caller's spool folder. The file must not exist yet.
        public var file: String
        /// A ticket of a consent to `pair`. The call uses it up, even if the file cannot be written.
        public var ticket: String

        /// Creates the parameters of a call of `WritePairingFile`. Nothing is checked here: the core checks the values when
        /// the call arrives.
        public init(file: String, ticket: String) {
            self.file = file
            self.ticket = ticket
        }
    }

    /// Parameters of `ReadPairingFile`, which reads the marks of another device of the same person. Refused with
    /// `ConsentRefused` if the ticket does not permit it, with `FileRefused` if the file or the name cannot be used, and
    /// with `StorageUnavailable` if the disk refuses or 8 devices are paired already; nothing is kept then.
    public struct ReadPairingCall: Codable, Sendable {
        /// The name of the file, without a folder, in the caller's spool folder.
        public var file: String
        /// The name for the other device: 1 to 32 letters, digits, dashes and spaces.
        public var name: String
        /// A ticket of a consent to `pair`. Only a call that succeeds uses it up.
        public var ticket: String

        /// Creates the parameters of a call of `ReadPairingFile`. Nothing is checked here: the core checks the values when
        /// the call arrives.
        public init(file: String, name: String, ticket: String) {
            self.file = file
            self.name = name
            self.ticket = ticket
        }
    }

    /// Reply of `ReadPairingFile`: the other device has been paired.
    public struct ReadPairingReply: Codable, Sendable {
        /// The paired device.
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

    /// Parameters of `ForgetPaired`: the paired device to remove. An unknown name is not an error and changes nothing.
    public struct NameCall: Codable, Sendable {
        /// The name that the wearer gave to the device: 1 to 32 letters, digits, dashes and spaces.
        public var name: String

        /// Creates the parameters of a call of `ForgetPaired`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String) { self.name = name }
    }

    /// Parameters of `Reset`, which erases everything. Refused with `ConsentRefused` if the ticket does not permit it, and
    /// with `StorageUnavailable` if the disk refuses.
    public struct TicketCall: Codable, Sendable {
        /// A ticket of a consent to `reset`. The call uses it up.
        public var ticket: String
        /// Whether the device is handed on, and the wearer's secret ends; `nil` for no. A technician's reset always hands on.
        public var handOn: Bool?

        /// Creates the parameters of a call of `Reset`. Nothing is checked here: the core checks the values when the call
        /// arrives.
        public init(ticket: String, handOn: Bool? = nil) {
            self.ticket = ticket
            self.handOn = handOn
        }
    }
}

/// The messages of `org.vigil.release1`. The interface's text explains each of them.
public enum Release1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.release1"

    /// A key that is no longer in use and is to be published; until then it is a secret. Keys leave the core through this
    /// interface only, after a consent.
    public struct TemporaryExposureKey: Codable, Sendable {
        /// The 16 bytes of the key in Base64, 24 characters.
        public var keyData: String
        /// The first interval in which the key was in use, in units of ten minutes since 1970 (ENIN).
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

    /// Parameters of `TakeDiagnosisKeys`. Refused with `ConsentRefused` if the ticket does not permit it, with `TooEarly`
    /// for the remainder of a day that has not ended, with `WrongRole` in a place, with `TimeUnknown` while the time is not
    /// known, and with `StorageUnavailable` if the disk refuses.
    public struct TakeCall: Codable, Sendable {
        /// A ticket of a consent to `releaseKeys`, which is used up before a key is read. The remainder needs the same
        /// ticket again.
        public var ticket: String
        /// `true` for the keys that were in use in the rest of the UTC day on which the ticket was used. They can be
        /// taken once, after that day has ended and less than 24 hours after the first keys were taken: `TooEarly`
        /// before, `ConsentRefused` after. `nil` or `false` for the keys of the last 14 days.
        public var remainder: Bool?

        /// Creates the parameters of a call of `TakeDiagnosisKeys`. Nothing is checked here: the core checks the values
        /// when the call arrives. See the properties for `nil`.
        public init(ticket: String, remainder: Bool? = nil) {
            self.ticket = ticket
            self.remainder = remainder
        }
    }

    /// The remainder of a consent: the keys of the rest of the day on which the first keys were taken.
    public struct Remainder: Codable, Sendable, Equatable {
        /// The time from which the remaining keys are in use, in Unix seconds: the start of the ten minutes in which the
        /// first keys were taken.
        public var from: Int64
        /// The end of that day (UTC), in Unix seconds, from which the remaining keys may be taken.
        public var after: Int64
        /// The time until which the remaining keys may be taken, in Unix seconds: 24 hours after the first keys were taken.
        public var until: Int64

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(from: Int64, after: Int64, until: Int64) {
            self.from = from
            self.after = after
            self.until = until
        }
    }

    /// Reply of `TakeDiagnosisKeys`: the device's own keys, shortened so that nobody can impersonate the device with them.
    public struct KeysReply: Codable, Sendable {
        /// The keys, oldest first, at most 151.
        public var keys: [TemporaryExposureKey]
        /// The remainder of this consent; `nil` in the reply with the remaining keys, which are the last of the consent.
        public var remainder: Remainder?
        /// The proof that the wearer has agreed, 32 hexadecimal digits: valid for `org.vigil.checkin1.TakeReports`, once,
        /// for 60 seconds, whether or not a session lasts. `nil` in the reply with the remaining keys, to which no visits
        /// are added. A secret until it is used.
        public var proof: String?

        /// Creates the reply of the core to `TakeDiagnosisKeys`. No value is checked. See the properties for `nil`.
        public init(keys: [TemporaryExposureKey], remainder: Remainder? = nil, proof: String? = nil) {
            self.keys = keys
            self.remainder = remainder
            self.proof = proof
        }
    }
}

/// A call or reply without parameters: an empty JSON object.
public struct Nothing: Codable, Sendable {
    /// Creates an empty message. Cannot fail.
    public init() {}
}
