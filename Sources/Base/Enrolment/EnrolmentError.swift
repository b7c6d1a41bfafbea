// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a board is not enrolled, or its certificate not renewed. Two errors are equal if their codes are. Has neither a
/// claim nor a key in it.
public struct EnrolmentError: CodedError {
    /// The kinds, in the order of the steps. The raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The card has no device file, or one without a signature.
        case noDeviceFile
        /// The device file was changed, or another operator's key has signed it.
        case changedDeviceFile
        /// The device file is for another board: the claim beside it is not the one that it names, or a board with another name has
        /// begun here.
        case otherBoard
        /// The device file names no server for enrolment, or none that can be used.
        case noServer
        /// The device file is there, but the claim is not, and no certificate is either.
        case noClaim
        /// What the board keeps of its enrolment cannot be read or written.
        case storage
        /// Nobody can say what time it is.
        case noTime
        /// The server cannot be reached, or it is not the one that the device file trusts.
        case unreachable
        /// The server will answer later (202, or 503 with a time).
        case pending
        /// The server refuses the claim or the certificate (401, 403).
        case refused
        /// The server says that this board is retired (410).
        case retired
        /// The server could not read the request (400 and other 4xx).
        case badRequest
        /// The server fails (5xx).
        case serverFailed
        /// The server's answer is not what EST calls for.
        case badAnswer
        /// The certificate is for another key.
        case otherKey
        /// The certificate is for another board.
        case otherSubject
        /// The certificate is not valid now, by this board's clock.
        case notValidNow
        /// The bytes are not a certificate, or not one on P-256.
        case badCertificate
        /// The bytes are not a request with a good signature, on P-256.
        case badCertificateRequest
        /// The cryptographic library refused.
        case cryptography
    }

    /// The kind; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Numbers, or a reason; may be empty.
    public let detail: String
    /// After how many seconds the server wants to be asked again, 1 to 86,400; `nil` if it has not said. Not part of equality.
    public let retryAfter: Int64?

    /// Creates an error. `detail` must be printable and without secrets; `retryAfter` in seconds is held to 1 to 86,400.
    public init(
        _ code: Code, _ detail: String = "", retryAfter: Int64? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter.map { min(max($0, 1), 86_400) }
        origin = ErrorOrigin(file: file, line: line)
    }

    /// Whether the same request may succeed later without anybody doing anything at this board.
    public var isTemporary: Bool {
        switch code {
        case .noTime, .unreachable, .pending, .serverFailed, .badAnswer, .otherKey, .otherSubject, .notValidNow,
            .badCertificate:
            true
        case .noDeviceFile, .changedDeviceFile, .otherBoard, .noServer, .noClaim, .storage, .refused, .retired, .badRequest,
            .badCertificateRequest, .cryptography:
            false
        }
    }

    /// A sentence for technicians: what is wrong and what to do, the detail, the code.
    public var description: String {
        "\(Self.sentence(code))\(detail.isEmpty ? "" : ": \(detail)") [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .noDeviceFile: "the card has no signed device file; make it with --key and --enrolment"
        case .changedDeviceFile:
            "the device file was changed after it was signed, or another key has signed it; make the card anew"
        case .otherBoard:
            "the device file is for another board than its claim, or than this board; use the card made for this board"
        case .noServer: "the device file names no server for enrolment that can be used; make the card with --enrolment"
        case .noClaim: "there is neither a claim nor a certificate; make the card anew"
        case .storage: "what the board keeps of its enrolment cannot be read or written; check the card"
        case .noTime: "nobody has told this board the time; it enrols when it knows it"
        case .unreachable:
            "the registration authority cannot be reached, or is not the one that the device file trusts; it is tried again"
        case .pending: "the registration authority has not decided yet; it is asked again"
        case .refused:
            "the registration authority refuses this board; ask its operator, and make the card anew if the claim was used already"
        case .retired: "the registration authority says that this board is retired"
        case .badRequest: "the registration authority could not read the request; check the address in the device file"
        case .serverFailed: "the registration authority has failed; it is tried again"
        case .badAnswer: "the registration authority's answer is not EST; check the address in the device file"
        case .otherKey: "the registration authority has sent a certificate for another key; nothing was kept"
        case .otherSubject: "the registration authority has sent a certificate for another board; nothing was kept"
        case .notValidNow: "the certificate is not valid now: this board's clock or the registration authority's is wrong"
        case .badCertificate: "this is no certificate that can be read, or its key is not on P-256"
        case .badCertificateRequest: "this is no request for a certificate with a good signature by a key on P-256"
        case .cryptography: "the cryptographic library refused"
        }
    }
}
