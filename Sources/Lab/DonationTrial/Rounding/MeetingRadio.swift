// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Glibc
import Matching
import VirtualAir

/// What boards measure of a meeting: the laboratory's path loss with a fading for each packet and listener, and losses through bodies that change slowly
/// and are the same in both directions. The product's matching makes windows of it.
struct MeetingRadio {
    /// Losses through bodies: standard deviation in dB, the seconds of a step, and how much of one is left in the next. Our own choice.
    private static let bodyLoss = 5.0, bodySeconds = 300.0, bodyMemory = 0.8
    /// Seconds between the starts of two scans of a board that is worn.
    private static let scanSeconds = 211.0...300.0

    private let settings: RoundingSettings
    private let people: [Meetings.Person]
    private let mapping: DiagnosisKeyMapping
    private let pathLoss = PathLoss()
    /// The scans of boards on the day under way.
    private var scans: [Int: [Double]] = [:]
    private var scanDay = -1

    init(_ settings: RoundingSettings, _ people: [Meetings.Person]) throws {
        (self.settings, self.people) = (settings, people)
        let days = Meetings.contagious.map { day in
            (Int32(day), Meetings.highlyContagious.contains(day) ? Infectiousness.high : .standard)
        }
        guard let mapping = DiagnosisKeyMapping(days: Dictionary(uniqueKeysWithValues: days), whenOnsetMissing: .none)
        else { throw DonationTrialError("no mapping") }
        self.mapping = mapping
    }

    /// The windows that `listener`, one of the two, has of the other; described as the published key of the contact's source describes them.
    mutating func windows(of contact: Meetings.Contact, heardBy listener: Int) throws -> [ExposureWindow] {
        let sender = listener == contact.other ? contact.source : contact.other
        guard let illness = people[contact.source].illness,
            let key = DiagnosisKey(
                data: Block(), rollingStart: ENIN(UInt32(contact.day + settings.firstDay) * ENIN.perDay),
                reportType: illness.report, daysSinceOnset: Int32(contact.day - illness.onset))
        else { return [] }
        let midnight = UInt32(contact.day + settings.firstDay) * 86_400
        let losses = bodyLosses(contact)
        var random = SeededNumbers(
            settings.seed, part: 3 << 60 | part(contact.source, contact.other, contact.day, listener))
        let error = people[sender].sendError + people[listener].hearError
        var (sightings, last): ([MatchedSighting], Double?) = ([], nil)
        for scan in scans(of: listener, on: contact.day) {
            defer { last = scan }
            guard let stretch = contact.stretches.first(where: { $0.seconds.contains(scan) }) else { continue }
            let level = pathLoss.meanRSSI(metres: stretch.metres) + error - losses[Int(scan / Self.bodySeconds)]
            for _ in 0..<Int.random(in: 2...6, using: &random) {
                let rssi = level + random.gaussian(pathLoss.fading)
                guard rssi >= -96 else { continue }
                sightings.append(
                    MatchedSighting(
                        position: 0, interval: key.rollingStart, time: midnight + UInt32(scan),
                        previousScan: last.map { midnight + UInt32($0) } ?? 0, rssi: Int8(min(rssi.rounded(), 20)),
                        transmitPower: 0, confidence: people[contact.source].confidence))
            }
        }
        return Match(key: key, sightings: sightings).exposureWindows(under: mapping).filter { $0.infectiousness != .none }
    }

    private func bodyLosses(_ contact: Meetings.Contact) -> [Double] {
        let pair = (min(contact.source, contact.other), max(contact.source, contact.other))
        var random = SeededNumbers(settings.seed, part: 2 << 60 | part(pair.0, pair.1, contact.day, 0))
        var loss = random.gaussian(Self.bodyLoss)
        return (0...288).map { _ in
            loss =
                Self.bodyMemory * loss
                + random.gaussian(Self.bodyLoss * (1 - Self.bodyMemory * Self.bodyMemory).squareRoot())
            return loss
        }
    }

    private mutating func scans(of board: Int, on day: Int) -> [Double] {
        if day != scanDay { (scans, scanDay) = ([:], day) }
        if let known = scans[board] { return known }
        var random = SeededNumbers(settings.seed, part: 1 << 60 | part(board, 0, day, 0))
        var (times, next) = ([Double](), Double.random(in: 0...300, using: &random))
        while next < 86_400 {
            times.append(next)
            next += .random(in: Self.scanSeconds, using: &random)
        }
        scans[board] = times
        return times
    }

    /// Another number for each of these, with which other numbers are drawn.
    private func part(_ one: Int, _ other: Int, _ day: Int, _ listener: Int) -> UInt64 {
        let direction: UInt64 = listener == other ? 1 : 0
        return UInt64(one) << 34 | UInt64(other) << 10 | UInt64(day) << 1 | direction
    }
}

extension SeededNumbers {
    /// A normally distributed number (Box and Muller).
    mutating func gaussian(_ deviation: Double) -> Double {
        let radius = sqrt(-2 * log(1 - Double.random(in: 0..<1, using: &self)))
        return deviation * radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
