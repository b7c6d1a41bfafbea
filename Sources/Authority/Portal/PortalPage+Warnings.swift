// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Verification

/// The page on which warnings are taken back.
extension PortalPage {
    func warningsLink(_ session: PortalSession) -> String {
        guard hasWarnings, session.user.role.mayTakeBack else { return "" }
        return "<p><a href=\"/warnings\">\(language("Eine Warnung zurücknehmen", "Take a warning back"))</a></p>"
    }

    func warnings(
        _ session: PortalSession, _ proposals: [WarningProposal], _ changes: [WarningChange], notice: Notice?, code: String,
        reason: String, now: Int64
    ) -> String {
        let title = language("Warnung zurücknehmen", "Take a warning back")
        let number = "<input type=\"hidden\" name=\"number\" value=\"\(session.form)\">"
        let list = proposals.map { proposal($0, session, number: number) }.joined(separator: "\n")
        return page(
            title: title, user: session.user.name,
            content: """
                <h1>\(title)</h1>
                \(html(notice))
                <p>\(language(
                    "Wenn eine Warnung auf einem Irrtum beruht, etwa einer vertauschten Probe. Eine Person schlägt vor, eine andere bestätigt. Rückgängig machen lässt es sich nicht.",
                    "If a warning rests on a mistake, such as swapped samples. One person proposes, another one confirms. It cannot be undone."))</p>
                <p>\(language(
                    "Erst muss das Labor das Ergebnis berichtigen.", "The laboratory must correct the result first."))</p>
                <form method="post" action="/warnings/propose">
                \(hidden)
                \(number)
                <label for="code">\(language(
                    "Code des Tests, teleTAN oder Token für Orte", "Code of the test, teleTAN, or token for venues"))</label>
                <input id="code" name="code" value="\(Self.escaped(code))" autocomplete="off" autocapitalize="none" \
                spellcheck="false" maxlength="1000" required>
                \(choice(changes))<label for="reason">\(language("Grund, ohne Namen", "Reason, without names"))</label>
                <input id="reason" name="reason" value="\(Self.escaped(reason))" autocomplete="off" minlength="3" \
                maxlength="200" required>
                <button class="main">\(language("Vorschlagen", "Propose"))</button>
                </form>
                <h2>\(language("Vorschläge, die auf eine zweite Person warten", "Proposals that wait for a second person"))</h2>
                \(list.isEmpty ? "<p>\(language("Keine.", "None."))</p>" : list)
                <p><a href="/">\(language("Zurück", "Back"))</a></p>
                """)
    }

    /// The choice where there is one.
    private func choice(_ changes: [WarningChange]) -> String {
        guard changes.count > 1 else { return "" }
        let options = changes.map { "<option value=\"\($0.rawValue)\">\(name($0))</option>" }.joined(separator: "\n")
        return """
            <label for="change">\(language("Was richtig ist", "What is right"))</label>
            <select id="change" name="change">
            \(options)
            </select>
            """ + "\n"
    }

    private func name(_ change: WarningChange) -> String {
        switch change {
        case .revoked:
            language("Keine Infektion: die Warnung wird zurückgenommen", "No infection: the warning is taken back")
        case .confirmedTest:
            language("Eine Infektion, durch einen Test bestätigt", "An infection, confirmed by a test")
        case .clinicalDiagnosis:
            language("Eine Infektion, ärztlich festgestellt, ohne Test", "An infection, found by a doctor, without a test")
        }
    }

