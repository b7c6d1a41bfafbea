// SPDX-License-Identifier: Apache-2.0

import HCI
import Radio
public import TimeTrust
import Vault

/// What the core says about itself to whoever may read its state file (docs/core.md): counts, states and sentences, nothing that
/// tells who was met or who this is. Fields are only added.
public struct CoreStatus: Codable, Sendable, Equatable {
    /// What is known about the time.
    public struct Time: Codable, Sendable, Equatable {
        /// `untrusted`, `plausible` or `authenticated`.
        public var state: String
        /// Why it is believed or not: one stable word.
        public var reason: String
        /// For people, in English.
        public var sentence: String
        /// Seconds, either way.
        public var uncertainty: Int64?
    }

    /// What the radio does, and counts since the program started.
    public struct Radio: Codable, Sendable, Equatable {
        /// Whether an identifier is being sent.
        public var onAir: Bool
        /// Identifiers put on air.
        public var rotations: UInt64
        /// TEKs made.
        public var keysMade: UInt64
        /// Seconds until the identifier changes, if one is on air.
        public var secondsToRotation: Int64?
        /// How late an identifier was changed at worst, milliseconds.
        public var worstRotationLateness: Int64
        /// What kind of controller is there; absent while there is none.
        public var controller: String?
        /// Where the controller is, for people.
        public var transport: String
        /// Why the transport is not open, if it is not.
        public var transportProblem: String?
        /// Whether the controller cannot send and listen at once, so that sending pauses during scans.
        public var timeSlices: Bool
        /// Steps taken against trouble, by name.
        public var ladder: [String: UInt64]
        /// The last trouble with the controller, as a sentence; absent when there was none.
        public var lastTrouble: String?
        /// How often the transport was lost.
        public var transportsLost: UInt64
        /// How often the transport was opened.
        public var transportsOpened: UInt64
    }

    /// What was heard: counts since the program started.
    public struct Scanner: Codable, Sendable, Equatable {
        /// Whether the radio listens at the moment.
        public var scanning: Bool
        /// Scans that are over.
        public var scans: UInt64
        /// Scans in which nothing with content was heard.
        public var quietScans: UInt64
        /// Advertisements of any kind, by anybody.
        public var reports: UInt64
        /// Advertisements without any data.
        public var emptyReports: UInt64
        /// Advertisements of Exposure Notification.
        public var exposureNotifications: UInt64
        /// Exposure Notification advertisements that came without a signal strength and were not kept.
        public var withoutRSSI: UInt64
        /// Events that could not be read.
        public var refusedEvents: UInt64
        /// Different identifiers in the last scan.
        public var lastScanIdentifiers: Int
        /// Scans that were stored, because they heard somebody.
        public var storedScans: UInt64
        /// Identifiers stored, counted once per scan.
        public var storedIdentifiers: UInt64
        /// Scans that could not be stored.
        public var lostScans: UInt64
        /// Identifiers beyond what a scan can hold.
        public var droppedIdentifiers: UInt64
    }

    /// What is kept, and how the disk is.
    public struct Storage: Codable, Sendable, Equatable {
        /// Days for which there are sightings.
        public var days: Int
        /// Bytes written to the vault's files since the program started.
        public var bytesWritten: UInt64
        /// What was found damaged and what became of it, oldest first.
        public var findings: [String]
        /// Why nothing can be stored, if so.
        public var problem: String?
    }

    /// What callers did that they should not: zeros where everybody behaves.
    public struct Callers: Codable, Sendable, Equatable {
        /// Calls that were not granted.
        public var deniedCalls: UInt64
        /// Connections of users who may not connect.
        public var refusedUsers: UInt64
        /// Connections beyond what there may be at a time.
        public var refusedConnections: UInt64
        /// Connections closed because what came is not Varlink.
        public var protocolErrors: UInt64
        /// Connections closed because too much waited for somebody who did not read.
        public var slowReaders: UInt64
        /// Connections closed because a message took too long.
        public var unfinishedMessages: UInt64
    }

    /// Of this format.
    public var schema = 1
    /// Of this firmware.
    public var version = Release.version
    /// The name of the board's profile.
    public var profile: String
    /// Seconds since the program started.
    public var uptime: Int64
    /// Whether the program is about to end in good order.
    public var stopping: Bool
    /// What is known about the time.
    public var time: Time
    /// What the radio does.
    public var radio: Radio
    /// What was heard.
    public var scanner: Scanner
    /// What is kept.
    public var storage: Storage
    /// Absent where there are no sockets.
    public var callers: Callers?
}

extension Beacon {
    /// The state as of `now`. `transport` and what is wrong with it are the owner's to know.
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
