// SPDX-License-Identifier: Apache-2.0

import JSON

/// Compares an adversary's guesses with the truth of a trial.
package struct DonationJudge: Sendable {
    /// A donation that was stored, and whose it is.
    private struct Donation: Sendable {
        let time: Double
        let device: String
    }

    /// A guess: the number of the exchange, the device, and how many the adversary could not tell apart.
    private struct Guess {
        let number: Int64
        let device: String
        let candidates: Int64
    }

    /// The longest line of a file of guesses, in bytes.
    private static let maximumLineBytes = 1_024

    private let donations: [Int64: Donation]
    private let devices: Set<String>
    /// The devices that donated in each hour, and on each day.
    private let ofHour: [Int: Set<String>], ofDay: [Int: Set<String>]

    /// Reads the contents of `truth.jsonl` and of `devices.json`, which ``DonationTrial`` has written. Throws ``DonationTrialError`` with the line.
    package init(truth: [UInt8], devices: [UInt8]) throws(DonationTrialError) {
        guard let list = (try? JSON(parsing: devices))?.array else {
            throw DonationTrialError(file: "devices.json", "it is no list of devices")
        }
        self.devices = Set(list.compactMap { $0["device"]?.string })
        var donations: [Int64: Donation] = [:]
        var ofHour: [Int: Set<String>] = [:], ofDay: [Int: Set<String>] = [:]
        for (line, json) in try Self.lines(truth, "truth.jsonl") {
            guard let number = json["n"]?.int, let device = json["device"]?.string, let time = Self.seconds(json["t"]),
                time >= 0, time < 1e12, donations[number] == nil
            else { throw DonationTrialError(file: "truth.jsonl", line: line, "it is not that of a trial") }
            donations[number] = Donation(time: time, device: device)
            ofHour[Int(time) / 3_600, default: []].insert(device)
            ofDay[Int(time) / 86_400, default: []].insert(device)
        }
        (self.donations, self.ofHour, self.ofDay) = (donations, ofHour, ofDay)
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
        /// The lines of guesses, and those about exchanges by which no donation was stored.
        package let guesses: Int, aboutNothing: Int

        /// Whether the adversary does better than one of n in the same hour: with all donations, or with those that it is sure of.
        package var isBetterThanChance: Bool { all.isBetterThanChance || sure.isBetterThanChance }
    }

    /// Judges the content of a file of guesses, from anywhere: a line of JSON for each, `{"n": 17, "guess": "<16 hexadecimal digits>", "candidates": 3}`.
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
            known[number] = Guess(number: number, device: device, candidates: candidates)
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
        return Verdict(
            all: JudgedShare(right: right, chances: hours), byDay: JudgedShare(right: right, chances: days),
            sure: JudgedShare(right: sureRight, chances: sure), guesses: known.count,
            aboutNothing: known.keys.count { donations[$0] == nil })
    }
}