    private func proposal(_ proposal: WarningProposal, _ session: PortalSession, number: String) -> String {
        let isOwn = proposal.person == session.user.name
        let days = [proposal.firstDay, proposal.lastDay].map { UTCDay.text(day: UInt32(clamping: $0)) }
        let span = days[0] == days[1] ? days[0] : "\(days[0]) – \(days[1])"
        let regions = proposal.regions.joined(separator: ", ")
        func form(_ action: String, _ text: String, _ kind: String) -> String {
            """
            <form method="post" action="/warnings/\(action)">\(hidden)\(number)
            <input type="hidden" name="proposal" value="\(proposal.number)">
            <button class="\(kind)">\(text)</button></form>
            """
        }
        let held =
            proposal.waiting == 0
            ? ""
            : "<p>"
                + language(
                    "\(proposal.waiting) Schlüssel sind noch nicht öffentlich und werden es nicht mehr.",
                    "\(proposal.waiting) keys are not public yet, and never will be.") + "</p>"
        let hours =
            proposal.venueHours == 0
            ? ""
            : "<p>"
                + language(
                    "\(proposal.venueHours) Stunden an Orten kommen von der Liste. Wer ihretwegen schon gewarnt ist, bleibt es und muss es anders erfahren.",
                    "\(proposal.venueHours) hours at venues go off the list. Whoever was warned of them stays warned, and must learn of it in another way."
                ) + "</p>"
        return """
            <section class="notice">
            <h3>\(language("Vorschlag", "Proposal")) \(proposal.number)</h3>
            <p><strong>\(name(proposal.change))</strong></p>
            <p>\(language("Von", "By")) \(Self.escaped(proposal.person)): \(Self.escaped(proposal.reason))</p>
            <p>\(language(
                "\(proposal.published) öffentliche Schlüssel, Tage \(span)\(regions.isEmpty ? "" : ", in \(regions)").",
                "\(proposal.published) public keys, days \(span)\(regions.isEmpty ? "" : ", in \(regions)")."))</p>
            \(held)\(hours)<p>\(reach(proposal))</p>
            \(isOwn
                ? "<p>\(language("Bestätigen muss es eine andere Person.", "Another person must confirm it."))</p>"
                : form(
                    "confirm",
                    proposal.change == .revoked
                        ? language("Zurücknehmen bestätigen", "Confirm taking it back")
                        : language("Änderung bestätigen", "Confirm the change"), "main"))
            \(form("drop", language("Verwerfen", "Drop"), ""))
            </section>
            """
    }

    /// Who will believe it: whoever decides must know whom else to tell.
    private func reach(_ proposal: WarningProposal) -> String {
        guard proposal.published > 0 else {
            guard proposal.venueHours == 0 else {
                return language("Schlüssel sind nicht öffentlich.", "No keys are public.")
            }
            return language("Niemand ist bisher gewarnt worden.", "Nobody has been warned so far.")
        }
        guard proposal.change == .revoked else { return reachOfAType(proposal) }
        let boards = language(
            "Vigil-Geräte nehmen ihre Warnung zurück und sagen es.", "Vigil devices take their warning back and say so.")
        guard proposal.believedByPhones < proposal.published else { return boards }
        return boards + " "
            + language(
                "Telefone tun das nicht: bei \(proposal.published - proposal.believedByPhones) von \(proposal.published) Schlüsseln bleiben Menschen, deren Telefon sie gewarnt hat, gewarnt, denn für Telefone wird ein bestätigter Test nie zu nichts. Diese Menschen müssen es anders erfahren.",
                "Phones do not: for \(proposal.published - proposal.believedByPhones) of \(proposal.published) keys, people warned by a phone stay warned, because for phones a confirmed test never becomes nothing. They must learn of it in another way."
            )
    }

    private func reachOfAType(_ proposal: WarningProposal) -> String {
        let devices = language(
            "Vigil-Geräte und Telefone rechnen damit neu: eine Warnung kann stärker oder schwächer werden.",
            "Vigil devices and phones compute anew with it: a warning may become stronger or weaker.")
        guard proposal.believedByPhones < proposal.published else { return devices }
        return devices + " "
            + language(
                "Bei \(proposal.published - proposal.believedByPhones) von \(proposal.published) Schlüsseln nehmen Telefone die Änderung nicht an.",
                "For \(proposal.published - proposal.believedByPhones) of \(proposal.published) keys phones do not accept the change."
            )
    }
}
