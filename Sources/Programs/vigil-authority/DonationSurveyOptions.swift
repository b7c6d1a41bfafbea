// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ContentBundle
import Donation
import ForeignText

/// The survey of a document about data donation.
struct DonationSurveyOptions: ParsableArguments {
    @Option(
        help: "Where the survey is, https://…; the password is added as otp=…. Makes or changes the survey of the document."
    )
    var surveyLink: String?

    @Option(help: "Who runs the survey and gets the answers, as people are to read it.")
    var surveyOperator: String?

    @Option(
        help:
            "What the survey is about, in one sentence, as people are to read it, with its language: en=…, de=…, fr=…, de-simple=…. Given once for each language; replaces the sentences of before, all of them."
    )
    var surveyAbout: [Sentence] = []

    @Option(help: "Whom the survey invites: everybody, or increasedRisk: only who is told of an increased risk.")
    var surveyInvites: Invited?

    @Option(
        help:
            "For how many days a password is good and its digest is kept: \(DonationTerms.Survey.days.lowerBound) to \(DonationTerms.Survey.days.upperBound)."
    )
    var surveyDays: Int64?

    @Flag(help: "Ends the survey: the document has none. What boards have for it, passwords too, is of no use then.")
    var endSurvey = false

    enum Invited: String, ExpressibleByArgument, CaseIterable {
        case everybody, increasedRisk

        var value: DonationTerms.Survey.Invited { self == .everybody ? .everybody : .increasedRisk }
    }

    /// A sentence in a language.
    struct Sentence: ExpressibleByArgument {
        let language: String
        let text: String

        init?(argument: String) {
            guard let mark = argument.firstIndex(of: "=") else { return nil }
            language = String(argument[..<mark])
            text = String(argument[argument.index(after: mark)...])
            guard ForeignText.isLanguage(language), !text.isEmpty else { return nil }
        }
    }

    /// What an operator should know about the sentences of a survey; `nil` if there is nothing.
    static func gap(_ survey: DonationTerms.Survey) -> String? {
        let missing = ContentBundle.spokenLanguages.filter { survey.about[$0] == nil }
        guard !missing.isEmpty else { return nil }
        return
            "boards also speak \(missing.joined(separator: ", ")): they show those readers the sentence about the survey in another language, marked as such"
    }

    private func about() throws -> [String: String]? {
        let languages = surveyAbout.map(\.language)
        guard Set(languages).count == languages.count else {
            throw ValidationError("--survey-about: one sentence for each language")
        }
        return surveyAbout.isEmpty ? nil : Dictionary(uniqueKeysWithValues: surveyAbout.map { ($0.language, $0.text) })
    }

    /// The survey, and who is responsible for it; `nil` without one. What is not said stays as the document before has it. Throws `ValidationError` if something is missing or not
    /// valid.
    ///
    /// - Parameters:
    ///   - last: The document before.
    ///   - donations: Who is responsible for donations: the same operators run the servers.
    ///   - isPossible: Whether the issuer has keys for surveys.
    func survey(
        _ last: DonationTerms?, _ donations: DonationTerms.Responsible?, isPossible: Bool
    ) throws -> (survey: DonationTerms.Survey, responsible: DonationTerms.Responsible)? {
        let sentences = try about()
        let said = [surveyLink, surveyOperator, surveyInvites?.rawValue, surveyDays.map { "\($0)" }]
        let isSaid = sentences != nil || said.contains { $0 != nil }
        guard !endSurvey else {
            if isSaid { throw ValidationError("--end-survey ends a survey: leave the other options of surveys out") }
            return nil
        }
        guard isPossible else {
            if isSaid { throw ValidationError("this issuer has no keys for surveys: `donations init-issuer --surveys`") }
            return nil
        }
        let before = last?.survey, people = last?.responsible(for: .survey)
        guard isSaid || before != nil else { return nil }
        guard let donations else {
            throw ValidationError(
                "a survey says who runs the servers: give --issuer-operator, --server-operator, --recipients and --kept-days, too"
            )
        }
        guard let link = surveyLink ?? before?.link, let name = surveyOperator ?? people?.recipients,
            let about = sentences ?? before?.about, let invited = surveyInvites?.value ?? before?.invited,
            let days = surveyDays ?? people?.keptDays
        else {
            throw ValidationError(
                "--survey-link, --survey-operator, --survey-about, --survey-invites and --survey-days belong together: give all five the first time"
            )
        }
        guard let survey = DonationTerms.Survey(link: link, about: about, invited: invited),
            DonationTerms.Survey.days.contains(days),
            let responsible = DonationTerms.Responsible(
                issuer: donations.issuer, server: donations.server, recipients: name, keptDays: days)
        else {
            throw ValidationError(
                """
                a survey has a link of at most \(DonationTerms.Survey.maximumLinkBytes) bytes, https:// and a name of the Internet without port and fragment, one line each \
                of at most \(DonationTerms.Survey.maximumAboutBytes) bytes for operator and sentences, at most \(DonationTerms.Survey.maximumLanguages) languages, and \(DonationTerms.Survey.days.lowerBound) to \
                \(DonationTerms.Survey.days.upperBound) days
                """)
        }
        return (survey, responsible)
    }
}
