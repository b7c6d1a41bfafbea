// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import RiskConfiguration

/// A summary of what a board does with a profile, in sentences for the profile's author.
public struct ProfileSummary: Hashable, Sendable {
    /// One sentence each about files, rules, download, warning and check-in, in this order; only one for an authority that is
    /// switched off.
    public let sentences: [String]
    /// Sentences about settings that are allowed but seldom intended; may be empty, and always is for an authority
    /// that is switched off.
    public let advice: [String]
    /// Sentences with the numbers that lead to a warning, for experts to check; empty when the rules are not in the
    /// profile, and for an authority that is switched off.
    public let numbers: [String]

    /// Creates the summary of `profile`, which must have been read without problems. Its sentences quote names and
    /// addresses of the profile. Cannot fail.
    public init(_ profile: AuthorityProfile) {
        guard profile.status == .running else {
            sentences = [
                "The authority has ended its service. The board says so; it fetches, compares and judges nothing of it."
            ]
            advice = []
            numbers = []
            return
        }
        sentences = [
            Self.files(profile), Self.rules(profile), Self.download(profile), Self.warning(profile), Self.checkIn(profile),
        ]
        numbers = profile.rules?.document.map(RuleSentences.sentences) ?? []
        advice = Self.advice(profile)
    }

    private static func names(_ profile: AuthorityProfile, _ role: AuthorityProfile.Role) -> String {
        profile.keys.filter { $0.role == role }.map { "\($0.id)-\($0.version)" }.joined(separator: " or ")
    }

    private static func files(_ profile: AuthorityProfile) -> String {
        let region = profile.region.map { "the region \($0)" } ?? "any region"
        return "It compares key files for \(region) that \(names(profile, .export)) signed, and refuses all others."
    }

    private static func rules(_ profile: AuthorityProfile) -> String {
        guard let rules = profile.rules else {
            return
                "It judges nothing, because there are no rules: whoever met somebody that this authority warns of reads “unknown”."
        }
        if let document = rules.document {
            let models = document.models.map(\.name.rawValue).joined(separator: ", then ")
            return "It judges by the rules in this profile: \(models)."
        }
        let place = rules.publishedPath.map { " at \($0)" } ?? ""
        let country = rules.country.map { ", for \($0)" } ?? ""
        return
            "It judges by the rules that \(names(profile, .rules)) signed in the form \(rules.form.rawValue)\(place)\(country)."
    }

    private static func download(_ profile: AuthorityProfile) -> String {
        guard let distribution = profile.distribution, let base = distribution.base else {
            return "It fetches nothing: somebody brings the files."
        }
        let country = distribution.country.map { " for \($0)" } ?? ""
        let list = distribution.index.map { " The list is \(base)/\($0)." } ?? ""
        return "It fetches the files from \(base), which has the tree \(distribution.kind.rawValue)\(country).\(list)"
    }

    private static func warning(_ profile: AuthorityProfile) -> String {
        guard let warning = profile.warning, let publish = warning.publish else { return "Nobody can warn through it." }
        let name = warning.healthAuthority.map { ", as \($0)" } ?? ""
        return
            "People warn the way \(warning.kind.rawValue): codes and tests go to \(warning.verification ?? publish), warnings to \(publish)\(name)."
    }

    private static func checkIn(_ profile: AuthorityProfile) -> String {
        guard let checkIn = profile.checkIn else { return "It takes no codes of venues for it." }
        let systems = checkIn.systems.map(\.rawValue).joined(separator: ", ")
        guard let base = checkIn.base else {
            return "It takes codes of venues (\(systems)), and warns nobody of a visit, because no base is given."
        }
        return "It takes codes of venues (\(systems)), and fetches warnings about them from \(base)."
    }

    private static func advice(_ profile: AuthorityProfile) -> [String] {
        var advice: [String] = []
        let exports = profile.keys.filter { $0.role == .export }
        if exports.allSatisfy(\.isSpare) {
            advice.append(
                "Every export key is marked as a spare (\(names(profile, .export))). Is the key that signs today missing, or of the role rules?"
            )
        }
        for (index, key) in exports.enumerated() {
            if let twin = exports[..<index].first(where: { $0.key == key.key }) {
                advice.append(
                    "The export keys \(twin.id)-\(twin.version) and \(key.id)-\(key.version) are one key under two names.")
            }
        }
        if profile.rules.map({ $0.form == .profile }) ?? true, profile.warning?.kind != .nhs, profile.checkIn?.base == nil,
            profile.keys.contains(where: { $0.role == .rules })
        {
            advice.append(
                "Nothing uses the key of the role rules (\(names(profile, .rules))): no signed rules are fetched.")
        }
        if !exports.contains(where: \.isSpare) {
            advice.append(
                "There is no spare export key: if the key is lost, every board needs a new profile before it can warn again."
            )
        }
        if profile.region == nil {
            advice.append("No region is given: a file for another region by the same key would be compared, too.")
        }
        if profile.rules == nil { advice.append("Without rules this source only makes people read “unknown”.") }
        let addresses = [
            profile.distribution?.base, profile.warning?.verification, profile.warning?.publish, profile.checkIn?.base,
        ].compactMap(\.self)
        for address in addresses where address.hasPrefix("http:") {
            advice.append("\(address) is not encrypted: whoever listens sees that this is a board of yours, and when.")
        }
        if profile.distribution?.kind == .swissCovid {
            advice.append("The plugin sync does not fetch trees of the kind swissCovid: bring the files in a folder.")
        }
        let absent = AuthorityProfile.languages.filter { profile.title[$0] == nil }
        if !absent.isEmpty {
            advice.append(
                "There is no title in \(absent.joined(separator: ", ")): people who read that are shown another one.")
        }
        if let distribution = profile.distribution, let index = distribution.index, let base = distribution.base,
            let first = index.split(separator: "/").first, base.hasSuffix("/\(first)"), index.contains("/")
        {
            advice.append("The list would be \(base)/\(index): is \(first) meant twice?")
        }
        advice += (profile.rules?.document).map(RuleSentences.advice) ?? []
        advice += ExampleTraces.advice(profile)
        return advice
    }
}
