// SPDX-License-Identifier: Apache-2.0

/// The reason why a request has no usable answer. Two errors are equal if their code and status are.
public struct HTTPError: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure, in the order of the steps of a request. Raw values are stable, because they appear in reports
    /// and logs.
    public enum Code: String, Sendable, CaseIterable {
        // Before anything was sent.
        /// `badURL`: the URL or a header line breaks a rule of ``HTTPRequest``. `badConfiguration`: a value of
        /// ``HTTPConfiguration`` cannot be used. A person has to correct either.
        case badURL, badConfiguration
        // The way there.
        /// `proxyUnreachable`: the SOCKS proxy does not answer. `nameNotResolved`: the name of the host cannot be
        /// resolved. `refusedByRule`: the rules of the proxy forbid the address. `unreachable`: there is no route
        /// to it, or the proxy failed in another way. `connectionRefused`: nothing listens at the port or, without
        /// a proxy, no connection can be made for any other reason, such as a missing route. `unreachable` comes
        /// through a proxy only.
        case proxyUnreachable, nameNotResolved, refusedByRule, unreachable, connectionRefused
        // TLS.
        /// A fault of the server's certificate: it has expired, is not valid yet, is for another name, has an unknown
        /// issuer, is invalid for another reason, or has none of the pinned keys. `tlsFailed` is any other failure of the
        /// TLS handshake.
        case certificateExpired, certificateNotYetValid, wrongName, unknownIssuer, certificateInvalid, pinMismatch,
            tlsFailed
        // The transfer.
        /// `connectTimeout`: connecting took too long. `timeout`: the whole request took too long. `tooSlow`: too
        /// few bytes came per second. `truncated`: the answer ended early. `connectionLost`: the connection broke.
        /// `badAnswer`: the answer is not HTTP, redirects without a target, or made libcurl fail in a way that has
        /// no other code. `headersTooLarge`, `bodyTooLarge`: the header lines or the body exceed their limit.
        case connectTimeout, timeout, tooSlow, truncated, connectionLost, badAnswer, headersTooLarge, bodyTooLarge
        /// `tooManyRedirects`: there were more redirects than the limits allow. `redirectNotPermitted`: one led to a host
        /// or scheme that the request does not permit, or came in answer to a POST or PUT.
        case tooManyRedirects, redirectNotPermitted
        // Ours.
        /// `cannotWrite`: the descriptor of the sink accepted no more bytes. `cancelled`: ``HTTPCancellation`` ended the
        /// request.
        case cannotWrite, cancelled
        /// The status of the answer is not 200 to 299 and, with ``HTTPRequest/keepsRefusals``, below 400.
        case status

        /// Whether the failure happens before a request is sent. If so, the server has not seen the request, and it may be
        /// repeated.
        public var isBeforeSending: Bool {
            switch self {
            case .badURL, .badConfiguration, .proxyUnreachable, .nameNotResolved, .refusedByRule, .unreachable,
                .connectionRefused, .certificateExpired, .certificateNotYetValid, .wrongName, .unknownIssuer,
                .certificateInvalid, .pinMismatch, .tlsFailed, .connectTimeout:
                true
            case .timeout, .tooSlow, .truncated, .connectionLost, .badAnswer, .headersTooLarge, .bodyTooLarge,
                .tooManyRedirects, .redirectNotPermitted, .cannotWrite, .cancelled, .status:
                false
            }
        }
    }

    /// The kind of failure, by which a caller decides whether and when to try again.
    public let code: Code
    /// The host names and numbers of this failure; never a key, a token or a path. Not part of equality.
    public let detail: String
    /// The HTTP status of the server with code ``Code/status``, outside 200 to 299; `nil` with any other code.
    public let status: Int?
    /// The wait in seconds that the server requests (`Retry-After`), 0 or more; `nil` if it requests none.
    public let retryAfter: Int64?
    /// The time in the server's refusal (`Date`), in Unix seconds; authenticated by TLS only. `nil` if it gave none.
    public let date: Int64?
    /// The number of bytes received before the failure, headers included; 0 if there were none or the number is not
    /// known. After redirects, only those of the last answer.
    public let receivedByteCount: Int

    /// Creates an error of this kind. `status` is the HTTP status, `retryAfter` is in seconds, `date` in Unix seconds;
    /// `nil` or an empty `detail` means not known.
    public init(
        _ code: Code, _ detail: String = "", status: Int? = nil, retryAfter: Int64? = nil, date: Int64? = nil,
        receivedByteCount: Int = 0
    ) {
        self.code = code
        self.detail = detail
        self.status = status
        self.retryAfter = retryAfter
        self.date = date
        self.receivedByteCount = receivedByteCount
    }

    /// Returns whether code and status are equal. Details, times and sizes do not affect what a caller does.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code && left.status == right.status }

    /// Hashes code and status, in agreement with equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(status)
    }

    /// A text for logs and technicians: what happened, what to do, and the stable code in brackets. Contains host names,
    /// but no paths and no secrets.
    public var description: String {
        let more = detail.isEmpty ? "" : " (\(detail))"
        return "\(sentence)\(more) [\(code.rawValue)\(status.map { " \($0)" } ?? "")]"
    }

    /// What happened, why as far as known, and what to do.
    private var sentence: String {
        switch code {
        case .badURL: return "the address is not one this plugin may use; correct it in the settings"
        case .badConfiguration: return "the certificate authorities or pins in the settings cannot be used; correct them"
        case .proxyUnreachable: return "the way out (egress) does not answer; it is restarted by the supervisor, try later"
        case .nameNotResolved:
            return
                "the server's name cannot be resolved; check the network and its name service, and the spelling in the settings"
        case .refusedByRule:
            return
                "the operator's rules do not permit this server; grant the endpoint to this plugin, or change its settings"
        case .unreachable:
            return
                "the server cannot be reached, or its name cannot be looked up; check the network and its name service, or try later"
        case .connectionRefused:
            return "the server's machine answers, but nothing serves there; check the port, or try later"
        case .certificateExpired:
            return
                "the server's certificate has expired by this device's clock; check the clock, else the server must renew it"
        case .certificateNotYetValid:
            return
                "the server's certificate is not valid yet by this device's clock: the clock is probably behind; set the time"
        case .wrongName: return "the server's certificate is for another name; check the address, and who answers there"
        case .unknownIssuer:
            return
                "nobody we trust vouches for the server's certificate; check the authorities in the settings, and who answers there"
        case .certificateInvalid: return "the server's certificate cannot be accepted; check who answers there"
        case .pinMismatch:
            return "the server's public key is none of the pinned ones; if it was changed on purpose, update the pins"
        case .tlsFailed: return "no secure connection could be agreed on; the server must offer TLS 1.2 or 1.3"
        case .connectTimeout: return "no connection in time; check the network, or try later"
        case .timeout: return "the answer took too long; try later"
        case .tooSlow: return "the answer came too slowly and was cut; try later"
        case .truncated: return "the answer broke off before its end; it is fetched again"
        case .connectionLost: return "the connection broke; it is tried again"
        case .badAnswer: return "what came is not an HTTP answer; check the address"
        case .headersTooLarge: return "the answer's headers are larger than allowed"
        case .bodyTooLarge: return "the answer is larger than allowed"
        case .tooManyRedirects: return "the server sends us from one address to the next; check the address in the settings"
        case .redirectNotPermitted: return "the server sends us to an address that is not permitted"
        case .cannotWrite: return "the answer cannot be stored; free space in the plugin's spool"
        case .cancelled: return "given up because the plugin was told to stop"
        case .status: return statusSentence
        }
    }

    private var statusSentence: String {
        switch status ?? 0 {
        case 401, 403: return "the server refuses access; check the address in the settings, or ask who runs the server"
        case 404, 410:
            return
                "there is nothing at this address; it is asked again later, if it stays so check the address in the settings"
        case 429: return "the server says we ask too often; it is asked again later"
        case 500...599: return "the server has a fault of its own; it is asked again later"
        default:
            return
                "the server's answer is none we expected; it is asked again later, if it stays so check the address in the settings"
        }
    }
}
