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
                "You decide. If you say no, you have no disadvantage: the device warns you just as well. A survey, error logs and donations of data are separate questions. You can say yes to one and no to another. If you agree now, you still need not answer the survey."
            ]),
        Part(
            name: "who", heading: "Who asks",
            paragraphs: [
                "The health authority asks you. It wants to know what people who wear such a device say; who gets the answers is said below. The device itself decides by the health authority’s rules whether you are invited, and as long as you have not agreed it tells no server. Only for a device like yours is there a password, and only one for each month, so that nobody answers more than once a month.",
                "The health authority has named two servers, which are computers on the Internet. The permission server, {issuer}, gives your device a permission; without one no check value is taken. The donation server, {server}, takes the check value. The survey itself is on another computer, at the address that is shown with this text.",
            ]),
        Part(
            name: "sent", heading: "What the device sends for the survey",
            paragraphs: [
                "To the permission server: a request for a permission, with the device’s own number, its model and the version of its software. If the device gets no permission, it asks again in a later month.",
                "To the donation server, once for each permission: a check value of the password, and the permission itself. The device makes up a random password and keeps it. The check value fits this password alone, and nobody can work the password out from it. The permission does not say which device it was given to.",
            ], isList: true),
        Part(
            name: "not-sent", heading: "What the device does not send",
            paragraphs: [
                "The password.",
                "Your answers. You give them yourself, in a browser.",
                "Your name, and where you were.",
                "Your encounters, your tests, the places where you checked in, and your risk as such; what taking part can tell of it is said under “What others learn”.",
                "The device’s own number, its model and the version of its software. Only the permission server gets them.",
            ], isList: true),
        Part(
            name: "when", heading: "When you get the password",
            paragraphs: [
                "In the first 24 hours after you agree the device asks for nothing. After that it asks for a permission, and on a later day, chosen at random, it sends the check value. The password is shown to you here once the donation server has the check value. No light tells you that it is there: look here every few days. Counted from your consent, it can take up to four weeks; longer at the end of a month, or if the device is off or has no connection.",
                "Both servers get messages from every device every day, with nothing in them, or donations if you have agreed to those. The request for a permission and the check value each take the place of one of them. If the donation server cannot be reached, the device tries again on a later day. If that server does not accept the check value, the device does not send it again by itself.",
                "You answer in a browser, for example on a smartphone or a computer, with the address and the password. The password can be used only once.",
            ]),
        Part(
            name: "learn", heading: "What others learn",
            paragraphs: [
                "The permission server learns that this device asks for a permission for a survey: the device tells it its own number, its model and the version of its software. Whoever set up or handed out the device may know whose number that is. Ask the health authority how long that server keeps this. The device does not tell the permission server what it sends to the donation server, or when. If only people are invited whose device told them of an increased risk, whoever learns that you take part can conclude that yours told you so: the permission server by the number of the device; the donation server, whoever runs the survey, and whoever sees you open it, by your connection or in person. Of such a survey, whoever sees this page can tell as much, even if you do not agree.",
                "The donation server learns that some device has a password. It keeps the check value, the day on which it arrived, and whether the password was used. The permission and the check value do not say which device they are from. If few people take part, your check value is one of a few: the two servers together may then guess more easily which one it is.",
                "Whoever runs the survey learns what you answer, and the number of the Internet connection (the IP address) from which you answer. Neither the password nor the permission says who you are. But somebody who knows you might recognise you by your answers. Whoever runs the survey shows your password to the donation server and asks whether it is valid. So that server learns that the password was used, and when, and the two together can tell which check value belongs to your answers. The donation server does not get the answers.",
                "Both servers see the number of your Internet connection, too, as with every connection. It can tell roughly where you are. The donation server takes donations and error logs as well: from that number it may see that they come from the same connection as the check value. If whoever runs the survey compared these numbers and the times with one of the two servers, that could be enough: with the permission server, to find out which device the answers belong to; with the donation server, to put the answers together with donations and error logs from the same connection.",
                "Somebody who watches your network sees that the device talks to both servers, and when. They do not see whether you have agreed, or whether a check value is sent: there are just as many messages of the same size, whether you have agreed to anything or not. But if you open the survey in your network, they can see that somebody there opens it. The two servers themselves see whether a message has something in it.",
            ]),
        Part(
            name: "back", heading: "You can withdraw your consent",
            paragraphs: [
                "You can withdraw your consent at any time. When you withdraw it, the device asks for no more permissions for surveys. The messages to both servers go on, as on every device. The device erases the password, its permission, what it was about to send, and its list of what was sent. Your consent also stops counting once the device learns that the health authority has changed the survey, the servers, who runs them, who gets the answers, or how long a password is valid. Then nothing is sent for a survey, and the password is not shown any more. If you are invited, you are asked again. What the device has kept for it until then is erased when you withdraw or agree again.",
                "The check value that was sent stays with the donation server until it is deleted there. That server does not know whose it is, and is not set up to erase a single one earlier. A password that you have written down and not used opens the survey until the password expires. What you have answered stays with whoever runs the survey. The permission server still knows that this device asked for a permission.",
                "These stay on the device: its number and its secret key for the permission server, the last month for which it asked for a permission, and lines in its diary (“Log”): when you agreed, and when you withdrew.",
            ]),
    ]

    /// The parts with who is responsible for it after the names of the servers, or where to ask: `donate.survey-who-told` and `donate.survey-who-ask` on the page.
    static func surveyParts(_ responsible: Donation1.Responsible?) -> [Part] {
        let sentence =
            responsible.map {
                "According to the health authority, the permission server is run by \(ForeignText.line($0.issuer)), and the donation server by \(ForeignText.line($0.server)). Who runs the survey and gets your answers: \(ForeignText.line($0.recipients)). The health authority also says that a password is valid for \($0.keptDays) days, counted from the arrival of the check value, and that the check value is deleted after these days. The device counts from the day when it first tried to send it, so the last day that it shows may be some days earlier. How long your answers are kept, whoever runs the survey must tell you on its page."
            }
            ?? "The health authority has not said here who is responsible. Ask the health authority who runs the servers and the survey, who gets your answers, and for how long a password is valid."
        return surveyParts.map { part in
            var part = part
            if part.name == "who" { part.paragraphs.append(sentence) }
            return part
        }
    }

    /// The text with the names of the servers, for a screen; it ends with a line break.
    static func surveyText(
        issuer: String, server: String, _ responsible: Donation1.Responsible?, _ screen: Screen
    ) -> String {
        text(
            "A survey: what you agree to (text \(Donation1.surveyTextVersion))", surveyParts(responsible), issuer: issuer,
            server: server, screen)
    }
}
