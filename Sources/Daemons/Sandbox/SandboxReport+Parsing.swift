// SPDX-License-Identifier: Apache-2.0

extension SandboxReport {
    /// A packet of vigil-jail is at most this long, in bytes.
    static let packetByteCount = 16384

    /// The packet before a report whose ``Attachment`` descriptors it carries.
    static let listeners = Array("vigil-listeners\n".utf8)

    /// The kinds of descriptors that came before a report, in their order.
    enum Attachment: String {
        case socks, denials
    }

    /// Why a packet is no report. Before the exec only vigil-jail can write it, so this means that versions do not fit.
    struct Malformation: Error, Hashable {
        let text: String
    }

    /// Reads one packet; anything that is not understood to the last byte is refused.
    static func parse(_ packet: [UInt8]) throws(Malformation) -> (report: SandboxReport, attachments: [Attachment]) {
        guard packet.count <= packetByteCount, let text = String(validating: packet, as: UTF8.self) else {
            throw Malformation(text: "not text, or too long")
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, lines.removeFirst() == "vigil-report\t1", lines.removeLast().isEmpty,
            lines.removeLast() == "end"
        else {
            throw Malformation(text: "no report of version 1, or no end")
        }
        var confinements: [Confinement] = []
        var attachments: [Attachment] = []
        var refusal: String?
        for line in lines {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            if words.count == 5, words[0] == "primitive" {
                let confinement = try confinement(words)
                guard !confinements.contains(where: { $0.primitive == confinement.primitive }) else {
                    throw Malformation(text: "\(words[1]) twice")
                }
                confinements.append(confinement)
            } else if words.count == 2, words[0] == "descriptor", let kind = Attachment(rawValue: words[1]),
                !attachments.contains(kind)
            {
                attachments.append(kind)
            } else if words.count == 2, words[0] == "refused", refusal == nil, !words[1].isEmpty {
                refusal = words[1]
            } else {
                throw Malformation(text: "an unknown line")
            }
        }
        return (SandboxReport(confinements: confinements, refusal: refusal), attachments)
    }

    private static func confinement(_ words: [String]) throws(Malformation) -> Confinement {
        guard let primitive = Primitive(rawValue: words[1]), let state = Confinement.State(rawValue: words[3]),
            !words[2].isEmpty
        else {
            throw Malformation(text: "an unknown primitive or state")
        }
        return Confinement(primitive: primitive, level: words[2] == "-" ? nil : words[2], state: state, reason: words[4])
    }

    /// The packet that says that the program itself could not be started: `vigil-exec`, tab, errno.
    static func parseExecFailure(_ packet: [UInt8]) -> Int32? {
        guard packet.count < 64, let text = String(validating: packet, as: UTF8.self), text.hasPrefix("vigil-exec\t"),
            text.hasSuffix("\n")
        else {
            return nil
        }
        return Int32(text.dropFirst("vigil-exec\t".count).dropLast())
    }
}
