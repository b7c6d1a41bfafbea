// SPDX-License-Identifier: Apache-2.0

// What phones send to Corona-Warn-App's servers (cwa-ppa-server d441e874): a proof that the phone is genuine, and a message. The proofs
// are Apple's and Google's; nothing here checks them.

/// The proof of a phone with iOS.
package struct PPACIOS: DonationMessage {
    package var deviceToken = ""
    package var apiToken = ""
    package var previousApiToken = ""

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.text(1, \.deviceToken), .text(2, \.apiToken), .text(3, \.previousApiToken)]
    }
}

/// The proof of a phone with Android.
package struct PPACAndroid: DonationMessage {
    package var safetyNetJws = ""
    package var salt = ""

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.text(1, \.safetyNetJws), .text(2, \.salt)]
    }
}

/// A password for a survey or for sending a log (`EDUSOneTimePassword`, `ELSOneTimePassword`, `SRSOneTimePassword`).
package struct OneTimePassword: DonationMessage {
    package var otp = ""

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.text(1, \.otp)]
    }
}

/// A password for reporting oneself with Android (`SRSOneTimePasswordRequestAndroid.SRSOneTimePassword`).
package struct SRSOneTimePasswordAndroid: DonationMessage {
    package var otp = ""
    package var androidId: [UInt8] = []

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.text(1, \.otp), .bytes(2, \.androidId)]
    }
}

/// A proof with a message. Only those for reporting oneself have padding.
package struct PPACRequest<Proof: DonationMessage, Payload: DonationMessage>: DonationMessage {
    package var authentication: Proof?
    package var payload: Payload?
    package var requestPadding: [UInt8] = []

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.message(1, \.authentication), .message(2, \.payload), .bytes(3, \.requestPadding)]
    }
}
