// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SelfCheck

/// The text that a person agrees to before anything is noted for an error log: version ``Interfaces/Donation1/logTextVersion``. The page has the same words
/// (`donate.log-…`), and a test compares them. Whoever changes the meaning raises the version.
extension DonationConsentText {
    static let logParts = [
        Part(
            name: "choice", heading: "It is your choice",
            paragraphs: [
                "You decide. If you say no, you have no disadvantage: the device warns you just as well. You are asked about each separately: error logs, donations of data, and surveys."
            ]),
        Part(
            name: "who", heading: "Who asks",
            paragraphs: [
                "The health authority asks you. It wants to know which faults the devices have, so that they can be corrected. A log does not say which device it is from, so nobody repairs yours because of a log. If your device has a fault, tell the person who set it up.",
                "The health authority has named two servers, which are computers on the Internet. The ticket server, {issuer}, gives your device tickets, one for each month. A ticket is like a stamp: the donation server, {server}, takes no error log without one.",
            ]),
        Part(
            name: "sent", heading: "What an error log contains (one a month at most)",
            paragraphs: [
                "Which of the following faults the device had. Others are never sent.",
                "The ticket for that month. It does not say which device it was given to.",
            ], isList: true),
        Part(
            name: "not-sent", heading: "What is not in an error log",
            paragraphs: [
                "The exact day or hour of a fault, and how often it was there.",
                "Your name, and where you were. (But the servers may see from the Internet connection roughly where the device is.)",
                "Your encounters, your risk, your tests, and the places where you checked in.",
                "The device’s own number, its model and the version of its software, which only the ticket server gets.",
                "Free text. There are only the faults of the list above.",
            ], isList: true),
        Part(
            name: "when", heading: "When something is noted and sent",
            paragraphs: [
                "In the first 24 hours after you agree the device notes nothing and asks for no ticket. After that it looks for the faults of the list once a day or more often, and forgets each of them 14 days after it was last there. After you agree, it can take up to 17 days until the first ticket; longer if the device is off or has no connection.",
                "An error log leaves only after its lines were shown and exactly these were allowed: by you on this page, or by whoever looks after the device, at its console (an access for maintenance). By itself the device sends only what every device sends, about once a week several messages to the ticket server and once a day one to the donation server, empty or with what else you have agreed to; and once a month, in place of one of these messages, the request for a ticket. You cannot switch the messages off. If the donation server cannot be reached, the device tries again on a later day. If the server does not accept the log, the device does not send it again by itself: its lines stay in the list, and you decide once more.",
            ]),
        Part(
            name: "learn", heading: "What others learn",
            paragraphs: [
                "The ticket server learns that this device takes part in error logs. Once a month the device asks it for a ticket, with its own number, its model and the version of its software. It does so even if there is nothing to send. Whoever set up or handed out the device may know whose number that is. Ask the health authority how long that server keeps this. The device does not tell the ticket server what it sends to the donation server, or when.",
                "The donation server learns which faults some device had, and when the log comes. It keeps the faults and the day on which the log arrived. The log does not say which device it is from. If a fault is very rare, somebody who knows that your device has it may recognise your log. If few people have agreed to error logs, yours is one of a few: the two servers together may then guess more easily which one it is.",
                "Both servers see the number of the Internet connection that the device uses (the IP address), as with every connection. It can tell roughly where you are. If the two servers compared these numbers and the times, they might work out which log is yours. The donation server takes donations, too: from that number it may see that a log and a donation come from the same connection.",
                "Somebody who can watch the Internet connection that the device uses, for example whoever runs it, sees that the device talks to both servers, and when. They do not see whether you have agreed, or whether a log is sent: every device sends as many messages of the same size to both servers. The log and the request for a ticket each take the place of one of them. The two servers themselves see whether a message has something in it.",
            ]),
        Part(
            name: "back", heading: "You can withdraw your consent",
            paragraphs: [
                "You can withdraw your consent at any time. When you withdraw it, the device notes no more faults, and asks for no more tickets for error logs. The messages to both servers go on, as on every device. The device erases what it has noted, its ticket, what it was about to send, and its list of the last error logs. Your consent also stops counting once the device learns that the health authority has changed the servers, who runs them, who gets what is sent, or how long it is kept. Then no fault is noted, no log is sent, and no ticket is asked for, and you are asked again. What the device has kept for error logs until then is erased at the latest when you withdraw or agree again.",
                "What was sent stays with the donation server until it is deleted there. A log does not say whose it is, so you cannot have yours erased earlier, even though somebody might find out which it is. The ticket server still knows that this device took part.",
                "These stay on the device: its number and its secret key for the ticket server, the last month for which it asked for a ticket, and lines in its activity log: when you agreed, when a log was allowed and how many faults it had, and when you withdrew.",
            ]),
    ]

    /// The text with the names of the servers, for a screen; it ends with a line break.
    static func logText(
        issuer: String, server: String, _ responsible: Donation1.Responsible?, _ screen: Screen
    ) -> String {
        var parts = told(logParts, responsible, what: "error logs")
        if let index = parts.firstIndex(where: { $0.name == "sent" }) {
            // The faults by their names, before the ticket.
            parts[index].paragraphs.insert(contentsOf: Donation1.Trouble.allCases.map(\.finding.words.title), at: 1)
        }
        return text(
            "Error logs: what you agree to (text \(Donation1.logTextVersion))", parts, issuer: issuer, server: server,
            screen)
    }
}
