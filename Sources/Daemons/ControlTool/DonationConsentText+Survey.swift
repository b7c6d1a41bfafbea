// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces

/// The text that a person agrees to before a password for a survey is made: version ``Interfaces/Donation1/surveyTextVersion``. The page has the same words (`donate.survey-…`), and a
/// test compares them. Whoever changes the meaning raises the version.
extension DonationConsentText {
    static let surveyParts = [
        Part(
            name: "choice", heading: "It is your choice",
            paragraphs: [
                "You decide. If you say no, you have no disadvantage: the device warns you just as well. You are asked about each separately: surveys, error logs, and donations of data. If you agree now, you still need not answer the survey."
            ]),
        Part(
            name: "who", heading: "Who asks",
            paragraphs: [
                "The health authority asks you. It wants to know what people who wear such a device say; who gets the answers is said below. The device itself decides by the health authority’s rules whether you are invited, and as long as you have not agreed it tells no server. Only devices like yours get a password, one a month at most, so that nobody answers more than once a month.",
                "The health authority has named two servers, which are computers on the Internet. The ticket server, {issuer}, gives your device a ticket. A ticket is like a stamp: the donation server, {server}, takes nothing without one. The device sends it a check value of the password: a number that fits this password alone, and from which nobody can work it out. The survey itself is on another computer, at the address that is shown with this text.",
            ]),
        Part(
            name: "sent", heading: "What the device sends for the survey",
            paragraphs: [
                "To the ticket server: a request for a ticket, with the device’s own number, its model and the version of its software. If the device gets no ticket, it asks again in a later month.",
                "To the donation server, once for each ticket: the check value of the password, and the ticket itself. The device makes up a random password and keeps it. The ticket does not say which device it was given to.",
            ], isList: true),
        Part(
            name: "not-sent", heading: "What the device does not send",
            paragraphs: [
                "The password.",
                "Your answers. You give them yourself, in a browser.",
                "Your name, and where you were. (But the servers may see from the Internet connection roughly where the device is.)",
                "Your encounters, your tests, the places where you checked in, and your risk as such; what taking part can tell of it is said under “What others learn”.",
                "The device’s own number, its model and the version of its software. Only the ticket server gets them.",
            ], isList: true),
        Part(
            name: "when", heading: "When you get the password",
            paragraphs: [
                "In the first 24 hours after you agree the device asks for nothing. After that it asks for a ticket, and on a later day, chosen at random, it sends the check value. The password is shown to you here once the donation server has the check value. The device does not signal it: look here every few days. After you agree, it can take up to four weeks; longer at the end of a month, or if the device is off or has no connection.",
                "Every device sends messages to both servers, and you cannot switch them off: about once a week several to the ticket server, once a day one to the donation server. They are empty, or have in them what else you have agreed to. The request for a ticket and the check value each take the place of one of them. If the donation server cannot be reached, the device tries again on a later day. If that server does not accept the check value, the device does not send it again by itself.",
                "You answer in a browser, for example on a smartphone or a computer, with the address and the password. The password can be used only once.",
            ]),
        Part(
            name: "learn", heading: "What others learn",
            paragraphs: [
                "The ticket server learns that this device asks for a ticket for a survey: the device tells it its own number, its model and the version of its software. Whoever set up or handed out the device may know whose number that is. Ask the health authority how long that server keeps this. The device does not tell the ticket server what it sends to the donation server, or when.",
                "The donation server learns that some device has a password. It keeps the check value, the day on which it arrived, and whether the password was used. The ticket and the check value do not say which device they are from. If few people take part, your check value is one of a few: the two servers together may then guess more easily which one it is.",
                "Whoever runs the survey learns what you answer, and the number of the Internet connection (the IP address) from which you answer. Neither the password nor the ticket says who you are. But somebody who knows you might recognise you by your answers. Whoever runs the survey shows your password to the donation server and asks whether it is valid. So that server learns that the password was used, and when, and the two together can tell which check value belongs to your answers. The donation server does not get the answers.",
                "Both servers see the number of the Internet connection that the device uses, too, as with every connection. It can tell roughly where you are. The donation server takes donations and error logs as well: from that number it may see that they come from the same connection as the check value. If whoever runs the survey compared these numbers and the times with one of the two servers, that could be enough: with the ticket server, to find out which device the answers belong to; with the donation server, to put the answers together with donations and error logs from the same connection.",
                "Somebody who can watch the Internet connection that the device uses, for example whoever runs it, sees that the device talks to both servers, and when. They do not see whether you have agreed, or whether a check value is sent: every device sends as many messages of the same size. But if you open the survey by the same connection, they can see that somebody there opens it. The two servers themselves see whether a message has something in it.",
            ]),
        Part(
            name: "back", heading: "You can withdraw your consent",
            paragraphs: [
                "You can withdraw your consent at any time. When you withdraw it, the device asks for no more tickets for surveys. The messages to both servers go on, as on every device. The device erases the password, its ticket, what it was about to send, and its list of what was sent. Your consent also stops counting once the device learns that the health authority has changed the survey, the servers, who runs them, who gets the answers, or how long a password is valid. Then nothing is sent for a survey, and the password is not shown any more. If you are invited, you are asked again. What the device has kept for the survey until then is erased at the latest when you withdraw or agree again.",
                "The check value that was sent stays with the donation server until it is deleted there. That server does not know whose it is, and is not set up to erase a single one earlier. A password that you have written down and not used opens the survey until it expires; whoever has it can use it. Only whoever runs the survey can delete your answers: ask there. The ticket server still knows that this device asked for a ticket.",
                "These stay on the device: its number and its secret key for the ticket server, the last month for which it asked for a ticket, and lines in its activity log: when you agreed, and when you withdrew.",
            ]),
    ]

