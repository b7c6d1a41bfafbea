// SPDX-License-Identifier: Apache-2.0

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
        let paragraphs: [String]
        var isList = false
    }

    static let parts = [
        Part(
            name: "choice", heading: "It is your choice",
            paragraphs: ["You decide. If you say no, you have no disadvantage: the device warns you just as well."]),
        Part(
            name: "who", heading: "Who asks",
            paragraphs: [
                "The health authority asks you. It wants to know how well warnings work.",
                "Two servers take part. The permission server, {issuer}, gives your device a permission for each day. The donation server, {server}, takes what your device sends.",
            ]),
        Part(
            name: "sent", heading: "What is sent, at most once a day",
            paragraphs: [
                "Whether your encounters mean an increased risk for you. Chance is mixed in: the device may say the opposite, and the preview tells how likely that is.",
                "Encounters with infected people who warned others, each of them once: the day, how the infection is known, how infectious the person was, how strong the signal was and for how many minutes, both rounded, and how exactly the device can measure.",
                "That the device is one for a person, and the version of its software.",
            ], isList: true),
        Part(
            name: "not-sent", heading: "What is not sent",
            paragraphs: [
                "Your name.", "Where you were.", "The hour of an encounter.",
                "The device’s own number, and the random numbers that devices send each other.", "Your tests.",
                "Your visits.",
            ], isList: true),
        Part(
            name: "when", heading: "When it begins",
            paragraphs: [
                "In the first 24 hours after you agree nothing is sent.",
                "Only encounters of whole days are sent that begin 24 hours after you agree, or later. A day is one of world time (UTC).",
                "The risk is the one at the time of sending. Earlier encounters can have a part in it.",
            ]),
        Part(
            name: "learn", heading: "What others learn",
            paragraphs: [
                "The permission server learns that this device takes part. About once a week the device asks it, with its own number, its model and the version of its software. The server does not learn what the device sends to the donation server, or when.",
                "The donation server learns what is in a donation, and when it comes. The donation does not say which device it is from.",
                "Both servers see your Internet address, as with every connection. Whoever watches your network sees that the device talks to both servers, and when.",
            ]),
        Part(
            name: "back", heading: "You can take it back",
            paragraphs: [
                "You can take your consent back at any time. The device then sends nothing more. It erases its permissions, what it was about to send, and its list of what was sent.",
                "What was sent, nobody can find again. So nobody can erase it.",
                "On the device stay: its number and key for the permission server, the day for which it asked last, and a line in its log. Encounters stay as long as always, so that the device can warn you.",
            ]),
    ]

    /// The text with the names of the servers, for a screen; it ends with a line break.
    static func text(issuer: String, server: String, _ screen: Screen) -> String {
        var text = screen.tint("Donating data: what you agree to (text \(Donation1.consentTextVersion))", .strong) + "\n"
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
