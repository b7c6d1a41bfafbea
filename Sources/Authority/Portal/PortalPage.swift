// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ForeignText
import Verification

/// The two pages as HTML, without scripts and without anything from elsewhere.
struct PortalPage {
    let language: PortalLanguage
    /// What each form brings along.
    let formToken: String
    /// Whether warnings can be taken back here.
    var hasWarnings = false
    /// Exchanges of a board in a day.
    var slots: Int64 = PortalHTTP.Settings.standardSlots

    /// Something to be said above the form.
    struct Notice {
        let text: String
        var isFault = false
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            // Names and reasons are other people's: nothing in them hides or turns the direction of reading.
            default: result.unicodeScalars.append(ForeignText.isHarmless(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return result
    }

    /// Where somebody signs in. `name` is what was typed before.
    func signIn(_ notice: Notice?, name: String = "") -> String {
        let title = language("Anmelden", "Sign in")
        // The first field that is still empty.
        let (nameFocus, passwordFocus) = name.isEmpty ? (" autofocus", "") : ("", " autofocus")
        return page(
            title: title, user: nil,
            content: """
                <h1>\(title)</h1>
                <p>\(language("Für Mitarbeiterinnen und Mitarbeiter des Gesundheitsamts.", "For staff of the health office."))</p>
                \(html(notice))
                <form method="post" action="/sign-in">
                <label for="name">\(language("Name", "Name"))</label>
                <input id="name" name="name" value="\(Self.escaped(name))" autocomplete="username" autocapitalize="none" \
                spellcheck="false" maxlength="64" required\(nameFocus)>
                <label for="password">\(language("Passwort", "Password"))</label>
                <input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" \
                required\(passwordFocus)>
                \(hidden)
                <button class="main" accesskey="n">\(title)</button>
                </form>
                """)
    }

    /// Where a teleTAN is issued.
    func issue(_ session: PortalSession, notice: Notice?, teleTAN: IssuedTeleTAN? = nil) -> String {
        let title = language("teleTAN ausstellen", "Issue a teleTAN")
        var buttons = ""
        for (index, kind) in session.user.role.kinds.enumerated() {
            let isFirst = index == 0
            // With a teleTAN on the page that is the thing to do: a screen reader begins there, and a second Enter issues no second one.
            let focus = isFirst && teleTAN == nil ? " autofocus" : ""
            let key = isFirst ? "n" : "e"
            buttons += """
                <button class="\(isFirst ? "main" : "main second")" name="kind" value="\(kind.rawValue)" accesskey="\(key)"\(focus)>\(label(kind, isAgain: teleTAN != nil))</button>

                """
        }
        let intro = language(
            "Erst ausstellen, wenn das positive Ergebnis der Person feststeht, mit der Sie sprechen.",
            "Issue one only when the positive result of the person you are talking to is certain.")
        return page(
            title: teleTAN == nil ? title : language("teleTAN vorlesen", "Read out the teleTAN"), user: session.user.name,
            isLeft: teleTAN == nil,
            content: """
                <h1>\(teleTAN == nil ? title : language("Diese teleTAN vorlesen", "Read out this teleTAN"))</h1>
                \(teleTAN.map(result) ?? "")\(html(notice))
                \(teleTAN == nil ? "<p>\(intro)</p>" : "<h2>\(language("Nächste Person", "Next person"))</h2>")
                <form method="post" action="/teletan">
                \(hidden)
                <input type="hidden" name="number" value="\(session.form)">
                \(buttons)</form>
                \(warningsLink(session))
                """)
    }

    private func label(_ kind: WarningType, isAgain: Bool) -> String {
        switch kind {
        case .test:
            isAgain
                ? language("Weitere teleTAN ausstellen", "Issue another teleTAN")
                : language("teleTAN ausstellen", "Issue a teleTAN")
        case .event: language("teleTAN für eine Veranstaltung", "TeleTAN for an event")
        // Nobody issues any.
        case .remainder: ""
        }
    }

    private func result(_ teleTAN: IssuedTeleTAN) -> String {
        let groups = Spelling.groups(teleTAN.text).map { "<span>\(Self.escaped($0))</span>" }.joined(separator: " ")
        let words = Spelling.groups(teleTAN.text).map { group in
            "<li><b>\(Self.escaped(group))</b> \(Self.escaped(Spelling.words(group, language).joined(separator: ", ")))</li>"
        }.joined(separator: "\n")
        let kind = teleTAN.kind == .event ? language("Für eine Veranstaltung. ", "For an event. ") : ""
        let span = span(seconds: teleTAN.validSeconds)
        let good = language("Ab jetzt \(span) gültig, für ein Gerät.", "Good for \(span) from now, on one device.")
        let wait = self.span(seconds: Self.longestWait(slots: slots))
        let howLong = language(
            "Das Gerät fragt nur zu festen Zeiten nach: Nach dem Eingeben kann es bis zu \(wait) dauern, bis es sie prüft, und länger, wenn es aus ist oder kein Netz hat. Auf seiner Seite steht, wann. Bitte das der Person sagen.",
            "The device asks only at fixed times: once it is entered, it may take up to \(wait) until the device has it checked, and longer if the device is off or has no network. The device's page says when. Please tell the person so."
        )
        let once = language(
            "Sie steht nur jetzt hier: beim Verlassen der Seite ist sie weg.",
            "It is shown only now: when you leave this page it is gone.")
        return """
            <div class="result" role="status" aria-live="polite" tabindex="-1" autofocus>
            <p class="teletan" translate="no">\(groups)</p>
            <ol class="spelling" lang="\(language.rawValue)" translate="no">
            \(words)
            </ol>
            <p>\(kind)\(good) \(once)</p>
            <p>\(howLong)</p>
            </div>

            """
    }

    /// Seconds from an entry to the slot that is farthest from it: two windows of the day, less the two minutes that slots are apart at least
    /// (`SlotSchedule.longestWait` of the boards' plugin).
    static func longestWait(slots: Int64) -> Int64 { 2 * UTCDay.seconds / max(1, slots) - 120 }

    /// Whole days, hours or minutes, rounded up.
    private func span(seconds: Int64) -> String {
        let (count, words): (Int64, (one: String, many: String)) =
            if seconds > UTCDay.seconds, seconds.isMultiple(of: UTCDay.seconds) {
                (seconds / UTCDay.seconds, (language("einen Tag", "one day"), language("Tage", "days")))
            } else if seconds > 7_200 || seconds.isMultiple(of: 3_600) {
                ((seconds + 3_599) / 3_600, (language("eine Stunde", "one hour"), language("Stunden", "hours")))
            } else {
                ((seconds + 59) / 60, (language("eine Minute", "one minute"), language("Minuten", "minutes")))
            }
        return count == 1 ? words.one : "\(count) \(words.many)"
    }

    /// A page that says one thing.
    func plain(_ title: String, _ text: String) -> String {
        page(
            title: title, user: nil,
            content: """
                <h1>\(Self.escaped(title))</h1>
                <p role="alert">\(Self.escaped(text))</p>
                <p><a href="/" autofocus>\(language("Zurück", "Back"))</a></p>
                """)
    }

    var hidden: String { "<input type=\"hidden\" name=\"form\" value=\"\(formToken)\">" }

    func html(_ notice: Notice?) -> String {
        guard let notice else { return "" }
        let role = notice.isFault ? "alert" : "status"
        return "<p class=\"\(notice.isFault ? "fault" : "notice")\" role=\"\(role)\">\(Self.escaped(notice.text))</p>"
    }

    func page(title: String, user: String?, isLeft: Bool = true, content: String) -> String {
        let other: PortalLanguage = language == .german ? .english : .german
        // Leaving a page with a teleTAN loses it.
        let languageSwitch =
            isLeft
            ? """
            <nav><a href="/language/\(other.rawValue)" hreflang="\(other.rawValue)" lang="\(other.rawValue)" \
            accesskey="l">\(other("Deutsch", "English"))</a></nav>
            """ : ""
        let signOut = user.map { user in
            """
            <form method="post" action="/sign-out">\(hidden)<span class="user">\(Self.escaped(user))</span>
            <button accesskey="q">\(language("Abmelden", "Sign out"))</button></form>
            """
        }
        // What lies open on an abandoned desk goes when the session does.
        let refresh = user == nil ? "" : "\n<meta http-equiv=\"refresh\" content=\"\(Self.refreshSeconds); url=/\">"
        return """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">\(refresh)
            <title>\(Self.escaped(title)) · Vigil</title>
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <a class="skip" href="#content">\(language("Zum Inhalt", "Skip to content"))</a>
            <header>
            <p class="product">Vigil · \(language("Gesundheitsamt", "Health office"))</p>
            \(languageSwitch)
            \(signOut ?? "")
            </header>
            <main id="content" tabindex="-1">
            \(content)
            </main>
            </body>
            </html>

            """
    }

    /// A little after the session's idle time, so that the page that comes is the one for signing in.
    static let refreshSeconds = SessionRules().idleSeconds + 5
}
