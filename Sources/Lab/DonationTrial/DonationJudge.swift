// SPDX-License-Identifier: Apache-2.0

import JSON

/// Compares an adversary's guesses with the truth of a trial.
package struct DonationJudge: Sendable {
    /// A donation, or a digest of a survey's password, that was stored, and whose it is.
    private struct Donation: Sendable {
        let time: Double
        let device: String
    }

    /// A guess: the number of the exchange, the device, how many the adversary could not tell apart, and of a digest a donation of the same device.
    private struct Guess {
        let number: Int64
        let device: String
        let candidates: Int64
        let donation: Int64?
    }

    /// The longest line of a file of guesses, in bytes.
    private static let maximumLineBytes = 1_024

    private let donations: [Int64: Donation], digests: [Int64: Donation]
    private let devices: Set<String>
    /// The devices that donated in each hour, and on each day.
    private let ofHour: [Int: Set<String>], ofDay: [Int: Set<String>]
    /// The devices whose digests came on each day.
    private let digestsOfDay: [Int: Set<String>]

    /// Reads the contents of `truth.jsonl` and of `devices.json`, which ``DonationTrial`` has written. Throws ``DonationTrialError`` with the line.
    package init(truth: [UInt8], devices: [UInt8]) throws(DonationTrialError) {
        guard let list = (try? JSON(parsing: devices))?.array else {
            throw DonationTrialError(file: "devices.json", "it is no list of devices")
        }
        self.devices = Set(list.compactMap { $0["device"]?.string })
        var donations: [Int64: Donation] = [:], digests: [Int64: Donation] = [:]
        var ofHour: [Int: Set<String>] = [:], ofDay: [Int: Set<String>] = [:], digestsOfDay: [Int: Set<String>] = [:]
        for (line, json) in try Self.lines(truth, "truth.jsonl") {
            guard let number = json["n"]?.int, let device = json["device"]?.string, let time = Self.seconds(json["t"]),
                time >= 0, time < 1e12, donations[number] == nil, digests[number] == nil
            else { throw DonationTrialError(file: "truth.jsonl", line: line, "it is not that of a trial") }
            guard json["purpose"] == nil else {
                digests[number] = Donation(time: time, device: device)
                digestsOfDay[Int(time) / 86_400, default: []].insert(device)
                continue
            }
            donations[number] = Donation(time: time, device: device)
            ofHour[Int(time) / 3_600, default: []].insert(device)
            ofDay[Int(time) / 86_400, default: []].insert(device)
        }
        (self.donations, self.ofHour, self.ofDay) = (donations, ofHour, ofDay)
        (self.digests, self.digestsOfDay) = (digests, digestsOfDay)
    }

    private static func seconds(_ value: JSON?) -> Double? {
        switch value {
        case .int(let number)?: Double(number)
        case .double(let number)?: number
        default: nil
        }
    }

    private static func lines(_ bytes: [UInt8], _ file: String) throws(DonationTrialError) -> [(Int, JSON)] {
        var all: [(Int, JSON)] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            guard line.count <= maximumLineBytes, let json = try? JSON(parsing: line) else {
                throw DonationTrialError(file: file, line: index + 1, "it is no JSON, or too long")
            }
            all.append((index + 1, json))
        }
        return all
    }

    // MARK: Guesses

    /// What the guesses are worth.
    package struct Verdict: Sendable, Hashable {
        /// Right guesses among all stored donations; chance is one of those that donated in the same hour. A donation without a guess counts as wrong.
        package let all: JudgedShare
        /// The same, where chance is one of those that donated on the same day: what the adversary is left with that knows the day and no more.
        package let byDay: JudgedShare
        /// Of the donations that the adversary called sure (`candidates` 1), those that are right; chance is that of the hour.
        package let sure: JudgedShare
        /// Right guesses among all digests of a survey that were stored: chance is one of the devices whose digests came on the same day.
        package let digests: JudgedShare
        /// The same, where chance is one of all devices that sent a digest: what somebody has who knows no day.
        package let digestsOfAll: JudgedShare
        /// The digests of devices that have donated, and the guesses of a donation of the same device (`donation`): chance is a donation of any device.
        package let pairs: JudgedShare
        /// The lines of guesses, and those about exchanges by which nothing was stored.
        package let guesses: Int, aboutNothing: Int

        /// Whether the adversary does better than one of n in the same hour: with all donations, or with those that it is sure of; or better than chance with digests.
        package var isBetterThanChance: Bool { [all, sure, digests, pairs].contains { $0.isBetterThanChance } }
    }

    /// Judges the content of a file of guesses, from anywhere: a line of JSON for each, `{"n": 17, "guess": "<16 hexadecimal digits>", "candidates": 3}`, and
    /// of a digest perhaps `"donation": 12`, the exchange of a donation of the same device.
    ///
    /// Throws ``DonationTrialError`` with the line if one is malformed, names a device that is not there, or is the second about an exchange.
    package func judge(_ guesses: [UInt8], file: String) throws(DonationTrialError) -> Verdict {
        var known: [Int64: Guess] = [:]
        for (line, json) in try Self.lines(guesses, file) {
            func refuse(_ message: String) -> DonationTrialError { DonationTrialError(file: file, line: line, message) }
            guard let number = json["n"]?.int, number >= 1 else { throw refuse("`n` must be a number, 1 or more") }
            guard let device = json["guess"]?.string, device.utf8.count == 16 else {
                throw refuse("`guess` must be a device's name, 16 hexadecimal digits")
            }
            guard devices.contains(device) else { throw refuse("`guess` is no device of devices.json") }
            guard let candidates = json["candidates"]?.int, candidates >= 1 else {
                throw refuse("`candidates` must be a number, 1 or more")
            }
            guard known[number] == nil else { throw refuse("there is a guess for \(number) already") }
            known[number] = Guess(
                number: number, device: device, candidates: candidates, donation: json["donation"]?.int)
        }
        var right = 0, sureRight = 0
        var hours: [Double] = [], days: [Double] = [], sure: [Double] = []
        for (number, donation) in donations.sorted(by: { $0.key < $1.key }) {
            let hour = 1 / Double(max(1, ofHour[Int(donation.time) / 3_600]?.count ?? 1))
            hours.append(hour)
            days.append(1 / Double(max(1, ofDay[Int(donation.time) / 86_400]?.count ?? 1)))
            guard let guess = known[number] else { continue }
            let isRight = guess.device == donation.device
            right += isRight ? 1 : 0
            if guess.candidates == 1 {
                sure.append(hour)
                sureRight += isRight ? 1 : 0
            }
        }
        let ofDigests = judgeDigests(known)
        return Verdict(
            all: JudgedShare(right: right, chances: hours), byDay: JudgedShare(right: right, chances: days),
            sure: JudgedShare(right: sureRight, chances: sure), digests: ofDigests.byDay, digestsOfAll: ofDigests.all,
            pairs: ofDigests.pairs, guesses: known.count,
            aboutNothing: known.keys.count { donations[$0] == nil && digests[$0] == nil })
    }

    private func judgeDigests(_ known: [Int64: Guess]) -> (byDay: JudgedShare, all: JudgedShare, pairs: JudgedShare) {
        let senders = Set(digests.values.map(\.device)).count
        let counts = Dictionary(grouping: donations.values, by: \.device).mapValues(\.count)
        var (right, rightPairs) = (0, 0)
        var days: [Double] = [], all: [Double] = [], pairs: [Double] = []
        for (number, digest) in digests.sorted(by: { $0.key < $1.key }) {
            days.append(1 / Double(max(1, digestsOfDay[Int(digest.time) / 86_400]?.count ?? 1)))
            all.append(1 / Double(max(1, senders)))
            let guess = known[number]
            right += guess?.device == digest.device ? 1 : 0
            guard let own = counts[digest.device] else { continue }
            pairs.append(Double(own) / Double(donations.count))
            rightPairs += guess?.donation.flatMap { donations[$0] }?.device == digest.device ? 1 : 0
        }
        return (
            JudgedShare(right: right, chances: days), JudgedShare(right: right, chances: all),
            JudgedShare(right: rightPairs, chances: pairs)
        )
    }
}
