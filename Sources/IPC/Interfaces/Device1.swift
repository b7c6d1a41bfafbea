// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.device1`; the interface's text says what each part means.
public enum Device1 {
    public static let name = "org.vigil.device1"

    public enum Purpose: String, Codable, Sendable, CaseIterable { case releaseKeys, reset, pair }

    public struct GiveConsentCall: Codable, Sendable {
        public var purpose: Purpose

        public init(purpose: Purpose) { self.purpose = purpose }
    }

    public struct GiveConsentReply: Codable, Sendable {
        public var ticket: String
        public var expires: Int64?

        public init(ticket: String, expires: Int64?) {
            self.ticket = ticket
            self.expires = expires
        }
    }

    public struct RoleCall: Codable, Sendable {
        public var role: Exposure1.Role

        public init(role: Exposure1.Role) { self.role = role }
    }

    public struct Radio: Codable, Sendable, Equatable {
        public var onAir: Bool
        public var scanning: Bool
        public var controller: String?
        public var transport: String
        public var transportProblem: String?
        public var timeSlices: Bool
        public var secondsToRotation: Int64?
        public var worstRotationLateness: Int64
        public var rotationCount: UInt64
        public var scanCount: UInt64
        public var quietScanCount: UInt64
        public var reportCount: UInt64
        public var exposureNotificationCount: UInt64
        public var lastScanSenderCount: Int
        public var lostScanCount: UInt64
        public var rssiHistogram: [UInt64]
        public var ladder: [String: UInt64]
        public var lastTrouble: String?

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

    public struct RadioReply: Codable, Sendable {
        public var radio: Radio

        public init(radio: Radio) { self.radio = radio }
    }

    public struct EvidenceCall: Codable, Sendable {
        public var since: Int64?

        public init(since: Int64? = nil) { self.since = since }
    }

    public struct EvidenceHour: Codable, Sendable, Equatable {
        public var start: Int64
        public var scanCount: UInt64
        public var quietScanCount: UInt64
        public var reportCount: UInt64
        public var exposureNotificationCount: UInt64
        public var storedSenderCount: UInt64
        public var rotationCount: UInt64
        public var secondsOnAir: UInt64
        public var troubleCount: UInt64

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

    public struct EvidenceReply: Codable, Sendable {
        public var hours: [EvidenceHour]

        public init(hours: [EvidenceHour]) { self.hours = hours }
    }

    public struct Time: Codable, Sendable, Equatable {
        public var state: Exposure1.TimeState
        public var sentence: String
        public var now: Int64?
        public var uncertainty: Int64?
        public var systemOffset: Int64?
        public var refused: String?

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

    public struct TimeReply: Codable, Sendable {
        public var time: Time

        public init(time: Time) { self.time = time }
    }

    public struct SetTimeCall: Codable, Sendable {
        public var now: Int64

        public init(now: Int64) { self.now = now }
    }

    public struct AuditCall: Codable, Sendable {
        public var after: Int64?

        public init(after: Int64? = nil) { self.after = after }
    }

    public struct AuditEntry: Codable, Sendable, Equatable {
        public var sequence: Int64
        public var time: Int64?
        public var kind: String
        public var actor: String
        public var details: [String: String]

        public init(sequence: Int64, time: Int64?, kind: String, actor: String, details: [String: String]) {
            self.sequence = sequence
            self.time = time
            self.kind = kind
            self.actor = actor
            self.details = details
        }
    }

    public struct AuditReply: Codable, Sendable {
        public var entries: [AuditEntry]
        public var intact: Bool
        public var droppedCount: Int64

        public init(entries: [AuditEntry], intact: Bool, droppedCount: Int64) {
            self.entries = entries
            self.intact = intact
            self.droppedCount = droppedCount
        }
    }

    public struct Storage: Codable, Sendable, Equatable {
        public var dayCount: Int
        public var writtenByteCount: UInt64
        public var findings: [String]
        public var problem: String?
        public var freeByteCount: UInt64?
        public var byteCount: UInt64?

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

    public struct StorageReply: Codable, Sendable {
        public var storage: Storage

        public init(storage: Storage) { self.storage = storage }
    }

    public struct DataSection: Codable, Sendable, Equatable {
        public var topic: String
        public var explanation: String
        public var values: [String: String]

        public init(topic: String, explanation: String, values: [String: String]) {
            self.topic = topic
            self.explanation = explanation
            self.values = values
        }
    }

    public struct DataReply: Codable, Sendable {
        public var sections: [DataSection]

        public init(sections: [DataSection]) { self.sections = sections }
    }

    public struct Paired: Codable, Sendable, Equatable {
        public var name: String

        public init(name: String) { self.name = name }
    }

    public struct WritePairingCall: Codable, Sendable {
        public var file: String
        public var ticket: String

        public init(file: String, ticket: String) {
            self.file = file
            self.ticket = ticket
        }
    }

    public struct ReadPairingCall: Codable, Sendable {
        public var file: String
        public var name: String
        public var ticket: String

        public init(file: String, name: String, ticket: String) {
            self.file = file
            self.name = name
            self.ticket = ticket
        }
    }

    public struct ReadPairingReply: Codable, Sendable {
        public var paired: Paired

        public init(paired: Paired) { self.paired = paired }
    }

    public struct PairedReply: Codable, Sendable {
        public var paired: [Paired]

        public init(paired: [Paired]) { self.paired = paired }
    }

    public struct NameCall: Codable, Sendable {
        public var name: String

        public init(name: String) { self.name = name }
    }

    public struct TicketCall: Codable, Sendable {
        public var ticket: String

        public init(ticket: String) { self.ticket = ticket }
    }
}

/// What travels over `org.vigil.release1`; the interface's text says what each part means.
public enum Release1 {
    public static let name = "org.vigil.release1"

    public struct TemporaryExposureKey: Codable, Sendable {
        public var keyData: String
        public var rollingStartIntervalNumber: Int64
        public var rollingPeriod: Int64

        public init(keyData: String, rollingStartIntervalNumber: Int64, rollingPeriod: Int64) {
            self.keyData = keyData
            self.rollingStartIntervalNumber = rollingStartIntervalNumber
            self.rollingPeriod = rollingPeriod
        }
    }

    public struct TakeCall: Codable, Sendable {
        public var ticket: String
        public var remainder: Bool?

        public init(ticket: String, remainder: Bool? = nil) {
            self.ticket = ticket
            self.remainder = remainder
        }
    }

    public struct Remainder: Codable, Sendable, Equatable {
        public var from: Int64
        public var after: Int64
        public var until: Int64

        public init(from: Int64, after: Int64, until: Int64) {
            self.from = from
            self.after = after
            self.until = until
        }
    }

    public struct KeysReply: Codable, Sendable {
        public var keys: [TemporaryExposureKey]
        public var remainder: Remainder?

        public init(keys: [TemporaryExposureKey], remainder: Remainder? = nil) {
            self.keys = keys
            self.remainder = remainder
        }
    }
}

/// A call or reply without parameters.
public struct Nothing: Codable, Sendable {
    public init() {}
}
