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
        _ session: PortalSession, _ proposals: [WarningProposal], notice: Notice?, code: String, reason: String, now: Int64
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
                <label for="code">\(language("Code des Tests oder teleTAN", "Code of the test, or teleTAN"))</label>
                <input id="code" name="code" value="\(Self.escaped(code))" autocomplete="off" autocapitalize="none" \
                spellcheck="false" maxlength="200" required>
                <label for="reason">\(language("Grund, ohne Namen", "Reason, without names"))</label>
                <input id="reason" name="reason" value="\(Self.escaped(reason))" autocomplete="off" minlength="3" \
                maxlength="200" required>
                <button class="main">\(language("Vorschlagen", "Propose"))</button>
                </form>
                <h2>\(language("Vorschläge, die auf eine zweite Person warten", "Proposals that wait for a second person"))</h2>
                \(list.isEmpty ? "<p>\(language("Keine.", "None."))</p>" : list)
                <p><a href="/">\(language("Zurück", "Back"))</a></p>
                """)
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
        return """
            <section class="notice">
            <h3>\(language("Vorschlag", "Proposal")) \(proposal.number)</h3>
            <p>\(language("Von", "By")) \(Self.escaped(proposal.person)): \(Self.escaped(proposal.reason))</p>
            <p>\(language(
                "\(proposal.published) öffentliche Schlüssel, Tage \(span)\(regions.isEmpty ? "" : ", in \(regions)").",
                "\(proposal.published) public keys, days \(span)\(regions.isEmpty ? "" : ", in \(regions)")."))</p>
            \(held)<p>\(reach(proposal))</p>
            \(isOwn
                ? "<p>\(language("Bestätigen muss es eine andere Person.", "Another person must confirm it."))</p>"
                : form("confirm", language("Zurücknehmen bestätigen", "Confirm taking it back"), "main"))
            \(form("drop", language("Verwerfen", "Drop"), ""))
            </section>
            """
    }

    /// Who will believe it: whoever decides must know whom else to tell.
    private func reach(_ proposal: WarningProposal) -> String {
        guard proposal.published > 0 else {
            return language("Niemand ist bisher gewarnt worden.", "Nobody has been warned so far.")
        }
        let boards = language(
            "Vigil-Geräte nehmen ihre Warnung zurück und sagen es.", "Vigil devices take their warning back and say so.")
        guard proposal.believedByPhones < proposal.published else { return boards }
        return boards + " "
            + language(
                "Telefone tun das nicht: bei \(proposal.published - proposal.believedByPhones) von \(proposal.published) Schlüsseln bleiben Menschen, deren Telefon sie gewarnt hat, gewarnt, denn für Telefone wird ein bestätigter Test nie zu nichts. Diese Menschen müssen es anders erfahren.",
                "Phones do not: for \(proposal.published - proposal.believedByPhones) of \(proposal.published) keys, people warned by a phone stay warned, because for phones a confirmed test never becomes nothing. They must learn of it in another way."
            )
    }
}
