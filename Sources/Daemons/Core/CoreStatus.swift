// SPDX-License-Identifier: Apache-2.0

import HCI
import Radio
public import TimeTrust
import Vault

/// The core's report about itself for readers of its state file (docs/core.md): counts, states and sentences, but nothing
/// that identifies this device or people who were met. New versions only add fields.
public struct CoreStatus: Codable, Sendable, Equatable {
    /// The state of the time: the trust in it, and the reason.
    public struct Time: Codable, Sendable, Equatable {
        /// The degree to which the time is trusted: `untrusted`, `plausible` or `authenticated`.
        public var state: String
        /// The reason for that degree: one stable word.
        public var reason: String
        /// The state of the time, as an English sentence for people.
        public var sentence: String
        /// The most seconds by which the time may be wrong in either direction, 0 or more; `nil` while there is no time.
        public var uncertainty: Int64?
    }

    /// The state of the radio, and its counts since the program started.
    public struct Radio: Codable, Sendable, Equatable {
        /// Whether an identifier is being sent at the moment.
        public var onAir: Bool
        /// Whether the code at a place's door is being broadcast at the moment; always `false` on a person's board.
        public var door: Bool
        /// The number of identifiers that were put on air, 0 or more.
        public var rotations: UInt64
        /// The number of TEKs that were made since the program started, 0 or more.
        public var keysMade: UInt64
        /// The number of whole seconds until the identifier changes, rounded towards 0, negative if the change is
        /// late; `nil` if no change is due.
        public var secondsToRotation: Int64?
        /// The longest delay of a change of identifier, in milliseconds; 0 if none was late.
        public var worstRotationLateness: Int64
        /// The kind of controller, such as `HCI 9, manufacturer 15` (the numbers of its HCI version and its manufacturer);
        /// `nil` until the controller has reported it.
        public var controller: String?
        /// The location of the controller, for people, such as the path of a device.
        public var transport: String
        /// The reason why the transport is not open, as an English sentence; `nil` if there is no problem.
        public var transportProblem: String?
        /// Whether the controller cannot send and listen at the same time, so that sending pauses during scans.
        public var timeSlices: Bool
        /// The number of times that each recovery step was taken (docs/core.md), by the step's name. Steps that were never
        /// taken may be absent.
        public var ladder: [String: UInt64]
        /// The last problem with the controller, as an English sentence; `nil` if there was none.
        public var lastTrouble: String?
        /// The number of times that the transport was lost after it had been open, 0 or more.
        public var transportsLost: UInt64
        /// The number of times that the transport was opened, 0 or more.
        public var transportsOpened: UInt64
    }

    /// Counts of what the scans heard, since the program started.
    public struct Scanner: Codable, Sendable, Equatable {
        /// Whether the radio listens at the moment; between scans it does not.
        public var scanning: Bool
        /// The number of finished scans, including those that heard nothing; 0 or more.
        public var scans: UInt64
        /// The number of scans that heard nothing with content, 0 or more.
        public var quietScans: UInt64
        /// The number of advertisements that were heard, of any kind and sender; 0 or more.
        public var reports: UInt64
        /// The number of advertisements without any data that were heard, 0 or more.
        public var emptyReports: UInt64
        /// The number of Exposure Notification advertisements that were heard, including repetitions; 0 or more.
        public var exposureNotifications: UInt64
        /// The number of Exposure Notification advertisements without a signal strength, which were not stored; 0 or more.
        public var withoutRSSI: UInt64
        /// The number of events of the controller that could not be read, 0 or more.
        public var refusedEvents: UInt64
        /// The number of different identifiers that the last scan heard; 0 before the first.
        public var lastScanIdentifiers: Int
        /// The number of scans that were stored, because they heard somebody, 0 or more.
        public var storedScans: UInt64
        /// The number of identifiers that were stored, counted once per scan, 0 or more.
        public var storedIdentifiers: UInt64
        /// The number of scans that could not be stored, so that what they heard is lost; 0 or more.
        public var lostScans: UInt64
        /// The number of identifiers that were left out because a scan could hold no more; 0 or more.
        public var droppedIdentifiers: UInt64
    }

