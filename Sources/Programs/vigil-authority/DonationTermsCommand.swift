// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Donation
import DonationService

/// The region's document about data donation: keys, names, and who is responsible.
struct DonationsTermsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "terms", abstract: "Writes the document about data donation that boards and the donation server read.",
        discussion: """
            Makes the keys of the next days first. The same file is STATE/donation.json for `publish`, which signs it, and terms.json of the \
            donation server. Make one every week at least, or let a timer do it every day: without --version it is one above that of the last document, \
            and nothing is written if nothing has changed.

            What is not given stays as the last document has it, an end of donations too. Operators, recipients and days are what people read before they \
            agree: whoever changes any of it ends the consents until people have agreed again.
            """)

    @Argument(help: "Folder of the issuer.")
    var folder: String

    @Option(help: "Version of the document, above that of the last one; the first needs one.")
    var version: Int64?

    @Option(help: "Host by which tokens name the donation server, like donation.example: another one than the issuer's.")
    var origin: String

    @Option(help: "Address of the donation server for boards, like https://donation.example.")
    var serverAddress: String

    @Option(
        help:
            "Privacy of the answer about the risk level: above 0, at most 8; smaller hides more. As in the last document if it is not given, 8 in the first."
    )
    var epsilon: Double?

    @Option(
        help:
            "Probability with which encounters are in a donation, 0 to 1. As in the last document if it is not given, 1 in the first."
    )
    var windowProbability: Double?

    @Option(help: "Who runs the issuer, as people are to read it, like \"City of Example, IT department\".")
    var issuerOperator: String?

    @Option(help: "Who runs the donation server.")
    var serverOperator: String?

    @Option(help: "Who gets the donations.")
    var recipients: String?

    @Option(
        help:
            "For how many days donations are kept at most, by everybody who gets them: 2 to 3650. The donation server keeps none for longer."
    )
    var keptDays: Int64?

    @Option(help: "Who gets the error logs; the recipients of donations if it is not given.")
    var logRecipients: String?

    @Option(help: "For how many days error logs are kept at most; as long as donations if it is not given.")
    var logKeptDays: Int64?

    @OptionGroup var surveyOptions: DonationSurveyOptions

    @Flag(
        help:
            "Ends donations: a document without keys. Later ones have none either, until --resume. Boards keep consents, and go on when a document has keys again."
    )
    var end = false

    @Flag(help: "Goes on with donations after --end.")
    var resume = false

    @Option(help: "File to write.")
    var out: String

    func validate() throws {
        guard !(end && resume) else { throw ValidationError("--end and --resume say the opposite of each other") }
    }

    func run() throws {
        let issuer = try IssuerFolder(folder)
        let last = try issuer.folder.terms()
        guard let version = version ?? last?.version else {
            throw ValidationError("this issuer has made no document yet: give the first one a --version")
        }
        let keys = try issuer.keys()
        try keys.keep(
            today: UTCDay(containing: DonationService.machineTime()), count: issuer.settings.daysAhead,
            purposes: issuer.settings.purposes)
        var responsible = try responsible(last, issuer.settings.purposes)
        let survey = try surveyOptions.survey(
            last, responsible[nil], isPossible: issuer.settings.purposes.contains(.survey))
        responsible[.survey] = survey?.responsible
        var terms = try terms(issuer, keys, responsible, survey?.survey, last, version)
        if self.version == nil, terms != last {
            terms = try self.terms(issuer, keys, responsible, survey?.survey, last, version + 1)
        }
        // First the issuer's own: after a power cut no other document gets this version, and the next run writes the second one.
        try issuer.folder.write(terms.encoded, to: DonationFolder.termsName)
        try DonationFolder.writePublic(terms.encoded, to: out)
        print("\(out): version \(terms.version), \(terms.keys.count) keys, \(terms.fingerprint)")
        if terms.keys.isEmpty { say("vigil-authority: donations are ended, and stay so until --resume") }
        if let last {
            for weaker in Self.weakenings(of: terms, since: last) { say("vigil-authority: \(weaker)") }
        }
        let purposes: [MonthlyPurpose?] = [nil] + issuer.settings.purposes.filter { $0 != .survey }.map { $0 }
        if purposes.contains(where: { terms.responsible(for: $0) == nil }) {
            say(
                """
                vigil-authority: the document does not say who runs the servers, who gets what is sent, and how long it is kept. People are told to ask you. \
                --issuer-operator, --server-operator, --recipients and --kept-days say it.
                """)
        }
        if let said = terms.responsible(), said.issuer == said.server {
            say("vigil-authority: one operator runs both servers, and could join what they know. People read that.")
        }
        if let survey = terms.survey, survey != last?.survey, let gap = DonationSurveyOptions.gap(survey) {
            say("vigil-authority: \(gap)")
        }
        let asksAgain = { (last: DonationTerms) in
            // To a first survey nobody has agreed yet.
            ([nil] + MonthlyPurpose.allCases).contains {
                terms.parties(for: $0) != last.parties(for: $0) && ($0 != .survey || last.survey != nil)
            }
        }
        if let last, asksAgain(last) {
            say(
                """
                vigil-authority: servers, operators, recipients, days or the survey are others than in the document before. People who have agreed are asked again, and \
                send nothing until they do.
                """)
        }
    }

    /// Who is responsible for donations, and with error logs: what is not said stays as the document before has it, because whoever forgot it would end all consents.
    private func responsible(
        _ last: DonationTerms?, _ purposes: Set<MonthlyPurpose>
    ) throws -> [MonthlyPurpose?: DonationTerms.Responsible] {
        let before = last?.responsible()
        let issuer = issuerOperator ?? before?.issuer, server = serverOperator ?? before?.server
        let recipients = recipients ?? before?.recipients, days = keptDays ?? before?.keptDays
        if issuer == nil, server == nil, recipients == nil, days == nil, logRecipients == nil, logKeptDays == nil {
            return [:]
        }
        guard let issuer, let server, let recipients, let days else {
            throw ValidationError(
                "--issuer-operator, --server-operator, --recipients and --kept-days belong together: give all four the first time"
            )
        }
        func made(_ recipients: String, _ days: Int64) throws -> DonationTerms.Responsible {
            guard
                let made = DonationTerms.Responsible(
                    issuer: issuer, server: server, recipients: recipients, keptDays: days)
            else {
                throw ValidationError(
                    "operators and recipients are one line of at most \(DonationTerms.Responsible.maximumNameBytes) bytes each, and days are 2 to 3650"
                )
            }
            return made
        }
        var all: [MonthlyPurpose?: DonationTerms.Responsible] = [nil: try made(recipients, days)]
        for purpose in purposes where purpose != .survey {
            let before = last?.responsible(for: purpose)
            all[purpose] = try made(
                logRecipients ?? before?.recipients ?? recipients, logKeptDays ?? before?.keptDays ?? days)
        }
        return all
    }

    /// What protects wearers less than the document before did, for the operator.
    private static func weakenings(of terms: DonationTerms, since last: DonationTerms) -> [String] {
        var all: [String] = []
        if terms.epsilon > last.epsilon {
            all.append("the answer about the risk level hides less: epsilon is \(terms.epsilon), and was \(last.epsilon)")
        }
        if terms.windowProbability > last.windowProbability {
            all.append(
                "more donations have encounters: the probability is \(terms.windowProbability), and was \(last.windowProbability)"
            )
        }
        return all
    }

    private func terms(
        _ issuer: IssuerFolder, _ keys: IssuerKeys, _ responsible: [MonthlyPurpose?: DonationTerms.Responsible],
        _ survey: DonationTerms.Survey?, _ last: DonationTerms?, _ version: Int64
    ) throws -> DonationTerms {
        let purposes = issuer.settings.purposes.filter { $0 != .survey || survey != nil }
        // A timer's next call must not undo it.
        let isEnded = end || !resume && last?.keys.isEmpty == true
        guard
            let terms = DonationTerms(
                version: version, issuerName: issuer.settings.name, issuerAddress: issuer.settings.address, origin: origin,
                serverAddress: serverAddress, windowProbability: windowProbability ?? last?.windowProbability ?? 1,
                epsilon: epsilon ?? last?.epsilon ?? DonationTerms.largestEpsilon,
                keys: isEnded ? [] : keys.keys(for: nil),
                monthlyKeys: isEnded
                    ? [:]
                    : Dictionary(uniqueKeysWithValues: purposes.map { ($0, keys.keys(for: $0)) }),
                responsible: responsible, survey: survey)
        else { throw ValidationError("a version, name, address or number is not valid; see --help") }
        return terms
    }
}
