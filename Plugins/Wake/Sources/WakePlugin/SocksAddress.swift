// SPDX-License-Identifier: Apache-2.0

/// The way out, as `VIGIL_SOCKS` has it: `[user:password@]host:port`.
struct SocksAddress: Sendable {
    let host: String
    let port: Int32
    let user: String?
    let password: String?

    init?(_ text: String) {
        var place = text[...]
        var login: Substring?
        if let mark = text.lastIndex(of: "@") {
            login = text[..<mark]
            place = text[text.index(after: mark)...]
        }
        guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]), port > 0
        else { return nil }
        host = String(place[..<colon])
        self.port = Int32(port)
        guard let login else {
            user = nil
            password = nil
            return
        }
        guard let colon = login.firstIndex(of: ":") else { return nil }
        user = String(login[..<colon])
        password = String(login[login.index(after: colon)...])
    }
}
