// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces

/// The text that a person agrees to before anything is donated: version ``Interfaces/Donation1/consentTextVersion``. The page has the same words
/// (`Plugins/WebUI/texts/en.txt`, `donate.…`), and a test compares them. Whoever changes the meaning raises the version.
enum DonationConsentText {
    /// One part of the text.
    struct Part {
        /// What its texts are called on the page, before the last dot: `donate.NAME`.
        let name: String
        let heading: String
        /// Sentences; `{issuer}` and `{server}` stand for names.
        var paragraphs: [String]
        var isList = false
    }

    static let parts = [
        Part(
            name: "choice", heading: "It is your choice",
            paragraphs: [
                "You decide. If you say no, you have no disadvantage: the device warns you just as well, and no donation is sent. Whether you agree or not, the device sends messages to two servers, which are computers on the Internet: about once a week several to one, once a day one to the other. You cannot switch them off. They are as many and as large for everybody, so nobody who can watch the Internet connection that the device uses can tell who takes part. If you have agreed to nothing, they are empty. The two servers see that, and one of them knows which devices take part."
            ]),
        Part(
            name: "who", heading: "Who asks",
            paragraphs: [
                "The health authority asks you. It wants to know how well warnings work.",
                "The health authority has named the two servers. The ticket server, {issuer}, gives your device tickets, one for each day. A ticket is like a stamp: the donation server, {server}, takes no donation without one.",
            ]),
        Part(
            name: "sent", heading: "What a donation contains (one a day at most)",
            paragraphs: [
                "Whether your encounters mean a higher risk that you are infected: “yes”, or “no, or not known”. Some donations, picked by chance, give the opposite answer on purpose. If they are few, the answer says almost certainly what your device knows; the preview says how many, and shows the real answer. The encounters in the donation, or two of your donations compared, can also give the real answer away.",
                "Encounters with infected people who warned others, each encounter once at most; chance may leave some out. An encounter means that your device and another were near each other, even if you do not know the person. For each: the day, how the infection was established, how infectious the person was, and how well the distance is known (the distance itself is not sent); and for each measurement during it the minutes, and two values of how much weaker the signal was when it arrived, all rounded down. If there was no such encounter, the donation has none in it.",
                "That the device belongs to a person, not to a place.",
                "The ticket for that day. It does not say which device it was given to.",
            ], isList: true),
        Part(
            name: "not-sent", heading: "What is not in a donation",
            paragraphs: [
                "Your name.",
                "Where you were. (But the servers may see from the Internet connection roughly where the device is.)",
                "The hour of an encounter.",
                "The device’s own number, which only the ticket server gets, and the random numbers that devices send each other.",
                "Your tests.",
                "The places where you checked in.",
                "The device’s model and the version of its software, which only the ticket server gets.",
            ], isList: true),
        Part(
            name: "when", heading: "When it begins",
            paragraphs: [
                "In the first 24 hours after you agree no donation is sent, and no ticket is asked for. After you agree, it can take up to eleven days until the first donation; longer if the device is off or has no connection.",
                "The first day whose encounters may be sent begins at least 24 hours after you agree. Days are counted in world time (UTC), so they may not begin at midnight where you live.",
                "The yes or no about your risk is the one at the time of sending. Encounters from before you agreed can count towards it, but they themselves are never sent.",
            ]),
        Part(
            name: "learn", heading: "What others learn",
            paragraphs: [
                "The ticket server learns that this device takes part. About once a week the device asks it for tickets, with its own number, its model and the version of its software. Whoever set up or handed out the device may know whose number that is. Ask the health authority how long that server keeps this. The device does not tell that server what it sends to the donation server, or when.",
                "The donation server learns what is in a donation, and when it comes. The donation does not say which device it is from.",
                "Both servers see the number of the Internet connection that the device uses (the IP address), as with every connection. It can tell roughly where you are. The donation server may see from it that donations come from the same connection. If the two servers compared these numbers and the times, they might work out which donations are yours.",
                "A donation has no name in it, but your encounters are almost as unmistakable as a fingerprint. Whoever has the donations and also knows your encounters, for example from a device that was always near yours, can find out which donations are yours. They then know on which days you were near infected people and for how long, and may guess who these were. Rounding hardly prevents that.",
                "Somebody who can watch the Internet connection that the device uses, for example whoever runs it, sees that the device talks to both servers, and when. They do not see whether you have agreed: every device talks to both servers just as often and sends just as much. If you have agreed to nothing, the messages are empty: no number of the device and nothing about you. The two servers see when such a message comes, that it is empty, and the number of the Internet connection (the IP address). So they can tell that a device there does not take part.",
            ]),
        Part(
            name: "back", heading: "You can withdraw your consent",
            paragraphs: [
                "You can withdraw your consent at any time. When you withdraw it, the device sends no more donations and asks for no more tickets for them; empty messages take their place. It erases its tickets for donations, what it was about to send, and its list of the last donations. Your consent also stops counting once the device learns that the health authority has changed the servers, who runs them, who gets what is sent, or how long it is kept. Then empty messages take the place of donations, and you are asked again. What the device has kept for donations until then is not sent any more; it is erased at the latest when you withdraw or agree again.",
                "What was sent stays with the donation server until it is deleted there. A donation does not say whose it is. So you cannot have yours erased earlier, even though somebody might recognise them as yours. The ticket server still knows that this device took part.",
                "These stay on the device: its number and its secret key for the ticket server, the last day for which it asked for a ticket, and lines in its activity log: when you agreed, and when you withdrew. Encounters stay as long as always, so that the device can warn you.",
            ]),
    ]

    /// The text with the names of the servers, for a screen; it ends with a line break.
    static func text(
        issuer: String, server: String, _ responsible: Donation1.Responsible?, _ screen: Screen
    ) -> String {
        text(
            "Donating data: what you agree to (text \(Donation1.consentTextVersion))",
            told(parts, responsible, what: "donations"), issuer: issuer, server: server, screen)
    }

    /// With who is responsible for it after the names of the servers, or where to ask: `donate.who-told` and `donate.who-ask` on the page. `what` is what is sent.
    static func told(_ parts: [Part], _ responsible: Donation1.Responsible?, what: String) -> [Part] {
        let sentence =
            responsible.map {
                "According to the health authority, the ticket server is run by \(ForeignText.line($0.issuer)), and the donation server by \(ForeignText.line($0.server)). Who gets the \(what): \(ForeignText.line($0.recipients)). The health authority also says that the \(what) are deleted within \($0.keptDays) days of their arrival."
            }
            ?? "The health authority has not said here who is responsible. Ask it who runs the servers, who gets the \(what), and how long they are kept."
        return parts.map { part in
            var part = part
            if part.name == "who" { part.paragraphs.append(sentence) }
            return part
        }
    }

    static func text(_ title: String, _ parts: [Part], issuer: String, server: String, _ screen: Screen) -> String {
        var text = screen.tint(title, .strong) + "\n"
        for part in parts {
            text += "\n" + screen.tint(part.heading, .strong) + "\n"
            for paragraph in part.paragraphs {
                let named = PlainText.replacing(
                    "{server}", with: server, in: PlainText.replacing("{issuer}", with: issuer, in: paragraph))
                text += screen.paragraph(part.isList ? "- " + named : named)
            }
        }
        return text
    }
}
