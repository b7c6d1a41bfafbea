// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import ForeignText
public import Interfaces
import JSON

extension ControlSession {
    /// Makes a new secret for a role, and shows it; it is never shown again.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func makeSecret(_ role: Access1.Role) throws(ControlFailure) {
        let reply = try link.ask(Access1.Method.makeSecret, Access1.MakeSecretCall(role: role))
        try show(reply, as: Access1.MakeSecretReply.self) {
            """
            \($0.secret)

            \(screen.paragraph("This is the secret of the \(role.rawValue) from now on. It is shown this once: write it on the card. Whoever was signed in as the \(role.rawValue) is no longer, and the tokens of that role are void."))
            """
        }
    }

    /// Shows which roles can sign in, and which scripts have tokens, without secrets and tokens.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func listAccess() throws(ControlFailure) {
        let roles = try link.ask(Access1.Method.getRoles).read(Access1.RolesReply.self).roles
        let tokens = try link.ask(Access1.Method.getTokens).read(Access1.TokensReply.self).tokens
        guard !isJSON else {
            let json: JSON
            do throws(JSONError) { json = try JSON(encoding: AccessList(roles: roles, tokens: tokens)) } catch {
                throw ControlFailure(.notUnderstood, "\(error)")
            }
            return try showJSON(json)
        }
        var text =
            roles.isEmpty
            ? screen.paragraph("Nobody can sign in: no role has a secret. `vigil ctl access make ROLE` makes one.")
            : screen.paragraph("There are secrets of: \(roles.map(\.rawValue).joined(separator: ", ")).")
        if !tokens.isEmpty {
            var table = TextTable("Token", "Role", "Made (UTC)", "Last used (UTC)")
            for token in tokens {
                table.add([
                    ForeignText.line(token.name), token.role.rawValue, token.made.map { Words.moment($0) } ?? "not known",
                    token.lastUsed.map { Words.moment($0) } ?? "never",
                ])
            }
            text += "\n" + table.text(screen)
        }
        try show(text)
    }

    /// Revokes a script's token at once.
    /// - Parameter name: The token's name, as ``listAccess()`` shows it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func revokeToken(_ name: String) throws(ControlFailure) {
        let reply = try link.ask(Access1.Method.revokeToken, Access1.RevokeTokenCall(name: name))
        try say("The token is void.", reply)
    }

    private struct AccessList: Encodable {
        let roles: [Access1.Role]
        let tokens: [Access1.Token]
    }

    // MARK: Content

    /// Gives the authority's content to the core as it was published: the document, and the list of its signatures.
    /// - Parameters:
    ///   - document: The path of the document's file, at most 40 KiB, the core's own bound.
    ///   - signatures: The path of the signatures' file, at most 4 KiB, the core's own bound.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func takeContent(_ document: String, signatures: String) throws(ControlFailure) {
        let call: Content1.TakeContentCall
        do throws(InputError) {
            call = Content1.TakeContentCall(
                document: Base64.string(try Files.read(document, limit: 40 << 10)),
                approvals: Base64.string(try Files.read(signatures, limit: 4 << 10)))
        } catch { throw ControlFailure(.badFile, "\(error)") }
        try show(link.ask(Content1.Method.takeContent, call), as: Content1.TakeContentReply.self) {
            $0.changed
                ? screen.paragraph("Version \($0.version) of the content holds from now on.")
                : screen.paragraph("Version \($0.version) was here already.")
        }
    }

    /// Shows the content in force, as JSON; characters of foreign text that could harm a terminal are replaced.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showContent() throws(ControlFailure) {
        try show(link.ask(Content1.Method.getContent), as: Content1.ContentReply.self) {
            guard let content = $0.content else {
                return screen.paragraph("No health authority has brought content: pages show their own texts.")
            }
            let shown = (try? JSON(parsing: Array(content.utf8))).map { PlainText.json($0) } ?? "it cannot be shown"
            return screen.paragraph("Version \($0.version):") + shown + "\n"
        }
    }
}