    /// The state of the vault and its disk.
    public struct Storage: Codable, Sendable, Equatable {
        /// The number of UTC days for which there are sightings; 0 on a new device.
        public var days: Int
        /// The number of bytes written to the vault's files since the program started; 0 or more.
        public var bytesWritten: UInt64
        /// The damage that was found, and what was done about it, as English sentences, oldest first; empty if there was
        /// none.
        public var findings: [String]
        /// The reason why nothing can be stored, as an English sentence; `nil` if writing succeeds.
        public var problem: String?
    }

    /// The counts of callers' faults since the start.
    public struct Callers: Codable, Sendable, Equatable {
        /// The number of calls that were refused because the caller is not granted the method, 0 or more.
        public var deniedCalls: UInt64
        /// The number of connections from users that may not connect; 0 or more.
        public var refusedUsers: UInt64
        /// The number of connections that were refused because the limit of open ones was reached; 0 or more.
        public var refusedConnections: UInt64
        /// The number of connections that were closed because the bytes were not Varlink; 0 or more.
        public var protocolErrors: UInt64
        /// The number of connections that were closed because the caller did not read and too many bytes waited for it; 0
        /// or more.
        public var slowReaders: UInt64
        /// The number of connections that were closed because a message took too long, 0 or more.
        public var unfinishedMessages: UInt64
    }

    /// The number of this format, 1. New versions only add fields, so readers should ignore unknown ones.
    public var schema = 1
    /// The version of this firmware, see ``Release/version``.
    public var version = Release.version
    /// The name of the board's profile, such as `token`.
    public var profile: String
    /// The number of seconds since the program started; 0 or more.
    public var uptime: Int64
    /// Whether the program is stopping in order.
    public var stopping: Bool
    /// The state of the time.
    public var time: Time
    /// The state of the radio, and its counts since the start.
    public var radio: Radio
    /// The counts of what the scans heard, since the program started.
    public var scanner: Scanner
    /// The amounts that are stored, and any trouble with the disk.
    public var storage: Storage
    /// The counts of callers' faults; `nil` until the owner of the sockets adds them.
    public var callers: Callers?
}

extension Beacon {
    /// Returns the state at `now`, on the boot clock; cannot fail. The owner of the beacon adds the time at which the
    /// program started, the location of the transport for people, and the transport's problem as an English sentence (`nil`
    /// if there is none). ``CoreStatus/callers`` is `nil`.
    public func status(
        at now: BootInstant, since start: BootInstant, transport: String, transportProblem: String?
    ) -> CoreStatus {
        let present = time.now(at: now)
        let counters = radio.counters
        let controller = radio.facts.version.map { "HCI \($0.hci), manufacturer \($0.manufacturer)" }
        return CoreStatus(
            profile: profile.name, uptime: (now.duration - start.duration).components.seconds, stopping: isStopping,
            time: .init(
                state: present.state.name, reason: present.reason.rawValue, sentence: present.sentence,
                uncertainty: present.uncertaintySeconds),
            radio: .init(
                onAir: radio.isAdvertising && !radio.isBroadcastingDoor, door: radio.isBroadcastingDoor,
                rotations: counters.rotations, keysMade: tally.keysMade,
                secondsToRotation: rotationDue.map { ($0 - now.duration).components.seconds },
                worstRotationLateness: rotation.worstLateness.milliseconds, controller: controller, transport: transport,
                transportProblem: transportProblem, timeSlices: radio.timeSlices,
                ladder: Dictionary(uniqueKeysWithValues: counters.rungs.map { ($0.key.name, $0.value) }),
                lastTrouble: lastTrouble.map { "\($0.trouble)" }, transportsLost: counters.transportsLost,
                transportsOpened: counters.transportsOpened),
            scanner: .init(
                scanning: radio.isScanning, scans: counters.scans, quietScans: counters.quietScans,
                reports: counters.reports, emptyReports: counters.emptyReports,
                exposureNotifications: counters.exposureNotifications, withoutRSSI: counters.withoutRSSI,
                refusedEvents: counters.refusedEvents, lastScanIdentifiers: tally.lastScanIdentifiers,
                storedScans: tally.storedScans, storedIdentifiers: tally.storedIdentifiers, lostScans: tally.lostScans,
                droppedIdentifiers: tally.droppedIdentifiers),
            storage: .init(
                days: vault.days.count, bytesWritten: vault.written.total, findings: vault.findings.map { "\($0)" },
                problem: storage.trouble.map { "\($0)" }))
    }
}