    /// What else others learn where only people are invited who were told of a risk: `donate.survey-learn-risk` on the page, after the first paragraph of that part.
    static let surveyRisk =
        "This survey is only for people whose device told them of an increased risk. So whoever learns that you take part knows that your device told you this. The ticket server can tell from the device’s number. The donation server, whoever runs the survey, and somebody who can watch the Internet connection when you open it, may tell from that connection. Somebody near you may see it. Even if you do not agree, anyone who sees this page knows."

    /// The parts with who is responsible for it after the names of the servers, or where to ask: `donate.survey-who-told` and `donate.survey-who-ask` on the page; and with what `invited`
    /// adds.
    static func surveyParts(_ responsible: Donation1.Responsible?, _ invited: Donation1.Survey.Invited) -> [Part] {
        let sentence =
            responsible.map {
                "According to the health authority, the ticket server is run by \(ForeignText.line($0.issuer)), and the donation server by \(ForeignText.line($0.server)). Who runs the survey and gets your answers: \(ForeignText.line($0.recipients)). The health authority also says that a password is valid for \($0.keptDays) days after its check value has arrived, and that the check value is then deleted. Use the password by the day that the device shows; it may work a few days longer. The page of the survey must tell you how long your answers are kept, and who else gets them."
            }
            ?? "The health authority has not said here who is responsible. Ask it who runs the servers and the survey, who gets your answers, and for how long a password is valid."
        return surveyParts.map { part in
            var part = part
            if part.name == "who" { part.paragraphs.append(sentence) }
            if part.name == "learn", invited == .increasedRisk { part.paragraphs.insert(surveyRisk, at: 1) }
            return part
        }
    }

    /// The text with the names of the servers, for a screen; it ends with a line break.
    static func surveyText(
        issuer: String, server: String, _ responsible: Donation1.Responsible?, _ invited: Donation1.Survey.Invited,
        _ screen: Screen
    ) -> String {
        text(
            "A survey: what you agree to (text \(Donation1.surveyTextVersion))", surveyParts(responsible, invited),
            issuer: issuer, server: server, screen)
    }
}
