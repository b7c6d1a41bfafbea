// SPDX-License-Identifier: Apache-2.0

import Donation
import JSON
import Matching

/// A board that donates its encounters with the product's book, once a day.
struct RoundingDonor {
    /// An encounter, and the day of the trial on whose evening the board learns of it.
    struct Known {
        let window: ExposureWindow
        let day: Int
    }

    /// A donation as it was read from its bytes: rounded by the product, and the same encounters without rounding.
    struct Read {
        let rounded: [SeenWindow], raw: [SeenWindow]
    }

    private let settings: RoundingSettings
    private let terms: DonationTerms
    private var book: DonationBook

    /// A board whose wearer agreed some days before the trial. Its tokens are made up: nothing of a token is in what is donated.
    init(_ settings: RoundingSettings) throws {
        self.settings = settings
        let names = ["issuer.example", "donation.example"]
        let since = Int64(settings.firstDay - 3) * 86_400
        let tickets = (0...settings.days).map { day -> JSON in
            ["day": .int(Int64(settings.firstDay + day)), "key": "", "challenge": "", "token": "AA=="]
        }
        let consent: JSON = ["since": .int(since), "text": 1, "issuer": .string(names[0]), "server": .string(names[1])]
        let json: JSON = ["consent": consent, "history": [], "marks": [], "tickets": .array(tickets)]
        guard
            let terms = DonationTerms(
                version: 1, issuerName: names[0], issuerAddress: "https://\(names[0])", origin: names[1],
                serverAddress: "https://\(names[1])", keys: []),
            let book = DonationBook(bytes: json.bytes)
        else { throw DonationTrialError("no book") }
        (self.terms, self.book) = (terms, book)
    }

    /// Donates on a day of the trial what is known by then; `nil` if the board has no encounter to tell of.
    mutating func donate(on day: Int, _ known: [Known], using random: inout SeededNumbers) throws -> Read? {
        let (today, now) = (
            settings.firstDay + day, Int64(settings.firstDay + day) * 86_400 + .random(in: 0..<86_400, using: &random)
        )
        let there = known.filter { $0.day < day && Int($0.window.day) > today - 14 }.map(\.window)
        let facts = DonationFacts(isIncreased: !there.isEmpty, windows: there.map { DonatedWindow($0) })
        guard let content = book.freeze(Int64(today), facts, terms, at: now, using: &random) else {
            throw DonationTrialError("no ticket for day \(day)")
        }
        book.note(.taken, day: Int64(today), at: now, using: &random)
        guard let rounded = Self.read(content) else { throw DonationTrialError("a donation cannot be read") }
        guard !rounded.isEmpty else { return nil }
        // The same encounters, in the same order.
        var originals: [SeenWindow: [ExposureWindow]] = [:]
        for window in there { originals[try Self.seen(DonatedWindow(window).message), default: []].append(window) }
        var donation = PPADataDevice()
        for window in rounded {
            guard let original = originals[window]?.popLast() else {
                throw DonationTrialError("a donated encounter is no board's")
            }
            donation.newExposureWindows.append(DonatedWindow.rawMessage(original))
        }
        guard let raw = PPADataDevice(decoding: donation.encoded) else {
            throw DonationTrialError("a donation cannot be read")
        }
        return Read(rounded: rounded, raw: try raw.newExposureWindows.map(Self.seen))
    }

    /// What is known of a board's own encounters, as it would be donated without rounding.
    static func raw(_ window: ExposureWindow) throws -> SeenWindow { try seen(DonatedWindow.rawMessage(window)) }

    /// As the donation server reads it.
    private static func read(_ content: [UInt8]) -> [SeenWindow]? {
        DonationPadding.padded(content).flatMap { DonationBody.content(of: $0) }
            .flatMap { PPADataDevice(decoding: $0) }?.newExposureWindows.compactMap(SeenWindow.init)
    }

    private static func seen(_ message: PPANewExposureWindow) throws -> SeenWindow {
        guard let window = SeenWindow(message) else { throw DonationTrialError("an encounter is empty") }
        return window
    }
}
