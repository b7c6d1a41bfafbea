// SPDX-License-Identifier: Apache-2.0

import HCI
import Radio
public import TimeTrust
import Vault

/// The core's report on itself to readers of its state file (docs/core.md): counts, states and sentences, nothing that
/// tells who was met or who this is. Fields are only added.
public struct CoreStatus: Codable, Sendable, Equatable {
    /// The state of the time: the trust in it, and the reason.
    public struct Time: Codable, Sendable, Equatable {
        /// The degree to which the time is believed: `untrusted`, `plausible` or `authenticated`.
        public var state: String
        /// The reason why it is believed or not: one stable word.
        public var reason: String
        /// The state of the time, as an English sentence for people.
        public var sentence: String
        /// The number of seconds, 0 or more, that the time may be wrong by, in either direction; `nil` while there is no time.
        public var uncertainty: Int64?
    }

    /// The state of the radio, and its counts since the program started.
    public struct Radio: Codable, Sendable, Equatable {
        /// Whether an identifier is being sent at the moment.
        public var onAir: Bool
        /// The number of identifiers that were put on air, 0 or more.
        public var rotations: UInt64
        /// The number of TEKs that were made since the program started, 0 or more.
        public var keysMade: UInt64
        /// Whole seconds until the identifier changes, rounded towards 0, negative when it is late; `nil` while no change is due.
        public var secondsToRotation: Int64?
        /// The longest time that an identifier was changed too late by, in milliseconds; 0 if none was.
        public var worstRotationLateness: Int64
        /// The kind of controller, such as `HCI 9, manufacturer 15` (the numbers of its HCI version and its maker); `nil` while it has not told that.
        public var controller: String?
        /// The place of the controller, for people, such as a path of a device.
        public var transport: String
        /// The reason why the transport is not open, as an English sentence; `nil` while nothing is wrong with it.
        public var transportProblem: String?
        /// Whether the controller cannot send and listen at once, so that sending pauses during scans.
        public var timeSlices: Bool
        /// The number of times that each step against trouble was taken (docs/core.md), by the step's name. Steps never taken may be absent.
        public var ladder: [String: UInt64]
        /// The last trouble with the controller, as an English sentence; `nil` when there was none.
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
        /// The number of scans that are over, quiet ones included, 0 or more.
        public var scans: UInt64
        /// The number of scans that heard nothing with content, 0 or more.
        public var quietScans: UInt64
        /// The number of advertisements that were heard, of any kind and from anybody, 0 or more.
        public var reports: UInt64
        /// The number of advertisements without any data that were heard, 0 or more.
        public var emptyReports: UInt64
        /// The number of advertisements of Exposure Notification that were heard, repetitions counted, 0 or more.
        public var exposureNotifications: UInt64
        /// The number of Exposure Notification advertisements that came without a signal strength, 0 or more; they were not
        /// kept.
        public var withoutRSSI: UInt64
        /// The number of events of the controller that could not be read, 0 or more.
        public var refusedEvents: UInt64
        /// The number of different identifiers that the last scan heard; 0 before the first.
        public var lastScanIdentifiers: Int
        /// The number of scans that were stored, because they heard somebody, 0 or more.
        public var storedScans: UInt64
        /// The number of identifiers that were stored, counted once per scan, 0 or more.
        public var storedIdentifiers: UInt64
        /// The number of scans that could not be stored, 0 or more; what they heard is lost.
        public var lostScans: UInt64
        /// The number of identifiers that were left out because a scan could not hold more, 0 or more.
        public var droppedIdentifiers: UInt64
    }

    /// The state of the vault and its disk.
    public struct Storage: Codable, Sendable, Equatable {
        /// The number of UTC days that there are sightings of; 0 on a new device.
        public var days: Int
        /// Bytes written to the vault's files since the program started, 0 or more.
        public var bytesWritten: UInt64
        /// The damage that was found, and what became of it, as English sentences, oldest first; empty if none was.
        public var findings: [String]
        /// The reason why nothing can be stored, as an English sentence; `nil` while writes succeed.
        public var problem: String?
    }

    /// Counts of what callers did and should not have done, since the start: zeros where everybody behaves.
    public struct Callers: Codable, Sendable, Equatable {
        /// The number of calls that were refused because the caller is not granted the method, 0 or more.
        public var deniedCalls: UInt64
        /// The number of connections that came from users who may not connect, 0 or more.
        public var refusedUsers: UInt64
        /// The number of connections that were refused because as many as may be were open, 0 or more.
        public var refusedConnections: UInt64
        /// The number of connections that were closed because what came is not Varlink, 0 or more.
        public var protocolErrors: UInt64
        /// The number of connections that were closed because too much waited for somebody who did not read, 0 or more.
        public var slowReaders: UInt64
        /// The number of connections that were closed because a message took too long, 0 or more.
        public var unfinishedMessages: UInt64
    }

    /// The number of this format, 1 so far. Fields are only added, so readers pass over what they do not know.
    public var schema = 1
    /// The version of this firmware, see ``Release/version``.
    public var version = Release.version
    /// The name of the board's profile, such as `token`.
    public var profile: String
    /// Seconds since the program started, at least 0.
    public var uptime: Int64
    /// Whether the program is about to end in good order.
    public var stopping: Bool
    /// The state of the time, as of this status.
    public var time: Time
    /// The state of the radio, and its counts since the start.
    public var radio: Radio
    /// The counts of what the scans heard, since the program started.
    public var scanner: Scanner
    /// The amounts that are stored, and any trouble with the disk.
    public var storage: Storage
    /// The counts of what callers did and should not have done; `nil` until whoever has the sockets adds them.
    public var callers: Callers?
}

extension Beacon {
    /// The state as of `now`, by the boot clock; cannot fail. The owner of the beacon adds the rest: when the program started, the `transport` for
    /// people, and what is wrong with it, an English sentence (`nil` if nothing is). ``CoreStatus/callers`` is `nil`.
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
                uncertainty: present.uncertainty?.components.seconds),
            radio: .init(
                onAir: radio.isAdvertising, rotations: counters.rotations, keysMade: tally.keysMade,
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
